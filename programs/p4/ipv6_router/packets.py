"""What goes through the router, and what must come out."""

import struct

from reference import Test
from wire import ICMPV6, IPV4, IPV6, TCP, UDP, ethernet, icmpv6, ip6, ipv6, mac

# The router's MAC and IP addresses on its ports, its neighbours, and a host that sends.
ROUTER = {port: f"02:00:00:00:00:0{port}" for port in (1, 2, 3)}
OWN = {port: f"2001:db8:{port}::1" for port in (1, 2, 3)}
LINK_LOCAL = "fe80::1"
NEXT_HOP = {1: "02:00:00:00:02:01", 2: "02:00:00:00:03:02", 4: "02:00:00:00:04:04"}
HOST, SENDER = "02:00:00:00:01:aa", "2001:db8:1::aa"
ALL_NODES, ALL_NODES_MAC = "ff02::1", "33:33:00:00:00:01"
MTU = {2: 1500, 3: 1280}

(MALFORMED, NOT_FOR_US, NOT_IPV6, LENGTH, MULTICAST, MARTIAN, TO_SELF, NO_ROUTE, HOP_LIMIT, NO_NEXT_HOP, NO_INTERFACE,
 TOO_BIG) = range(12)
ADVERTISEMENT, ECHO, TOLD_NO_ROUTE, TOLD_TOO_BIG, TOLD_TIME, SUPPRESSED = range(6)
UDP_HEADER = struct.pack("!HHHH", 4000, 4001, 17, 0xBEEF)
DATA = b"polyplane"


class Router(Test):
    """A test with a router between three links, which counts what it must have dropped and said."""

    def __init__(self, title):
        super().__init__(title)
        self.drops, self.said = [0] * 12, [0] * 6
        for port, address in ROUTER.items():
            self.say(f"add stations ingress_port:{port} ethernet.destination:{address} NoAction()")
            for own in (OWN[port], LINK_LOCAL):
                self.say(f"add addresses ingress_port:{port} meta.address:{number(own)} own(address:{address})")
        for port, mtu in MTU.items():
            self.say(f"add interfaces egress_spec:{port} set_source(source:{ROUTER[port]}, mtu:{mtu})")
        for port in (1, 2):
            self.say(f"add error_sources ingress_port:{port} set_error_source(source:{number(OWN[port])})")
        self.say(
            f"add next_hops next_hop:1 forward(port:2, destination:{NEXT_HOP[1]})",
            f"add next_hops next_hop:2 forward(port:3, destination:{NEXT_HOP[2]})",
            f"add next_hops next_hop:4 forward(port:4, destination:{NEXT_HOP[4]})",
            *(
                f"add routes ipv6.destination:{number(prefix)}/{length} {action} = {name}"
                for name, prefix, length, action in (
                    ("wide", "2001:db8:2::", 48, "to_next_hop(next_hop:1)"),
                    ("narrow", "2001:db8:2:3::", 64, "to_next_hop(next_hop:2)"),
                    ("host", "2001:db8:2:3::5", 128, "to_next_hop(next_hop:1)"),
                    ("odd", "2001:db8:2:3:8000::", 65, "to_next_hop(next_hop:1)"),
                    ("hole", "2001:db8:7::", 48, "no_route()"),
                    ("strange", "2001:db8:8::", 48, "to_next_hop(next_hop:4)"),
                    ("unknown", "2001:db8:9::", 48, "to_next_hop(next_hop:9)"),
                )
            ),
        )

    def forwarded(self, destination, next_hop, port, payload=UDP_HEADER + DATA, next_header=UDP, hop_limit=64,
                  came=1, padding=b""):
        self.packet(came, ethernet(ROUTER[came], HOST, IPV6),
                    ipv6(SENDER, destination, len(payload), next_header, hop_limit), payload, padding)
        self.expect(port, ethernet(NEXT_HOP[next_hop], ROUTER[port], IPV6),
                    ipv6(SENDER, destination, len(payload), next_header, hop_limit - 1), payload, padding)

    def dropped(self, reason, *headers, port=1):
        self.drops[reason] += 1
        self.packet(port, *headers)

    def told(self, reason, answer, kind, parameter, destination, payload=UDP_HEADER + DATA, next_header=UDP,
             hop_limit=64, came=1):
        """A packet that is dropped, and about which the sender hears."""
        header = ipv6(SENDER, destination, len(payload), next_header, hop_limit)
        self.dropped(reason, ethernet(ROUTER[came], HOST, IPV6), header, payload, port=came)
        self.said[answer] += 1
        # Eight bytes behind the header, if there are as many.
        quoted = header + (payload[:8] if len(payload) >= 8 else b"")
        message = icmpv6(OWN[came], SENDER, kind, 0, struct.pack("!I", parameter) + quoted)
        plain = ipv6(OWN[came], SENDER, len(message), ICMPV6, 64)
        plain = struct.pack("!I", 6 << 28) + plain[4:]
        self.expect(came, ethernet(HOST, ROUTER[came], IPV6), plain, message)

    def end(self):
        self.say("no_packet")
        self.counts("dropped", **{f"_{reason}": count for reason, count in enumerate(self.drops)})
        self.counts("answers", **{f"_{answer}": count for answer, count in enumerate(self.said)})
        return self


