"""What goes through the firewall of two bits, and what must come out."""

from reference import Test
from wire import ARP, ICMP, TCP, UDP, crc16, crc32, ethernet, ip, ipv4, tcp, udp

ROUTER, HOST = "02:00:00:00:00:01", "02:00:00:00:00:aa"
INSIDE, CLIENTS, OUTSIDE, BYPASS = 1, 2, 3, 4
CLIENT, COLLEAGUE, SERVER, STRANGER = "10.0.1.5", "10.0.2.6", "198.51.100.7", "203.0.113.66"
ROUTES = {"10.0.1.": INSIDE, "10.0.2.": CLIENTS, "198.51.100.": OUTSIDE, "203.0.113.": BYPASS}
SYN, ACK, RST, FIN = 2, 16, 4, 1
BITS = 4096

(WITHIN, OUTGOING, CONNECTION, UNKNOWN, NOT_TCP, MALFORMED, NOT_IPV4, CHECKSUM, TIME_TO_LIVE, NO_ROUTE) = range(10)


def bits(inner, outer, inner_port, outer_port):
    """The two bits of a connection."""
    key = ip(inner) + ip(outer) + inner_port.to_bytes(2, "big") + outer_port.to_bytes(2, "big")
    return crc32(key) % BITS, crc16(key) % BITS


class Filter:
    """The Bloom filter: the algorithm once more."""

    def __init__(self):
        self.rows = (set(), set())

    def open(self, connection):
        for row, bit in zip(self.rows, bits(*connection)):
            row.add(bit)

    def knows(self, connection):
        return all(bit in row for row, bit in zip(self.rows, bits(*connection)))


class Wire:
    """A test in which every packet says what becomes of it."""

    def __init__(self, title):
        self.test = Test(title)
        self.filter = Filter()
        self.verdicts = [0] * 10
        for prefix, port in ROUTES.items():
            self.test.say(
                f"add routes ipv4.destination:{prefix}0/24 forward(port:{port}, source:02:00:00:00:01:{port:02x}, "
                f"destination:02:00:00:00:02:{port:02x})"
            )
        for port in (INSIDE, CLIENTS):
            self.test.say(
                f"add directions ingress_port:{port} egress_spec:{OUTSIDE} outgoing()",
                f"add directions ingress_port:{OUTSIDE} egress_spec:{port} incoming()",
            )

    def sent(self, port, verdict, source, destination, protocol=TCP, payload=b"", ttl=64, **ip):
        """A packet from an address to another one. By its number it is told from all others."""
        ip = {"identification": self.test.time, **ip}
        self.verdicts[verdict] += 1
        header = ipv4(source, destination, len(payload), protocol, ttl=ttl, **ip)
        self.test.packet(port, ethernet(ROUTER, HOST), header, payload)
        if verdict <= CONNECTION:
            out = next(port for prefix, port in ROUTES.items() if destination.startswith(prefix))
            link = ethernet(f"02:00:00:00:02:{out:02x}", f"02:00:00:00:01:{out:02x}")
            header = ipv4(source, destination, len(payload), protocol, ttl=ttl - 1, **ip)
            self.test.expect(out, link, header, payload)

    def out(self, inner, outer, inner_port, outer_port, flags, port=INSIDE):
        """A TCP segment from inside."""
        if flags & SYN and not flags & ACK:
            self.filter.open((inner, outer, inner_port, outer_port))
        self.sent(port, OUTGOING, inner, outer, TCP, tcp(inner_port, outer_port, flags))

    def back(self, inner, outer, inner_port, outer_port, flags, passes):
        """A TCP segment from outside."""
        assert passes == self.filter.knows((inner, outer, inner_port, outer_port))
        verdict = CONNECTION if passes else UNKNOWN
        self.sent(OUTSIDE, verdict, outer, inner, TCP, tcp(outer_port, inner_port, flags))

    def dropped(self, verdict, *headers, port=OUTSIDE):
        self.verdicts[verdict] += 1
        self.test.packet(port, *headers)

    def end(self):
        self.test.say("no_packet")
        self.test.counts("verdicts", **{f"_{verdict}": count for verdict, count in enumerate(self.verdicts)})
        return self.test


