"""The page in a real browser, with no window."""

import threading
import time
from pathlib import Path

import pytest
from written_runs import PUMP_FACTS, PUMPS, TURBINES, WrittenRun

from thalweg.cli.main import run_command
from thalweg.web.open_subject import program_subject
from thalweg.web.server import PageServer
from thalweg.web.shelves import FolderShelf, OneShelf

GONE = "ERR_CONNECTION_REFUSED"


@pytest.fixture
def pumps(tmp_path):
    """The pumps as files."""
    rules, facts = tmp_path / "pumps.rules", tmp_path / "pumps.facts"
    rules.write_text(PUMPS)
    facts.write_text(PUMP_FACTS)
    return rules, facts


@pytest.fixture
def pump_page(pumps, serve, open_page):
    """The page about the pumps."""
    page = open_page(serve(shelf_of(*pumps)))
    page.wait_for_selector(".mark")
    return page


def shelf_of(rules, *facts):
    subject = program_subject(Path(rules), facts, stretch=lambda _: (float("-inf"), float("inf")), warn=print)
    return OneShelf(subject, str(rules))


def lanes(page):
    return page.locator(".label.lane").all_inner_texts()


def ticks(page):
    return [float(text) for text in page.locator(".axis .tick text").all_text_contents()]


def until(page, condition):
    """Wait for what a script says; the browser's own waiting needs eval, which the content policy forbids."""
    for _ in range(100):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(80)
    pytest.fail(f"still not so: {condition}")


def test_the_page_of_a_program_shows_input_and_answers(pump_page):
    assert pump_page.title() == "Thalweg"
    assert pump_page.locator(".card-about").inner_text() == "3 rules · 9 input facts · 2 answers"
    assert lanes(pump_page)[:2] == ["p1", "p2"]
    assert pump_page.locator(".label.heading .name").all_inner_texts()[0] == "Alarm"


def test_open_and_closed_ends_are_told_apart(pump_page):
    # p2: Alarm @ [6, 7)
    p2 = pump_page.locator("g.lane.c0").nth(1)
    assert p2.locator(".end.closed").count() == 1
    assert p2.locator(".end.open").count() == 1


def test_points_are_marks_with_their_values(pump_page):
    readings = pump_page.locator("g.lane.role-input").filter(has=pump_page.locator(".point"))
    assert readings.locator(".point").count() == 8
    assert "95" in readings.locator(".value").all_text_contents()


def test_a_click_on_an_answer_opens_its_proof(pump_page):
    pump_page.locator("g.lane.c0 .mark .bar").first.click()
    tree = pump_page.locator(".proof-tree")
    tree.wait_for()
    assert "Alarm(p1)" in pump_page.locator(".why").inner_text()
    assert "[5, 7.5]" in pump_page.locator(".why").inner_text()
    assert "pumps.rules:7:1" in tree.locator(".by").first.inner_text()
    assert "P = p1" in tree.locator(".with").first.inner_text()
    assert "Maintenance(p1)" in tree.locator(".absent").first.inner_text()
    pump_page.get_by_text("open all").click()
    assert "pumps.facts:1" in tree.inner_text()


def test_a_premise_under_the_mouse_is_pointed_at_on_the_timeline(pump_page):
    pump_page.locator("g.lane.c0 .mark .bar").first.click()
    premise = pump_page.locator(".proof-tree details details .fact-head").first
    premise.hover()
    pump_page.wait_for_selector("rect.pointer")
    pump_page.mouse.move(5, 5)
    pump_page.wait_for_selector("rect.pointer", state="detached")


def test_facts_of_a_proof_that_are_filtered_out_get_lanes_of_their_own(pump_page):
    pump_page.locator("[data-predicate=Overheated]").uncheck()
    pump_page.locator("g.lane.c0 .mark .bar").first.click()
    pump_page.get_by_text("Only in this proof").wait_for()
    assert lanes(pump_page)[0] == "Overheated(p1)"


