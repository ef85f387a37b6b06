"""What goes through the router that trims NDP's packets, and what must come out."""

from reference import Test
from wire import ARP, TCP, Meter, ethernet, ipv4, tcp, udp

HOST, ROUTER = "02:00:00:00:00:aa", "02:00:00:00:00:01"
SOURCE = "10.0.0.9"
NDP = 20036
CONTROL, TRIMMED, DEFLECTED = 46, 10, 12
UPDATE, NOTIFY = 3, 4
RECIRCULATION = 68
# Headers of NDP, which the program does not look at.
NDP_HEADER = bytes(range(22))
DATA_FATE, TRIMMED_FATE, CONTROL_FATE, OTHER, UPDATED, NOTIFIED = range(6)
MALFORMED, NOT_IPV4, CHECKSUM, TIME_TO_LIVE, NO_ROUTE = range(6, 11)

# Ports by address: next hop, mirror session and multicast group of each are made of its number.
PORTS = {"10.0.0.2": 2, "10.0.0.3": 3}


class Router(Test):
    """A test with ports, which finds out by itself what becomes of each packet."""

    def __init__(self, title, meters=None, times=(6, 24)):
        super().__init__(title)
        self.fates = [0] * 11
        self.meters = {port: meters() for port in PORTS.values()} if meters else {}
        self.times = times
        self.until, self.half_until = {}, {}
        self.deflected_point = TRIMMED
        for address, port in PORTS.items():
            self.say(
                f"add routes ipv4.destination:{address}/32 to_next_hop(next_hop:{port}, port:{port}, session:{100 + port})",
                f"add groups internal.port:{port} notify(group:{port})",
                f"add next_hops next_hop:{port} to(source:{ROUTER}, destination:{self.neighbour(port)}) = $hop{port}",
                f"configure mirror = [{{ session = {100 + port}, port = {port}, queue = 2, length = 69 }}]",
                f"configure multicast = [{{ group = {port}, node = [{{ ports = [{port}, {RECIRCULATION}] }}] }}]",
            )
        if times != (6, 24):
            first, second = (1000 * time for time in times)
            self.say(f"setdefault response respond(pessimistic_for:{first}, half_pessimistic_for:{second}, trims:0, everything:0)")
        for port, of_port in self.meters.items():
            for name, meter in zip(("optimistic", "half_pessimistic", "pessimistic"), of_port):
                self.say(meter.command(name, port))

    @staticmethod
    def neighbour(port):
        return f"02:00:00:00:00:f{port}"

    def trimmed(self, address, ttl, code_point):
        """A packet of which 64 bytes are left, as it leaves."""
        port = PORTS[address]
        return [
            ethernet(self.neighbour(port), ROUTER),
            ipv4(SOURCE, address, 8 + len(NDP_HEADER), ttl=ttl, service=code_point << 2),
            udp(0xC000, NDP, len(NDP_HEADER)), NDP_HEADER,
        ]

    def color(self, port, now, length):
        """The colour by which a data packet is judged; each packet goes through all three meters."""
        if port not in self.meters:
            return Meter.GREEN
        optimistic, half, quarter = (meter.mark(now, length) for meter in self.meters[port])
        if now <= self.until.get(port, 0):
            return quarter
        return half if now <= self.half_until.get(port, 0) else optimistic

    def data(self, address, payload=bytes(200), ttl=64):
        port, length = PORTS[address], 8 + len(NDP_HEADER) + len(payload)
        behind = [udp(0xC000, NDP, len(NDP_HEADER) + len(payload), checksum=0x1111), NDP_HEADER, payload]
        packet = [ethernet(ROUTER, HOST), ipv4(SOURCE, address, length, ttl=ttl), *behind]
        now = self.packet(1, *packet)
        if payload and self.color(port, now, sum(map(len, packet))) == Meter.RED:
            self.fates[TRIMMED_FATE] += 1
            return self.expect(port, *self.trimmed(address, ttl - 1, TRIMMED))
        self.fates[DATA_FATE if payload else CONTROL_FATE] += 1
        self.expect(port, ethernet(self.neighbour(port), ROUTER), ipv4(SOURCE, address, length, ttl=ttl - 1), *behind)

    def whole(self, fate, address, *behind, ttl=64, **ip):
        """A packet that is never trimmed."""
        length, port = sum(map(len, behind)), PORTS[address]
        self.packet(1, ethernet(ROUTER, HOST), ipv4(SOURCE, address, length, ttl=ttl, **ip), *behind)
        self.expect(port, ethernet(self.neighbour(port), ROUTER), ipv4(SOURCE, address, length, ttl=ttl - 1, **ip), *behind)
        self.fates[fate] += 1

    def dropped(self, fate, *packet):
        self.packet(1, *packet)
        self.fates[fate] += 1

    def update(self, address, ttl=64):
        """What a deflected packet has become comes by the recirculation port: its port gets the header, and trims more."""
        port = PORTS[address]
        internal = bytes([UPDATE]) + port.to_bytes(2, "big") + port.to_bytes(2, "big")
        # It is cut to 64 bytes behind the 5 of its own header; its lengths are still those of the whole packet.
        of_data = [ipv4(SOURCE, address, 230, ttl=ttl), udp(0xC000, NDP, 222, checksum=0x1111), NDP_HEADER]
        now = self.packet(RECIRCULATION, internal, ethernet(ROUTER, HOST), *of_data)
        self.expect(port, *self.trimmed(address, ttl - 1, self.deflected_point))
        self.fates[UPDATED] += 1
        self.fates[NOTIFIED] += 1
        self.until[port], self.half_until[port] = (now + time for time in self.times)

    def checked(self):
        self.say("no_packet")
        self.counts("packets", **{f"_{fate}": count for fate, count in enumerate(self.fates)})
        return self


