"""What goes through the router that finds heavy flows, and what must come out."""

from reference import Test
from wire import ARP, ICMP, TCP, UDP, crc16, crc32, crc32c, ethernet, five_tuple, icmp, ipv4, tcp, udp

HOST, ROUTER = "02:00:00:00:00:aa", "02:00:00:00:00:01"
OURS, NEIGHBOUR = "02:00:00:00:00:02", "02:00:00:00:01:02"
FORWARDED, MARKED, NOT_IPV4, CHECKSUM, TIME_TO_LIVE, NO_ROUTE = range(6)
CS1, PLACES = 8, 4096
# Microseconds; packets of a test come one microsecond apart.
WINDOW = 65.536
# By third byte of the destination: port and threshold.
ROUTES = {1: (2, 4), 2: (3, 1), 3: (4, 65535), 4: (5, 0)}
DATA = b"polyplane"


class Router(Test):
    """A test with routes and a sketch of its own."""

    def __init__(self, title):
        super().__init__(title)
        self.rows = [{}, {}, {}]
        self.packets, self.bytes = [0] * 6, [0] * 6
        self.digests = []
        for third, (port, threshold) in ROUTES.items():
            self.say(
                f"add routes ipv4.destination:10.0.{third}.0/24 "
                f"forward(port:{port}, source:{OURS}, destination:{NEIGHBOUR}, threshold:{threshold})"
            )

    def _estimate(self, time, key):
        window = time * 1000 >> 16
        counts = []
        for row, hashed in zip(self.rows, (crc16(key), crc32(key), crc32c(key))):
            place = hashed % PLACES
            before = row.get(place, (0, 0))
            count = min(before[1] + 1, 65535) if before[0] == window else 1
            row[place] = (window, count)
            counts.append(count)
        return min(counts), window

    def send(self, destination, source="192.0.2.10", protocol=UDP, source_port=4000, port=53, ttl=64, service=0, **ip):
        """A packet; gives its fate."""
        behind = {
            UDP: udp(source_port, port, len(DATA)), TCP: tcp(source_port, port), ICMP: icmp(8, 0, bytes(4), DATA)[:8],
        }[protocol] + DATA

        def packet(service, ttl):
            return ipv4(source, destination, len(behind), protocol, ttl=ttl, service=service, **ip)

        arriving = [ethernet(ROUTER, HOST), packet(service, ttl), behind]
        time = self.packet(1, *arriving)
        third = int(destination.split(".")[2])
        if "checksum" in ip:
            fate = CHECKSUM
        elif ttl <= 1:
            fate = TIME_TO_LIVE
        elif not destination.startswith("10.0.") or third not in ROUTES:
            fate = NO_ROUTE
        else:
            out, threshold = ROUTES[third]
            has_ports = protocol in (TCP, UDP) and ip.get("offset", 0) == 0
            ports = (source_port, port) if has_ports else (0, 0)
            estimate, window = self._estimate(time, five_tuple(source, destination, protocol, *ports))
            fate = MARKED if estimate > threshold else FORWARDED
            if estimate == threshold + 1:
                self.digests.append((source, destination, protocol, *ports, window))
            service = CS1 << 2 | service & 3 if fate == MARKED else service
            self.expect(out, ethernet(NEIGHBOUR, OURS), packet(service, ttl - 1), behind)
        self.packets[fate] += 1
        self.bytes[fate] += sum(map(len, arriving))
        return fate

    def next_window(self):
        """Time goes by with packets that are not counted in the sketch."""
        window = self.time * 1000 >> 16
        while self.time * 1000 >> 16 == window:
            self.send("172.16.0.1")

    def finish(self):
        self.say("no_packet")
        self.counts("packets", **{f"_{fate}": count for fate, count in enumerate(self.packets)})
        for fate, count in enumerate(self.bytes):
            self.say(f"check_counter packets({fate}) bytes == {count}")
        return self