def test_predicates_can_be_left_out(pump_page):
    pump_page.locator("[data-predicate=Temp]").uncheck()
    until(pump_page, "!document.querySelector('.labels').innerText.includes('Temp')")
    pump_page.get_by_text("none", exact=True).click()
    pump_page.get_by_text("No lane fits the filter.").wait_for()
    pump_page.get_by_text("all", exact=True).click()
    until(pump_page, "document.querySelector('.labels').innerText.includes('Temp')")


def test_constants_can_be_searched_for(pump_page):
    pump_page.get_by_label("Filter by constant").fill("P2")
    until(pump_page, "[...document.querySelectorAll('.label.lane')].every(e => e.innerText === 'p2')")
    pump_page.get_by_label("Filter by constant").fill("p2 92")
    until(pump_page, "document.querySelectorAll('.label.lane').length === 1")


def test_the_wheel_zooms_dragging_pans_and_fit_shows_all_again(pump_page):
    everything = ticks(pump_page)
    box = pump_page.locator(".plot").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] - 15
    pump_page.mouse.move(*middle)
    pump_page.mouse.wheel(0, -400)
    pump_page.wait_for_timeout(200)
    zoomed = ticks(pump_page)
    assert zoomed[-1] - zoomed[0] < everything[-1] - everything[0]
    pump_page.mouse.down()
    pump_page.mouse.move(middle[0] - 300, middle[1], steps=4)
    pump_page.mouse.up()
    pump_page.wait_for_timeout(100)
    assert ticks(pump_page)[0] > zoomed[0]
    pump_page.get_by_role("button", name="show all times").click()
    pump_page.wait_for_timeout(100)
    assert ticks(pump_page) == everything


def test_keys_zoom_pan_choose_and_open(pump_page):
    everything = ticks(pump_page)
    pump_page.locator(".plot").focus()
    pump_page.keyboard.press("+")
    pump_page.keyboard.press("+")
    pump_page.keyboard.press("ArrowRight")
    pump_page.wait_for_timeout(100)
    assert ticks(pump_page)[0] > everything[0]
    pump_page.keyboard.press("f")
    pump_page.keyboard.press("ArrowDown")
    pump_page.keyboard.press("ArrowDown")
    assert pump_page.locator(".said").text_content() == "Alarm(p2), [6, 7)"
    pump_page.keyboard.press("Enter")
    pump_page.locator(".proof-tree").wait_for()
    assert "Alarm(p2)" in pump_page.locator(".why").inner_text()


def test_a_running_stream_is_followed_until_somebody_pans(tmp_path, serve, open_page):
    run = WrittenRun(tmp_path / "live")
    run.batch([("p1", 0, 3)], newest="3", answered_before="3")
    page = open_page(serve(tmp_path))
    page.wait_for_selector(".mark")
    assert page.locator(".state").inner_text() == "running"
    assert page.get_by_label("follow").is_checked()
    page.get_by_role("button", name="zoom in").click()

    def go_on():
        for start in range(10, 60, 10):
            run.batch([("p1", start, start + 4)], newest=str(start + 4), answered_before=str(start + 4))
            time.sleep(0.1)

    writer = threading.Thread(target=go_on)
    writer.start()
    until(page, "[...document.querySelectorAll('.axis .tick text')].some(e => Number(e.textContent) >= 53)")
    writer.join()
    assert page.locator(".mark .bar").count() >= 1
    page.get_by_role("button", name="earlier").click()
    assert not page.get_by_label("follow").is_checked()
    page.wait_for_timeout(200)
    before = ticks(page)
    run.batch([("p1", 500, 501)], newest="501")
    until(page, "document.querySelector('.figures').innerText.includes('7')")
    assert ticks(page) == before
    page.get_by_label("follow").check()
    until(page, "[...document.querySelectorAll('.axis .tick text')].some(e => Number(e.textContent) >= 500)")


