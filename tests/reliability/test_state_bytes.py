"""State is data: whatever bytes are given in its place, they are read as what was written, or refused in plain words.

Three kinds of harm are tried on all kinds of state: bytes that were changed by accident (the checksum notices), headers
and tables that somebody changed and signed anew (every length, type, place and code is checked), and bytes inside
Arrow's own format, changed at random and signed anew, in a process of its own whose memory is limited.
"""

import copy
import json
import struct
import subprocess
import sys
import zlib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import amount
from reliability.states import Form, forms, status_bytes
from thalweg.engine.frames import VERSION, unpack
from thalweg.engine.hypotheses.status_rows import StatusRows
from thalweg.errors import StateError, ThalwegError

FORMS = forms()
STATES = {name: form for name, form in FORMS.items() if form.kind in ("snapshot", "shard")}
TESTS = Path(__file__).resolve().parents[1]

ODD = [None, True, -1, 0, 1, 3, 1 << 40, 1 << 63, -(1 << 63), 10**400, 0.5, float("nan"), "", "x", "1e999999999", "inf"]
ODD += ["0" * 64, [], [1, 0], [1, 2], ["1e999999999"], [[]], {}, {"x": 1}, [1, 10**40], "W P", "rows/99/", "waiting/"]


@pytest.mark.parametrize("name", FORMS)
def test_what_was_written_is_read(name):
    form = FORMS[name]
    assert form.read(form.data) == form.expected


@pytest.mark.parametrize("name", FORMS)
def test_every_flipped_bit_is_noticed(name):
    form = FORMS[name]
    bits = range(8) if len(form.data) < 1000 else range(1)
    for place in range(len(form.data)):
        for bit in bits:
            changed = bytearray(form.data)
            changed[place] ^= 1 << (bit + place) % 8
            with pytest.raises(StateError):
                unpack(form.kind, bytes(changed))


@pytest.mark.parametrize("name", FORMS)
def test_a_missing_end_is_noticed_wherever_it_is_cut(name):
    form = FORMS[name]
    for length in range(len(form.data)):
        with pytest.raises(StateError, match="E479"):
            unpack(form.kind, form.data[:length])
    with pytest.raises(StateError, match="E479"):
        unpack(form.kind, form.data + b"\0")