def windows():
    test = Router("Flows that become heavy within a window of 65.536 microseconds, and what is dropped.")
    test.note("Window 0: the threshold of this route is 4 packets of a flow; of that one, 1; of the others, none and many.")
    assert [test.send("10.0.1.7") for _ in range(7)] == [FORWARDED] * 4 + [MARKED] * 3
    assert [test.send("10.0.2.7", service=46 << 2 | 1) for _ in range(3)] == [FORWARDED, MARKED, MARKED]
    assert [test.send("10.0.4.7") for _ in range(2)] == [MARKED, MARKED]
    assert [test.send("10.0.3.7") for _ in range(8)] == [FORWARDED] * 8
    test.note("Another flow, by each part of its name, is light.")
    for other in (
        dict(source="192.0.2.11"), dict(source_port=4001), dict(port=54), dict(protocol=TCP), dict(protocol=ICMP),
    ):
        assert test.send("10.0.1.7", **other) == FORWARDED
    assert test.send("10.0.1.8") == FORWARDED
    test.note("Later fragments have no ports, and are one flow together.")
    assert [test.send("10.0.1.7", source_port=number, offset=100) for number in range(5)] == [FORWARDED] * 4 + [MARKED]
    test.note("The next window begins from 0, without anybody's doing.")
    test.next_window()
    assert [test.send("10.0.1.7") for _ in range(6)] == [FORWARDED] * 4 + [MARKED] * 2
    test.note("Half a window later it is the same one.")
    test.next_window()
    assert [test.send("10.0.1.7") for _ in range(4)] == [FORWARDED] * 4
    for _ in range(40):
        test.send("172.16.0.1")
    assert test.send("10.0.1.7") == MARKED
    test.note("In the window after that, too, and in the fourth, after one without packets of the flow.")
    test.next_window()
    assert [test.send("10.0.1.7") for _ in range(3)] == [FORWARDED] * 3
    test.next_window()
    test.next_window()
    assert [test.send("10.0.1.7") for _ in range(6)] == [FORWARDED] * 4 + [MARKED] * 2
    test.note("Dropped: a wrong checksum, the time to live, no IPv4; options and another version end in the parser.")
    assert [test.send("10.0.1.7", checksum=1), test.send("10.0.1.7", ttl=1)] == [CHECKSUM, TIME_TO_LIVE]
    test.packet(1, ethernet(ROUTER, HOST, ARP), bytes(28))
    test.packets[NOT_IPV4] += 1
    test.bytes[NOT_IPV4] += 42
    whole = ipv4("192.0.2.10", "10.0.1.7", 17, options=bytes(4))
    test.packet(1, ethernet(ROUTER, HOST), whole, udp(4000, 53, len(DATA)), DATA)
    whole = ipv4("192.0.2.10", "10.0.1.7", 17, version=5)
    test.packet(1, ethernet(ROUTER, HOST), whole, udp(4000, 53, len(DATA)), DATA)
    test.packet(1, ethernet(ROUTER, HOST), whole[:19])
    return test.finish()


def collisions():
    test = Router("Flows that share a place in one row or in two are told apart by the third; in all rows they are not.")

    def flow(number):
        return dict(source="192.0.2.10", source_port=number, port=53)

    def places(number):
        key = five_tuple("192.0.2.10", "10.0.1.7", UDP, number, 53)
        return [hashed % PLACES for hashed in (crc16(key), crc32(key), crc32c(key))]

    first = 1
    own, others = places(first), []
    for row, name in enumerate(("CRC-16", "CRC-32", "CRC-32C")):
        other = next(number for number in range(2, 65536) if places(number)[row] == own[row])
        test.next_window()
        test.note(f"Source ports {first} and {other} have the same place by {name} only.")
        assert sum(a == b for a, b in zip(places(other), own)) == 1
        assert [test.send("10.0.1.7", **flow(first)) for _ in range(5)] == [FORWARDED] * 4 + [MARKED]
        assert [test.send("10.0.1.7", **flow(other)) for _ in range(4)] == [FORWARDED] * 4
        others.append(other)
    for absent in (0, 1, 2):
        test.next_window()
        present = [other for row, other in enumerate(others) if row != absent]
        test.note(f"Source ports {present[0]} and {present[1]} fill the places of port {first} in two rows; the other is empty.")
        for other in present:
            for _ in range(4):
                test.send("10.0.1.7", **flow(other))
        assert test.send("10.0.1.7", **flow(first)) == FORWARDED
    test.next_window()
    test.note(f"Three light flows that fill its place in every row make source port {first} heavy, which it is not.")
    for other in others:
        assert [test.send("10.0.1.7", **flow(other)) for _ in range(4)] == [FORWARDED] * 4
    assert test.send("10.0.1.7", **flow(first)) == MARKED
    return test.finish()


def tests():
    return {"windows": windows(), "collisions": collisions()}
