"""Mutants tried out by tests, each in a process of its own.

pytest collects the tests and runs them once, as they are; each mutant is then tried in a child forked off that
process, by the tests that reach the mutated function, until one fails: first those that noticed other mutants of that
function, then the fastest. So a mutant costs the tests that it needs, and no start of Python or pytest.
"""

import os
import resource
import signal
import struct
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state

# A test that takes more CPU time than this, with the mutant, is a timeout. Not of the clock on the wall: a busy machine
# makes no timeouts.
SECONDS_FOR_ANY = 5.0
TIMES_THE_USUAL = 10.0
MEMORY = 6 << 30
PIPE = 65536
PLACE = struct.Struct("i")


def try_out(chosen: list[str], room: dict, options) -> dict[str, str]:
    """What became of each mutant that was tried."""
    set_mutant_under_test("")
    trial = Trial(chosen, options)
    few = [] if options.thorough else ["--mutants"]
    left_out = [f"--deselect={test}" for test in room.get("not", [])]
    tests = [*room["tests"], *options.test]
    pytest.main(["-q", *few, "-p", "no:cacheprovider", "--rootdir=.", *tests, *left_out], plugins=[trial])
    return trial.results


class Trial:
    """Takes the place of pytest's loop over the tests that it collected."""

    def __init__(self, chosen, options):
        self.chosen, self.options = chosen, options
        self.results = {}
        self.seconds = {}
        self.reaching = defaultdict(list)
        self.noticed = defaultdict(Counter)

    def pytest_runtestloop(self, session):
        self.run_unchanged([item for item in session.items if not item.get_closest_marker("skip")])
        running = {}
        end = time.monotonic() + self.options.minutes * 60
        for done, name in enumerate(self.chosen):
            if time.monotonic() > end:
                break
            while len(running) >= self.options.jobs:
                self.wait(running)
            tests = self.tests_of(name)
            if tests:
                child, said = self.fork(name, tests)
                running[child] = (name, tests, said)
            else:
                self.results[name] = "no test"
            if done % 50 == 0:
                print(f"{done} of {len(self.chosen)}", flush=True)
        while running:
            self.wait(running)
        return True

    def run_unchanged(self, items):
        """Every test once, without a mutant: how long it takes, and which functions it reaches."""
        set_mutant_under_test("stats")
        for item in items:
            state()._stats.clear()
            before = time.process_time()
            if not passes(item):
                print(f"{item.nodeid} fails without any mutant, and is left out", flush=True)
                continue
            self.seconds[item] = time.process_time() - before
            for function in state()._stats:
                self.reaching[function].append(item)
        set_mutant_under_test("")
        print(f"{len(self.seconds)} tests pass in {sum(self.seconds.values()):.0f} CPU seconds", flush=True)
        slowest = sorted(self.seconds.items(), key=lambda pair: -pair[1])
        Path("seconds.txt").write_text("".join(f"{took:8.3f} {item.nodeid}\n" for item, took in slowest))

    def tests_of(self, name):
        """The tests that reach the mutant, as many as the budget allows."""
        total, chosen = 0.0, []
        function = function_of(name)
        noticed = self.noticed[function]
        for item in sorted(self.reaching[function], key=lambda item: (-noticed[item], self.seconds[item])):
            total += self.seconds[item]
            if total > self.options.budget and chosen:
                break
            chosen.append(item)
        return chosen

    def fork(self, name, tests):
        """A child that tries the mutant, and a pipe by which it says which of the tests it is at."""
        said, saying = os.pipe()
        child = os.fork()
        if child:
            os.close(saying)
            return child, said
        status = 1
        try:
            sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # until the child ends
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            set_mutant_under_test(name)
            status = int(not all(self.passes_in_time(item) for item in at_each(tests, saying)))
        finally:
            os._exit(status)

    def passes_in_time(self, item):
        signal.setitimer(signal.ITIMER_PROF, SECONDS_FOR_ANY + TIMES_THE_USUAL * self.seconds[item])
        return passes(item)

    def wait(self, running):
        child, status = os.wait()
        code = os.waitstatus_to_exitcode(status)
        name, tests, said = running.pop(child)
        last = os.read(said, PIPE)[-PLACE.size :]
        os.close(said)
        ends = {0: "survived", 1: "killed", -signal.SIGPROF: "timeout"}
        self.results[name] = ends.get(code, f"killed ({code})")
        if self.results[name] != "survived" and last:
            self.noticed[function_of(name)][tests[PLACE.unpack(last)[0]]] += 1
        with open("so_far.txt", "a") as file:
            file.write(f"{self.results[name]}\t{name}\n")


def function_of(name: str) -> str:
    return name.rpartition("__mutmut_")[0]


def at_each(tests, saying):
    for place, item in enumerate(tests):
        os.write(saying, PLACE.pack(place))
        yield item


def passes(item) -> bool:
    if hasattr(item, "_request"):
        item._initrequest()  # a test runs many times here: each time with fixtures of its own
    return not any(report.failed for report in runtestprotocol(item, nextitem=None, log=False))
