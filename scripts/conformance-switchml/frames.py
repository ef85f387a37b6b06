"""SwitchML's packets over UDP: what a worker sends to the switch, and what comes back.

Ethernet, IPv4 and UDP; then 4 bits of the type of the message, 4 of the size of the packet, the number of the job, 32 bits by which a
worker knows the piece of its vector again, and the slot, whose highest bit is the set; then two exponents, and the values.
"""

import functools
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "programs/p4"))

from wire import ethernet, ipv4, udp  # noqa: E402

SWITCH_MAC, SWITCH_IP = "02:00:00:00:00:fe", "10.0.0.254"
SWITCH_PORT, WORKER_PORT = 0xBEE0, 4000
JOB = 1
# What stands for 64 and 256 values of 4 bytes in a packet.
SIZES = {64: 1, 256: 3}
HEADERS = 14 + 20 + 8
OWN = struct.Struct("!BBIHbb")


def worker_mac(worker):
    return f"02:00:00:00:01:{worker:02x}"


def worker_ip(worker):
    return f"10.0.0.{worker + 1}"


@functools.cache
def to_switch(worker, length):
    """The headers in front of so many bytes that a worker sends."""
    return b"".join((
        ethernet(SWITCH_MAC, worker_mac(worker)), ipv4(worker_ip(worker), SWITCH_IP, 8 + length),
        udp(WORKER_PORT, SWITCH_PORT, length),
    ))


@functools.cache
def to_worker(worker, length):
    """The headers in front of so many bytes that the switch sends, which have no checksum of UDP."""
    return b"".join((
        ethernet(worker_mac(worker), SWITCH_MAC),
        ipv4(SWITCH_IP, worker_ip(worker), 8 + length, identification=0, flags=0),
        udp(SWITCH_PORT, WORKER_PORT, length),
    ))


def contribution(worker, piece, slot, own_set, exponents, values):
    """What a worker adds to a slot. The values are the bytes of the packet."""
    own = OWN.pack(SIZES[len(values) // 4], JOB, piece, own_set << 15 | slot, *exponents)
    return to_switch(worker, len(own) + len(values)) + own + values


def result(worker, count, frame):
    """The piece, slot, set, exponents and bytes of the values in a packet of the switch to a worker; all else in it is checked."""
    expected = to_worker(worker, OWN.size + 4 * count)
    headers, own, values = frame[:HEADERS], frame[HEADERS : HEADERS + OWN.size], frame[HEADERS + OWN.size :]
    assert headers == expected, f"worker {worker} got the headers {headers.hex()}, not {expected.hex()}"
    assert len(values) == 4 * count, f"worker {worker} got {len(values)} bytes of values"
    kind, job, piece, slot, *exponents = OWN.unpack(own)
    # The type of the message of results is 1.
    assert (kind, job) == (1 << 4 | SIZES[count], JOB), f"worker {worker} got a result that begins with {own.hex()}"
    return piece, slot & 0x7FFF, slot >> 15, tuple(exponents), values
