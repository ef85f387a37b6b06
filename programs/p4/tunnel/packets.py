"""What goes through an edge of the virtual private networks, and what must come out."""

import struct

from reference import Test
from wire import ARP, GRE, ICMP, UDP, ethernet, ipv4, udp

RED, BLUE = 0x100, 0x200
# Ports: two customers, and two links into the core.
RED_PORT, BLUE_PORT, CORE_PORT, SMALL_PORT = 1, 2, 10, 11
HERE, THERE, ELSEWHERE = "192.0.2.1", "198.51.100.1", "203.0.113.1"
MACS = {port: (f"02:00:00:00:00:{port:02x}", f"02:00:00:00:01:{port:02x}") for port in (1, 2, 10, 11)}
HOST, REMOTE = "10.1.0.5", "10.2.0.6"
DATA = b"polyplane"
NOT_ECT, ECT_1, ECT_0, CE = range(4)

(MALFORMED, NOT_IPV4, CHECKSUM, LENGTH, TIME_TO_LIVE, NO_TUNNEL, NO_ROUTE, TOO_LARGE, NOT_GRE, NO_CUSTOMER,
 CONGESTION) = range(11)


def arriving(port):
    """From the neighbour to this switch."""
    ours, theirs = MACS[port]
    return ethernet(ours, theirs)


def leaving(port):
    ours, theirs = MACS[port]
    return ethernet(theirs, ours)


def inner(source=HOST, destination=REMOTE, data=DATA, **ip):
    return [ipv4(source, destination, 8 + len(data), UDP, **ip), udp(4000, 4001, len(data)), data]


def gre(key, flags=0x2000, protocol=0x0800):
    return struct.pack("!HH", flags, protocol), (struct.pack("!I", key) if flags & 0x2000 else b"")


def outer(source, destination, behind, **ip):
    """The header in front of `behind`, as an edge makes it."""
    return ipv4(source, destination, sum(map(len, behind)), GRE, **{"identification": 0, **ip})


def wrapped(key, packet, source=HERE, destination=THERE, **ip):
    behind = [*gre(key), *packet]
    return [outer(source, destination, behind, **ip), *behind]


def setup():
    forward = "forward(port:{0}, source:{1}, destination:{2}, mtu:{3})"
    unwrap = "unwrap(port:{0}, source:{1}, destination:{2})"
    return [
        f"pvs_add ends {HERE}",
        f"add customers ingress_port:{RED_PORT} of_customer(key:{RED})",
        f"add customers ingress_port:{BLUE_PORT} of_customer(key:{BLUE})",
        *(
            f"add tunnels customer:{key} ipv4.destination:{prefix} wrap(source:{HERE}, destination:{end}) = {name}"
            for key, prefix, end, name in (
                (RED, "10.2.0.0/16", THERE, "red"), (BLUE, "10.2.0.0/16", ELSEWHERE, "blue"),
                (RED, "10.3.0.0/16", "192.0.2.77", "lost"),
            )
        ),
        f"add tunnels customer:{RED} ipv4.destination:10.2.99.0/24 no_tunnel()",
        *(
            f"add sites gre_key.key:{key} inner.destination:10.1.0.0/16 "
            f"{unwrap.format(port, *MACS[port])} = site{key}"
            for key, port in ((RED, RED_PORT), (BLUE, BLUE_PORT))
        ),
        f"add sites gre_key.key:{RED} inner.destination:10.1.99.0/24 no_customer()",
        f"add routes destination:198.51.100.0/24 {forward.format(CORE_PORT, *MACS[CORE_PORT], 1500)}",
        f"add routes destination:203.0.113.0/24 {forward.format(SMALL_PORT, *MACS[SMALL_PORT], 68)}",
        "add routes destination:203.0.113.128/25 no_route()",
    ]


class Edge(Test):
    """A test that counts what it expects to be dropped."""

    def __init__(self, title):
        super().__init__(title)
        self.dropped = [0] * 11
        self.say(*setup())

    def drop(self, reason, port, *headers):
        self.packet(port, *headers)
        self.dropped[reason] += 1

    def finish(self):
        self.say("no_packet")
        self.counts("dropped", **{f"_{reason}": count for reason, count in enumerate(self.dropped)})
        return self