def number(address):
    """An address as a packet test has numbers of 128 bits."""
    return f"0x{ip6(address).hex()}"


def frame(destination, source=SENDER, payload=UDP_HEADER + DATA, next_header=UDP, port=1, hop_limit=64, **other):
    return [
        ethernet(ROUTER[port], HOST, IPV6),
        ipv6(source, destination, other.pop("length", len(payload)), next_header, hop_limit, **other), payload,
    ]


def forwarding():
    test = Router("The IPv6 router: where packets go, and everything that is dropped without a word.")
    test.note("The longest prefix wins: /48, /64, /65, /128.")
    test.forwarded("2001:db8:2::9", 1, 2)
    test.forwarded("2001:db8:2:ffff:ffff:ffff:ffff:ffff", 1, 2)
    test.forwarded("2001:db8:2:3::6", 2, 3)
    test.forwarded("2001:db8:2:3:7fff::5", 2, 3)
    test.forwarded("2001:db8:2:3:8000::5", 1, 2)
    test.forwarded("2001:db8:2:3::5", 1, 2)
    test.note("From another port; back out of the port that it came from.")
    test.forwarded("2001:db8:2::9", 1, 2, came=2)
    test.note("The last hop; the greatest hop limit.")
    test.forwarded("2001:db8:2::9", 1, 2, hop_limit=2)
    test.forwarded("2001:db8:2::9", 1, 2, hop_limit=255)
    test.note("Extension headers pass: hop-by-hop, routing, fragment, destination options; and no next header at all,\n"
              "with less than eight bytes behind, and none.")
    for kind in (0, 43, 44, 60):
        test.forwarded("2001:db8:2::9", 1, 2, struct.pack("!BBHI", UDP, 0, 0x0104, 0) + UDP_HEADER + DATA, kind)
    for length in (0, 1, 7, 8):
        test.forwarded("2001:db8:2::9", 1, 2, bytes(length), 59, padding=bytes(6 if length == 0 else 0))
    test.note("ICMPv6 for others passes: echo, an error, and what looks like a solicitation but comes from elsewhere.")
    for kind, hop_limit in ((128, 64), (1, 64), (135, 254)):
        body = bytes(4) + ip6("2001:db8:2::9")
        message = icmpv6(SENDER, "2001:db8:2::9", kind, 0, body)
        test.forwarded("2001:db8:2::9", 1, 2, message, ICMPV6, hop_limit)
    test.note("As long as the next link takes.")
    test.forwarded("2001:db8:2:3::6", 2, 3, bytes(1240))

    test.note("Cut short: in Ethernet, in IPv6, in the first eight bytes; another version.")
    good = frame("2001:db8:2::9")
    test.dropped(MALFORMED, good[0][:13])
    test.dropped(MALFORMED, good[0], good[1][:39])
    test.dropped(MALFORMED, good[0], good[1], good[2][:7])
    test.dropped(MALFORMED, *frame("2001:db8:2::9", version=4))
    test.note("For another station, for the router's address on another port, and to all stations.")
    for station in (HOST, ROUTER[2], "ff:ff:ff:ff:ff:ff", ALL_NODES_MAC):
        test.dropped(NOT_FOR_US, ethernet(station, HOST, IPV6), *good[1:])
    test.note("IPv4; a payload that is longer than the frame.")
    test.dropped(NOT_IPV6, ethernet(ROUTER[1], HOST, IPV4), bytes(40))
    test.dropped(LENGTH, *frame("2001:db8:2::9", length=18))
    test.note("To groups, by the router's own address and by theirs.")
    test.dropped(MULTICAST, *frame("ff0e::5"))
    test.dropped(MULTICAST, ethernet("33:33:00:00:00:05", HOST, IPV6), *frame("ff02::5")[1:])
    test.note("Addresses that nothing but a link may see.")
    for address in ("::", "::1", "fe80::5", "febf::5"):
        test.dropped(MARTIAN, *frame("2001:db8:2::9", source=address))
        test.dropped(MARTIAN, *frame(address))
    test.dropped(MARTIAN, *frame("2001:db8:2::9", source="ff02::1"))
    test.note("For the router itself, but nothing that it answers.")
    test.dropped(TO_SELF, *frame(OWN[1]))
    test.dropped(TO_SELF, *frame(LINK_LOCAL, payload=b"", next_header=59))
    test.note("A next hop that nobody described; one behind a port that has no address.")
    test.dropped(NO_NEXT_HOP, *frame("2001:db8:9::1"))
    test.dropped(NO_INTERFACE, *frame("2001:db8:8::1"))
    test.end()
    test.counts("route_used", wide=16, narrow=3, odd=1, host=1, strange=1, unknown=1)
    return test


