"""What goes through a switch that is told its ports by the packets, and what must come out."""

import struct

from reference import Test
from wire import ethernet, ipv4, udp

SOURCE_ROUTE = 0x88B6
IPV4 = 0x0800
HOST, FAR = "02:00:00:00:00:aa", "02:00:00:00:00:bb"
DATA = b"polyplane"
PACKET = [ipv4("192.0.2.10", "198.51.100.7", 8 + len(DATA)), udp(4000, 4001, len(DATA)), DATA]

MALFORMED, TOO_LONG, NO_ROUTE, FORBIDDEN = range(4)


def routed(*ports, end=True, ether_type=IPV4, rest=PACKET, reserved=0):
    """A packet with a path; without `end`, no hop says that it is the last."""
    hops = [
        struct.pack("!H", (end and at == len(ports) - 1) << 15 | reserved << 9 | port) for at, port in enumerate(ports)
    ]
    return [ethernet(FAR, HOST, SOURCE_ROUTE), struct.pack("!H", ether_type), *hops, *rest]


def plain(ether_type=IPV4, rest=PACKET):
    return [ethernet(FAR, HOST, ether_type), *rest]


def routing():
    test = Test("Source routing: each switch takes its port off the front; behind the last one a packet is ordinary.")
    test.say(
        *(f"add ports hops$0.port:{port} follow() = port{port}" for port in (1, 2, 3)),
        "add ports hops$0.port:300 follow() = far",
    )
    test.note("Three hops, seen by three switches in a row.")
    test.packet(1, *routed(2, 3, 1))
    test.expect(2, *routed(3, 1))
    test.packet(1, *routed(3, 1))
    test.expect(3, *routed(1))
    test.packet(1, *routed(1))
    test.expect(1, *plain())
    test.note("As many hops as there may be, and ports of more than eight bits.")
    test.packet(1, *routed(300, 2, 3, 4, 5, 6, 7, 8))
    test.expect(300, *routed(2, 3, 4, 5, 6, 7, 8))
    test.note("The same port twice; bits that mean nothing; another protocol inside; nothing inside.")
    test.packet(1, *routed(2, 2))
    test.expect(2, *routed(2))
    test.packet(1, *routed(3, 2, reserved=0x3F))
    test.expect(3, *routed(2, reserved=0x3F))
    test.packet(1, *routed(3, ether_type=0x86DD, rest=[bytes(40)]))
    test.expect(3, *plain(0x86DD, rest=[bytes(40)]))
    test.packet(1, *routed(3, ether_type=0x88B5, rest=[]))
    test.expect(3, *plain(0x88B5, rest=[]))
    test.note("A packet for another kind of source routing inside: what is inside is never looked at.")
    test.packet(1, *routed(2, ether_type=SOURCE_ROUTE, rest=routed(3)[1:]))
    test.expect(2, *routed(3))

    test.note("Dropped: nine hops, and eight of which none is the last.")
    test.packet(1, *routed(1, 2, 3, 1, 2, 3, 1, 2, 3))
    test.packet(1, *routed(1, 2, 3, 1, 2, 3, 1, 2, end=False))
    test.note("Dropped: cut short in Ethernet, in the header, before, in and between hops.")
    whole = routed(2, 3)
    test.packet(1, whole[0][:13])
    test.packet(1, whole[0])
    test.packet(1, whole[0], whole[1][:1])
    test.packet(1, whole[0], whole[1])
    test.packet(1, whole[0], whole[1], whole[2][:1])
    test.packet(1, whole[0], whole[1], whole[2])
    test.note("Dropped: ordinary packets, for there are no other routes.")
    test.packet(1, *plain())
    test.packet(1, ethernet(FAR, HOST, 0x0806))
    test.note("Dropped: ports that nobody may choose, the drop port among them.")
    for port in (0, 4, 510, 511):
        test.packet(1, *routed(port, 1))
    test.say("no_packet")
    test.counts("dropped", **{f"_{MALFORMED}": 6, f"_{TOO_LONG}": 2, f"_{NO_ROUTE}": 2, f"_{FORBIDDEN}": 4})
    test.counts("port_used", port1=1, port2=3, port3=4, far=1)
    return test


def tests():
    return {"source_routing": routing()}