def entering():
    test = Edge("A tunnel's first end: customers' packets are wrapped, and others pass through the core.")

    def enters(port, key, packet, after, out, end, **ip):
        test.packet(port, arriving(port), *packet)
        test.expect(out, leaving(out), *wrapped(key, after, destination=end, **ip))

    test.note("The same addresses of two customers take different tunnels.")
    enters(RED_PORT, RED, inner(), inner(ttl=63), CORE_PORT, THERE)
    small = inner(data=b"abc")
    enters(BLUE_PORT, BLUE, small, inner(data=b"abc", ttl=63), SMALL_PORT, ELSEWHERE)
    test.note("Differentiated services and ECN are copied; nothing else of the inner header shows outside.")
    for service in (10 << 2 | ECT_0, 46 << 2 | ECT_1, CE, 0xFF):
        enters(RED_PORT, RED, inner(service=service, identification=7, flags=0, ttl=9),
               inner(service=service, identification=7, flags=0, ttl=8), CORE_PORT, THERE, service=service)
    test.note("Fragments, other protocols, and GRE of the customer's own are all just packets.")
    enters(RED_PORT, RED, inner(flags=1), inner(flags=1, ttl=63), CORE_PORT, THERE)
    enters(RED_PORT, RED, [ipv4(HOST, REMOTE, 0, ICMP)], [ipv4(HOST, REMOTE, 0, ICMP, ttl=63)], CORE_PORT, THERE)
    own = wrapped(BLUE, inner(), source=HOST, destination=REMOTE)
    enters(RED_PORT, RED, own, wrapped(BLUE, inner(), source=HOST, destination=REMOTE, ttl=63), CORE_PORT, THERE)
    test.note("A customer who writes another one's key, to the very end of the tunnel, gets nowhere.")
    forged = wrapped(BLUE, inner(REMOTE, HOST), source=HOST, destination=HERE)
    test.drop(NO_TUNNEL, RED_PORT, arriving(RED_PORT), *forged)
    test.note("Padding behind the packet stays behind it.")
    padding = bytes(5)
    test.packet(RED_PORT, arriving(RED_PORT), *inner(), padding)
    test.expect(CORE_PORT, leaving(CORE_PORT), *wrapped(RED, inner(ttl=63)), padding)
    test.note("No tunnel: a destination that nobody knows, and one that is shut.")
    test.drop(NO_TUNNEL, RED_PORT, arriving(RED_PORT), *inner(destination="10.9.0.1"))
    test.drop(NO_TUNNEL, RED_PORT, arriving(RED_PORT), *inner(destination="10.2.99.1"))
    test.note("A tunnel whose other end has no route.")
    test.drop(NO_ROUTE, RED_PORT, arriving(RED_PORT), *inner(destination="10.3.0.1"))
    test.note("The link takes 68 bytes: 28 more than 40, and no byte more.")
    enters(BLUE_PORT, BLUE, inner(data=bytes(12)), inner(data=bytes(12), ttl=63), SMALL_PORT, ELSEWHERE)
    test.drop(TOO_LARGE, BLUE_PORT, arriving(BLUE_PORT), *inner(data=bytes(13)))
    test.note("No time left to live.")
    for ttl in (0, 1):
        test.drop(TIME_TO_LIVE, RED_PORT, arriving(RED_PORT), *inner(ttl=ttl))

    test.note("Through the core: what others have wrapped, other kinds of GRE, and what is not wrapped at all.")
    for passing in (
        wrapped(RED, inner(), source=ELSEWHERE, destination=THERE),
        [outer(ELSEWHERE, THERE, [bytes(4)]), bytes(4)],
        inner(source=ELSEWHERE, destination=THERE),
    ):
        test.packet(CORE_PORT, arriving(CORE_PORT), *passing)
        after = [passing[0][:8] + bytes([63]) + passing[0][9:10] + b"\0\0" + passing[0][12:]]
        # The time to live is one less in the high byte of its word, so the checksum is 0x0100 more (RFC 1141).
        checksum = int.from_bytes(passing[0][10:12], "big") + 0x0100
        checksum = (checksum & 0xFFFF) + (checksum >> 16)
        after[0] = after[0][:10] + checksum.to_bytes(2, "big") + after[0][12:]
        test.expect(CORE_PORT, leaving(CORE_PORT), *after, *passing[1:])
    for address in ("192.0.2.99", "203.0.113.200"):
        test.drop(NO_ROUTE, CORE_PORT, arriving(CORE_PORT), *inner(destination=address))
    test.drop(TOO_LARGE, CORE_PORT, arriving(CORE_PORT), *inner(destination=ELSEWHERE, data=bytes(41)))
    test.drop(TIME_TO_LIVE, CORE_PORT, arriving(CORE_PORT), *inner(destination=THERE, ttl=1))

    test.note("Cut short, options, another version; ARP; a wrong checksum; lengths that cannot be.")
    link = arriving(RED_PORT)
    test.drop(MALFORMED, RED_PORT, link[:13])
    test.drop(MALFORMED, RED_PORT, link)
    test.drop(MALFORMED, RED_PORT, link, inner()[0][:19])
    test.drop(MALFORMED, RED_PORT, link, *inner(options=bytes(4)))
    test.drop(MALFORMED, RED_PORT, link, *inner(version=6))
    test.drop(NOT_IPV4, RED_PORT, ethernet(*MACS[RED_PORT], ARP), bytes(28))
    test.drop(CHECKSUM, RED_PORT, link, *inner(checksum=0))
    test.drop(LENGTH, RED_PORT, link, *inner(total_length=19))
    test.drop(LENGTH, RED_PORT, link, *inner(total_length=20 + 8 + len(DATA) + 1))
    test.finish()
    test.counts("wrapped", red=9, blue=3, lost=1)
    return test


