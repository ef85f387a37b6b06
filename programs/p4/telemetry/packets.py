"""What goes through a switch with in-band telemetry, and what must come out."""

import struct

from reference import Test
from wire import ARP, TCP, UDP, ethernet, ipv4, udp

TELEMETRY = 0x88B5
IPV4 = 0x0800
HOST, FAR, LOCAL, GROUP = (f"02:00:00:00:00:{last}" for last in ("aa", "bb", "cc", "dd"))
# Ports: to the next switch, to a host, to the collector.
NEXT, EDGE, COLLECTOR = 2, 3, 9
SWITCH = 0x51
DATA = b"polyplane"


def shim(records, remaining, ether_type=IPV4, exceeded=0, version=1):
    return struct.pack("!BBH", version << 4 | exceeded << 3, records << 4 | remaining, ether_type)


def record(switch, ingress, egress, time, egress_time=None, depth=0):
    egress_time = time if egress_time is None else egress_time
    times = time.to_bytes(6, "big") + egress_time.to_bytes(6, "big")
    return struct.pack("!IHH", switch, ingress, egress) + times + struct.pack("!II", depth, 0)


def payload(source="192.0.2.10", destination="198.51.100.7", protocol=UDP):
    return [ipv4(source, destination, 8 + len(DATA), protocol), udp(4000, 4001, len(DATA)), DATA]


def plain(destination, *rest):
    return [ethernet(destination, HOST), *(rest or payload())]


def marked(destination, remaining, *records, exceeded=0, rest=None):
    return [
        ethernet(destination, HOST, TELEMETRY), shim(len(records), remaining, exceeded=exceeded), *records,
        *(rest or payload()),
    ]


