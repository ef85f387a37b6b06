"""What goes through the flowlet switch, and what must come out."""

import struct

from reference import Test
from wire import ARP, ICMP, TCP, UDP, crc16, crc32, ethernet, five_tuple, ipv4, tcp, udp

ROUTER = "02:00:00:00:00:01"
HOST = "02:00:00:00:00:aa"
SENDER = "192.0.2.10"
FAR = "198.51.100.7"
DATA = b"polyplane"
PORTS = [11, 12, 13, 14]
SLOTS = 8192

MALFORMED, NOT_IPV4, CHECKSUM, NO_ROUTE, TIME_TO_LIVE, NO_MEMBER = range(6)


class Switch:
    """Flowlet switching: the algorithm once more."""

    def __init__(self, timeout):
        self.timeout = timeout
        self.last_seen = [0] * SLOTS
        self.flowlets = [0] * SLOTS

    def place(self, flow, now, size=4):
        """The member that a packet takes, and the number of its flowlet."""
        slot = slot_of(flow)
        if now - self.last_seen[slot] > self.timeout:
            self.flowlets[slot] = (self.flowlets[slot] + 1) % (1 << 16)
        self.last_seen[slot] = now
        return path(flow, self.flowlets[slot], size), self.flowlets[slot]


def slot_of(flow):
    return crc16(five_tuple(*flow)) % SLOTS


def path(flow, flowlet, size=4):
    return crc32(five_tuple(*flow) + struct.pack("!H", flowlet)) % size


def source(port):
    return f"02:00:00:00:01:{port:02x}"


def neighbour(port):
    return f"02:00:00:00:02:{port:02x}"


def packet(port, flow, ttl=64, **ip):
    """A packet of a flow, as it comes (port None) or as it leaves by a port."""
    sender, receiver, protocol, *ports = flow
    transport = b""
    if ports:
        transport = tcp(*ports) if protocol == TCP else udp(*ports, len(DATA))
    link = ethernet(ROUTER, HOST) if port is None else ethernet(neighbour(port), source(port))
    return [link, ipv4(sender, receiver, len(transport) + len(DATA), protocol, ttl=ttl, **ip), transport, DATA]


ENTRIES = [
    "add routes ipv4.destination:198.51.100.0/24 to_group(group:1, size:4)",
    "add routes ipv4.destination:203.0.113.0/24 to_group(group:9, size:4)",
    *(
        f"add members group:1 place:{place} to_next_hop(port:{port}, source:{source(port)}, "
        f"destination:{neighbour(port)}) = member{place}"
        for place, port in enumerate(PORTS)
    ),
]


def switching():
    timeout = 5
    test = Test("Flowlets: a flow keeps its path until it pauses for more than 5 microseconds.\n"
                "Packets come one microsecond apart, so flows that send in between make the others pause.")
    test.say(*ENTRIES, f"setdefault flowlet_timeout set_timeout(microseconds:{timeout})")
    switch = Switch(timeout)

    def sent(flow):
        """A packet of a flow; gives the number of its flowlet."""
        at, flowlet = switch.place(flow, test.time)
        test.packet(0, *packet(None, flow))
        test.expect(PORTS[at], *packet(PORTS[at], flow, ttl=63))
        return flowlet

    # A flow that takes another path with each of its first flowlets, so that the test sees them.
    first = next(
        flow for flow in ((SENDER, FAR, TCP, port, 80) for port in range(1000, 2000))
        if path(flow, 0) != path(flow, 1) != path(flow, 2)
    )
    other = next(
        flow for flow in ((SENDER, FAR, UDP, port, 53) for port in range(2000, 3000)) if slot_of(flow) != slot_of(first)
    )
    test.note("A flow from time 0: flowlet 0.")
    assert [sent(first) for _ in range(3)] == [0, 0, 0]
    test.note("A pause of exactly 5 microseconds is not longer than 5: the same path.")
    for _ in range(4):
        sent(other)
    assert sent(first) == 0
    test.note("A pause of 6: another path, from there on.")
    for _ in range(5):
        sent(other)
    assert [sent(first) for _ in range(2)] == [1, 1]
    test.note("And another.")
    for _ in range(6):
        sent(other)
    assert sent(first) == 2
    test.note("The other flow never paused for long enough after its first packet, and stayed on its path.")
    assert sent(other) == switch.flowlets[slot_of(other)]
    test.note("A flow that begins late begins with flowlet 1, for its slot was empty since time 0.")
    late = next(
        flow for flow in ((SENDER, FAR, ICMP),) if slot_of(flow) not in (slot_of(first), slot_of(other))
    )
    assert sent(late) == 1
    test.note("Another flow with the same slot keeps it awake: what would be a pause of 8 is none.")
    twin = next(
        flow for flow in (("192.0.2.20", FAR, UDP, port, 53) for port in range(1, 65536))
        if slot_of(flow) == slot_of(first)
    )
    before = sent(first)
    for _ in range(3):
        sent(other)
    assert sent(twin) == before
    for _ in range(3):
        sent(other)
    assert sent(first) == before
    test.note("A timeout of 0: every microsecond is a pause.")
    test.say("setdefault flowlet_timeout set_timeout(microseconds:0)")
    switch.timeout = 0
    assert [sent(first) - before for _ in range(3)] == [1, 2, 3]

    test.note("Dropped: cut short in each header, options, ARP, checksum, no route, time to live, no member.")
    whole = packet(None, first)
    test.packet(0, whole[0][:13])
    test.packet(0, whole[0], whole[1][:19])
    test.packet(0, whole[0], whole[1], whole[2][:3])
    test.packet(0, *packet(None, first, options=bytes(4)))
    test.packet(0, ethernet(ROUTER, HOST, ARP), bytes(28))
    test.packet(0, *packet(None, first, checksum=0))
    test.packet(0, *packet(None, (SENDER, "10.0.0.1", ICMP)))
    test.packet(0, *packet(None, first, ttl=1))
    test.packet(0, *packet(None, (SENDER, "203.0.113.1", ICMP)))
    test.say("no_packet")
    test.counts("dropped", **{
        f"_{MALFORMED}": 4, f"_{NOT_IPV4}": 1, f"_{CHECKSUM}": 1, f"_{NO_ROUTE}": 1, f"_{TIME_TO_LIVE}": 1,
        f"_{NO_MEMBER}": 1,
    })
    return test


def tests():
    return {"flowlet": switching()}