def leaving_tunnels():
    test = Edge("A tunnel's other end: packets are taken out and delivered to the customer of their key.")
    core = arriving(CORE_PORT)

    def comes(key, packet, **ip):
        """As it comes out of the core."""
        return [core, *wrapped(key, packet, source=THERE, destination=HERE, **ip)]

    def leaves(key, packet, after, **ip):
        port = RED_PORT if key == RED else BLUE_PORT
        test.packet(CORE_PORT, *comes(key, packet, **ip))
        test.expect(port, leaving(port), *after)

    test.note("The key says whose it is.")
    for key in (RED, BLUE):
        leaves(key, inner(REMOTE, HOST), inner(REMOTE, HOST, ttl=63))
    test.note("The outer time to live, differentiated services and padding stay behind, and so do all of its fields.")
    leaves(RED, inner(REMOTE, HOST, service=10 << 2), inner(REMOTE, HOST, service=10 << 2, ttl=63),
           ttl=1, service=46 << 2, identification=99, flags=0)
    test.note("ECN, all sixteen cases (RFC 6040, figure 4): what is inside, marked by what is outside.")
    for within in range(4):
        for outside in range(4):
            if outside == CE and within == NOT_ECT:
                test.drop(CONGESTION, CORE_PORT, *comes(RED, inner(REMOTE, HOST), service=CE))
                continue
            result = {
                NOT_ECT: (NOT_ECT, NOT_ECT, NOT_ECT, None), ECT_0: (ECT_0, ECT_1, ECT_0, CE),
                ECT_1: (ECT_1, ECT_1, ECT_1, CE), CE: (CE, CE, CE, CE),
            }[within][outside]
            after = inner(REMOTE, HOST, service=result, ttl=63)
            leaves(RED, inner(REMOTE, HOST, service=within), after, service=outside)
    test.note("Nobody has this key; nobody here has this destination; a destination that is shut.")
    test.drop(NO_CUSTOMER, CORE_PORT, *comes(0x300, inner(REMOTE, HOST)))
    test.drop(NO_CUSTOMER, CORE_PORT, *comes(RED, inner(REMOTE, "10.5.0.1")))
    test.drop(NO_CUSTOMER, CORE_PORT, *comes(RED, inner(REMOTE, "10.1.99.1")))
    test.note("No time left to live, inside.")
    for ttl in (0, 1):
        test.drop(TIME_TO_LIVE, CORE_PORT, *comes(RED, inner(REMOTE, HOST, ttl=ttl)))
    test.note("Not to be taken out: no key, a checksum, a sequence number, version 1, Ethernet inside.")
    for flags, protocol in ((0x0000, 0x0800), (0xA000, 0x0800), (0x3000, 0x0800), (0x2001, 0x0800), (0x2000, 0x6558)):
        behind = [*gre(RED, flags, protocol), *inner(REMOTE, HOST)]
        test.drop(NOT_GRE, CORE_PORT, core, outer(THERE, HERE, behind), *behind)
    test.note("Nor: fragments of the outer packet, and other protocols.")
    test.drop(NOT_GRE, CORE_PORT, *comes(RED, inner(REMOTE, HOST), flags=1))
    test.drop(NOT_GRE, CORE_PORT, *comes(RED, inner(REMOTE, HOST), flags=0, offset=3))
    test.drop(NOT_GRE, CORE_PORT, core, *inner(THERE, HERE))
    test.note("Cut short: in the GRE header, the key, and the inner header. Options and version 6 inside.")
    whole = comes(RED, inner(REMOTE, HOST))
    for count, length in ((2, 3), (3, 3), (4, 19)):
        test.drop(MALFORMED, CORE_PORT, *whole[:count], whole[count][:length])
    test.drop(MALFORMED, CORE_PORT, *comes(RED, inner(REMOTE, HOST, options=bytes(4))))
    test.drop(MALFORMED, CORE_PORT, *comes(RED, inner(REMOTE, HOST, version=6)))
    test.note("Checksums, outside and inside; lengths that cannot be, inside.")
    test.drop(CHECKSUM, CORE_PORT, *comes(RED, inner(REMOTE, HOST), checksum=0))
    test.drop(CHECKSUM, CORE_PORT, *comes(RED, inner(REMOTE, HOST, checksum=0)))
    test.drop(LENGTH, CORE_PORT, *comes(RED, inner(REMOTE, HOST, total_length=19)))
    test.drop(LENGTH, CORE_PORT, *comes(RED, inner(REMOTE, HOST, total_length=20 + 8 + len(DATA) + 1)))
    test.note("Without its address in the set, this switch is no end: the packet passes through, and has no route.")
    test.say(f"pvs_remove ends {HERE}")
    test.drop(NO_ROUTE, CORE_PORT, *whole)
    test.finish()
    test.counts("unwrapped", **{f"site{RED}": 17, f"site{BLUE}": 1})
    return test


def tests():
    return {"entering": entering(), "leaving": leaving_tunnels()}
