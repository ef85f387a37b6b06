"""What goes through the firewall, and what must come out."""

from reference import Test
from wire import ARP, ICMP, TCP, UDP, crc16, crc32, ethernet, five_tuple, ipv4, tcp, udp

INSIDE, OUTSIDE, UNWIRED_PORT = 1, 2, 7
OUR_MAC, THEIR_MAC = "02:00:00:00:00:01", "02:00:00:00:00:02"
CLIENT, WEB, ADMIN = "10.0.0.5", "10.0.0.80", "10.0.0.81"
SERVER, STRANGER = "198.51.100.7", "203.0.113.66"
SYN, ACK, RST, FIN = 2, 16, 4, 1
CELLS = 65536

(OUTBOUND, CONNECTION, SERVICE, RESOLUTION, UNWIRED, MALFORMED, OTHER, FRAGMENT, DROPPED) = range(9)


def cells(inner, outer, protocol, inner_port, outer_port):
    """The two cells of a connection."""
    key = five_tuple(inner, outer, protocol, inner_port, outer_port)
    return crc32(key) % CELLS, crc16(key) % CELLS


class Wire:
    """A test in which every packet says what becomes of it."""

    def __init__(self, title):
        self.test = Test(title)
        self.counts = [0] * 9
        self.test.say(
            f"add wires ingress_port:{INSIDE} inside(other:{OUTSIDE})",
            f"add wires ingress_port:{OUTSIDE} outside(other:{INSIDE})",
        )

    def sent(self, port, verdict, *headers):
        self.counts[verdict] += 1
        self.test.packet(port, *headers)
        if verdict <= RESOLUTION:
            self.test.expect(OUTSIDE if port == INSIDE else INSIDE, *headers)

    def out(self, source, destination, protocol, payload, verdict=OUTBOUND, **ip):
        header = ipv4(source, destination, len(payload), protocol, **ip)
        self.sent(INSIDE, verdict, ethernet(THEIR_MAC, OUR_MAC), header, payload)

    def back(self, source, destination, protocol, payload, verdict, **ip):
        header = ipv4(source, destination, len(payload), protocol, **ip)
        self.sent(OUTSIDE, verdict, ethernet(OUR_MAC, THEIR_MAC), header, payload)

    def end(self):
        self.test.say("no_packet")
        self.test.counts("verdicts", **{f"_{verdict}": count for verdict, count in enumerate(self.counts)})
        return self.test


def echo(kind, identifier):
    """The beginning of an ICMP message that asks (8) or answers (0)."""
    return bytes([kind, 0, 0, 0]) + identifier.to_bytes(2, "big") + b"\0\1"


