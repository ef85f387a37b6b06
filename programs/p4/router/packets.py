"""What goes through the router, and what must come out."""

from reference import Test
from wire import ARP, ethernet, ipv4, udp

# The router's addresses on its ports, its neighbours, and a host that sends.
ROUTER = {port: f"02:00:00:00:00:0{port}" for port in (1, 2, 3)}
NEXT_HOP = {1: "02:00:00:00:02:01", 2: "02:00:00:00:03:02", 4: "02:00:00:00:04:04"}
HOST = "02:00:00:00:01:aa"
SENDER = "192.0.2.10"
DATA = b"polyplane"

ENTRIES = [
    *(f"add stations ingress_port:{port} ethernet.destination:{mac} NoAction()" for port, mac in ROUTER.items()),
    *(f"add interfaces egress_spec:{port} set_source(source:{mac})" for port, mac in ROUTER.items()),
    f"add next_hops next_hop:1 forward(port:2, destination:{NEXT_HOP[1]})",
    f"add next_hops next_hop:2 forward(port:3, destination:{NEXT_HOP[2]})",
    f"add next_hops next_hop:4 forward(port:4, destination:{NEXT_HOP[4]})",
    "add routes ipv4.destination:10.1.0.0/16 to_next_hop(next_hop:1) = wide",
    "add routes ipv4.destination:10.1.2.0/24 to_next_hop(next_hop:2) = narrow",
    "add routes ipv4.destination:10.1.2.3/32 to_self(port:63) = own",
    "add routes ipv4.destination:10.7.0.0/16 no_route() = hole",
    "add routes ipv4.destination:10.8.0.0/16 to_next_hop(next_hop:4)",
    "add routes ipv4.destination:10.9.0.0/16 to_next_hop(next_hop:9)",
]

(MALFORMED, NOT_FOR_US, NOT_IPV4, CHECKSUM, LENGTH, MARTIAN, NO_ROUTE, TIME_TO_LIVE, NO_NEXT_HOP,
 NO_INTERFACE) = range(10)


def frame(destination, source=SENDER, data=DATA, port=1, **ip):
    """A UDP packet from the host to the router."""
    return [
        ethernet(ROUTER[port], HOST), ipv4(source, destination, 8 + len(data), **ip), udp(4000, 4001, len(data)), data,
    ]


def forwarded(next_hop, port, destination, data=DATA, ttl=63, **ip):
    """The same as the router sends it on."""
    return [
        ethernet(NEXT_HOP[next_hop], ROUTER[port]), ipv4(SENDER, destination, 8 + len(data), ttl=ttl, **ip),
        udp(4000, 4001, len(data)), data,
    ]


