"""Calls that the tests of answers share."""

import thalweg

OPENING = "timeline integer from 0 to 5.\n"


def answers(rules, facts="", *, opening=OPENING, **options):
    """The answers of rules, on a short timeline unless another is given."""
    return thalweg.answers(thalweg.parse(opening + rules, stratified=False), facts, **options)


def texts(found):
    """The facts of each answer, on one line each, in no particular order."""
    return sorted(answer.to_text().replace("\n", " ") for answer in found)