def connections():
    wire = Wire("The firewall: connections from inside, answers to them, and strangers.")
    note = wire.test.note
    note("A stranger knocks before anybody inside has said a word.")
    wire.back(SERVER, CLIENT, TCP, tcp(80, 5000, SYN | ACK), DROPPED)
    note("A packet without SYN opens no connection: it passes, and its answer does not.")
    wire.out(CLIENT, SERVER, TCP, tcp(5000, 80, ACK))
    wire.back(SERVER, CLIENT, TCP, tcp(80, 5000, ACK), DROPPED)
    note("SYN opens it, in both directions, until long after FIN: cells are shared, and cannot be closed.")
    wire.out(CLIENT, SERVER, TCP, tcp(5000, 80, SYN))
    wire.back(SERVER, CLIENT, TCP, tcp(80, 5000, SYN | ACK), CONNECTION)
    wire.out(CLIENT, SERVER, TCP, tcp(5000, 80, ACK))
    wire.back(SERVER, CLIENT, TCP, tcp(80, 5000, FIN | ACK), CONNECTION)
    note("Neither another port on either side, nor another host, nor another protocol.")
    wire.back(SERVER, CLIENT, TCP, tcp(81, 5000, ACK), DROPPED)
    wire.back(SERVER, CLIENT, TCP, tcp(80, 5001, ACK), DROPPED)
    wire.back(STRANGER, CLIENT, TCP, tcp(80, 5000, ACK), DROPPED)
    wire.back(SERVER, WEB, TCP, tcp(80, 5000, ACK), DROPPED)
    wire.back(SERVER, CLIENT, UDP, udp(80, 5000), DROPPED)
    note("The same five numbers the other way round are another connection.")
    wire.back(CLIENT, SERVER, TCP, tcp(5000, 80, ACK), DROPPED)
    note("UDP and echo have no SYN: any packet from inside opens.")
    wire.out(CLIENT, SERVER, UDP, udp(6000, 53))
    wire.back(SERVER, CLIENT, UDP, udp(53, 6000), CONNECTION)
    wire.back(SERVER, CLIENT, UDP, udp(53, 6001), DROPPED)
    wire.out(CLIENT, SERVER, ICMP, echo(8, 77))
    wire.back(SERVER, CLIENT, ICMP, echo(0, 77), CONNECTION)
    wire.back(SERVER, CLIENT, ICMP, echo(0, 78), DROPPED)
    note("A protocol without ports: the addresses are the connection.")
    wire.out(CLIENT, SERVER, 132, b"\1\2\3")
    wire.back(SERVER, CLIENT, 132, b"\4\5\6", CONNECTION)
    note("A stranger who shares one of both cells with a connection stays outside: first the one, then the other.")
    open_cells = cells(CLIENT, SERVER, TCP, 5000, 80)
    for shared in (0, 1):
        port = next(
            port for port in range(1024, 1 << 20)
            if cells(CLIENT, address(port), TCP, 5000, port % 65536)[shared] == open_cells[shared]
            and cells(CLIENT, address(port), TCP, 5000, port % 65536)[1 - shared] != open_cells[1 - shared]
        )
        wire.back(address(port), CLIENT, TCP, tcp(port % 65536, 5000, SYN), DROPPED)
    return wire.end()


def address(number):
    """A stranger's address: another one for each 65,536 ports that were tried."""
    return f"203.0.113.{number >> 16}"


