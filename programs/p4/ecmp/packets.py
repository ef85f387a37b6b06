"""What goes through the multipath router, and what must come out."""

from reference import Test
from wire import ARP, ICMP, TCP, UDP, crc32, ethernet, five_tuple, ipv4, tcp, udp

ROUTER = "02:00:00:00:00:01"
HOST = "02:00:00:00:00:aa"
SENDER = "192.0.2.10"
FAR = "198.51.100.7"
DATA = b"polyplane"

# Members of group 1 by place: the port, and with it the neighbour.
PORTS = [11, 12, 13, 14]

MALFORMED, NOT_IPV4, CHECKSUM, NO_ROUTE, TIME_TO_LIVE, NO_MEMBER = range(6)


def member(group, place, port, name=None):
    entry = f"add members group:{group} place:{place} to_next_hop(port:{port}, source:{source(port)}, " \
            f"destination:{neighbour(port)})"
    return f"{entry} = {name}" if name else entry


def source(port):
    return f"02:00:00:00:01:{port:02x}"


def neighbour(port):
    return f"02:00:00:00:02:{port:02x}"


def place(size, flow, bits=0):
    """Which member a flow gets: 16 bits of the hash (from `bits` on), as a fraction of 65536."""
    return (crc32(five_tuple(*flow)) >> bits) % 65536 * size // 65536


def packet(port, flow, ttl=64, data=DATA, **ip):
    """A packet of a flow, as it comes (port None) or as it leaves by a port."""
    sender, receiver, protocol, *ports = flow
    transport = b""
    if ports:
        transport = tcp(*ports) if protocol == TCP else udp(*ports, len(data))
    link = ethernet(ROUTER, HOST) if port is None else ethernet(neighbour(port), source(port))
    return [link, ipv4(sender, receiver, len(transport) + len(data), protocol, ttl=ttl, **ip), transport, data]


def multipath():
    test = Test("Equal-cost multipath: which member each flow gets, and what is dropped.")
    test.say(
        "add routes ipv4.destination:198.51.100.0/24 to_group(group:1, size:4)",
        "add routes ipv4.destination:198.51.100.128/25 to_group(group:2, size:1)",
        "add routes ipv4.destination:203.0.113.0/24 to_group(group:3, size:2)",
        "add routes ipv4.destination:203.0.113.128/25 to_group(group:2, size:0)",
        "add routes ipv4.destination:10.0.0.0/8 no_route()",
        *(member(1, place, port, f"member{place}") for place, port in enumerate(PORTS)),
        member(2, 0, 21, "only"),
        member(3, 0, 31, "half"),
    )
    used = [0] * 4

    def sent(flow, hashed=None, bits=0, **ip):
        """A packet of group 1; `hashed` is what of it counts if that is not the whole flow."""
        at = place(4, hashed or flow, bits)
        used[at] += 1
        test.packet(0, *packet(None, flow, **ip))
        test.expect(PORTS[at], *packet(PORTS[at], flow, ttl=63, **ip))
        return at

    test.note("Flows of TCP and UDP, each with two packets, which stay together.")
    flows = [
        (f"192.0.2.{10 + number}", FAR, (TCP, UDP)[number % 2], 1024 + 7919 * number % 60000, 80)
        for number in range(16)
    ]
    chosen = {sent(flow) for flow in flows for _ in range(2)}
    assert chosen == {0, 1, 2, 3}, "the flows must reach every member"
    test.note("A protocol without ports.")
    sent((SENDER, FAR, ICMP))
    sent(("192.0.2.11", FAR, ICMP))
    test.note("Fragments of one datagram, of which only the first has ports: all take the path of the addresses.")
    fragment = (SENDER, FAR, UDP)
    first = (SENDER, FAR, UDP, 1000, 80)
    assert place(4, fragment) != place(4, first), "or the test shows nothing"
    sent(first, hashed=fragment, flags=1)
    sent(fragment, flags=1, offset=2)
    sent(fragment, flags=0, offset=4)
    test.note("Other bits of the hash: flows that one switch sends to one member, the next one spreads again.")
    test.say("setdefault hash_bits use_bits_from(offset:16)")
    alike = [flow for flow in flows if place(4, flow) == 0]
    assert len({place(4, flow, 16) for flow in alike}) > 1
    for flow in alike:
        sent(flow, bits=16)
    test.say("setdefault hash_bits use_bits_from(offset:0)")
    test.note("A group of one member; a size of 0 is one as well.")
    for receiver in ("198.51.100.200", "203.0.113.200"):
        for number in range(2):
            flow = (SENDER, receiver, UDP, 1000 + number, 80)
            test.packet(0, *packet(None, flow))
            test.expect(21, *packet(21, flow, ttl=63))
    test.note("Of the two members of this group one is missing: half of the flows are dropped.")
    missing = half = 0
    for number in range(6):
        flow = (SENDER, "203.0.113.1", UDP, 1024 + 7919 * number, 80)
        test.packet(0, *packet(None, flow))
        if place(2, flow) == 0:
            half += 1
            test.expect(31, *packet(31, flow, ttl=63))
        else:
            missing += 1
    assert missing and half

    counts = {NO_MEMBER: missing}

    def dropped(reason, *headers):
        test.packet(0, *headers)
        counts[reason] = counts.get(reason, 0) + 1

    flow = flows[0]
    whole = packet(None, flow)
    test.note("Cut short: in Ethernet, in IPv4, in the ports. Options, and another version.")
    dropped(MALFORMED, whole[0][:13])
    dropped(MALFORMED, whole[0], whole[1][:19])
    dropped(MALFORMED, whole[0], whole[1], whole[2][:3])
    dropped(MALFORMED, *packet(None, flow, options=bytes([1, 1, 1, 0])))
    dropped(MALFORMED, *packet(None, flow, version=5))
    test.note("The ports, and no more of the transport header, are enough.")
    at = place(4, flow)
    used[at] += 1
    test.packet(0, whole[0], whole[1], whole[2][:4])
    test.expect(PORTS[at], *packet(PORTS[at], flow, ttl=63)[:2], whole[2][:4])
    test.note("ARP; a wrong checksum; no route, and a route that says so; no time left to live.")
    dropped(NOT_IPV4, ethernet(ROUTER, HOST, ARP), bytes(28))
    dropped(CHECKSUM, *packet(None, flow, checksum=0))
    dropped(NO_ROUTE, *packet(None, (SENDER, "192.0.2.99", ICMP)))
    dropped(NO_ROUTE, *packet(None, (SENDER, "10.1.2.3", ICMP)))
    dropped(TIME_TO_LIVE, *packet(None, flow, ttl=1))
    dropped(TIME_TO_LIVE, *packet(None, flow, ttl=0))
    test.say("no_packet")

    test.counts("dropped", **{f"_{reason}": count for reason, count in sorted(counts.items())})
    test.counts("member_used", **{f"member{at}": count for at, count in enumerate(used)}, only=4, half=half)
    return test


def tests():
    return {"ecmp": multipath()}