def forwarding():
    test = Test("The router: where packets go, what is changed in them, and everything that is dropped.")
    test.say(*ENTRIES)

    test.note("The longest prefix wins: /16, then /24.")
    test.packet(1, *frame("10.1.5.5"))
    test.expect(2, *forwarded(1, 2, "10.1.5.5"))
    test.packet(1, *frame("10.1.2.9"))
    test.expect(3, *forwarded(2, 3, "10.1.2.9"))
    test.note("For the router itself: as it came, even with a time to live of 1.")
    test.through(1, 63, *frame("10.1.2.3", ttl=1))
    test.note("From another port, whose own address it bears; back out of the port that it came from.")
    test.packet(2, *frame("10.1.255.255", port=2))
    test.expect(2, *forwarded(1, 2, "10.1.255.255"))
    test.note("The last hop of a time to live.")
    test.packet(1, *frame("10.1.0.1", ttl=2))
    test.expect(2, *forwarded(1, 2, "10.1.0.1", ttl=1))
    test.note("Options (record route, padded; as many as there can be) count in the checksum and stay.")
    route = bytes([7, 7, 4, 0, 0, 0, 0, 0])
    many = bytes([7, 39, 4]) + bytes(range(37))
    for options in (route, many):
        test.packet(1, *frame("10.1.0.2", options=options))
        test.expect(2, *forwarded(1, 2, "10.1.0.2", options=options))
    test.note("A packet of a header only, in a frame that is padded to the least length; the padding stays.")
    padding = bytes(26)
    test.packet(1, ethernet(ROUTER[1], HOST), ipv4(SENDER, "10.1.0.3"), padding)
    test.expect(2, ethernet(NEXT_HOP[1], ROUTER[2]), ipv4(SENDER, "10.1.0.3", ttl=63), padding)
    test.note("A checksum whose sum is 0xffff on the way in and on the way out.")
    for ttl in (64, 63):
        identification = next(
            number for number in range(1 << 16)
            if ipv4(SENDER, "10.1.0.4", 17, ttl=ttl, identification=number)[10:12] == b"\0\0"
        )
        test.packet(1, *frame("10.1.0.4", identification=identification))
        test.expect(2, *forwarded(1, 2, "10.1.0.4", identification=identification))

    counts = dict.fromkeys(range(10), 0)

    def dropped(reason, *headers, port=1):
        test.packet(port, *headers)
        counts[reason] += 1

    test.note("Cut short: in Ethernet, before the first byte of IPv4, in its header, in its options.")
    dropped(MALFORMED, ethernet(ROUTER[1], HOST)[:13])
    dropped(MALFORMED, ethernet(ROUTER[1], HOST))
    dropped(MALFORMED, ethernet(ROUTER[1], HOST), ipv4(SENDER, "10.1.5.5")[:19])
    dropped(MALFORMED, ethernet(ROUTER[1], HOST), ipv4(SENDER, "10.1.5.5", options=route)[:27])
    test.note("Another version; a header that is shorter than it can be.")
    dropped(MALFORMED, *frame("10.1.5.5", version=6))
    dropped(MALFORMED, *frame("10.1.5.5", header_length=4))
    test.note("For another station, for all stations, and for the router's address on another port.")
    for station in (HOST, "ff:ff:ff:ff:ff:ff", ROUTER[2]):
        dropped(NOT_FOR_US, ethernet(station, HOST), *frame("10.1.5.5")[1:])
    test.note("ARP, and nothing but an Ethernet header.")
    dropped(NOT_IPV4, ethernet(ROUTER[1], HOST, ARP), bytes(28))
    dropped(NOT_IPV4, ethernet(ROUTER[1], HOST, 0x86DD))
    test.note("A checksum that is wrong in one bit; one that does not know of the options.")
    right = int.from_bytes(ipv4(SENDER, "10.1.5.5", 17)[10:12], "big")
    dropped(CHECKSUM, *frame("10.1.5.5", checksum=right ^ 1))
    dropped(CHECKSUM, *frame("10.1.5.5", options=route, total_length=37, checksum=right))
    test.note("Total lengths that are shorter than the header, and longer than the frame.")
    dropped(LENGTH, *frame("10.1.5.5", total_length=19))
    dropped(LENGTH, *frame("10.1.5.5", options=route, total_length=27))
    dropped(LENGTH, *frame("10.1.5.5", total_length=38))
    test.note("Addresses that no packet may have, as source and as destination.")
    for address in ("0.0.0.0", "127.0.0.1", "224.0.0.5", "255.255.255.255"):
        dropped(MARTIAN, *frame("10.1.5.5", source=address))
        dropped(MARTIAN, *frame(address))
    test.note("No route, and a route that says so.")
    dropped(NO_ROUTE, *frame("203.0.113.1"))
    dropped(NO_ROUTE, *frame("10.7.7.7"))
    test.note("No time left to live.")
    dropped(TIME_TO_LIVE, *frame("10.1.5.5", ttl=1))
    dropped(TIME_TO_LIVE, *frame("10.1.5.5", ttl=0))
    test.note("A next hop that nobody described; one behind a port that has no address.")
    dropped(NO_NEXT_HOP, *frame("10.9.0.1"))
    dropped(NO_INTERFACE, *frame("10.8.0.1"))
    test.say("no_packet")

    test.note("Everything that was dropped, by reason; and what each route was used for. Times to live are looked at\n"
              "behind the route.")
    test.counts("dropped", **{f"_{reason}": count for reason, count in counts.items()})
    test.counts("route_used", wide=10, narrow=1, own=1, hole=1)
    test.say(f"check_counter route_used($narrow) bytes == {14 + 20 + 8 + len(DATA)}")
    return test


def changes():
    test = Test("The router while its control plane changes tables.")
    test.say(*ENTRIES)
    test.note("Nobody knows the way, until there is a default route.")
    test.packet(1, *frame("203.0.113.1"))
    test.say("no_packet", "setdefault routes to_next_hop(next_hop:1)")
    test.packet(1, *frame("203.0.113.1"))
    test.expect(2, *forwarded(1, 2, "203.0.113.1"))
    test.note("Without the route of 24 bits the one of 16 counts.")
    test.say("remove $narrow")
    test.packet(1, *frame("10.1.2.9"))
    test.expect(2, *forwarded(1, 2, "10.1.2.9"))
    test.note("A next hop moves to another port, and all routes with it.")
    test.say(f"table_modify next_hops forward 0 => 3 {NEXT_HOP[2]}")
    test.packet(1, *frame("10.1.2.9"))
    test.expect(3, *forwarded(2, 3, "10.1.2.9"))
    test.packet(1, *frame("203.0.113.1"))
    test.expect(3, *forwarded(2, 3, "203.0.113.1"))
    test.note("No address of its own is left: the router is deaf.")
    test.say("remove all")
    test.packet(1, *frame("10.1.2.9"))
    test.say("no_packet")
    test.counts("dropped", **{f"_{NOT_FOR_US}": 1, f"_{NO_ROUTE}": 1})
    return test


def tests():
    return {"router": forwarding(), "changes": changes()}
