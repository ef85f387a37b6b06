"""What goes through the translator, and what must come out."""

import struct

from reference import Test
from wire import ARP, ICMP, TCP, UDP, crc16, crc32, ethernet, icmp, ip, ipv4, tcp, udp

INSIDE, OUTSIDE, BYPASS = 1, 2, 3
MACS = {port: (f"02:00:00:00:00:0{port}", f"02:00:00:00:01:0{port}") for port in (INSIDE, OUTSIDE, BYPASS)}
ADDRESS = "203.0.113.1"
HOST, COLLEAGUE, SERVER, OTHER_SERVER = "10.0.0.5", "10.0.0.6", "198.51.100.7", "192.0.2.9"
FIN, SYN, RST, ACK = 1, 2, 4, 16
DATA = b"polyplane"

(OUTGOING, INCOMING, HAIRPIN, WITHIN, UNWIRED, MALFORMED, NOT_IPV4, CHECKSUM, TIME_TO_LIVE, FRAGMENT, NOT_TRANSLATED,
 NO_MAPPING, NO_PORT, NO_ROUTE, NO_ADDRESS) = range(15)
SPACES = {TCP: 0, UDP: 1, ICMP: 2}


def candidates(address, port):
    """The outside ports that a source may get, in their order."""
    key = ip(address) + struct.pack("!H", port)
    hashes = (crc32(key) >> 16, crc32(key) & 0xFFFF, crc16(key))
    return [port, *(like(suggested, port) for suggested in hashes)]


def like(suggested, port):
    """The suggested port with the parity and the range of the other one."""
    suggested = suggested & ~1 | port & 1
    if port < 1024:
        return suggested % 1024
    return suggested if suggested >= 1024 else suggested + 0x8000


def segment(ends, protocol, data=DATA, flags=ACK, unsummed=False):
    """What is behind the IPv4 header of a packet between two ends, (address, port) each, with its right checksum."""
    (source, source_port), (destination, destination_port) = ends
    between = None if unsummed else (source, destination)
    if protocol == TCP:
        return tcp(source_port, destination_port, flags, between, data) + data
    if protocol == UDP:
        return udp(source_port, destination_port, len(data), between, data) + data
    return icmp(flags, 0, struct.pack("!HH", source_port, 1), data)


def packet(ends, protocol, ttl=64, **other):
    """IPv4 and what is behind it."""
    behind = segment(ends, protocol, **other)
    return ipv4(ends[0][0], ends[1][0], len(behind), protocol, ttl=ttl) + behind


class Nat(Test):
    """A test in which every packet says what becomes of it."""

    def __init__(self, title):
        super().__init__(title)
        self.verdicts = [0] * 15
        for side, ports in (("inside", [INSIDE]), ("outside", [OUTSIDE, BYPASS])):
            self.say(*(f"add sides ingress_port:{port} {side}()" for port in ports))
        for prefix, side, port in (
            ("10.0.0.0/24", "inside", INSIDE),
            ("198.51.100.0/24", "outside", OUTSIDE),
            ("192.0.2.0/24", "outside", BYPASS),
        ):
            ours, theirs = MACS[port]
            action = f"to_{side}(port:{port}, source:{ours}, destination:{theirs})"
            self.say(f"add routes ipv4.destination:{prefix} {action}")
        self.say(f"setdefault address set_address(address:{ADDRESS})")

    def comes(self, port, *headers):
        ours, theirs = MACS[port]
        return self.packet(port, ethernet(ours, theirs), *headers)

    def leaves(self, port, *headers):
        ours, theirs = MACS[port]
        self.expect(port, ethernet(theirs, ours), *headers)

    def passes(self, verdict, came, before, left, after, protocol, **other):
        """A packet between two ends leaves as one between two others."""
        self.verdicts[verdict] += 1
        self.comes(came, packet(before, protocol, **other))
        self.leaves(left, packet(after, protocol, ttl=63, **other))

    def out(self, own, peer, outside_port, protocol=TCP, port=OUTSIDE, **other):
        self.passes(OUTGOING, INSIDE, (own, peer), port, ((ADDRESS, outside_port), peer), protocol, **other)

    def back(self, own, peer, outside_port, protocol=TCP, port=OUTSIDE, **other):
        self.passes(INCOMING, port, (peer, (ADDRESS, outside_port)), INSIDE, (peer, own), protocol, **other)

    def dropped(self, verdict, port, *headers):
        self.verdicts[verdict] += 1
        self.comes(port, *headers)

    def stranger(self, peer, outside_port, protocol=TCP, verdict=NO_MAPPING, **other):
        self.dropped(verdict, OUTSIDE, packet((peer, (ADDRESS, outside_port)), protocol, **other))

    def owns(self, protocol, port, owner, sent=0):
        """The control plane gives a port to somebody."""
        cell = SPACES[protocol] * 65536 + port
        number = int.from_bytes(ip(owner[0]) + struct.pack("!H", owner[1]), "big")
        self.say(f"register_write owners {cell} {number}", f"register_write sent {cell} {sent}")

    def end(self):
        self.say("no_packet")
        self.counts("verdicts", **{f"_{verdict}": count for verdict, count in enumerate(self.verdicts)})
        return self


