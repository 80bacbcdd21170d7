"""Whatever stands in an editor, whole or cut anywhere, every question about it has an answer."""

import random
from pathlib import Path

import pytest

from thalweg.language_server.complete import completions
from thalweg.language_server.definitions import definitions, references, symbols
from thalweg.language_server.document import Document
from thalweg.language_server.hover import hover
from thalweg.source import Source

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
PROGRAMS = sorted(GOLDEN.rglob("*.rules"))[::7]


def ask_everything(document, offset):
    """Ask all that an editor can ask at a place."""
    hover(document, offset)
    completions(document, offset)
    predicate = document.predicate_at(offset)
    if predicate is not None:
        found = definitions(document, predicate)
        assert found
        assert all(span.text == predicate for span in found)
        assert {span.start for span in found} <= {
            span.start for span in references(document, predicate, with_definitions=True)
        }


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_that_is_cut(path):
    text, chance = path.read_text(), random.Random(path.stem)
    for cut in (len(text), *(chance.randrange(len(text) + 1) for _ in range(4))):
        document = Document(Source("p.rules", text[:cut]))
        assert [each for each in document.diagnostics if each.span and each.span.end > cut + 1] == []
        for offset in (0, cut, *(chance.randrange(cut + 1) for _ in range(6))):
            ask_everything(document, offset)
        for _, _, whole, name in symbols(document):
            assert whole.start <= name.start <= name.end <= whole.end
