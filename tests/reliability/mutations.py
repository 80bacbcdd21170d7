"""Changes bytes of states at random, signs them anew, and reads them: ``python -m reliability.mutations SEED COUNT``.

In a process of its own, since a mistake in a library that is not Python may end it, and with little memory, so that an
allocation by a length that nobody checked fails. Ends with 0 if all were read or refused.
"""

import random
import resource
import struct
import sys
import zlib

from reliability.states import forms
from thalweg.errors import ThalwegError

_MOST_MEMORY = 3 << 30


def main(seed, count):
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    chance, all_forms = random.Random(seed), list(forms().values())
    read = refused = 0
    for _ in range(count):
        for form in all_forms:
            try:
                form.read(mutated(form.data, chance))
                read += 1
            except ThalwegError:
                refused += 1
    sys.stdout.write(f"read {read}, refused {refused}\n")


def mutated(data, chance):
    """The bytes after the header with a few of them changed, words mostly, since places and sizes are words."""
    changed = bytearray(data)
    (length,) = struct.unpack_from("<Q", data, 12)
    first = 20 + (length if len(data) > 20 + length and chance.random() < 0.9 else 0)
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(first, len(changed))
        if chance.random() < 0.5:
            changed[place] = chance.randrange(256)
        else:
            word = chance.choice((0, 1, 0xFF, 0x7FFFFFFF, 0xFFFFFFFF, chance.getrandbits(32)))
            struct.pack_into("<I", changed, min(place & ~3, len(changed) - 4), word)
    if chance.random() < 0.1:
        cut = chance.randrange(first, len(changed))
        changed = changed[:cut] + changed[cut + chance.randint(0, 64) :]
    struct.pack_into("<I", changed, 8, zlib.crc32(changed[12:]))
    return bytes(changed)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