def translations():
    test = Nat("The translator: TCP, UDP and queries in both directions.")
    web, dns = (SERVER, 80), (SERVER, 53)
    test.note("Before anybody inside has said a word, nothing comes in.")
    for protocol, flags in ((TCP, SYN), (TCP, ACK), (UDP, 0), (ICMP, 0)):
        test.stranger(web, 5000, protocol, flags=flags)
    test.note("A connection from inside: its port stays, for nobody else has it.")
    own = (HOST, 5000)
    test.dropped(NO_MAPPING, INSIDE, packet((own, web), TCP, flags=ACK))
    test.out(own, web, 5000, flags=SYN)
    test.back(own, web, 5000, flags=SYN | ACK)
    test.out(own, web, 5000)
    test.back(own, web, 5000)
    test.note("Endpoint-independent: another server by the same outside port, and whoever is outside may use it.")
    test.out(own, (OTHER_SERVER, 443), 5000, port=BYPASS, flags=SYN)
    test.back(own, (OTHER_SERVER, 443), 5000, port=BYPASS, flags=SYN | ACK)
    test.back(own, (SERVER, 9999), 5000, flags=SYN)
    test.note("Another host with the same port gets another one, of the same parity, and so does the next one.")
    second = candidates(COLLEAGUE, 5000)[1]
    assert second % 2 == 0 and second >= 1024
    test.out((COLLEAGUE, 5000), web, second, flags=SYN)
    test.back((COLLEAGUE, 5000), web, second, flags=SYN | ACK)
    test.out((COLLEAGUE, 5000), web, second)
    test.out(own, web, 5000)
    test.note("A port below 1,024 gets one below 1,024.")
    test.out((HOST, 123), (SERVER, 123), 123, UDP)
    low = candidates(COLLEAGUE, 123)[1]
    assert low % 2 == 1 and low < 1024
    test.out((COLLEAGUE, 123), (SERVER, 123), low, UDP)
    test.back((COLLEAGUE, 123), (SERVER, 123), low, UDP)
    test.note("A suggestion below 1,024 for a port above it is moved up.")
    port = next(
        port for port in range(1024, 1 << 16)
        if crc32(ip(HOST) + struct.pack("!H", port)) >> 16 < 1024
    )
    test.owns(TCP, port, (COLLEAGUE, port))
    high = candidates(HOST, port)[1]
    assert 0x8000 <= high < 0x8400
    test.out((HOST, port), web, high, flags=SYN)
    test.back((HOST, port), web, high, flags=SYN | ACK)
    test.note("UDP has ports of its own. Without a checksum it stays without one, in both directions.")
    test.out((HOST, 5000), dns, 5000, UDP)
    test.back((HOST, 5000), dns, 5000, UDP)
    test.out((HOST, 5001), dns, 5001, UDP, unsummed=True)
    test.back((HOST, 5001), dns, 5001, UDP, unsummed=True)
    test.note("A UDP checksum that comes out as 0 is sent as 0xffff, in both directions.")
    for own, outgoing in (((HOST, 5000), True), ((HOST, 5000), False)):
        ends = ((ADDRESS, 5000), dns) if outgoing else (dns, own)
        data = next(
            data for data in (number.to_bytes(2, "big") for number in range(1 << 16))
            if segment(ends, UDP, data)[6:8] == b"\xff\xff"
        )
        (test.out if outgoing else test.back)(own, dns, 5000, UDP, data=data)
    test.note("Queries: the identifier is the port. Only requests go out, and only replies come in.")
    ping = (HOST, 77)
    test.out(ping, (SERVER, 77), 77, ICMP, flags=8)
    test.passes(INCOMING, OUTSIDE, ((SERVER, 77), (ADDRESS, 77)), INSIDE, ((SERVER, 77), ping), ICMP, flags=0)
    third = candidates(COLLEAGUE, 77)[1]
    test.verdicts[OUTGOING] += 1
    test.comes(INSIDE, packet(((COLLEAGUE, 77), (SERVER, 77)), ICMP, flags=8))
    test.leaves(OUTSIDE, packet(((ADDRESS, third), (SERVER, 77)), ICMP, flags=8, ttl=63))
    test.verdicts[INCOMING] += 1
    test.comes(OUTSIDE, packet(((SERVER, third), (ADDRESS, third)), ICMP, flags=0))
    test.leaves(INSIDE, packet(((SERVER, 77), (COLLEAGUE, 77)), ICMP, flags=0, ttl=63))
    test.dropped(NOT_TRANSLATED, INSIDE, packet((ping, (SERVER, 77)), ICMP, flags=0))
    test.stranger((SERVER, 77), 77, ICMP, NOT_TRANSLATED, flags=8)
    test.note("A packet that came damaged is not made good: the wrong checksum is wrong by the same.")
    good, good_after = (packet(ends, TCP, ttl=ttl) for ends, ttl in (
        (((HOST, 5000), web), 64), (((ADDRESS, 5000), web), 63)))
    wrong = [whole[:-1] + bytes([whole[-1] ^ 1]) for whole in (good, good_after)]
    test.verdicts[OUTGOING] += 1
    test.comes(INSIDE, wrong[0])
    test.leaves(OUTSIDE, wrong[1])
    test.note("Inside to inside by the outside address (hairpin): both ends are translated.")
    one, other = (HOST, 5000), (COLLEAGUE, 5000)
    test.passes(HAIRPIN, INSIDE, (one, (ADDRESS, second)), INSIDE, ((ADDRESS, 5000), other), TCP, flags=SYN)
    test.passes(HAIRPIN, INSIDE, (other, (ADDRESS, 5000)), INSIDE, ((ADDRESS, second), one), TCP, flags=SYN | ACK)
    test.note("Inside to inside and outside to outside without a translation; nobody outside knows the inside.")
    test.passes(WITHIN, INSIDE, (one, other), INSIDE, (one, other), TCP)
    test.passes(WITHIN, OUTSIDE, (web, (OTHER_SERVER, 1)), BYPASS, (web, (OTHER_SERVER, 1)), TCP)
    test.dropped(NO_MAPPING, OUTSIDE, packet((web, one), TCP))
    return test.end()