def path():
    test = Test("In-band telemetry: the first switch of a path, one in its middle, and its last one, all in one.")
    test.say(
        f"setdefault identity set_switch(switch_id:{SWITCH:#x})",
        f"add stations ethernet.destination:{FAR} forward(port:{NEXT})",
        f"add stations ethernet.destination:{LOCAL} forward(port:{EDGE})",
        f"add stations ethernet.destination:{GROUP} replicate(group:1)",
        f"add edges egress_port:{EDGE} strip()",
        f"add reports egress_spec:{EDGE} report(session:5)",
        f"mirroring_add 5 {COLLECTOR}",
        "add flows 10 ipv4.source:0xc00002** ipv4.destination:* ipv4.protocol:17 watch(most:3) = watched",
        "add flows 20 ipv4.source:0xc000020b ipv4.destination:* ipv4.protocol:* NoAction() = exempt",
        # Twice the same port, so that the second copy waits behind the first one.
        "mc_mgrp_create 1",
        f"mc_node_create 0 {NEXT}",
        f"mc_node_create 1 {NEXT}",
        f"mc_node_create 2 {EDGE}",
        *(f"mc_node_associate 1 {node}" for node in range(3)),
    )
    test.note("First switch: traffic that is not watched passes, by protocol, address, exemption, and without IPv4.")
    test.through(1, NEXT, *plain(FAR, *payload(protocol=TCP)))
    test.through(1, NEXT, *plain(FAR, *payload(source="192.0.3.10")))
    test.through(1, NEXT, *plain(FAR, *payload(source="192.0.2.11")))
    test.through(1, NEXT, ethernet(FAR, HOST, ARP), bytes(28))
    test.through(1, NEXT, ethernet(FAR, HOST, ARP))
    test.note("What is watched gets the header, and the first record: the times are those of its arrival.")
    time = test.packet(1, *plain(FAR))
    test.expect(NEXT, *marked(FAR, 2, record(SWITCH, 1, NEXT, time)))

    test.note("A switch in the middle puts its record in front of the others.")
    first = record(0x11, 7, 8, 0x010203040506, 0x010203040509, depth=3)
    second = record(0x12, 4, 5, 0xFFFFFFFFFFFF, 2)
    time = test.packet(4, *marked(FAR, 2, first))
    test.expect(NEXT, *marked(FAR, 1, record(SWITCH, 4, NEXT, time), first))
    time = test.packet(4, *marked(FAR, 1, second, first))
    test.expect(NEXT, *marked(FAR, 0, record(SWITCH, 4, NEXT, time), second, first))
    test.note("It does not matter what the packet carries, if anything.")
    arp = [ethernet(FAR, HOST, TELEMETRY), shim(0, 1, ARP), bytes(28)]
    time = test.packet(4, *arp)
    test.expect(NEXT, arp[0], shim(1, 0, ARP), record(SWITCH, 4, NEXT, time), arp[2])
    time = test.packet(4, arp[0], shim(0, 15, ARP))
    test.expect(NEXT, arp[0], shim(1, 14, ARP), record(SWITCH, 4, NEXT, time))
    test.note("No record is left to be added, or no room for one: that is noted, and the packet goes on.")
    test.packet(4, *marked(FAR, 0, first))
    test.expect(NEXT, *marked(FAR, 0, first, exceeded=1))
    test.through(4, NEXT, *marked(FAR, 0, first, exceeded=1))
    seven, eight = ([record(number, 1, 2, number) for number in range(count)] for count in (7, 8))
    time = test.packet(4, *marked(FAR, 5, *seven))
    test.expect(NEXT, *marked(FAR, 4, record(SWITCH, 4, NEXT, time), *seven))
    test.packet(4, *marked(FAR, 5, *eight))
    test.expect(NEXT, *marked(FAR, 5, *eight, exceeded=1))

    test.note("The last switch: the host gets the packet as it was, the collector a copy with this switch's record.")
    time = test.packet(4, *marked(LOCAL, 2, first))
    test.expect(EDGE, *plain(LOCAL))
    test.expect(COLLECTOR, *marked(LOCAL, 1, record(SWITCH, 4, COLLECTOR, time), first))
    test.packet(4, *marked(LOCAL, 2, *eight))
    test.expect(EDGE, *plain(LOCAL))
    test.expect(COLLECTOR, *marked(LOCAL, 2, *eight, exceeded=1))
    test.note("A path of one switch: nothing is reported, and nothing is left in the packet.")
    test.packet(1, *plain(LOCAL))
    test.expect(EDGE, *plain(LOCAL))
    test.note("A session that nobody has set up: no copy, and the packet is none the worse.")
    test.say("mirroring_delete 5")
    test.packet(4, *marked(LOCAL, 2, first))
    test.expect(EDGE, *plain(LOCAL))

    test.note("Three copies: two wait for the same port, the second one behind the first; the third goes to a host.")
    time = test.packet(1, *plain(GROUP))
    for depth in (0, 1):
        test.expect(NEXT, *marked(GROUP, 2, record(SWITCH, 1, NEXT, time, depth=depth)))
    test.expect(EDGE, *plain(GROUP))

    test.note("Dropped: a station that nobody knows.")
    test.packet(1, *plain("02:00:00:00:00:ee"))
    test.packet(1, *marked("02:00:00:00:00:ee", 2, first))
    test.note("Dropped: cut short in Ethernet, in the header, in a record, before the last record, in IPv4.")
    whole = marked(FAR, 2, first, second)
    test.packet(1, whole[0][:13])
    test.packet(1, whole[0], whole[1][:3])
    test.packet(1, whole[0], whole[1], first[:27])
    test.packet(1, whole[0], whole[1], first)
    test.packet(1, *whole[:4], whole[4][:19])
    test.note("Dropped: more records than there can be, and another version.")
    test.packet(1, whole[0], shim(9, 2), *[first] * 9, *payload())
    test.packet(1, whole[0], shim(0, 2, version=2), *payload())
    test.say("no_packet")
    test.counts("dropped", _0=7, _1=2)
    test.counts("without_room", _0=4)
    test.counts("watched", watched=3, exempt=1)
    return test


def tests():
    return {"telemetry": path()}