def test_pieces_of_an_answer_that_touch_are_one_bar(tmp_path, serve, open_page):
    run = WrittenRun(tmp_path / "live")
    for start in range(3):
        run.batch([("p1", start, start + 1)])
    page = open_page(serve(tmp_path))
    page.wait_for_selector(".mark")
    page.locator(".mark .bar").hover()
    assert "[0, 3]" in page.locator(".tip").inner_text()
    assert page.locator(".mark").count() == 1


def test_a_run_tells_its_figures(tmp_path, serve, open_page):
    run = WrittenRun(tmp_path / "live")
    run.batch([("p1", 0, 3)], late=2, at="2024-01-01T00:00:00+00:00")
    run.set_aside([("Temp", "p1,hot", "hot is not a number")])
    run.batch(set_aside=1, rows=50, at="2024-01-01T00:00:05+00:00")
    page = open_page(serve(tmp_path))
    page.wait_for_selector(".figures")
    figures = dict(
        zip(page.locator(".figure small").all_inner_texts(), page.locator(".figure b").all_inner_texts(), strict=True)
    )
    assert figures == {"rate": "10/s", "lag": "2 min", "answers": "1", "late": "2", "set aside": "1"}
    assert page.locator(".gauge-text").inner_text() == "stored 40 of at most 100"
    assert page.locator(".gauge .fill").get_attribute("width") == "40"
    page.get_by_role("tab", name="Set aside").click()
    page.get_by_text("hot is not a number").wait_for()


def test_answers_of_a_run_are_explained_from_its_evidence(pumps, tmp_path, serve, open_page):
    rules, facts = map(str, pumps)
    output = str(tmp_path / "answers")
    assert run_command(["run", rules, facts, "--stream", "--in-process", "--explain", "--output", output]) == 0
    page = open_page(serve(tmp_path))
    page.wait_for_selector(".mark")
    assert page.locator(".label.heading .name").all_inner_texts()[-1] == "Maintenance"
    page.locator("g.lane.c0 .mark .bar").first.click()
    page.locator(".proof-tree").wait_for()
    assert "Overheated(p1)" in page.locator(".proof-tree").inner_text()


def test_without_evidence_the_panel_says_how_to_keep_it(tmp_path, serve, open_page):
    WrittenRun(tmp_path / "live").batch([("p1", 0, 3)])
    page = open_page(serve(tmp_path))
    page.wait_for_selector(".mark")
    page.locator(".mark .bar").click()
    page.locator(".refusal").wait_for()
    assert "--explain" in page.locator(".refusal").inner_text()


def test_open_hypotheses_are_listed_with_their_deadlines(tmp_path, serve, open_page):
    run = WrittenRun(tmp_path / "turbines", TURBINES, ("Malfunction",), "hypotheses", timeline="integer")
    high = [("Reading", ["wt2", "high"], 7)]
    run.status(
        [
            ("wt2", 7, "opened", high, [("Reading", ["wt2", "high"], 8, 9)], 9),
            ("wt3", 6, "confirmed", [("Reading", ["wt3", "high"], 6)], [], None),
        ],
        newest="7",
        open=1,
    )
    page = open_page(serve(tmp_path))
    page.locator(".hypothesis").wait_for()
    text = page.locator(".hypothesis").inner_text()
    assert "Malfunction(wt2)" in text
    assert "has Reading(wt2, high) at 7" in text
    assert "awaits Reading(wt2, high) at 8 until 9" in text
    assert "decided by 9" in text
    # on the timeline: where it may become true, and by when that is decided
    page.locator(".label.lane", has_text="wt3").wait_for()
    assert lanes(page) == ["Malfunction(wt2)", "wt3"]
    page.locator("circle.end.open").hover()
    assert "may become true at 7; decided by 9" in page.locator(".tip").inner_text()
    run.status([("wt2", 7, "refuted", high, [], None)], newest="10", open=0)
    page.get_by_text("Nothing is open").wait_for()
    until(page, "document.querySelectorAll('.label.lane').length === 1")


