"""Facts of files that are fed to a stream: when their turn comes."""

import pytest

from cli.calling import call


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_what_holds_always_comes_first_wherever_it_stands(tmp_path):
    rules = "input Seen(v).\nbackground On(v, r).\noutput At(r).\nAt(R) :- Seen(V), On(V, R).\n"
    (tmp_path / "x.rules").write_text(rules)
    (tmp_path / "x.facts").write_text("Seen(a)@1\nSeen(a)@2\nOn(a,ring)\nSeen(a)@3\n")
    streamed = call("run", "x.rules", "x.facts", "--stream")
    assert streamed.lines == ["At(ring)@[1,1]", "At(ring)@[2,2]", "At(ring)@[3,3]"]


@pytest.mark.parametrize("step", [1, 2, 3, 5, 100])
def test_facts_up_to_the_last_time_count_however_long_the_steps_are(step, tmp_path):
    (tmp_path / "x.rules").write_text("timeline integer.\nQ(X) :- P(X).\n")
    (tmp_path / "x.facts").write_text("P(a)@1\nP(b)@3\nP(c)@4\nP(d)@5\nP(e)@9\n")
    streamed = call("run", "x.rules", "x.facts", "--stream", "--step", step, "--to", 4)
    assert streamed.lines == ["Q(a)@[1,1]", "Q(b)@[3,3]", "Q(c)@[4,4]"]
