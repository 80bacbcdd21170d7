"""Drawings: escaped, complete in themselves, and true to the times."""

import math
import re
import subprocess
import sys
from fractions import Fraction
from html.parser import HTMLParser
from importlib.resources import files
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import thalweg
from thalweg.drawing.axis import Axis, axis_of, date_text
from thalweg.drawing.code import code_block
from thalweg.drawing.markup import Html, element, joined
from thalweg.drawing.proof import MOST_LEVELS, draw_proof
from thalweg.drawing.timeline import MOST_IN_LANE, Lane, draw_timeline
from thalweg.drawing.why_not import draw_why_not
from thalweg.syntax.highlight import pieces
from thalweg.time.interval import Interval, point

EVIL = '<script>alert("1")</script>&"\''
RULES, FACTS = (files("thalweg.examples").joinpath(f"traffic.{kind}").read_text() for kind in ("rules", "facts"))


class Reader(HTMLParser):
    """Collects texts and tags, and complains of tags that do not match."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.texts, self.attributes = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def assert_safe(html):
    """Nothing that runs, and nothing from elsewhere."""
    reader = read(html)
    assert not {"script", "iframe", "object", "link", "img", "style", "image", "use"} & set(reader.tags)
    for name, value in reader.attributes:
        assert not name.startswith("on")
        assert name not in ("href", "src", "xlink:href")
        assert "url(" not in (value or "")
    assert "http" not in html.replace('xmlns="http://www.w3.org/2000/svg"', "")
    return reader


def interval(start, end, brackets="[]"):
    ends = (each if isinstance(each, float) else Fraction(each) for each in (start, end))
    return Interval(*ends, brackets[0] == "[", brackets[1] == "]")


def svg_of(html):
    return ElementTree.fromstring(re.search(r"<svg.*</svg>", html)[0])


def shapes(html, name):
    return [each.attrib for each in svg_of(html).iter(f"{{http://www.w3.org/2000/svg}}{name}")]


def test_text_is_escaped_and_markup_is_not():
    assert element("b", EVIL, Html("<i></i>"), title=EVIL) == (
        '<b title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&quot;&#x27;">'
        "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&quot;&#x27;<i></i></b>"
    )
    assert joined(("<", Html("<br>"))) == "&lt;<br>"


def test_attributes_may_be_left_out():
    assert element("details", open=True, id=None, hidden=False, stroke_width=2) == (
        '<details open stroke-width="2"></details>'
    )


@given(st.text(max_size=30))
def test_any_label_is_safe(label):
    reader = assert_safe(draw_timeline([Lane(label, [point(3)])]))
    assert "script" not in reader.tags


def test_an_evil_label_is_shown_as_it_is():
    reader = assert_safe(draw_timeline([Lane(EVIL, [point(3)])]))
    assert EVIL in reader.texts


def test_a_closed_end_is_a_line_and_an_open_end_a_hollow_dot():
    html = draw_timeline([Lane("P", [interval(0, 10, "[)")])])
    (dot,) = shapes(html, "circle")
    assert dot["fill"] == "none"
    (bar,) = shapes(html, "rect")
    assert float(dot["cx"]) == pytest.approx(float(bar["x"]) + float(bar["width"]) + 3.5)


def test_a_point_is_a_full_dot():
    (dot,) = shapes(draw_timeline([Lane("P", [point(5)])]), "circle")
    assert dot["stroke"] == "none"
    assert "fill" not in dot


def test_an_end_that_is_infinite_is_an_arrow_at_the_edge():
    html = draw_timeline(
        [Lane("P", [interval(-math.inf, 3, "(]"), interval(5, math.inf, "[)")]), Lane("Q", [point(9)])]
    )
    assert len(shapes(html, "path")) == 2
    assert len(shapes(html, "circle")) == 1
    before, after = shapes(html, "rect")
    assert float(before["x"]) < float(after["x"])
    (dot,) = shapes(html, "circle")
    assert float(after["x"]) + float(after["width"]) > float(dot["cx"])


def test_later_is_further_right_and_twice_as_long_is_twice_as_wide():
    html = draw_timeline([Lane("P", [interval(0, 10), interval(20, 40)])])
    first, second = shapes(html, "rect")
    assert float(first["x"]) < float(second["x"])
    assert float(second["width"]) == pytest.approx(2 * float(first["width"]), rel=1e-4)


def test_every_interval_can_be_read_by_pointing_at_it():
    reader = read(draw_timeline([Lane("P(a)", [interval(0, 1, "[)"), point(Fraction(7, 3))])]))
    assert "P(a)@[0,1)" in reader.texts
    assert "P(a)@[7/3,7/3]" in reader.texts


def test_lanes_that_are_too_many_are_counted():
    html = draw_timeline([Lane(f"P({n})", [point(n), point(n + 100)]) for n in range(10)], most=4)
    assert len(shapes(html, "circle")) == 8
    assert read(html).texts[-1] == "… and 12 more facts"


def test_intervals_that_are_too_many_are_counted():
    html = draw_timeline([Lane("P", [point(n) for n in range(MOST_IN_LANE + 7)])], left_out=3)
    assert len(shapes(html, "circle")) == MOST_IN_LANE
    assert read(html).texts[-1] == "… and 10 more facts"


def test_nothing_is_said_to_be_nothing():
    assert read(draw_timeline([])).texts == ["no facts"]


def test_a_long_label_is_cut_and_can_be_read_by_pointing_at_it():
    label = "Predicate(" + "a" * 100 + ")"
    texts = read(draw_timeline([Lane(label, [point(1)])])).texts
    assert label in texts
    assert any(text.endswith("…") and len(text) < 40 for text in texts)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 10, ["0", "2", "4", "6", "8", "10"]),
        (0, 1, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (-1, 1, ["-1", "-0.5", "0", "0.5", "1"]),
        (Fraction(1, 1000), Fraction(3, 1000), ["0.001", "0.0015", "0.002", "0.0025", "0.003"]),
        (10**30, 10**30 + 2, [str(10**30), f"{10**30}.5", str(10**30 + 1), f"{10**30 + 1}.5", str(10**30 + 2)]),
    ],
)
def test_marks_are_round_and_exact(start, end, expected):
    assert [text for _, text in Axis(Fraction(start), Fraction(end), 100.0).marks(6)] == expected


@given(st.fractions(), st.fractions(min_value=Fraction(1, 10**9), max_value=10**9), st.integers(2, 12))
def test_marks_are_few_and_on_the_axis(start, length, most):
    axis = Axis(start, start + length, 500.0)
    marks = axis.marks(most)
    assert len(marks) <= most + 1
    assert all(axis.start <= time <= axis.end and 0 <= axis.place(time) <= 500 for time, _ in marks)
    assert all(Fraction(text) == time for time, text in marks)


def test_the_axis_holds_all_finite_ends():
    axis = axis_of([interval(-math.inf, 3, "(]"), point(8)], 100.0)
    assert axis.start < 3 < 8 < axis.end
    assert axis_of([interval(-math.inf, math.inf, "()")], 100.0).end > 0


def test_dates_are_as_fine_as_needed():
    ten = Fraction(1714557600)  # 2024-05-01T10:00
    assert [date_text(ten, Fraction(step)) for step in (86400, 3600, 1)] == ["2024-05-01", "10:00", "10:00:00"]
    assert date_text(ten + Fraction(1, 4), Fraction(1, 4)) == "10:00:00.25"
    assert date_text(ten - 10 * 3600, Fraction(3600)) == "May 01"
    assert date_text(Fraction(10**15), Fraction(1)) == str(10**15)


def test_an_axis_of_dates_says_the_day():
    html = draw_timeline([Lane("P", [interval(1714557600, 1714559400)])], date_unit=Fraction(1))
    texts = read(html).texts
    assert "2024-05-01" in texts
    assert {"10:00", "10:05", "10:30"} <= set(texts)


def test_rules_keep_their_text():
    block = code_block(pieces(RULES))
    assert "".join(assert_safe(block).texts) == RULES


@given(st.text(alphabet=st.sampled_from(sorted({*RULES, "<", ">", "&", '"', "\n"})), max_size=60))
def test_any_text_of_rules_is_safe(text):
    assert "".join(assert_safe(code_block(pieces(text))).texts) == text


def node(fact, *premises, **more):
    rule = {"number": 1, "text": EVIL, "place": EVIL}
    piece = {"kind": "rule", "interval": "[0,1]", "rule": rule, "instance": {"X": EVIL}, "premises": list(premises)}
    extras = {"absent": [{"text": EVIL, "interval": "[0,1]"}], "conditions": [EVIL]}
    return {"fact": {"text": fact}, "number": 1, "pieces": [{**piece, **extras}], **more}


def given_fact(fact, source=None):
    return {"fact": {"text": fact}, "number": 2, "pieces": [{"kind": "given", "interval": "[0,1]", "source": source}]}


def test_a_proof_is_a_tree_that_opens():
    reader = assert_safe(draw_proof(node(EVIL, given_fact("P(a)@1", EVIL))))
    assert reader.tags.count("details") == 1
    assert "P(a)@1" in reader.texts
    assert f" given in {EVIL}" in reader.texts
    assert "given" not in "".join(reader.texts).replace("given in", "")


def test_a_proof_refers_to_an_earlier_one_by_its_number():
    texts = read(draw_proof(node("A@1", node("B@1", number=2), {"fact": {"text": "B@1"}, "see": 2}))).texts
    assert " no. 2" in texts
    assert " as in no. 2" in texts
    assert " no. 1" not in texts


def test_a_proof_of_several_intervals_says_what_is_missing():
    whole = {"fact": {"text": "A@[0,9]"}, "proofs": [node("A@1"), node("A@3")], "missing": ["(1,3)"]}
    reader = read(draw_proof(whole))
    assert " does not hold at (1,3)" in reader.texts
    assert reader.tags.count("details") == 2


def test_a_deep_proof_is_cut():
    proof = node("A@0")
    for number in range(1, MOST_LEVELS + 20):
        proof = node(f"A@{number}", proof)
    reader = read(draw_proof(proof))
    assert reader.tags.count("details") == MOST_LEVELS
    assert reader.texts[-1] == " …"


def test_what_is_missing_is_drawn():
    rule = {"number": 1, "text": EVIL, "place": "p.rules:1:1"}
    literal = {"number": 1, "text": EVIL, "ground": EVIL}
    obstacle = {"rule": rule, "instance": {"X": "a"}, "literal": literal, "time": "[9,9]", "reason": EVIL, "ask": None}
    answer = {"fact": {"text": "A@9"}, "holds": [], "missing": ["[9,9]"], "rules": [obstacle] * 60}
    texts = assert_safe(draw_why_not({**answer, "misfits": [rule], "notes": [EVIL]})).texts
    assert " does not hold" in texts
    assert f" fails at [9,9]: {EVIL}" in texts
    assert "… and 10 more rules" in texts


@pytest.fixture(scope="module")
def traffic():
    program = thalweg.parse(RULES, "traffic.rules")
    return program, thalweg.materialise(program, FACTS)


def test_a_program_shows_its_text_and_its_dialect(traffic):
    reader = assert_safe(traffic[0]._repr_html_())
    assert "".join(reader.texts[1:]) == RULES
    assert reader.texts[0] == (
        "forward-propagating DatalogMTL with stratified negation and comparisons · 5 rules · rational timeline"
    )


def test_a_model_shows_a_timeline_of_all_predicates(traffic):
    reader = assert_safe(traffic[1]._repr_html_())
    assert reader.texts[0] == "81 facts of 8 predicates"
    assert "Jam(ring)@[6,9)" in reader.texts
    assert "Stuck(veh13)@[6,13]" in reader.texts
    counted = sum("@" in text for text in reader.texts)
    assert reader.texts[-1] == f"… and {81 - counted} more facts"


def test_a_large_model_is_drawn_in_part():
    facts = "\n".join(f"P(a{n % 500})@{n}" for n in range(20_000))
    html = thalweg.materialise(thalweg.parse("Q(X) :- P(X)."), facts)._repr_html_()
    assert len(html) < 300_000
    assert "40,000 facts of 2 predicates" in html
    assert re.search(r"… and 3\d,\d\d\d more facts", html)


def test_a_model_without_facts_says_so():
    assert "nothing holds" in thalweg.materialise(thalweg.parse("Q(X) :- P(X)."), "")._repr_html_()


def test_answers_and_choices_are_drawn(traffic):
    found = thalweg.query(traffic[0], FACTS, "Stuck(V), On(V, R)")
    texts = assert_safe(found._repr_html_()).texts
    assert "answer(veh13,ring)@[6,13]" in texts
    assert texts[0] == "3 answers"
    assert "no answer" in thalweg.query(traffic[0], FACTS, "Stuck(veh99)")._repr_html_()
    stay = thalweg.parse("timeline integer. Stay :- Day, not Go. Go :- Day, not Stay.", stratified=False)
    texts = assert_safe(thalweg.answers(stay, "Day@[1,1]", start=0, end=2)._repr_html_()).texts
    assert {"2 answers", "answer 1", "answer 2"} <= set(texts)
    nothing = thalweg.parse("timeline integer. A :- Day, not A.", stratified=False)
    assert "no answer" in thalweg.answers(nothing, "Day@[1,1]", start=0, end=2)._repr_html_()


def test_proofs_are_drawn(traffic):
    proof = assert_safe(thalweg.why(traffic[0], FACTS, "Jam(ring)@7")._repr_html_())
    assert {"Jam(ring)@[7,7]", "veh13 != veh7"} <= set(proof.texts)
    missing = assert_safe(thalweg.why_not(traffic[0], FACTS, "Jam(ring)@2")._repr_html_())
    assert " does not hold" in missing.texts


class Printer:
    """What IPython hands to objects that print themselves."""

    def __init__(self):
        self.shown = ""

    def text(self, text):
        self.shown += text


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda p, m: p, RULES.strip("\n")),
        (lambda p, m: thalweg.query(p, FACTS, "Jam(R)"), "answer(ring)@[6,9)"),
        (lambda p, m: thalweg.why(p, FACTS, "Closed(ring)@10"), "Closed(ring)@[10,10]   given, facts:32"),
    ],
    ids=["program", "answers", "proof"],
)
def test_where_no_pictures_are_shown_there_is_text(make, expected, traffic):
    printer = Printer()
    make(*traffic)._repr_pretty_(printer, False)
    assert printer.shown.startswith(expected)


def test_a_large_model_is_printed_in_part(traffic):
    printer = Printer()
    traffic[1]._repr_pretty_(printer, False)
    assert "… and 16 more of Speed" in printer.shown
    assert "Jam(ring)@[6,9)" in printer.shown


def test_importing_the_package_loads_no_drawing():
    code = "import sys, thalweg.spark, thalweg.model.program; print([n for n in sys.modules if 'thalweg.drawing' in n])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
