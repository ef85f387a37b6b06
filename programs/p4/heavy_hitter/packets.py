"""What goes through the router that marks heavy flows, and what must come out."""

import struct

from reference import Test
from wire import ARP, ICMP, TCP, UDP, crc16, crc32, ethernet, five_tuple, ip, ipv4, tcp, udp

ROUTER = "02:00:00:00:00:01"
HOST = "02:00:00:00:00:aa"
SENDER, FAR = "192.0.2.10", "198.51.100.7"
DATA = b"polyplane"
WATCHED, OTHER_WATCHED, UNWATCHED = 1, 2, 3
CELLS = 4096
# Lower effort (RFC 8622).
LOWER_EFFORT = 1

FORWARDED, MARKED, MALFORMED, NOT_IPV4, CHECKSUM, TIME_TO_LIVE, NO_ROUTE = range(7)


class Sketch:
    """The count-min sketch: the algorithm once more."""

    def __init__(self):
        self.rows = [[0] * CELLS for _ in range(3)]

    def count(self, flow):
        """One more packet of the flow; gives the estimate."""
        places = cells(flow)
        for row, place in zip(self.rows, places):
            row[place] += 1
        return min(row[place] for row, place in zip(self.rows, places))


def cells(flow):
    """The cells of a flow in the three rows."""
    source, destination, protocol, *ports = flow
    backwards = struct.pack("!HHB", *(ports or (0, 0)), protocol) + ip(destination) + ip(source)
    return crc32(five_tuple(*flow)) % CELLS, crc16(five_tuple(*flow)) % CELLS, crc32(backwards) % CELLS


def routed(destination):
    """Port and addresses of the way out."""
    port = 11 if destination.startswith("198.51.100.") else 12
    return port, f"02:00:00:00:01:{port:02x}", f"02:00:00:00:02:{port:02x}"


def packet(flow, service=0, out=False, **ip):
    """A packet of a flow, as it comes or as it leaves."""
    sender, receiver, protocol, *ports = flow
    transport = b""
    if ports:
        transport = tcp(*ports) if protocol == TCP else udp(*ports, len(DATA))
    _, source, destination = routed(receiver)
    link = ethernet(destination, source) if out else ethernet(ROUTER, HOST)
    return [link, ipv4(sender, receiver, len(transport) + len(DATA), protocol, service=service, **ip), transport, DATA]


class Wire:
    """A test beside a sketch of its own."""

    def __init__(self, title, thresholds):
        self.test = Test(title)
        self.sketch = Sketch()
        self.thresholds = thresholds
        self.code_point = LOWER_EFFORT
        self.verdicts = [0] * 8
        for prefix in ("198.51.100.0/24", "203.0.113.0/24"):
            port, source, destination = routed(prefix)
            self.test.say(
                f"add routes ipv4.destination:{prefix} forward(port:{port}, source:{source}, "
                f"destination:{destination})"
            )
        for port, threshold in thresholds.items():
            self.test.say(
                f"add watched ingress_port:{port} watch(threshold:{threshold}, code_point:{LOWER_EFFORT}) = port{port}"
            )

    def sent(self, flow, port=WATCHED, code_point=0, congestion=0, ttl=64, **ip):
        """A packet of a flow passes; gives its estimate, 0 if it is not counted."""
        estimate = self.sketch.count(flow) if port in self.thresholds else 0
        is_heavy = port in self.thresholds and estimate > self.thresholds[port]
        self.verdicts[MARKED if is_heavy else FORWARDED] += 1
        self.test.packet(port, *packet(flow, code_point << 2 | congestion, ttl=ttl, **ip))
        after = self.code_point if is_heavy else code_point
        out = packet(flow, after << 2 | congestion, out=True, ttl=ttl - 1, **ip)
        self.test.expect(routed(flow[1])[0], *out)
        return estimate

    def dropped(self, verdict, *headers):
        self.test.packet(WATCHED, *headers)
        self.verdicts[verdict] += 1

    def end(self):
        self.test.say("no_packet")
        self.test.counts("verdicts", **{f"_{verdict}": count for verdict, count in enumerate(self.verdicts)})
        return self.test


def sharing(flow, rows, but=()):
    """A flow that shares with this one the cells of these rows, and of no other, nor any with the others of `but`."""
    own = cells(flow)
    for address in range(1, 255):
        for port in range(1, 1 << 16):
            other = (f"192.0.2.{address}", FAR, UDP, port, 4000)
            places = cells(other)
            shares = {row for row in range(3) if places[row] == own[row]}
            if shares == rows and not any(places[row] == cells(third)[row] for third in but for row in range(3)):
                return other
    raise AssertionError("no such flow")