def forwarding():
    test = Router("Data, control packets and others, and every reason for a drop. No meter is set, so nothing is trimmed.")
    test.note("NDP's data, and data that is no longer than what is left of a trimmed packet.")
    test.data("10.0.0.2")
    test.data("10.0.0.3", payload=bytes(1000), ttl=2)
    test.data("10.0.0.3", payload=b"")
    test.note("NDP's control packets: by their code point, whatever their length; trimmed and returned packets, too.")
    for point in (CONTROL, TRIMMED, DEFLECTED, 14):
        test.whole(CONTROL_FATE, "10.0.0.2", udp(0xC000, NDP, 22), NDP_HEADER, service=point << 2)
    test.whole(CONTROL_FATE, "10.0.0.2", udp(0xC000, NDP, 222), NDP_HEADER, bytes(200), service=CONTROL << 2)
    test.note("Others: another port of UDP, TCP.")
    test.whole(OTHER, "10.0.0.2", udp(4000, 4001, 9), b"polyplane")
    test.whole(OTHER, "10.0.0.3", tcp(4000, 80), protocol=TCP)
    test.note("Dropped: cut short, no IPv4, a wrong checksum, a time to live of 1, no route.")
    test.dropped(MALFORMED, ethernet(ROUTER, HOST), ipv4(SOURCE, "10.0.0.2")[:19])
    test.dropped(NOT_IPV4, ethernet(ROUTER, HOST, ARP), bytes(28))
    test.dropped(CHECKSUM, ethernet(ROUTER, HOST), ipv4(SOURCE, "10.0.0.2", checksum=0x1234), bytes(20))
    test.dropped(TIME_TO_LIVE, ethernet(ROUTER, HOST), ipv4(SOURCE, "10.0.0.2", 20, ttl=1), udp(1, 2, 12), bytes(12))
    test.dropped(NO_ROUTE, ethernet(ROUTER, HOST), ipv4(SOURCE, "10.9.0.2", 20), udp(1, 2, 12), bytes(12))
    return test.checked()


def three_meters():
    """At 264, 132 and 66 bytes a microsecond, with bursts of two packets of 264 bytes."""
    return [Meter(rate, 528, rate, 528) for rate in (264, 132, 66)]


def trimming():
    test = Router(
        "Data that a meter colours red is trimmed in ingress. Without a notification, the meter at line rate decides: a packet of\n"
        "264 bytes a microsecond fits, one of 1000 does not.", three_meters)
    for _ in range(6):
        test.data("10.0.0.2")
    test.note("Longer packets are too much; the other port has meters of its own.")
    for size in (900, 200, 900, 200):
        test.data("10.0.0.2", payload=bytes(size))
        test.data("10.0.0.3")
    test.note("Control packets pass the meters.")
    test.whole(CONTROL_FATE, "10.0.0.2", udp(0xC000, NDP, 22), NDP_HEADER, service=CONTROL << 2)
    return test.checked()


def notification():
    test = Router(
        "An UPDATE comes by the recirculation port. It becomes a NOTIFY for the port of the packet, which sends the trimmed packet,\n"
        "and for the recirculation port, by which ingress hears of it: the port is pessimistic for 5 us (a quarter of the rate),\n"
        "half-pessimistic until 12 us, and optimistic from then on (Figure 3).", three_meters, (5, 12))
    for _ in range(3):
        test.data("10.0.0.2")
    test.update("10.0.0.2")
    for _ in range(16):
        test.data("10.0.0.2")
    test.note("Another notification begins both times anew; the other port is not concerned.")
    test.update("10.0.0.2", ttl=9)
    test.data("10.0.0.3")
    test.data("10.0.0.2")
    test.update("10.0.0.2")
    for _ in range(15):
        test.data("10.0.0.2")
    test.note("Deflected packets can be marked apart.")
    test.say(f"setdefault marks mark(deflected_code_point:{DEFLECTED})")
    test.deflected_point = DEFLECTED
    test.update("10.0.0.3")
    return test.checked()


def tests():
    return {"forwarding": forwarding(), "trimming": trimming(), "notification": notification()}