def connections():
    wire = Wire("The stateful firewall: who may talk to whom.")
    note, out, back = wire.test.note, wire.out, wire.back
    ours = (CLIENT, SERVER, 5000, 80)
    note("Outside knocks before anybody inside has said a word: with SYN, as if answering, as if in the middle.")
    for flags in (SYN, SYN | ACK, ACK):
        back(*ours, flags, passes=False)
    note("From inside everything passes, but without SYN, or with SYN and ACK, it opens nothing.")
    for flags in (ACK, SYN | ACK, RST, FIN | ACK):
        out(*ours, flags)
    back(*ours, SYN | ACK, passes=False)
    note("SYN does, and FIN and RST close nothing: the bits may be those of others as well.")
    out(*ours, SYN)
    for flags in (SYN | ACK, ACK, FIN | ACK):
        back(*ours, flags, passes=True)
    out(*ours, RST)
    back(*ours, ACK, passes=True)
    note("Another port on either side, another host on either side: other connections.")
    back(CLIENT, SERVER, 5001, 80, ACK, passes=False)
    back(CLIENT, SERVER, 5000, 81, ACK, passes=False)
    back("10.0.1.6", SERVER, 5000, 80, ACK, passes=False)
    back(CLIENT, "198.51.100.8", 5000, 80, ACK, passes=False)
    note("The same numbers the other way round are another one: the server may not open what looks like an answer.")
    back(CLIENT, SERVER, 80, 5000, SYN, passes=False)
    note("Another port of the inside.")
    out(COLLEAGUE, SERVER, 6000, 443, SYN, port=CLIENTS)
    back(COLLEAGUE, SERVER, 6000, 443, SYN | ACK, passes=True)
    note("A connection that shares one bit with an open one stays shut: first the one register's, then the other's.")
    for shared in (0, 1):
        twin = sharing(ours, shared, wire.filter)
        back(*twin, ACK, passes=False)
    note("Bits of two connections may together be those of a third, which then passes: the filter errs that way only.")
    third = (CLIENT, SERVER, 9000, 80)
    for register in (0, 1):
        back(*third, ACK, passes=False)
        out(*sharing(third, register, wire.filter), SYN)
    back(*third, ACK, passes=True)
    note("The control plane clears one of the registers: nothing passes until the next SYN.")
    wire.test.say("register_reset second_bits")
    wire.filter.rows[1].clear()
    back(*ours, ACK, passes=False)
    out(*ours, SYN)
    back(*ours, ACK, passes=True)
    back(COLLEAGUE, SERVER, 6000, 443, ACK, passes=False)
    return wire.end()


def sharing(connection, register, known):
    """Another connection that has this one's bit in one register, and none that is set in the other."""
    inner, _, inner_port, outer_port = connection
    for host in range(1, 255):
        for port in range(1, 65536):
            other = (inner, f"198.51.100.{host}", port, outer_port)
            places = bits(*other)
            if places[register] == bits(*connection)[register] and places[1 - register] not in known.rows[1 - register]:
                return other
    raise AssertionError("no such connection")