def marking():
    wire = Wire("Heavy flows: what has had more packets than the threshold is marked.", {WATCHED: 3, OTHER_WATCHED: 0})
    note, say, sent = wire.test.note, wire.test.say, wire.sent
    flow = (SENDER, FAR, TCP, 5000, 80)
    note("Three packets are not more than three; from the fourth on it is heavy. ECN is not touched.")
    assert [sent(flow, code_point=46, congestion=congestion) for congestion in (0, 1, 2, 3, 2)] == [1, 2, 3, 4, 5]
    note("What is not watched is not counted, and not marked.")
    for _ in range(5):
        sent(flow, port=UNWATCHED, code_point=10)
    assert sent(flow) == 6
    note("Any other of the five numbers makes another flow.")
    for other in (
        ("192.0.2.11", FAR, TCP, 5000, 80), (SENDER, "198.51.100.8", TCP, 5000, 80), (SENDER, FAR, UDP, 5000, 80),
        (SENDER, FAR, TCP, 5001, 80), (SENDER, FAR, TCP, 5000, 81), (FAR, "203.0.113.7", TCP, 80, 5000),
    ):
        assert sent(other) == 1
    note("Packets without ports, and all fragments of a datagram: one flow for both addresses and the protocol.")
    assert [sent((SENDER, FAR, ICMP)) for _ in range(4)] == [1, 2, 3, 4]
    for protocol in (TCP, UDP):
        kinds = ((1, 0), (1, 5), (0, 9)) * 2
        seen = [sent((SENDER, FAR, protocol), flags=flags, offset=offset) for flags, offset in kinds]
        assert seen == [1, 2, 3, 4, 5, 6]
    note("By another port, whose threshold is 0: its first packet is heavy.")
    assert sent((SENDER, FAR, TCP, 7000, 80), port=OTHER_WATCHED) == 1
    note("By both ports together: a flow is the same wherever it comes in.")
    assert sent(flow, port=OTHER_WATCHED) == 7

    note("The last hop of a time to live.")
    sent((SENDER, FAR, TCP, 7001, 80), ttl=2)
    note("Dropped: cut short in each header, options, another version, ARP, checksum, time to live, no route. None of\n"
         "them is counted: what passes after them is not heavy.")
    quiet = (SENDER, FAR, TCP, 7002, 80)
    whole = packet(flow)
    for headers in ([whole[0][:13]], [whole[0], whole[1][:19]], [*whole[:2], whole[2][:3]]):
        wire.dropped(MALFORMED, *headers)
    wire.dropped(MALFORMED, *packet(flow, options=bytes(4)))
    wire.dropped(MALFORMED, *packet(flow, version=6))
    wire.dropped(NOT_IPV4, ethernet(ROUTER, HOST, ARP), bytes(28))
    wire.dropped(TIME_TO_LIVE, *packet(flow, ttl=0))
    for _ in range(4):
        wire.dropped(CHECKSUM, *packet(quiet, checksum=0))
        wire.dropped(TIME_TO_LIVE, *packet(quiet, ttl=1))
        wire.dropped(NO_ROUTE, *packet((SENDER, "10.0.0.1", TCP, 5000, 80)))
    say("add routes ipv4.destination:10.0.0.0/8 forward(port:12, source:02:00:00:00:01:0c, "
        "destination:02:00:00:00:02:0c)")
    assert sent((SENDER, "10.0.0.1", TCP, 5000, 80)) == 1
    assert sent(quiet) == 1
    return wire.end()


def sketching():
    wire = Wire("Heavy flows: flows that share cells, and what the control plane does.", {WATCHED: 3})
    test, sent = wire.test, wire.sent
    flow = (SENDER, FAR, TCP, 5000, 80)
    test.note("A heavy flow.")
    for _ in range(6):
        sent(flow)
    test.note("Three flows that share a cell with it in one row each: the other two rows know better.")
    sharers = []
    for row in range(3):
        sharers.append(sharing(flow, {row}, but=sharers))
        assert [sent(sharers[-1]) for _ in range(3)] == [1, 2, 3]
    test.note("A flow whose three cells are all shared, each with another flow, looks heavier than it is.")
    victim = (SENDER, FAR, TCP, 6000, 80)
    for row in range(3):
        for _ in range(3):
            sent(sharing(victim, {row}))
    assert sent(victim) == 4
    test.note("A new interval: all three rows are cleared.")
    test.say("register_reset first_row", "register_reset second_row", "register_reset third_row")
    wire.sketch = Sketch()
    assert [sent(flow) for _ in range(4)] == [1, 2, 3, 4]
    test.note("One row alone makes the estimate, whichever has the least.")
    for row, name in enumerate(("first_row", "second_row", "third_row")):
        while sent(flow) <= 3:
            pass
        test.say(f"register_write {name} {cells(flow)[row]} 0")
        wire.sketch.rows[row][cells(flow)[row]] = 0
        assert sent(flow) == 1
    test.note("Another threshold, and another mark.")
    test.say("remove port1", f"add watched ingress_port:{WATCHED} watch(threshold:1, code_point:2) = port1")
    wire.thresholds[WATCHED], wire.code_point = 1, 2
    assert sent(flow) == 2
    test.note("No longer watched.")
    test.say("remove port1")
    wire.thresholds = {}
    assert sent(flow) == 0
    return wire.end()


def tests():
    return {"marking": marking(), "sketching": sketching()}
