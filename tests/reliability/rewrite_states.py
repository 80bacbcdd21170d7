"""Writes the golden states of this version: ``python tests/reliability/rewrite_states.py``.

Run it once when the version of the format changes; what earlier versions wrote stays as it is.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

FOLDER = Path(__file__).parent / "golden_states"


def main():
    from reliability.states import forms
    from thalweg.engine.frames import VERSION

    folder = FOLDER / f"version_{VERSION}"
    folder.mkdir(parents=True)
    for form in forms().values():
        path = folder / f"{form.name.replace(' ', '_')}.state"
        path.write_bytes(form.data)
        path.with_suffix(".json").write_text(json.dumps(form.expected, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