def directions():
    wire = Wire("The stateful firewall: directions, what is not TCP, and everything else that is dropped.")
    note, sent = wire.test.note, wire.sent
    note("From inside to inside, and on a port that is in no pair: nobody asks, and nothing is opened.")
    sent(INSIDE, WITHIN, CLIENT, COLLEAGUE, TCP, tcp(5000, 80, SYN))
    sent(CLIENTS, WITHIN, COLLEAGUE, CLIENT, UDP, udp(53, 53))
    sent(INSIDE, WITHIN, CLIENT, STRANGER, TCP, tcp(5000, 80, SYN))
    sent(BYPASS, WITHIN, STRANGER, CLIENT, TCP, tcp(80, 5000, SYN))
    sent(OUTSIDE, WITHIN, SERVER, STRANGER, TCP, tcp(80, 5000, SYN))
    sent(OUTSIDE, UNKNOWN, STRANGER, CLIENT, TCP, tcp(80, 5000, SYN | ACK))
    sent(OUTSIDE, UNKNOWN, CLIENT, COLLEAGUE, TCP, tcp(5000, 80, SYN | ACK))
    note("A SYN from outside to outside is none from inside.")
    sent(OUTSIDE, WITHIN, CLIENT, SERVER, TCP, tcp(5000, 80, SYN))
    wire.back(CLIENT, SERVER, 5000, 80, SYN | ACK, passes=False)
    note("What is not TCP goes out and does not come in.")
    sent(INSIDE, OUTGOING, CLIENT, SERVER, UDP, udp(5000, 53))
    sent(OUTSIDE, NOT_TCP, SERVER, CLIENT, UDP, udp(53, 5000))
    sent(INSIDE, OUTGOING, CLIENT, SERVER, ICMP, bytes(8))
    sent(OUTSIDE, NOT_TCP, SERVER, CLIENT, ICMP, bytes(8))
    note("Fragments: the first has a TCP header, and opens; the others go out and do not come in.")
    sent(INSIDE, OUTGOING, CLIENT, SERVER, TCP, tcp(7000, 80, SYN), flags=1)
    sent(OUTSIDE, CONNECTION, SERVER, CLIENT, TCP, tcp(80, 7000, SYN | ACK), flags=1)
    sent(INSIDE, OUTGOING, CLIENT, SERVER, TCP, bytes(16), flags=0, offset=3)
    sent(OUTSIDE, NOT_TCP, SERVER, CLIENT, TCP, bytes(16), flags=0, offset=3)
    note("The overlapping second fragment of RFC 1858.")
    sent(OUTSIDE, NOT_TCP, SERVER, CLIENT, TCP, tcp(80, 7000, SYN)[8:], flags=0, offset=1)
    note("A pair of ports becomes one that leads out.")
    wire.test.say(
        f"add directions ingress_port:{INSIDE} egress_spec:{BYPASS} outgoing()",
        f"add directions ingress_port:{BYPASS} egress_spec:{INSIDE} incoming()",
    )
    sent(BYPASS, UNKNOWN, STRANGER, CLIENT, TCP, tcp(80, 5000, SYN | ACK))
    sent(INSIDE, OUTGOING, CLIENT, STRANGER, TCP, tcp(5000, 80, SYN))
    sent(BYPASS, CONNECTION, STRANGER, CLIENT, TCP, tcp(80, 5000, SYN | ACK))
    note("The last hop of a time to live, in both directions.")
    sent(INSIDE, OUTGOING, CLIENT, SERVER, TCP, tcp(7000, 80, ACK), ttl=2)
    sent(OUTSIDE, CONNECTION, SERVER, CLIENT, TCP, tcp(80, 7000, ACK), ttl=2)

    note("Cut short: in Ethernet, IPv4, TCP; options; another version.")
    link, header, segment = ethernet(ROUTER, HOST), ipv4(SERVER, CLIENT, 20, TCP), tcp(80, 7000, ACK)
    wire.dropped(MALFORMED, link[:13])
    wire.dropped(MALFORMED, link, header[:19])
    wire.dropped(MALFORMED, link, header, segment[:19])
    wire.dropped(MALFORMED, link, ipv4(SERVER, CLIENT, 20, TCP, options=bytes(4)), segment)
    wire.dropped(MALFORMED, link, ipv4(SERVER, CLIENT, 20, TCP, version=6), segment)
    note("ARP, a wrong checksum, no time to live, no route: from inside as well, and their SYN opens nothing.")
    closed, syn = (CLIENT, SERVER, 8000, 80), tcp(8000, 80, SYN)
    wire.dropped(NOT_IPV4, ethernet(ROUTER, HOST, ARP), bytes(28), port=INSIDE)
    wire.dropped(CHECKSUM, link, ipv4(CLIENT, SERVER, 20, TCP, checksum=0), syn, port=INSIDE)
    for ttl in (0, 1):
        wire.dropped(TIME_TO_LIVE, link, ipv4(CLIENT, SERVER, 20, TCP, ttl=ttl), syn, port=INSIDE)
    wire.dropped(NO_ROUTE, link, ipv4(CLIENT, "192.0.2.1", 20, TCP), syn, port=INSIDE)
    wire.sent(OUTSIDE, UNKNOWN, SERVER, CLIENT, TCP, tcp(80, 8000, SYN | ACK))
    assert not wire.filter.knows(closed)
    return wire.end()


def tests():
    return {"connections": connections(), "directions": directions()}
