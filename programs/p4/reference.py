#!/usr/bin/env python3
"""What goes into the programs in this folder and what must come out, without any code of Polyplane.

    python3 programs/p4/reference.py            rewrites the packet tests (.stf) of every program
    python3 programs/p4/reference.py --check    says whether they are up to date; exit status 1 if not

Each program's `packets.py` states, packet by packet, what comes in and what must leave: with headers written field by
field, and checksums, hashes, times and colours computed by `wire.py` or by the few lines of an algorithm. The standard
library is all that it needs.
"""

import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


class Test:
    """A packet test, line by line."""

    def __init__(self, title):
        self.lines = [f"# {line}".rstrip() for line in title.strip().splitlines()]
        self.lines.append("# Written by packets.py; see programs/p4/reference.py.")
        # In a packet test, packets arrive one microsecond apart, the first at 0.
        self.time = 0

    def note(self, text):
        """A comment about what follows."""
        self.lines += ["", *(f"# {line}" for line in text.splitlines())]

    def say(self, *commands):
        """Lines as they are."""
        self.lines += commands

    def packet(self, port, *headers):
        """A packet comes; each header is a word of its own. Gives the time of its arrival in microseconds."""
        self.lines.append(self._line("packet", port, headers))
        self.time += 1
        return self.time - 1

    def expect(self, port, *headers):
        """It leaves exactly so."""
        self.lines.append(self._line("expect", port, headers) + "$")

    def through(self, port, out, *headers):
        """It comes, and leaves as it came."""
        self.packet(port, *headers)
        self.expect(out, *headers)

    @staticmethod
    def _line(word, port, headers):
        return " ".join([word, str(port), *(header.hex() for header in headers if header)])

    def counts(self, counter, **packets):
        """What each index or entry of a counter must have counted: `_0=3` or `name=3`."""
        for place, count in packets.items():
            place = place[1:] if place.startswith("_") else f"${place}"
            self.lines.append(f"check_counter {counter}({place}) packets == {count}")

    def text(self):
        return "\n".join(self.lines) + "\n"


def tests(folder):
    """The packet tests of a program, by their names."""
    spec = importlib.util.spec_from_file_location(f"{folder.name}_packets", folder / "packets.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.tests()


def main(arguments):
    check = "--check" in arguments
    # So that they can say `from reference import Test`, and leave nothing behind.
    sys.path.insert(0, str(HERE))
    sys.dont_write_bytecode = True
    stale = []
    for folder in sorted(path.parent for path in HERE.glob("*/packets.py")):
        for name, test in tests(folder).items():
            path = folder / f"{name}.stf"
            if not path.exists() or path.read_text() != test.text():
                stale.append(path.relative_to(HERE))
                if not check:
                    path.write_text(test.text())
    for path in stale:
        print(f"{path}: {'not up to date' if check else 'written'}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