def lifetimes():
    test = Nat("The translator: how long translations live, and who gets their ports.\n"
               "A packet comes every microsecond.")
    web, own, other = (SERVER, 80), (HOST, 6000), (COLLEAGUE, 6000)
    test.say("table_modify timeouts set_timeouts 0 => 20 3", "table_modify timeouts set_timeouts 1 => 5 5")
    test.note("UDP: five microseconds after the last packet from inside nobody comes in any more; packets from\n"
              "outside keep nothing alive.")
    test.out(own, web, 6000, UDP)
    for _ in range(5):
        test.back(own, web, 6000, UDP)
    test.stranger(web, 6000, UDP)
    test.note("Somebody else takes the port; the first one then gets another.")
    test.out(other, web, 6000, UDP)
    test.out(own, web, candidates(*own)[1], UDP)
    test.back(other, web, 6000, UDP)
    test.note("A packet from inside keeps it.")
    for _ in range(8):
        test.out(other, web, 6000, UDP)
    test.back(other, web, 6000, UDP)
    test.note("TCP: FIN or RST from inside make the life shorter, from twenty microseconds to three; SYN makes\n"
              "it long.")
    for end in (FIN | ACK, RST):
        test.out(own, web, 6000, flags=SYN)
        for _ in range(5):
            test.back(own, web, 6000)
        test.out(own, web, 6000, flags=end)
        for _ in range(3):
            test.back(own, web, 6000)
        test.stranger(web, 6000)
        test.note("It is still the owner's until somebody else comes: an ACK keeps it for as short a time.")
        test.out(own, web, 6000)
        for _ in range(3):
            test.back(own, web, 6000)
        test.stranger(web, 6000)
    test.note("All four places belong to others: of the first three only the third is over, then none.")
    places = candidates(HOST, 7000)
    long_ago = (1 << 48) - 100
    for number, place in enumerate(places):
        test.owns(TCP, place, (COLLEAGUE, 7000 + number), sent=long_ago if number == 2 else test.time)
    test.out((HOST, 7000), web, places[2], flags=SYN)
    test.out((HOST, 7000), web, places[2])
    places = candidates(HOST, 7001)
    for number, place in enumerate(places):
        test.owns(TCP, place, (COLLEAGUE, 7000 + number), sent=test.time)
    test.dropped(NO_PORT, INSIDE, packet(((HOST, 7001), web), TCP, flags=SYN))
    test.note("The fourth becomes free.")
    test.owns(TCP, places[3], ("0.0.0.0", 0))
    test.out((HOST, 7001), web, places[3], flags=SYN)
    return test.end()