def policies():
    wire = Wire("The firewall: services that are open, what is not IPv4, fragments, and malformed packets.")
    note, say = wire.test.note, wire.test.say
    note("A web server that anybody may ask, and all high ports of its network but those of one host.")
    say(
        f"add services 10 ipv4.destination:{WEB} ipv4.protocol:6 meta.destination_port:80->80 open()",
        f"add services 20 ipv4.destination:{ADMIN} ipv4.protocol:17 meta.destination_port:0->65535 shut()",
        "add services 10 ipv4.destination:0x0a0000** ipv4.protocol:17 meta.destination_port:33434->33500 open()",
    )
    wire.back(STRANGER, WEB, TCP, tcp(1234, 80, SYN), SERVICE)
    wire.out(WEB, STRANGER, TCP, tcp(80, 1234, SYN | ACK))
    note("The answer with SYN has made it a connection.")
    wire.back(STRANGER, WEB, TCP, tcp(1234, 80, ACK), CONNECTION)
    wire.back(STRANGER, WEB, TCP, tcp(1234, 81, SYN), DROPPED)
    wire.back(STRANGER, WEB, UDP, udp(1234, 80), DROPPED)
    note("A range has both its ends; the entry of larger priority wins over it.")
    for port, verdict in ((33433, DROPPED), (33434, SERVICE), (33500, SERVICE), (33501, DROPPED)):
        wire.back(STRANGER, WEB, UDP, udp(9, port), verdict)
    wire.back(STRANGER, ADMIN, UDP, udp(9, 33434), DROPPED)
    wire.back(STRANGER, "10.0.1.81", UDP, udp(9, 33434), DROPPED)

    note("ARP passes in both directions; IPv6, and an Ethernet header alone, do not.")
    wire.sent(INSIDE, RESOLUTION, ethernet("ff:ff:ff:ff:ff:ff", OUR_MAC, ARP), bytes(28))
    wire.sent(OUTSIDE, RESOLUTION, ethernet(OUR_MAC, THEIR_MAC, ARP), bytes(28))
    wire.sent(INSIDE, OTHER, ethernet(THEIR_MAC, OUR_MAC, 0x86DD), bytes(40))
    wire.sent(OUTSIDE, OTHER, ethernet(OUR_MAC, THEIR_MAC, 0x88B5))
    note("A port without a wire.")
    wire.sent(UNWIRED_PORT, UNWIRED, ethernet(THEIR_MAC, OUR_MAC, ARP), bytes(28))

    note("A first fragment has ports, and opens; the others pass outwards, and never inwards.")
    wire.out(CLIENT, SERVER, UDP, udp(7000, 53, 32), flags=1)
    wire.out(CLIENT, SERVER, UDP, bytes(32), flags=0, offset=5)
    wire.back(SERVER, CLIENT, UDP, udp(53, 7000, 32), CONNECTION, flags=1)
    wire.back(SERVER, CLIENT, UDP, bytes(32), FRAGMENT, flags=0, offset=5)
    note("The overlapping second fragment of RFC 1858.")
    wire.back(STRANGER, WEB, TCP, tcp(1234, 22, SYN)[8:], FRAGMENT, flags=0, offset=1)

    note("Cut short: in Ethernet, IPv4, TCP, UDP, ICMP. From inside as well: nobody wants such packets.")
    link = ethernet(OUR_MAC, THEIR_MAC)
    wire.sent(OUTSIDE, MALFORMED, link[:13])
    wire.sent(OUTSIDE, MALFORMED, link)
    wire.sent(OUTSIDE, MALFORMED, link, ipv4(SERVER, CLIENT)[:19])
    wire.back(SERVER, CLIENT, TCP, tcp(80, 5000)[:19], MALFORMED)
    wire.back(SERVER, CLIENT, UDP, udp(53, 7000)[:7], MALFORMED)
    wire.out(CLIENT, SERVER, ICMP, echo(8, 1)[:5], MALFORMED)
    note("Options; another version; a header that is shorter than it can be.")
    wire.back(SERVER, CLIENT, UDP, udp(53, 7000), MALFORMED, options=bytes([131, 3, 4, 0]))
    wire.back(SERVER, CLIENT, UDP, udp(53, 7000), MALFORMED, version=6)
    wire.back(SERVER, CLIENT, UDP, udp(53, 7000), MALFORMED, header_length=4)
    return wire.end()


def ageing():
    wire = Wire("The firewall: connections that nobody uses come to an end. A packet comes every microsecond.")
    test = wire.test
    test.say("setdefault idle_timeout set_timeout(microseconds:4)")

    def idle(packets):
        """Time goes by with packets of others."""
        for _ in range(packets):
            wire.sent(INSIDE, RESOLUTION, ethernet("ff:ff:ff:ff:ff:ff", OUR_MAC, ARP), bytes(28))

    test.note("Opened at time 0, and answered after 4 microseconds: just in time.")
    wire.out(CLIENT, SERVER, TCP, tcp(5000, 80, SYN))
    idle(3)
    wire.back(SERVER, CLIENT, TCP, tcp(80, 5000, SYN | ACK), CONNECTION)
    test.note("The answer keeps it alive for another 4, and so does a packet from inside.")
    idle(3)
    wire.out(CLIENT, SERVER, TCP, tcp(5000, 80, ACK))
    idle(3)
    wire.back(SERVER, CLIENT, TCP, tcp(80, 5000, ACK), CONNECTION)
    test.note("After 5 it is over.")
    idle(4)
    wire.back(SERVER, CLIENT, TCP, tcp(80, 5000, ACK), DROPPED)
    test.note("A packet from inside without SYN does not bring it back; SYN does.")
    wire.out(CLIENT, SERVER, TCP, tcp(5000, 80, ACK))
    wire.back(SERVER, CLIENT, TCP, tcp(80, 5000, ACK), DROPPED)
    wire.out(CLIENT, SERVER, TCP, tcp(5000, 80, SYN))
    wire.back(SERVER, CLIENT, TCP, tcp(80, 5000, ACK), CONNECTION)
    return wire.end()


def tests():
    return {"connections": connections(), "policies": policies(), "ageing": ageing()}
