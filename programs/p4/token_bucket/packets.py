"""What goes through the token buckets, and what must come out."""

from fractions import Fraction

from reference import Test
from wire import ARP, ethernet, ipv4, udp

FIRST, SECOND, CORE, UNWIRED = 1, 2, 9, 7
HOST, GATEWAY = "02:00:00:00:00:aa", "02:00:00:00:00:01"
FREE, CONFORMING, EXCEEDING, MALFORMED, NO_WIRE = range(5)
# By the smallest bucket that there is: 511 bytes and 127 of 128 parts of one.
SMALLEST = 7
HALF_ROUND = 1 << 31


class Bucket:
    """A token bucket as everybody knows it, in bytes; the microseconds are those since the test began."""

    def __init__(self, refill, price):
        self.rate = Fraction(1 << refill, 1 << price)
        self.burst = Fraction(65535, 1 << price)
        self.bytes = self.burst
        self.updated = 0

    def takes(self, now, length):
        self.bytes = min(self.burst, self.bytes + self.rate * (now - self.updated))
        self.updated = now
        if length > self.bytes:
            return False
        self.bytes -= length
        return True


def packet(source="10.0.0.5", length=64, **ip):
    """A frame of so many bytes."""
    data = bytes(length - 14 - 20 - 8)
    header = ipv4(source, "198.51.100.7", 8 + len(data), **ip)
    return [ethernet(GATEWAY, HOST), header, udp(4000, 4001, len(data)), data]


class Wire:
    """A test beside buckets of its own, by the address that is limited."""

    def __init__(self, title, buckets):
        self.test = Test(title)
        self.buckets = {}
        self.verdicts = [0] * 5
        for port, other in ((FIRST, CORE), (SECOND, CORE), (CORE, FIRST)):
            self.test.say(f"add wires ingress_port:{port} forward(port:{other})")
        for prefix, (port, number, refill, price) in buckets.items():
            self.limit(prefix, port, number, refill, price)

    def limit(self, prefix, port, number, refill, price):
        self.test.say(
            f"add classes ingress_port:{port} ipv4.source:{prefix} limit(class:{number}, refill:{refill}, "
            f"price:{price})"
        )
        self.buckets[number] = Bucket(refill, price)

    def sent(self, number, source="10.0.0.5", length=64, port=FIRST, **ip):
        """A packet of a class comes; says whether it passes. By its number it is told from all others."""
        ip = {"identification": self.test.time, **ip}
        now = self.test.packet(port, *packet(source, length, **ip))
        passes = self.buckets[number].takes(now, length)
        if passes:
            self.test.expect(CORE, *packet(source, length, **ip))
        self.verdicts[CONFORMING if passes else EXCEEDING] += 1
        return passes

    def free(self, port, *headers):
        """A packet that nobody limits."""
        self.test.through(port, CORE if port in (FIRST, SECOND) else FIRST, *headers)
        self.verdicts[FREE] += 1

    def idle(self, microseconds):
        for _ in range(microseconds):
            self.free(CORE, ethernet(HOST, GATEWAY, ARP), bytes(28))

    def dropped(self, verdict, port, *headers):
        self.test.packet(port, *headers)
        self.verdicts[verdict] += 1

    def end(self):
        self.test.say("no_packet")
        self.test.counts("verdicts", **{f"_{verdict}": count for verdict, count in enumerate(self.verdicts)})
        return self.test


def buckets():
    wire = Wire("Token buckets: what they let pass, and how they fill. A packet comes every microsecond.", {
        "10.0.0.0/24": (FIRST, 1, SMALLEST + 4, SMALLEST), "10.0.1.0/24": (FIRST, 2, SMALLEST - 1, SMALLEST),
        "10.0.2.0/24": (FIRST, 1023, SMALLEST + 6, SMALLEST),
    })
    note, sent, idle = wire.test.note, wire.sent, wire.idle
    note("Class 1, 16 bytes a microsecond and a burst of 511: full at first, so 10 packets of 64 bytes pass one after\n"
         "the other, and then one in four.")
    seen = [sent(1) for _ in range(20)]
    assert seen == [True] * 10 + [False] * 3 + [True] + [False] * 3 + [True] + [False] * 2, seen
    note("What is dropped takes nothing: a smaller packet finds tokens for it.")
    assert [sent(1, length=42), sent(1, length=200), sent(1, length=42)] == [True, False, True]
    note("After a long silence it is full, and no more than full: exactly 511 bytes, and not one more.")
    idle(40)
    assert [sent(1, length=512), sent(1, length=511), sent(1, length=511)] == [False, True, False]
    note("A packet that is larger than the bucket never passes, and leaves a full bucket full.")
    idle(40)
    assert [sent(1, length=1500), sent(1, length=1500), sent(1, length=511)] == [False, False, True]
    note("Then 8 and 9 microseconds of 16 bytes: one byte more than has come in so far, and exactly as many.")
    idle(7)
    assert [sent(1, length=129), sent(1, length=144)] == [False, True]

    note("Class 2, half a byte a microsecond: it has a bucket of its own.")
    assert [sent(2, "10.0.1.5", 300), sent(2, "10.0.1.5", 300), sent(1)] == [True, False, False]
    note("It had 211 left; 60 microseconds bring 30 bytes, and two more another one.")
    idle(60 - 3)
    assert [sent(2, "10.0.1.5", 242), sent(2, "10.0.1.5", 243), sent(2, "10.0.1.5", 242)] == [False, False, True]
    note("The last class, 64 bytes a microsecond: packets of 64 bytes never end.")
    assert all(sent(1023, "10.0.2.5") for _ in range(12))
    return wire.end()


