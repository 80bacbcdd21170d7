"""Nothing that a user's rules, data, state or files can name is imported, evaluated or run: there is no way to do so.

The source is read as syntax trees. What is allowed all the same stands in lists here, place by place, with the reason.
"""

import ast

import pytest
from rooms import ROOT

SOURCE = ROOT / "src" / "thalweg"
FILES = sorted(path for path in SOURCE.rglob("*.py"))

MODULES = {
    "pickle", "_pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "dbm", "yaml", "ruamel",
    "code", "codeop", "runpy", "imp", "pty", "ctypes", "cffi", "subprocess", "multiprocessing", "xmlrpc", "telnetlib",
}  # fmt: skip
"""Modules that run what data names, or start other programs."""

ALLOWED_IMPORTS = {
    ("columnar/budget.py", "ctypes"): "gives memory back to the system: a function of the C library by a fixed name",
    ("spark/worker_memory.py", "ctypes"): "the same: mallopt",
    ("spark/java.py", "subprocess"): "asks java for its version: a list of arguments, no shell, nothing from data",
    ("bench/", "subprocess"): "benchmarks measure other programs in processes of their own",
}

NAMES = {"eval", "exec", "compile", "__import__", "breakpoint"}
"""Built-in functions that turn text into code."""

METHODS = {
    "system", "popen", "spawnl", "spawnv", "execv", "execve", "startfile", "read_pickle", "to_pickle", "loads_pickle",
    "deserialize", "extractall", "unpack_archive", "mktemp", "expr", "selectExpr", "sql", "find_class", "import_module",
    "exec_module", "literal_eval", "load_module",
}  # fmt: skip
"""Methods that run text as code or as SQL, or write files where an archive says."""

ALLOWED_CALLS = {
    ("__init__.py", "import_module"): "the lazy names of the package itself, from a table in the same file",
    ("bench/experiment.py", "import_module"): "experiments by the names in a table of the package",
    ("bench/peers/past_mtl.py", "import_module"): "one of two modules of the package, by names in the same file",
    ("bench/stamp.py", "system"): "platform.system(), which says what system this is",
    ("bench/", "selectExpr"): "benchmarks choose columns by names written there",
}


def place(path):
    return path.relative_to(SOURCE).as_posix()


def is_allowed(allowed, path, what):
    return any(place(path).startswith(start) and what == name for start, name in allowed)


def findings(path):
    """What is forbidden in a file, by line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            for name in names:
                if name.partition(".")[0] in MODULES and not is_allowed(ALLOWED_IMPORTS, path, name.partition(".")[0]):
                    yield f"{place(path)}:{node.lineno}: import {name}"
        elif isinstance(node, ast.Call):
            yield from called(path, node)


def called(path, node):
    """What is forbidden about a call."""
    function = node.func
    if isinstance(function, ast.Name):
        name, is_forbidden = function.id, function.id in NAMES | {"import_module"}
    elif isinstance(function, ast.Attribute):
        name, is_forbidden = function.attr, function.attr in METHODS
    else:
        return
    if is_forbidden and not is_allowed(ALLOWED_CALLS, path, name):
        yield f"{place(path)}:{node.lineno}: {name}(…)"
    for keyword in node.keywords:
        if keyword.arg in ("shell", "allow_pickle", "object_hook") and not is_false(keyword.value):
            yield f"{place(path)}:{node.lineno}: {name}({keyword.arg}=…)"


def is_false(value):
    return isinstance(value, ast.Constant) and value.value is False


@pytest.mark.parametrize("path", FILES, ids=place)
def test_no_code_comes_from_data(path):
    assert [*findings(path)] == []


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "from cloudpickle import loads",
        "def f(x):\n    return eval(x)",
        "import numpy as np\nnp.load('x', allow_pickle=True)",
        "import importlib\nimportlib.import_module(name)",
        "import os\nos.system('ls')",
        "frame.selectExpr(name)",
        "import subprocess",
        "run('ls', shell=True)",
    ],
)
def test_what_is_forbidden_is_found(text, tmp_path, monkeypatch):
    monkeypatch.setattr("test_no_foreign_code.SOURCE", tmp_path)
    (tmp_path / "engine.py").write_text(text)
    assert len([*findings(tmp_path / "engine.py")]) == 1


def test_every_exception_is_used():
    used = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
                used |= {(place(path), name.partition(".")[0]) for name in names}
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
                called_as = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
                used.add((place(path), called_as))
    allowed = {**ALLOWED_IMPORTS, **ALLOWED_CALLS}
    assert [each for each in allowed if not any(at.startswith(each[0]) and name == each[1] for at, name in used)] == []
