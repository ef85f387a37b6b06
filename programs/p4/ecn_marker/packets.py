"""What goes through the router that marks congestion, and what must come out."""

from reference import Test
from wire import ARP, ethernet, ipv4, udp

HOST, ROUTER = "02:00:00:00:00:aa", "02:00:00:00:00:01"
SENDER, RECEIVER, GROUP = "192.0.2.10", "198.51.100.7", "233.252.0.1"
# Ports: with the usual threshold, with one of their own.
USUAL, OWN = 2, 3
DATA = b"polyplane"
NOT_ECT, ECT_1, ECT_0, CE = range(4)
MALFORMED, NOT_IPV4, CHECKSUM, NO_ROUTE, TIME_TO_LIVE = range(5)


def frame(destination=RECEIVER, service=0, ttl=64, **ip):
    return [
        ethernet(ROUTER, HOST), ipv4(SENDER, destination, 8 + len(DATA), service=service, ttl=ttl, **ip),
        udp(4000, 4001, len(DATA)), DATA,
    ]


def marking():
    test = Test("Marks: copies of one packet for one port wait for each other, and the packet test has no other queue.")
    copies = 4
    test.say(
        "setdefault thresholds mark_above(packets:100)",
        f"add thresholds egress_port:{OWN} mark_above(packets:1)",
        f"add routes ipv4.destination:198.51.100.0/24 forward(port:{OWN})",
        f"add routes ipv4.destination:{GROUP}/32 replicate(group:1)",
        "mc_mgrp_create 1",
        *(f"mc_node_create {copy} {OWN}" for copy in range(copies)),
        *(f"mc_node_create {copies + copy} {USUAL}" for copy in range(copies)),
        *(f"mc_node_associate 1 {node}" for node in range(2 * copies)),
    )
    for code in (NOT_ECT, ECT_1, ECT_0, CE):
        test.note(f"With the bits {code:02b}, and a code point that stays: the third and the fourth copy met two and three.")
        test.packet(1, *frame(GROUP, 46 << 2 | code))
        for depth in range(copies):
            left = CE if depth > 1 and code != NOT_ECT else code
            test.expect(OWN, *frame(GROUP, 46 << 2 | left, 63))
        for _ in range(copies):
            test.expect(USUAL, *frame(GROUP, 46 << 2 | code, 63))
    test.note("A packet that met nobody.")
    test.packet(1, *frame(service=ECT_0))
    test.expect(OWN, *frame(service=ECT_0, ttl=63))
    test.note("A threshold that the control plane lowers while packets come: now one before it is enough.")
    test.say("setdefault thresholds mark_above(packets:0)")
    test.packet(1, *frame(GROUP, ECT_0))
    for depth in range(copies):
        test.expect(OWN, *frame(GROUP, CE if depth > 1 else ECT_0, 63))
    for depth in range(copies):
        test.expect(USUAL, *frame(GROUP, CE if depth > 0 else ECT_0, 63))
    test.counts("congested", _0=2 * 2 + 2 + 3, _1=2, _2=2)
    return test


def routing():
    test = Test("Where packets go, and everything that is dropped.")
    test.say(
        f"add routes ipv4.destination:198.51.100.0/24 forward(port:{USUAL})",
        f"add routes ipv4.destination:198.51.100.128/25 forward(port:{OWN})",
    )
    test.note("The longest prefix wins.")
    for destination, port in (("198.51.100.127", USUAL), ("198.51.100.128", OWN)):
        test.packet(1, *frame(destination))
        test.expect(port, *frame(destination, ttl=63))
    test.note("Dropped: no route, the last hop, no IPv4, a wrong checksum, options, and cut short.")
    test.packet(1, *frame("203.0.113.1"))
    test.packet(1, *frame(ttl=1))
    test.packet(1, *frame(ttl=0))
    test.packet(1, ethernet(ROUTER, HOST, ARP), bytes(28))
    test.packet(1, *frame(checksum=0x1234))
    test.packet(1, *frame(options=bytes(4)))
    whole = frame()
    test.packet(1, whole[0], whole[1][:19])
    test.packet(1, whole[0][:13])
    test.say("no_packet")
    test.counts("dropped", _0=3, _1=1, _2=1, _3=1, _4=2)
    return test


def tests():
    return {"marking": marking(), "routing": routing()}