def classes():
    wire = Wire("Token buckets: who shares one, who has none, and time that comes round.", {
        "10.0.0.0/24": (FIRST, 0, SMALLEST, SMALLEST),
    })
    test, sent, free = wire.test, wire.sent, wire.free
    say, note = test.say, test.note
    note("All of a prefix share a bucket: two packets of 250 bytes, whoever sends them.")
    assert [sent(0, f"10.0.0.{host}", 250) for host in (5, 6, 7)] == [True, True, False]
    note("Some of it are free by a longer prefix; others are in no class at all, or come from another port.")
    say("add classes ingress_port:1 ipv4.source:10.0.0.128/25 NoAction() = exempt")
    free(FIRST, *packet("10.0.0.200", 250))
    free(FIRST, *packet("10.0.1.5", 250))
    free(SECOND, *packet("10.0.0.5", 250))
    free(CORE, *packet("10.0.0.5", 250))
    say("remove exempt")
    assert not sent(0, "10.0.0.200", 250)
    note("The same addresses on the other port, with a bucket that is four times as large: 2,047 bytes.")
    wire.limit("10.0.0.0/24", SECOND, 3, 0, 5)
    assert [sent(3, "10.0.0.5", 500, SECOND) for _ in range(5)] == [True] * 4 + [False]
    assert sent(3, "10.0.0.5", 47, SECOND)
    note("Options, and data behind that nobody looks at; what is not IPv4 is free.")
    free(FIRST, *packet("10.0.1.5", options=bytes(8)))
    free(FIRST, ethernet(GATEWAY, HOST, ARP), bytes(28))
    free(SECOND, ethernet(GATEWAY, HOST, 0x86DD), bytes(40))
    wire.limit("0.0.0.0/0", SECOND, 6, 0, SMALLEST)
    for _ in range(3):
        free(SECOND, ethernet(GATEWAY, HOST, ARP), bytes(300))
    assert [sent(6, "192.0.2.1", 300, SECOND) for _ in range(2)] == [True, False]
    note("Dropped: a port without a wire; cut short; another version; a header that is shorter than it can be.")
    wire.dropped(NO_WIRE, UNWIRED, *packet())
    wire.dropped(NO_WIRE, UNWIRED, ethernet(GATEWAY, HOST, ARP), bytes(28))
    wire.dropped(MALFORMED, FIRST, ethernet(GATEWAY, HOST)[:13])
    wire.dropped(MALFORMED, FIRST, *packet()[:1])
    wire.dropped(MALFORMED, FIRST, packet()[0], packet()[1][:19])
    wire.dropped(MALFORMED, FIRST, *packet(version=6))
    wire.dropped(MALFORMED, FIRST, *packet(header_length=4))
    wire.dropped(MALFORMED, UNWIRED, *packet(version=6))

    def empty(number, before):
        """A bucket without a token, whose last packet came so many microseconds before the next one."""
        say(
            f"register_write missing {number} 65535",
            f"register_write last_seen {number} {(test.time - before) % (1 << 32)}",
        )
        wire.buckets[number].bytes, wire.buckets[number].updated = Fraction(0), test.time - before

    note("The time is that of 32 bits: it may come round between two packets of a class.")
    empty(0, before=100)
    assert test.time < 100 and not sent(0, length=101)
    empty(0, before=100)
    assert sent(0, length=100)
    note("At the slowest rate, a byte in 128 microseconds: 511 bytes take 511 times as long.")
    wire.limit("10.0.3.0/24", FIRST, 4, 0, SMALLEST)
    empty(4, before=511 * 128 - 1)
    assert [sent(4, "10.0.3.5", 511), sent(4, "10.0.3.5", 511)] == [False, True]
    note("At the fastest, 256 bytes a microsecond. However long the silence, the bucket is full, and no more than\n"
         "full, until the time comes round.")
    wire.limit("10.0.4.0/24", FIRST, 5, 15, SMALLEST)
    for before in (1, 2, 65534, 65535, 65536, 1 << 17, HALF_ROUND - 1, HALF_ROUND, HALF_ROUND + 1, (1 << 32) - 1):
        empty(5, before)
        assert [sent(5, "10.0.4.5", 511), sent(5, "10.0.4.5", 258)] == [before > 1, before == 1]
    note("What nobody limits comes by the bucket of class 0, and neither fills nor drains it: 40 such packets, after\n"
         "60 microseconds at a byte each.")
    wire.limit("10.0.0.64/26", FIRST, 0, 0, 0)
    for length, passes in ((101, False), (100, True)):
        empty(0, before=60)
        wire.idle(40)
        assert sent(0, "10.0.0.65", length) == passes
    return wire.end()


def tests():
    return {"buckets": buckets(), "classes": classes()}
