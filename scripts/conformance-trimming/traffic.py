"""What senders send at line rate, as captures, and what became of it, from captures."""

import pathlib
import random
import struct
import sys
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "programs/p4"))

from wire import ethernet, ipv4, udp  # noqa: E402

from entries import ROUTER, address, device_port, neighbour  # noqa: E402

SIZE, TRIMMED = 1500, 64
# The nanoseconds of a packet of 1500 bytes at 100 Gb/s, with 24 bytes around it, as the links of the chip count.
TIME = Fraction(8 * (SIZE + 24), 100)
MAGIC = 0xA1B23C4D


def write(path, port, sender, receiver, packets, start):
    """A capture of packets that a host sends to another, with their numbers in the identification of IPv4 (nanosecond pcap)."""
    length = SIZE - 14 - 20 - 8
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", MAGIC, 2, 4, 0, 0, 65535, 1))
        for number in range(packets):
            # The first byte behind UDP says to both programs that it is data.
            frame = b"".join((
                ethernet(ROUTER, neighbour(sender)), ipv4(address(sender), address(receiver), 8 + length, identification=number),
                udp(0xC000, port, length), bytes([1]), bytes(length - 1),
            ))
            at = start + int(TIME * number)
            file.write(struct.pack("<IIII", at // 10**9, at % 10**9, len(frame), len(frame)) + frame)


def read(path):
    """The times in nanoseconds and the frames of a capture (pcapng, little-endian; its enhanced packet blocks)."""
    data, at, units = path.read_bytes(), 0, []
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 1:
            units.append(resolution(data[at + 16:at + length - 4]))
        elif kind == 6:
            interface, high, low, captured, _ = struct.unpack_from("<IIIII", data, at + 8)
            yield int((high << 32 | low) * units[interface]), data[at + 28:at + 28 + captured]
        at += length


def resolution(options):
    """The nanoseconds of a unit of time, by the options of an interface (if_tsresol, 9); microseconds without it."""
    while len(options) >= 4:
        code, length = struct.unpack_from("<HH", options)
        if code == 9:
            exponent = options[4]
            return Fraction(10**9, 2 ** (exponent & 0x7F) if exponent & 0x80 else 10**exponent)
        options = options[4 + (length + 3) // 4 * 4:]
    return Fraction(1000)


def spread(senders, seed=1):
    """The times at which senders start: within a packet."""
    source = random.Random(seed)
    return [source.randrange(int(TIME)) for _ in range(senders)]


class Fates:
    """What became of the packets: by host, which get to it whole, trimmed in ingress and trimmed behind a deflection port."""

    def __init__(self, was_deflected):
        self.was_deflected = was_deflected
        self.whole, self.in_ingress, self.deflected, self.longest, self.senders = 0, 0, 0, 0, {}

    def count(self, time, frame, starts):
        sender, number = frame[29] - 1, int.from_bytes(frame[18:20], "big")
        if len(frame) == SIZE:
            self.whole += 1
            self.senders[sender] = self.senders.get(sender, 0) + 1
            return
        assert len(frame) == TRIMMED, frame.hex()
        if self.was_deflected(frame):
            self.deflected += 1
            self.longest = max(self.longest, time - starts[sender] - int(TIME * number))
        else:
            self.in_ingress += 1
