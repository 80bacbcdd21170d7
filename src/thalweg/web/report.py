"""A run, or a program with facts, as one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from typing import Any
from urllib.parse import urlencode

from thalweg.web.assets import asset, asset_text
from thalweg.web.lanes import END_CLOSED, START_CLOSED, Lanes
from thalweg.web.page_api import Shelf, answer
from thalweg.web.subject import Subject
from thalweg.web.wire_times import Wire

DEFAULT_PROOFS = 200
"""So many answers have their proofs in a report, unless told otherwise."""

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="{icon}">
<style>{style}</style>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript.</noscript>
<script type="application/json" id="report-data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def report(shelf: Shelf, subject: Subject, most_proofs: int = DEFAULT_PROOFS) -> str:
    """The text of the file."""
    data = _data(shelf, subject, most_proofs)
    style, script = asset_text("app.css"), asset_text("app.js")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    return _PAGE.format(
        policy=policy,
        title=html.escape(f"{data['runs']['runs'][0]['name']} · Thalweg"),
        icon=f"data:image/svg+xml;base64,{base64.b64encode(asset('icon.svg')).decode()}",
        style=style,
        script=script,
        data=_in_script(data),
    )


def _data(shelf: Shelf, subject: Subject, most_proofs: int) -> dict[str, Any]:
    lanes = subject.lanes()
    runs = answer(shelf, "/api/runs", {})
    runs["runs"] = [run for run in runs["runs"] if run["id"] == subject.key]
    return {
        "runs": {**runs, "problems": []},
        "facts": lanes.since("", len(lanes)),
        "program": subject.program(),
        "hypotheses": subject.hypotheses(),
        "aside": subject.set_aside(),
        "proofs": _proofs(subject, lanes, runs["runs"][0]["integer"], most_proofs),
    }


def _proofs(subject: Subject, lanes: Lanes, integer: bool, most: int) -> dict[str, Any]:
    """The proofs of the first answers, under the addresses by which the page asks for them."""
    outputs = {shown.name for shown in lanes.predicates if shown.role == "output"}
    found: dict[str, Any] = {}
    for lane, start, end, ends in merged(lanes, integer):
        if len(found) >= most:
            break
        atom = lanes.lane(lane)
        if atom and atom[0] in outputs:
            first, last = ("" if time is None else str(time) for time in (start, end))
            found[urlencode({"lane": lane, "start": first, "end": last, "ends": ends})] = subject.proof(
                lane, first, last, ends
            )
    return found


def merged(lanes: Lanes, integer: bool) -> list[tuple[int, Wire, Wire, int]]:
    """The facts lane by lane with those that touch made one, as the page draws them."""
    found: list[tuple[int, Wire, Wire, int]] = []
    for lane, start, end, ends in sorted(lanes.facts, key=_order):
        if found and found[-1][0] == lane and _touch(found[-1], start, ends, integer):
            _, first, last, before = found[-1]
            farther = (_place(end, 1), ends & END_CLOSED) > (_place(last, 1), before & END_CLOSED)
            end, closed = (end, ends & END_CLOSED) if farther else (last, before & END_CLOSED)
            found[-1] = lane, first, end, before & START_CLOSED | closed
        else:
            found.append((lane, start, end, ends))
    return found


def _order(fact: tuple[int, Wire, Wire, int]) -> tuple[int, float, bool]:
    lane, start, _, ends = fact
    return lane, _place(start, -1), not ends & START_CLOSED


def _touch(before: tuple[int, Wire, Wire, int], start: Wire, ends: int, integer: bool) -> bool:
    last, next_ = _place(before[2], 1), _place(start, -1)
    if next_ == last:
        return bool(before[3] & END_CLOSED or ends & START_CLOSED)
    return next_ < last or (integer and next_ == last + 1)


def _place(time: Wire, sign: int) -> float:
    """Where the page draws a time."""
    if time is None:
        return sign * float("inf")
    over, _, under = str(time).partition("/")
    return float(over) / float(under or 1)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _in_script(data: dict[str, Any]) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