def errors():
    test = Router("The IPv6 router: what senders hear about packets that go no further.")
    test.note("No time left; no route, and a route that says so; too long for the next link.")
    for hop_limit in (1, 0):
        test.told(HOP_LIMIT, TOLD_TIME, 3, 0, "2001:db8:2::9", hop_limit=hop_limit)
    test.told(NO_ROUTE, TOLD_NO_ROUTE, 1, 0, "2001:db8:ffff::1")
    test.told(NO_ROUTE, TOLD_NO_ROUTE, 1, 0, "2001:db8:7::1")
    test.told(TOO_BIG, TOLD_TOO_BIG, 2, 1280, "2001:db8:2:3::6", bytes(range(241)) + bytes(1000))
    test.told(TOO_BIG, TOLD_TOO_BIG, 2, 1500, "2001:db8:2::6", bytes(1461), TCP)
    test.note("From another port, by its own address.")
    test.told(NO_ROUTE, TOLD_NO_ROUTE, 1, 0, "2001:db8:ffff::1", came=2)
    test.note("Less than eight bytes, and none, behind the header: it is quoted alone.")
    for length in (0, 7, 8):
        test.told(HOP_LIMIT, TOLD_TIME, 3, 0, "2001:db8:2::9", bytes(length), 59, hop_limit=1)
    test.note("A ping is told about.")
    ping = icmpv6(SENDER, "2001:db8:2::9", 128, 0, bytes(4) + DATA)
    test.told(HOP_LIMIT, TOLD_TIME, 3, 0, "2001:db8:2::9", ping, ICMPV6, hop_limit=1)
    test.note("Nothing is said about errors, redirects, what may be one behind an extension header, a message that is\n"
              "cut off, or on a port without an address for it.")
    for kind in (1, 3, 127, 137):
        message = icmpv6(SENDER, "2001:db8:2::9", kind, 0, bytes(44))
        test.dropped(HOP_LIMIT, *frame("2001:db8:2::9", payload=message, next_header=ICMPV6, hop_limit=1))
    for kind in (0, 43, 44, 51, 60, 135, 139, 140):
        test.dropped(HOP_LIMIT, *frame("2001:db8:2::9", payload=bytes(24), next_header=kind, hop_limit=1))
    test.dropped(HOP_LIMIT, *frame("2001:db8:2::9", payload=bytes(7), next_header=ICMPV6, hop_limit=1))
    test.dropped(NO_ROUTE, *frame("2001:db8:ffff::1", port=3), port=3)
    test.note("At most two, and then one every fifty microseconds; other ports keep their own count.")
    test.say("meter_set_rates errors 1 0.02:2 0.02:2")
    for _ in range(2):
        test.told(NO_ROUTE, TOLD_NO_ROUTE, 1, 0, "2001:db8:ffff::1")
    for _ in range(3):
        test.dropped(NO_ROUTE, *frame("2001:db8:ffff::1"))
        test.said[SUPPRESSED] += 1
    test.told(NO_ROUTE, TOLD_NO_ROUTE, 1, 0, "2001:db8:ffff::1", came=2)
    return test.end()


def solicitation(target, source=SENDER, destination=None, option=True, code=0, hop_limit=255, flip=0, port=1,
                 options=None):
    """Who has an address? By default to the group of all whose addresses end in the same 24 bits."""
    group = "ff02::1:ff" + ip6(target)[13:14].hex() + ":" + ip6(target)[14:].hex()
    destination = destination or group
    station = ROUTER[port] if destination != group else "33:33:ff:" + ip6(target)[13:].hex(":")
    if options is None:
        options = bytes([1, 1]) + mac(HOST) if option else b""
    body = bytes(4) + ip6(target) + options
    right = icmpv6(source, destination, 135, code, body)
    message = icmpv6(source, destination, 135, code, body, int.from_bytes(right[2:4], "big") ^ flip)
    return [ethernet(station, HOST, IPV6), ipv6(source, destination, len(message), ICMPV6, hop_limit), message]