def test_times_that_are_timestamps_are_dates_on_the_axis(tmp_path, serve, open_page):
    import datetime

    run = WrittenRun(tmp_path / "dated", clock="timestamp")
    moment = datetime.datetime(2024, 5, 1, 10, tzinfo=datetime.UTC)
    run.batch([("p1", moment, moment + datetime.timedelta(minutes=30))])
    page = open_page(serve(tmp_path))
    page.wait_for_selector(".mark")
    assert "10:15" in page.locator(".axis .tick text").all_text_contents()
    page.locator(".mark .bar").hover()
    assert "2024-05-01 10:00, 2024-05-01 10:30" in page.locator(".tip").inner_text()


def test_tables_with_timestamps_are_shown_and_explained_with_dates(tmp_path, serve, open_page):
    rules, table = tmp_path / "pumps.rules", tmp_path / "Temp.csv"
    rules.write_text(PUMPS)
    minutes = (f"p1,95,2024-05-01T10:{minute:02}:00" for minute in range(0, 12, 2))
    table.write_text("\n".join(["pump,celsius,time", *minutes]) + "\n")
    page = open_page(serve(shelf_of(rules, table)))
    page.wait_for_selector(".mark")
    page.locator("g.lane.c0 .bar").first.click()
    page.locator(".proof-tree").wait_for()
    # The last reading is at 10:10, and counts for two minutes.
    assert "[2024-05-01 10:05, 2024-05-01 10:12]" in page.locator(".proof-tree").inner_text()
    assert "[2024-05-01 10:05, 2024-05-01 10:12]" in page.locator(".why").inner_text()


def test_an_empty_folder_says_how_to_start_a_run_and_shows_it_when_it_comes(tmp_path, serve, open_page):
    page = open_page(serve(tmp_path))
    page.get_by_text("No runs below this folder").wait_for()
    assert "thalweg run" in page.locator(".nothing").inner_text()
    WrittenRun(tmp_path / "late").batch([("p1", 0, 3)])
    page.wait_for_selector(".mark")


def test_a_record_that_cannot_be_read_is_named_beside_the_others(tmp_path, serve, open_page):
    WrittenRun(tmp_path / "good").batch([("p1", 0, 3)])
    (tmp_path / "bad" / "_thalweg").mkdir(parents=True)
    (tmp_path / "bad" / "_thalweg" / "run.json").write_text("{")
    page = open_page(serve(tmp_path))
    page.wait_for_selector(".mark")
    assert "cannot be read" in page.locator(".card.problem").inner_text()


def test_a_run_whose_process_is_gone_and_one_that_failed_say_so(tmp_path, serve, open_page):
    WrittenRun(tmp_path / "gone", pid=2**22 + 1).batch([("p1", 0, 3)])
    failed = WrittenRun(tmp_path / "failed")
    failed.batch([("p1", 0, 3)])
    failed.writer.end("failed", "the disk is full")
    page = open_page(serve(tmp_path))
    page.wait_for_selector(".mark")
    assert sorted(page.locator(".state").all_inner_texts()) == ["failed", "gone"]
    assert page.locator(".card-message").inner_text() == "the disk is full"


def test_the_page_says_that_the_server_is_gone_and_goes_on_when_it_is_back(tmp_path, open_page):
    run = WrittenRun(tmp_path / "live")
    run.batch([("p1", 0, 3)])
    first = PageServer(FolderShelf([tmp_path]))
    first.start()
    page = open_page(first.address, tolerate=(GONE, "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE"))
    page.wait_for_selector(".mark")
    first.shutdown()
    first.server_close()
    page.get_by_text("The server does not answer").wait_for()
    run.batch([("p2", 0, 3)])
    second = PageServer(FolderShelf([tmp_path]), port=first.server_port)
    second.start()
    page.locator(".banner").wait_for(state="hidden")
    until(page, "document.querySelectorAll('.label.lane').length === 2")
    second.shutdown()
    second.server_close()


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>"])
def test_what_facts_say_is_text_and_never_markup(text, tmp_path, serve, open_page):
    rules, facts = tmp_path / "a.rules", tmp_path / "a.facts"
    rules.write_text("% <b>bold</b>\nSeen(X) :- Given(X).\n")
    facts.write_text(f'Given("{text}")@[1,2]\n')
    page = open_page(serve(shelf_of(rules, facts)))
    page.wait_for_selector(".mark")
    assert f'"{text}"' in lanes(page)
    page.locator(".mark .bar").first.click()
    page.locator(".proof-tree").wait_for()
    assert text in page.locator(".proof-tree").inner_text()
    page.get_by_role("tab", name="Rules").click()
    page.get_by_text("<b>bold</b>").wait_for()
    assert page.locator("#app img, #app script, #app b:text-is('bold')").count() == 0