@pytest.mark.parametrize("name", FORMS)
def test_changed_bytes_are_refused_where_state_is_used(name):
    form = FORMS[name]
    for place in range(0, len(form.data), max(1, len(form.data) // 12)):
        changed = form.data[:place] + bytes([form.data[place] ^ 0x10]) + form.data[place + 1 :]
        with pytest.raises(StateError):
            form.read(changed)


@settings(max_examples=amount(100))
@given(st.sampled_from(sorted(FORMS)), st.binary(max_size=200), st.booleans())
def test_random_bytes_are_refused(name, data, begins_well):
    form = FORMS[name]
    with pytest.raises(StateError, match=r"E47[89]"):
        unpack(form.kind, (form.data[:12] if begins_well else b"") + data)


@pytest.mark.parametrize("name", FORMS)
def test_bytes_of_one_kind_are_not_taken_for_another(name):
    form = FORMS[name]
    for other in FORMS.values():
        if other.kind != form.kind:
            with pytest.raises(StateError, match="is needed"):
                form.read(other.data)


def signed(data):
    """The bytes with the checksum that they need."""
    return data[:8] + struct.pack("<I", zlib.crc32(data[12:])) + data[12:]


@pytest.mark.parametrize("length", [0, 1, 1 << 31, 1 << 40, 1 << 63, (1 << 64) - 1])
def test_a_declared_length_of_the_header_is_not_believed(length):
    data = FORMS["shard base"].data
    with pytest.raises(StateError, match="E479"):
        unpack("shard", signed(data[:12] + struct.pack("<Q", length) + data[20:]))


@pytest.mark.parametrize("size", [-1, 1 << 40, 1 << 70, 0.5, "9", None, True, 1e300])
def test_a_declared_size_of_a_table_is_not_believed(size):
    with pytest.raises(StateError, match="E479"):
        unpack("shard", with_header(FORMS["shard base"].data, lambda said: said["sizes"].__setitem__(0, size)))


def with_header(data, change):
    """The bytes with their whole header changed, and signed."""
    (length,) = struct.unpack_from("<Q", data, 12)
    said = json.loads(data[20 : 20 + length])
    change(said)
    text = json.dumps(said).encode()
    return signed(data[:12] + struct.pack("<Q", len(text)) + text + data[20 + length :])


def test_a_header_that_is_nested_too_deep_is_refused():
    text = b"[" * 100_000
    with pytest.raises(StateError, match="E479"):
        unpack("shard", signed(FORMS["shard base"].data[:12] + struct.pack("<Q", len(text)) + text))


def places(value, path=()):
    """The paths of everything inside a value that JSON can hold."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield from places(each, (*path, key))


def replaced(value, path, new):
    """A copy of a value with something else at a path; an item is left out where the new one is a class."""
    if not path:
        return new
    changed = copy.deepcopy(value)
    inside = changed
    for key in path[:-1]:
        inside = inside[key]
    if new is dict:
        del inside[path[-1]]
    elif new is list and isinstance(inside, list):
        inside.insert(path[-1], inside[path[-1]])
    else:
        inside[path[-1]] = None if new is list else new
    return changed


def gives_sense_or_is_refused(form: Form, data: bytes) -> None:
    """Nothing but an error for the user, whatever was changed; an answer is fine where what was changed makes sense."""
    with suppress(ThalwegError):
        form.read(data)


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=amount(40))
@given(data=st.data())
def test_headers_that_somebody_changed_and_signed_do_no_harm(name, data):
    form = FORMS[name]
    header, _ = unpack(form.kind, form.data)
    for _ in range(data.draw(st.integers(1, 2))):
        path = data.draw(st.sampled_from([path for path in places(header) if path]))
        header = replaced(header, path, data.draw(st.sampled_from([*ODD, dict, list])))
        if not isinstance(header, dict) or not header:
            return
    gives_sense_or_is_refused(form, form.resigned(header))


def changed_column(column, how, draw):
    """A column of a table with something else in it."""
    size = len(column)
    match how:
        case "codes" if column.type == pa.int64() and size:
            values = np.array(column)
            odd = [-1, -3, 1, 99, 2**62, 2**62 + 1, -(2**63), 2**63 - 1, -(2**62), 129, -129, 2**61]
            values[draw(st.integers(0, size - 1))] = draw(st.sampled_from(odd))
            return pa.array(values)
        case "text":
            return pa.array(["x"] * size, pa.string())
        case "float":
            return pa.array([0.5] * size, pa.float64())
        case "null":
            return pa.nulls(size, column.type if draw(st.booleans()) else pa.null())
        case "order" if size > 1:
            return column.take(pa.array(range(size - 1, -1, -1)))
        case "indices" if pa.types.is_dictionary(column.type) and size:
            wrong = pa.array([2**31 - 1] * size, pa.int32())
            return pa.DictionaryArray.from_arrays(wrong, column.dictionary, safe=False)
    return column


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.kind != "head"])
@settings(max_examples=amount(40))
@given(data=st.data())
def test_tables_that_somebody_changed_and_signed_do_no_harm(name, data):
    form = FORMS[name]
    _, tables = unpack(form.kind, form.data)
    number = data.draw(st.integers(0, len(tables) - 1))
    table = tables[number]
    how = data.draw(st.sampled_from(["codes", "codes", "codes", "text", "float", "null", "order", "indices", "swap"]))
    if how == "swap":
        tables[number], tables[0] = tables[0], tables[number]
    else:
        place = data.draw(st.integers(0, table.num_columns - 1))
        columns = [changed_column(c, how, data.draw) if i == place else c for i, c in enumerate(table.columns)]
        tables[number] = pa.record_batch(columns, table.schema.names)
    gives_sense_or_is_refused(form, form.resigned(tables=tables))


# A change also has rows that are gone: those that are not there cannot be taken away, and do no harm.
@pytest.mark.parametrize("name", [name for name in STATES if not name.endswith("change")])
def test_a_code_beyond_the_table_of_values_is_refused(name):
    form = STATES[name]
    _, tables = unpack(form.kind, form.data)
    for number, table in enumerate(tables):
        if table.num_columns > 2 and table.num_rows and pa.types.is_int64(table.schema.types[0]):
            wrong = pa.array([2 * 1000 + 1] * table.num_rows)
            changed = pa.record_batch([wrong, *table.columns[1:]], table.schema.names)
            with pytest.raises(StateError):
                form.read(form.resigned(tables=[*tables[:number], changed, *tables[number + 1 :]]))


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_compressed_tables_are_refused_before_they_are_unpacked(compression):
    zeros = pa.record_batch([pa.array(np.zeros(1_000_000, dtype=np.int64))] * 2, ["0", "1"])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, zeros.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_batch(zeros)
    stream, form = sink.getvalue().to_pybytes(), FORMS["shard base"]
    (length,) = struct.unpack_from("<Q", form.data, 12)
    said = json.loads(form.data[20 : 20 + length])
    text = json.dumps({**said, "sizes": [len(stream)]}).encode()
    before = pa.total_allocated_bytes()
    with pytest.raises(StateError, match="not written as this program writes tables"):
        unpack("shard", signed(form.data[:12] + struct.pack("<Q", len(text)) + text + stream))
    assert pa.total_allocated_bytes() - before < 1_000_000


class Surprising(pa.ExtensionType):
    """A type that notes when somebody makes it from bytes."""

    made = 0

    def __init__(self):
        super().__init__(pa.int64(), "thalweg.surprising")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type, serialized):
        cls.made += 1
        return cls()


def test_no_extension_type_is_looked_up_by_the_name_in_the_bytes():
    pa.register_extension_type(Surprising())
    try:
        column = pa.ExtensionArray.from_storage(Surprising(), pa.array([1, 2]))
        form = FORMS["shard base"]
        data = form.resigned(tables=[pa.record_batch([column, column], ["0", "1"])])
        Surprising.made = 0
        with pytest.raises(StateError, match="not written as this program writes tables"):
            unpack("shard", data)
        assert Surprising.made == 0
    finally:
        pa.unregister_extension_type("thalweg.surprising")


def test_answers_with_their_status_are_read_or_refused():
    data = status_bytes()
    assert StatusRows.of_bytes(data).to_bytes() == data
    for place in range(0, len(data), 41):
        with pytest.raises(StateError):
            StatusRows.of_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])


@pytest.mark.parametrize("version", [0, 1, 2, VERSION + 1, 255])
def test_other_versions_are_named_before_anything_is_read(version):
    data = FORMS["shard base"].data
    with pytest.raises(StateError, match=rf"E478.*version {version} .*reads version {VERSION}") as refused:
        unpack("shard", data[:7] + bytes([version]) + b"whatever follows")
    assert "hint: let the version of thalweg that wrote it go on" in str(refused.value)


def mutated_in_a_process(seed, count):
    """Runs ``mutations.py``: random bytes inside Arrow's streams, with at most 3 GB of memory."""
    command = [sys.executable, "-m", "reliability.mutations", str(seed), str(count)]
    return subprocess.run(command, cwd=TESTS, capture_output=True, text=True, timeout=1500, check=False)


def test_bytes_changed_inside_arrow_streams_crash_nothing():
    done = mutated_in_a_process(1, 40)
    assert (done.returncode, done.stdout[:4], done.stderr) == (0, "read", "")


@pytest.mark.soak
def test_bytes_changed_inside_arrow_streams_crash_nothing_at_length():
    for seed in range(2, 12):
        done = mutated_in_a_process(seed, 2000)
        assert (done.returncode, done.stdout[:4], done.stderr) == (0, "read", "")