def quoting(kind, code, rest, quoted, source, destination, ttl=64):
    """An ICMP error."""
    message = icmp(kind, code, rest, quoted)
    return ipv4(source, destination, len(message), ICMP, ttl=ttl) + message


def errors():
    test = Nat("The translator: ICMP errors, whose quoted packets are translated, too.")
    web = (SERVER, 80)
    own, router = (COLLEAGUE, 5000), "198.51.100.254"
    test.note("Translations of TCP, UDP (with a checksum and without) and a query, none of which keeps its port.")
    for protocol in (TCP, UDP, ICMP):
        test.owns(protocol, 5000, (HOST, 5000))
    outside_port = candidates(*own)[1]
    test.out(own, web, outside_port, TCP, flags=SYN)
    test.out(own, web, outside_port, UDP)
    test.verdicts[OUTGOING] += 1
    test.comes(INSIDE, packet((own, (SERVER, 5000)), ICMP, flags=8))
    test.leaves(OUTSIDE, packet(((ADDRESS, outside_port), (SERVER, outside_port)), ICMP, flags=8, ttl=63))

    outside = (ADDRESS, outside_port)
    cases = [
        (TCP, {"flags": SYN}, 8), (TCP, {"flags": SYN}, 16), (TCP, {"flags": SYN}, 20), (TCP, {}, None),
        (UDP, {}, 8), (UDP, {}, None), (UDP, {"unsummed": True}, 8), (ICMP, {"flags": 8}, 8),
        (ICMP, {"flags": 8}, None),
    ]
    test.note("From outside: unreachable (with the MTU that would pass), time exceeded, parameter problem. Some quote\n"
              "eight bytes, some up to the checksum of TCP, some all.")
    kinds = [(3, 4, struct.pack("!HH", 0, 1400)), (11, 0, bytes(4)), (12, 0, bytes([8, 0, 0, 0]))]
    for number, (protocol, options, length) in enumerate(cases):
        kind = kinds[number % 3]
        quoted = [packet((ends, web), protocol, ttl=7, **options) for ends in (outside, own)]
        cut = [whole[: None if length is None else 20 + length] for whole in quoted]
        test.verdicts[INCOMING] += 1
        test.comes(OUTSIDE, quoting(*kind, cut[0], router, ADDRESS))
        test.leaves(INSIDE, quoting(*kind, cut[1], router, COLLEAGUE, ttl=63))
    test.note("From inside, from the host itself and from a router before it: about what came in.")
    for number, (protocol, options, length) in enumerate(cases):
        kind = kinds[number % 3]
        options = {"flags": 0} if protocol == ICMP else options
        # Both ends of a query are its identifier.
        whole = [
            packet(((SERVER, end[1] if protocol == ICMP else 80), end), protocol, ttl=1, **options)
            for end in (own, outside)
        ]
        cut = [one[: None if length is None else 20 + length] for one in whole]
        sender = COLLEAGUE if number % 2 else "10.0.0.254"
        test.verdicts[OUTGOING] += 1
        test.comes(INSIDE, quoting(*kind, cut[0], sender, SERVER))
        test.leaves(OUTSIDE, quoting(*kind, cut[1], ADDRESS, SERVER, ttl=63))
    test.note("A quoted checksum of UDP that comes out as 0 is 0xffff.")
    data = next(
        data for data in (number.to_bytes(2, "big") for number in range(1 << 16))
        if segment((own, web), UDP, data)[6:8] == b"\xff\xff"
    )
    test.verdicts[INCOMING] += 1
    test.comes(OUTSIDE, quoting(3, 3, bytes(4), packet((outside, web), UDP, data=data), SERVER, ADDRESS))
    test.leaves(INSIDE, quoting(3, 3, bytes(4), packet((own, web), UDP, data=data), SERVER, COLLEAGUE, ttl=63))
    test.note("A damaged error stays damaged.")
    pair = [quoting(3, 3, bytes(4), packet((ends, web), UDP), SERVER, to, ttl) for ends, to, ttl in (
        (outside, ADDRESS, 64), (own, COLLEAGUE, 63))]
    test.verdicts[INCOMING] += 1
    test.comes(OUTSIDE, pair[0][:-1] + b"!")
    test.leaves(INSIDE, pair[1][:-1] + b"!")
    test.note("About packets that nobody sent, that somebody else sent, and that no inside host got.")
    stray = packet(((ADDRESS, 4321), web), UDP)
    test.dropped(NO_MAPPING, OUTSIDE, quoting(3, 3, bytes(4), stray, SERVER, ADDRESS))
    test.dropped(NO_MAPPING, OUTSIDE, quoting(3, 3, bytes(4), packet(((OTHER_SERVER, outside_port), web), UDP), SERVER,
                                              ADDRESS))
    test.dropped(NO_MAPPING, INSIDE, quoting(3, 3, bytes(4), packet((web, (HOST, 4321)), UDP), HOST, SERVER))
    test.note("From inside to the outside address.")
    test.dropped(NOT_TRANSLATED, INSIDE, quoting(3, 3, bytes(4), packet((outside, web), UDP), HOST, ADDRESS))
    test.note("A quoted fragment has no ports; a quoted header with options is not understood.")
    late = ipv4(ADDRESS, SERVER, 8, UDP, flags=0, offset=3) + bytes(8)
    test.dropped(NOT_TRANSLATED, OUTSIDE, quoting(3, 3, bytes(4), late, SERVER, ADDRESS))
    options = ipv4(ADDRESS, SERVER, 8, UDP, options=bytes(4)) + bytes(8)
    test.dropped(MALFORMED, OUTSIDE, quoting(3, 3, bytes(4), options, SERVER, ADDRESS))
    test.dropped(MALFORMED, OUTSIDE, quoting(3, 3, bytes(4), stray[:27], SERVER, ADDRESS))
    return test.end()


