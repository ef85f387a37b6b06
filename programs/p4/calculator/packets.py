"""What is asked of the calculator, and what it must answer."""

import struct

from reference import Test
from wire import ethernet, ipv4

CALCULATOR = 0x88B5
ASKER, SWITCH = "02:00:00:00:00:aa", "02:00:00:00:00:01"
QUESTION, DONE, OVERFLOW, UNKNOWN = range(4)
MOST = 0xFFFFFFFF


def calculation(operation, status, a, b, result, version=1, reserved=0):
    return struct.pack("!B1sBBIII", version, operation.encode(), status, reserved, a, b, result)


def signed(number):
    return number - (1 << 32) if number >> 31 else number


# What each operation is in integers without a limit.
MEANING = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "L": lambda a, b: (a << b) & MOST if b < 32 else 0,
    "R": lambda a, b: a >> b if b < 32 else 0,
    "s": lambda a, b: min(a + b, MOST),
    "<": lambda a, b: int(signed(a) < signed(b)),
    "M": lambda a, b: a if signed(a) >= signed(b) else b,
}


def answer(operation, a, b):
    """Status and result."""
    if operation not in MEANING:
        return UNKNOWN, 0
    result = MEANING[operation](a, b)
    return DONE if 0 <= result <= MOST else OVERFLOW, result & MOST


def calculating():
    test = Test("The calculator: every operation at its limits, and what is no question.")
    port = 0

    def asked(operation, a, b, rest=b"", **other):
        nonlocal port
        port = (port + 1) % 5
        status, result = answer(operation, a, b)
        test.packet(port, ethernet(SWITCH, ASKER, CALCULATOR), calculation(operation, QUESTION, a, b, 0, **other), rest)
        test.expect(
            port, ethernet(ASKER, SWITCH, CALCULATOR), calculation(operation, status, a, b, result, **other), rest)
        return status, result

    def both(operation, *pairs):
        test.note(f"{operation}  " + ", ".join(f"{a:#x} and {b:#x}" for a, b in pairs))
        return [asked(operation, a, b) for a, b in pairs]

    assert both("+", (2, 3), (MOST, 0), (MOST, 1), (MOST, MOST)) == [
        (DONE, 5), (DONE, MOST), (OVERFLOW, 0), (OVERFLOW, MOST - 1)]
    assert both("-", (5, 3), (3, 3), (3, 5), (0, MOST)) == [(DONE, 2), (DONE, 0), (OVERFLOW, MOST - 1), (OVERFLOW, 1)]
    assert both("*", (6, 7), (0xFFFF, 0x10001), (0x10000, 0x10000), (MOST, MOST), (MOST, 0)) == [
        (DONE, 42), (DONE, MOST), (OVERFLOW, 0), (OVERFLOW, 1), (DONE, 0)]
    both("&", (0xF0F0F0F0, 0xFF00FF00), (0, MOST))
    both("|", (0xF0F0F0F0, 0xFF00FF00), (0, 0))
    both("^", (0xF0F0F0F0, 0xFF00FF00), (MOST, MOST))
    assert both("L", (1, 31), (1, 32), (0x80000001, 1), (MOST, 256), (7, 0)) == [
        (DONE, 1 << 31), (DONE, 0), (DONE, 2), (DONE, 0), (DONE, 7)]
    assert both("R", (1 << 31, 31), (MOST, 32), (0x80000001, 1), (MOST, 256)) == [
        (DONE, 1), (DONE, 0), (DONE, 1 << 30), (DONE, 0)]
    assert both("s", (2, 3), (MOST, 1), (MOST, MOST)) == [(DONE, 5), (DONE, MOST), (DONE, MOST)]
    assert both("<", (1, 2), (2, 2), (MOST, 0), (0x7FFFFFFF, 0x80000000)) == [
        (DONE, 1), (DONE, 0), (DONE, 1), (DONE, 0)]
    assert both("M", (1, 2), (MOST, 0), (0x80000000, 0x7FFFFFFF)) == [(DONE, 2), (DONE, 0), (DONE, 0x7FFFFFFF)]
    test.note("Operations that do not exist.")
    for operation in ("/", "\0", "\x7f"):
        assert asked(operation, 1, 2) == (UNKNOWN, 0)
    test.note("What is behind the calculation, and the reserved byte, come back as they are.")
    asked("+", 1, 1, rest=b"polyplane")
    asked("+", 1, 1, reserved=0xAB)
    test.note("What stands in the result of a question does not matter.")
    test.packet(1, ethernet(SWITCH, ASKER, CALCULATOR), calculation("+", QUESTION, 1, 1, MOST))
    test.expect(1, ethernet(ASKER, SWITCH, CALCULATOR), calculation("+", DONE, 1, 1, 2))
    test.note("A question for all stations is answered as well.")
    test.packet(1, ethernet("ff:ff:ff:ff:ff:ff", ASKER, CALCULATOR), calculation("+", QUESTION, 1, 1, 0))
    test.expect(1, ethernet(ASKER, "ff:ff:ff:ff:ff:ff", CALCULATOR), calculation("+", DONE, 1, 1, 2))

    link, whole = ethernet(SWITCH, ASKER, CALCULATOR), calculation("+", QUESTION, 1, 1, 0)
    test.note("Dropped: cut short.")
    for length in (0, 13):
        test.packet(1, link[:length])
    for length in (0, 1, 15):
        test.packet(1, link, whole[:length])
    test.note("Dropped: IPv4, another version, answers of each kind, a status that does not exist.")
    test.packet(1, ethernet(SWITCH, ASKER), ipv4("192.0.2.1", "192.0.2.2"))
    test.packet(1, link, calculation("+", QUESTION, 1, 1, 0, version=2))
    for status in (DONE, OVERFLOW, UNKNOWN, 77):
        test.packet(1, link, calculation("+", status, 1, 1, 0))
    test.note("Dropped: nobody can be answered who sends from a group.")
    test.packet(1, ethernet(SWITCH, "01:00:5e:00:00:05", CALCULATOR), whole)
    test.say("no_packet")
    test.counts("dropped", _0=5, _1=6, _2=1)
    return test


def tests():
    return {"calculator": calculating()}
