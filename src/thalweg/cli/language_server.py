"""``thalweg language-server``: for editors."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from typing import TYPE_CHECKING

from thalweg.errors import UsageError

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_EPILOG = """\
examples:
  thalweg language-server                          what an editor starts
  thalweg language-server --tcp 8765               listen on a port of this machine instead

docs/editors.md says how to tell VS Code, Neovim, Vim, Emacs, Helix and Sublime Text about it.
"""


def add_to(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "language-server",
        help="tell editors what is wrong, what things mean, and where they are defined",
        description="Speaks the language server protocol on standard input and output: diagnostics, hover,\n"
        "definitions, references, symbols and completion. An editor starts it. It needs pip install 'thalweg[editor]'.",
        epilog=_EPILOG,
    )
    parser.add_argument("--tcp", metavar="PORT", type=int, help="listen on a port of the loopback interface")
    parser.add_argument("--stdio", action="store_true", help="the default; some editors say so")
    parser.set_defaults(command=language_server)


def language_server(options: argparse.Namespace) -> int:
    """Run the command."""
    if find_spec("pygls") is None:
        raise UsageError("the language server needs pygls: pip install 'thalweg[editor]'")
    from thalweg.language_server.server import make_server  # only editors need it

    server = make_server()
    if options.tcp is None:
        server.start_io()
    else:
        server.start_tcp("127.0.0.1", options.tcp)
    return 0
