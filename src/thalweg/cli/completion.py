"""``thalweg completion``: scripts with which shells complete commands, options and files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

SHELLS = ("bash", "zsh", "tcsh", "fish")

_FILES = frozenset({"PROGRAM", "FACTS", "FILE", "PATH", "OUTPUT"})
_FOLDERS = frozenset({"FOLDER"})
"""What positions and options are called where they take files and folders."""

_EPILOG = """\
examples:
  thalweg completion bash > ~/.local/share/bash-completion/completions/thalweg
  thalweg completion zsh > ~/.zfunc/_thalweg
  thalweg completion fish > ~/.config/fish/completions/thalweg.fish

zsh needs the folder among its own: fpath+=~/.zfunc before compinit in ~/.zshrc.
"""


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "completion",
        help="print a script with which your shell completes commands and options",
        description="Prints a script for a shell. Put it where the shell looks for such scripts.",
        epilog=_EPILOG,
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")
    parser.set_defaults(command=completion)


def completion(options: argparse.Namespace) -> int:
    """Run the command."""
    from thalweg.cli.main import make_parser  # it imports this module

    parser = make_parser()
    print("\n".join(_fish(parser)) if options.shell == "fish" else _by_shtab(parser, options.shell))
    return 0


def _by_shtab(parser: argparse.ArgumentParser, shell: str) -> str:
    import shtab

    for action in _all_actions(parser):
        if isinstance(action, argparse._SubParsersAction):
            action.help = "command"  # it is left out of --help, and shtab would leave it out, too
        names = {action.metavar} if isinstance(action.metavar, str) else set()
        if names & _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # what shtab looks for
        elif names & _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]  # as above
    script: str = shtab.complete(parser, shell)
    return script


def _all_actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _all_actions(inner)


def _fish(parser: argparse.ArgumentParser) -> Iterator[str]:
    """shtab does not know fish: a line for each command, option and choice."""
    yield "# completion for thalweg"
    yield "complete -c thalweg -f"
    yield from (_fish_option(option, "__fish_use_subcommand") for option in _options(parser))
    for name, (inner, about) in _commands(parser).items():
        yield f"complete -c thalweg -n __fish_use_subcommand -a {name} -d {_quoted(about)}"
        seen = f"'__fish_seen_subcommand_from {name}'"
        kinds = _commands(inner)
        for kind, (deeper, words) in kinds.items():
            yield f"complete -c thalweg -n {seen} -a {kind} -d {_quoted(words)}"
            yield from (_fish_option(each, f"'__fish_seen_subcommand_from {kind}'") for each in _options(deeper))
        yield from (_fish_option(option, seen) for option in _options(inner))
        yield from (line for each in inner._actions for line in _fish_position(each, seen))


def _fish_option(option: argparse.Action, condition: str) -> str:
    names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.option_strings)
    takes_value = "" if option.nargs == 0 else " -r" + " -F" * (option.metavar in _FILES | _FOLDERS)
    choices = f" -x -a {_quoted(' '.join(map(str, option.choices)))}" if option.choices else ""
    about = (option.help or "").replace("%%", "%")
    return f"complete -c thalweg -n {condition} {names}{takes_value}{choices} -d {_quoted(about)}"


def _fish_position(action: argparse.Action, condition: str) -> Iterator[str]:
    if action.option_strings or isinstance(action, argparse._SubParsersAction):
        return
    if action.choices:
        yield f"complete -c thalweg -n {condition} -a {_quoted(' '.join(map(str, action.choices)))}"
    elif action.metavar in _FILES:
        yield f"complete -c thalweg -n {condition} -F"


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [each for each in parser._actions if each.option_strings and each.help != argparse.SUPPRESS]


def _commands(parser: argparse.ArgumentParser) -> dict[str, tuple[argparse.ArgumentParser, str]]:
    found: dict[str, tuple[argparse.ArgumentParser, str]] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            abouts = {each.dest: each.help or "" for each in action._choices_actions}
            found |= {name: (inner, abouts.get(name, "")) for name, inner in action.choices.items()}
    return found


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