def drops():
    test = Nat("The translator: everything that is dropped.")
    ends = ((HOST, 5000), (SERVER, 80))
    good = packet(ends, TCP, flags=SYN)
    test.note("From a port that is on neither side.")
    test.verdicts[UNWIRED] += 1
    test.packet(9, ethernet(MACS[INSIDE][0], MACS[INSIDE][1]), good)
    test.note("Cut short in each header; options; another version; a length that the frame cannot have.")
    for length in (0, 19, 20, 23, 39):
        test.dropped(MALFORMED, INSIDE, good[:length])
    test.dropped(MALFORMED, INSIDE, ipv4(HOST, SERVER, 20, TCP, options=bytes(4)), good[20:])
    test.dropped(MALFORMED, INSIDE, ipv4(HOST, SERVER, 20, TCP, version=6), good[20:])
    test.dropped(MALFORMED, INSIDE, ipv4(HOST, SERVER, len(good), TCP), good[20:])
    test.note("ARP; a wrong checksum; no time to live.")
    test.verdicts[NOT_IPV4] += 1
    test.packet(INSIDE, ethernet(*MACS[INSIDE], ARP), bytes(28))
    test.dropped(CHECKSUM, INSIDE, ipv4(HOST, SERVER, 29, TCP, checksum=1), good[20:])
    for ttl in (0, 1):
        test.dropped(TIME_TO_LIVE, INSIDE, packet(ends, TCP, flags=SYN, ttl=ttl))
    test.note("Fragments: the first, and one behind it.")
    test.dropped(FRAGMENT, INSIDE, ipv4(HOST, SERVER, 29, TCP, flags=1), good[20:])
    test.dropped(FRAGMENT, INSIDE, ipv4(HOST, SERVER, 29, TCP, flags=0, offset=3), good[20:])
    test.note("GRE, and an ICMP message that is neither echo nor an error (a timestamp).")
    test.dropped(NOT_TRANSLATED, INSIDE, ipv4(HOST, SERVER, 4, 47), bytes(4))
    test.dropped(NOT_TRANSLATED, INSIDE, ipv4(HOST, SERVER, 20, ICMP), icmp(13, 0, bytes(4), bytes(12)))
    test.note("No route.")
    test.dropped(NO_ROUTE, INSIDE, packet(((HOST, 5000), ("100.64.0.1", 80)), TCP, flags=SYN))
    test.note("None of them has taken a port.")
    test.stranger((SERVER, 80), 5000)
    test.note("Without an outside address nothing is translated.")
    test.say("setdefault address set_address(address:0.0.0.0)")
    test.dropped(NO_ADDRESS, INSIDE, good)
    test.say(f"setdefault address set_address(address:{ADDRESS})")
    test.out(*ends, 5000, flags=SYN)
    return test.end()


def tests():
    return {"translations": translations(), "lifetimes": lifetimes(), "errors": errors(), "drops": drops()}
