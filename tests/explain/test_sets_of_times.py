"""The operations on times that proofs are made with, against the reference algebra."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from thalweg.explain.since import since_evidence
from thalweg.explain.times import covering, decode_all, dilated, encode_around, eroded, is_subset
from thalweg.time.interval import Interval, is_valid
from thalweg.time.interval_set import IntervalSet, box_minus, box_plus, diamond_minus, diamond_plus, since
from thalweg.time.ticks import Ticks
from thalweg.time.timeline import Timeline

timelines = st.sampled_from(Timeline)


@st.composite
def intervals(draw, low=0, high=8):
    start, end = sorted((draw(st.integers(low, high)), draw(st.integers(low, high))))
    closed = draw(st.booleans()), draw(st.booleans())
    return Interval(Fraction(start), Fraction(end), *(closed if is_valid(start, end, *closed) else (True, True)))


@st.composite
def sets(draw, timeline, most=4):
    return IntervalSet(tuple(draw(st.lists(intervals(), max_size=most))), timeline)


@given(timelines, st.data())
def test_dilation_and_erosion_are_diamond_and_box(timeline, data):
    times, interval = data.draw(sets(timeline)), data.draw(intervals(0, 3))
    assert dilated(times, interval) == diamond_minus(times, interval)
    assert dilated(times, interval.reflected()) == diamond_plus(times, interval)
    assert eroded(times, interval) == box_minus(times, interval)
    assert eroded(times, interval.reflected()) == box_plus(times, interval)


@given(timelines, st.data())
def test_the_parts_that_since_needs_are_enough_and_true(timeline, data):
    left, right = data.draw(sets(timeline)), data.draw(sets(timeline))
    interval = data.draw(intervals(0, 4))
    times = since(left, right, interval).intersection(data.draw(sets(timeline)))
    used_left, used_right = since_evidence(left, right, interval, times)
    assert is_subset(used_left, left)
    assert is_subset(used_right, right)
    assert is_subset(times, since(used_left, used_right, interval))


@given(timelines, st.data())
def test_a_cover_holds_as_much_as_all_offers(timeline, data):
    wanted = data.draw(sets(timeline))
    offers = data.draw(st.lists(sets(timeline), max_size=4))
    shares = covering(wanted, offers)
    covered, available = IntervalSet((), timeline), IntervalSet((), timeline)
    for number, share in shares:
        assert is_subset(share, offers[number])
        covered = covered.union(share)
    for offer in offers:
        available = available.union(offer)
    assert covered == available.intersection(wanted)


def test_one_offer_is_taken_where_it_does():
    # wanted    ├────┤     [0,5]
    # offers  ├──┤ ├───┤   and ├──────────┤
    sets_ = [IntervalSet((Interval(*ends),)) for ends in ((-1, 3), (2, 6), (-1, 9))]
    assert [number for number, _ in covering(IntervalSet((Interval(0, 5),)), sets_)] == [2]


@given(intervals())
def test_codes_around_an_interval_are_its_own_where_the_tick_divides_it(interval):
    ticks = Ticks(Timeline.RATIONAL)
    codes = encode_around(interval, ticks)
    assert codes == ticks.encode(interval)
    assert decode_all([codes[0]], [codes[1]], ticks) == (interval,)


def test_codes_around_an_interval_are_the_cells_it_touches():
    # 0     1     2
    # ·  ├─────┤        [0.5,1.5]
    assert encode_around(Interval(Fraction(1, 2), Fraction(3, 2)), Ticks(Timeline.RATIONAL)) == (1, 3)