def test_thousands_of_lanes_stay_usable(tmp_path, serve, open_page):
    run = WrittenRun(tmp_path / "much")
    run.batch([(f"p{lane}", time, time + 1) for lane in range(4000) for time in range(0, 20, 4)])
    page = open_page(serve(tmp_path))
    until(page, "document.querySelector('.label .count')?.innerText === '4,000'")
    assert page.locator(".label").count() < 60
    page.locator(".scroller").evaluate("e => e.scrollTop = e.scrollHeight")
    until(page, "document.querySelector('.labels').innerText.includes('p3999')")
    page.get_by_role("button", name="zoom out").click(click_count=8)
    until(page, "document.querySelectorAll('.cluster').length > 0")
    page.locator(".cluster").first.click()
    until(page, "document.querySelectorAll('.cluster').length === 0")


@pytest.mark.parametrize("size", [(420, 800), (760, 900), (1900, 1000)])
def test_nothing_hangs_over_at_any_width(size, pumps, serve, open_page):
    page = open_page(serve(shelf_of(*pumps)), size=size)
    page.wait_for_selector(".mark")
    page.locator("g.lane.c0 .mark .bar").first.click()
    page.locator(".proof-tree").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_report_is_one_file_that_needs_no_network(pumps, tmp_path, open_page):
    rules, facts = map(str, pumps)
    target = tmp_path / "report.html"
    assert run_command(["report", rules, facts, "-o", str(target)]) == 0
    page = open_page(target.as_uri(), offline=True)
    page.wait_for_selector(".mark")
    page.locator("g.lane.c0 .mark .bar").first.click()
    page.locator(".proof-tree").wait_for()
    assert "Overheated(p1)" in page.locator(".proof-tree").inner_text()
    page.locator("g.lane.role-input .point").first.click()
    page.locator(".refusal").wait_for()
    page.get_by_role("tab", name="Rules").click()
    page.get_by_text("output Alarm(pump: string).").wait_for()


def test_a_report_of_a_stream_has_the_proofs_of_what_it_draws(pumps, tmp_path, open_page):
    rules, facts = map(str, pumps)
    output, target = tmp_path / "answers", tmp_path / "report.html"
    run_command(["run", rules, facts, "--stream", "--in-process", "--explain", "--output", str(output)])
    assert run_command(["report", str(output), "-o", str(target)]) == 0
    page = open_page(target.as_uri(), offline=True)
    page.wait_for_selector(".mark")
    for bar in page.locator("g.lane.c0 .mark .bar").all():
        bar.click()
        page.locator(".proof-tree").wait_for()


def test_a_report_cannot_be_broken_out_of(tmp_path, open_page):
    rules, facts, target = tmp_path / "a.rules", tmp_path / "a.facts", tmp_path / "report.html"
    rules.write_text("Seen(X) :- Given(X).\n")
    facts.write_text('Given("</script><script>alert(1)</script><!--")@[1,2]\n')
    assert run_command(["report", str(rules), str(facts), "-o", str(target)]) == 0
    page = open_page(target.as_uri(), offline=True)
    page.wait_for_selector(".mark")
    assert any("</script>" in lane for lane in lanes(page))