def neighbors():
    test = Router("The IPv6 router: questions of its neighbours.")

    def advertised(port, target, headers, source=SENDER, padding=b""):
        test.said[ADVERTISEMENT] += 1
        test.packet(port, *headers, padding)
        to, station, flags = (SENDER, HOST, 0xE0) if source != "::" else (ALL_NODES, ALL_NODES_MAC, 0xA0)
        to = source if source != "::" else to
        body = bytes([flags, 0, 0, 0]) + ip6(target) + bytes([2, 1]) + mac(ROUTER[port])
        message = icmpv6(target, to, 136, 0, body)
        test.expect(port, ethernet(station, ROUTER[port], IPV6), ipv6(target, to, 32, ICMPV6, 255), message)

    test.note("For its global and its link-local address, each on its port: to the group, and to the router alone.")
    for port in (1, 2):
        for target in (OWN[port], LINK_LOCAL):
            advertised(port, target, solicitation(target, port=port))
            advertised(port, target, solicitation(target, destination=target, port=port))
    advertised(1, LINK_LOCAL, solicitation(LINK_LOCAL, source="fe80::aa"), source="fe80::aa")
    test.note("Without an option, and with padding behind it.")
    advertised(1, OWN[1], solicitation(OWN[1], option=False))
    advertised(1, OWN[1], solicitation(OWN[1]), padding=bytes(7))
    test.note("A host that wants the address for itself, with a nonce (RFC 7527) and without.")
    nonce = bytes([14, 1]) + b"nonce!"
    advertised(1, OWN[1], solicitation(OWN[1], source="::", option=False), source="::")
    advertised(1, OWN[1], solicitation(OWN[1], source="::", options=nonce), source="::")
    test.note("For somebody else's address, or the router's on another port.")
    for target in ("2001:db8:1::2", OWN[2]):
        test.dropped(MULTICAST, *solicitation(target))
    test.note("A wrong checksum in both forms, another code, a bad length, a host without an address that says one.")
    test.dropped(MALFORMED, *solicitation(OWN[1], flip=1))
    test.dropped(MALFORMED, *solicitation(OWN[1], flip=1, option=False))
    test.dropped(MALFORMED, *solicitation(OWN[1], code=1))
    test.dropped(MALFORMED, *solicitation(OWN[1], options=bytes([1, 0]) + mac(HOST)))
    test.dropped(MALFORMED, *solicitation(OWN[1], source="::"))
    test.dropped(MALFORMED, *solicitation(OWN[1], source="::", option=False, destination=OWN[1]))
    test.note("From beyond a router; with two options.")
    test.dropped(MULTICAST, *solicitation(OWN[1], hop_limit=254))
    test.dropped(MULTICAST, *solicitation(OWN[1], options=2 * (bytes([1, 1]) + mac(HOST))))

    def pinged(port, address, source=SENDER, hop_limit=64, data=DATA, damage=0):
        test.said[ECHO] += 1
        body = struct.pack("!HH", 7, 1) + data
        right = [icmpv6(source, address, kind, 0, body) for kind in (128, 129)]
        damaged = [message[:-1] + bytes([message[-1] ^ damage]) for message in right]
        length = len(right[0])
        test.packet(port, ethernet(ROUTER[port], HOST, IPV6), ipv6(source, address, length, ICMPV6, hop_limit),
                    damaged[0])
        test.expect(port, ethernet(HOST, ROUTER[port], IPV6), ipv6(address, source, length, ICMPV6, 64), damaged[1])

    test.note("Pings of its addresses, from near and from far, with whatever data; a damaged one stays damaged.")
    pinged(1, OWN[1])
    pinged(2, OWN[2], hop_limit=1)
    pinged(1, LINK_LOCAL, source="fe80::aa", data=bytes(range(200)))
    pinged(1, OWN[1], damage=1)
    test.note("Checksums whose upper byte passes zero.")
    for high in (0, 1, 255):
        data = next(
            data for data in (value.to_bytes(2, "big") for value in range(1 << 16))
            if icmpv6(SENDER, OWN[1], 128, 0, struct.pack("!HH", 7, 1) + data)[2] == high
        )
        pinged(1, OWN[1], data=data)
    test.note("From a group, from nobody, to its address on another port (for which there is no route).")
    message = icmpv6(SENDER, OWN[1], 128, 0, bytes(4))
    for source in ("ff02::1", "::"):
        test.dropped(TO_SELF, *frame(OWN[1], source=source, payload=message, next_header=ICMPV6))
    test.told(NO_ROUTE, TOLD_NO_ROUTE, 1, 0, OWN[3], icmpv6(SENDER, OWN[3], 128, 0, bytes(4)), ICMPV6)
    return test.end()


def tests():
    return {"forwarding": forwarding(), "errors": errors(), "neighbors": neighbors()}
