"""Reads rules, facts and all kinds of state, and says which files were opened and what was run meanwhile.

``python -m reliability.audited`` writes what Python's audit events tell, or ``nothing``. Everything is done once
before, so that modules and caches are loaded. With an argument a file is opened, to see that it is told.
"""

import sys

import thalweg
from reliability.states import METRIC, METRIC_FACTS, forms

WATCHED = ("import", "exec", "compile", "open", "pickle.find_class", "marshal.loads", "os.system", "os.exec")
WATCHED += (
    "os.spawn",
    "os.posix_spawn",
    "os.fork",
    "subprocess.Popen",
    "socket.connect",
    "socket.bind",
    "ctypes.dlopen",
)
WATCHED += ("os.listdir", "os.scandir", "os.remove", "os.rename", "os.mkdir", "glob.glob", "shutil.rmtree")


def main():
    told = []
    is_watching = False

    def hook(event, arguments):
        if is_watching and event in WATCHED:
            told.append(f"{event} {arguments[:1]}")

    everything()
    sys.addaudithook(hook)
    is_watching = True
    everything()
    if sys.argv[1:]:
        with open(__file__, encoding="utf-8"):
            pass
    is_watching = False
    sys.stdout.write("\n".join(told or ["nothing"]) + "\n")


def everything():
    program = thalweg.parse(METRIC)
    thalweg.materialise(program, "\n".join(METRIC_FACTS)).to_text()
    for form in forms().values():
        form.read(form.data)
        try:
            form.read(form.data[:-1])
        except thalweg.errors.StateError:
            continue


if __name__ == "__main__":
    main()
