"""What the router of `ndp` and `ndp_tofino2` that trims NDP's packets does, packet by packet."""

from fractions import Fraction

from reference import Test
from wire import Meter, ethernet, ipv4, udp

HOST, ROUTER = "02:00:00:00:00:aa", "02:00:00:00:00:01"
SOURCE = "10.0.0.9"
NDP = 20036
CONTROL, TRIMMED, DEFLECTED, RETURNED = 46, 10, 12, 14
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

    def __init__(self, title, meters=None, times=(6, 24), chip=None, recirculation=(RECIRCULATION,), told=None):
        super().__init__(title)
        if chip:
            self.say(f"option chip {chip}")
        self.fates = [0] * 11
        self.pipes = range(len(recirculation))
        self.meters = {(pipe, port): meters() for pipe in self.pipes for port in PORTS.values()} if meters else {}
        self.times = times
        self.until, self.half_until = {}, {}
        self.deflected_point = TRIMMED
        self.trims_yellow = False
        for address, port in PORTS.items():
            group = ", ".join(str(port) for port in (port, *(recirculation if told is None else told)))
            self.say(
                f"add routes ipv4.destination:{address}/32 to_next_hop(next_hop:{port}, port:{port}, session:{100 + port})",
                f"add groups internal.port:{port} notify(group:{port})",
                f"add next_hops next_hop:{port} to(source:{ROUTER}, destination:{self.neighbour(port)}) = $hop{port}",
                f"configure mirror = [{{ session = {100 + port}, port = {port}, queue = 2, length = 69 }}]",
                f"configure multicast = [{{ group = {port}, node = [{{ ports = [{group}] }}] }}]",
            )
        for pipe, port in enumerate(recirculation if chip else ()):
            self.say(
                f"add updates egress_port:{port} update(session:{200 + pipe})",
                f"configure mirror = [{{ session = {200 + pipe}, port = {port}, queue = 2, length = 69 }}]",
            )
        if times != (6, 24):
            first, second = (1000 * time for time in times)
            self.say(f"setdefault response respond(pessimistic_for:{first}, half_pessimistic_for:{second}, trims:0, everything:0)")
        for port, of_port in {port: of_port for (pipe, port), of_port in self.meters.items() if pipe == 0}.items():
            for name, meter in zip(("optimistic", "half_pessimistic", "pessimistic"), of_port):
                self.say(meter.command(name, port))

    @staticmethod
    def neighbour(port):
        return f"02:00:00:00:00:f{port}"

    def trimmed_port(self, port):
        """The port by which a trimmed packet leaves that was for a port."""
        return port

    def trimmed(self, address, ttl, code_point):
        """A packet of which 64 bytes are left, as it leaves."""
        port = PORTS[address]
        return [
            ethernet(self.neighbour(port), ROUTER),
            ipv4(SOURCE, address, 8 + len(NDP_HEADER), ttl=ttl, service=code_point << 2),
            udp(0xC000, NDP, len(NDP_HEADER)), NDP_HEADER,
        ]

    def color(self, port, now, length, pipe=0):
        """The colour by which a data packet is judged; each packet goes through all three meters."""
        if not self.meters:
            return Meter.GREEN
        optimistic, half, quarter = (meter.mark(now, length) for meter in self.meters[pipe, port])
        if self.is_pessimistic(pipe, port, now):
            return quarter
        return half if now <= self.half_until.get((pipe, port), 0) else optimistic

    def is_pessimistic(self, pipe, port, now):
        return now <= self.until.get((pipe, port), 0)

    def is_trimmed(self, color):
        return color == Meter.RED or self.trims_yellow and color == Meter.YELLOW

    def data(self, address, payload=bytes(200), ttl=64):
        port, length = PORTS[address], 8 + len(NDP_HEADER) + len(payload)
        behind = [udp(0xC000, NDP, len(NDP_HEADER) + len(payload), checksum=0x1111), NDP_HEADER, payload]
        packet = [ethernet(ROUTER, HOST), ipv4(SOURCE, address, length, ttl=ttl), *behind]
        now = self.packet(1, *packet)
        if payload and self.is_trimmed(self.color(port, now, sum(map(len, packet)))):
            self.fates[TRIMMED_FATE] += 1
            return self.expect(self.trimmed_port(port), *self.trimmed(address, ttl - 1, TRIMMED))
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

    def update(self, address, ttl=64, is_last=False):
        """What a deflected packet has become comes by the recirculation port: its port gets the header, and trims more."""
        port = PORTS[address]
        internal = bytes([UPDATE]) + (is_last << 14 | port).to_bytes(2, "big") + port.to_bytes(2, "big")
        # It is cut to 64 bytes behind the 5 of its own header; its lengths are still those of the whole packet.
        of_data = [ipv4(SOURCE, address, 230, ttl=ttl), udp(0xC000, NDP, 222, checksum=0x1111), NDP_HEADER]
        now = self.packet(RECIRCULATION, internal, ethernet(ROUTER, HOST), *of_data)
        self.expect(self.trimmed_port(port), *self.trimmed(address, ttl - 1, self.deflected_point))
        self.fates[UPDATED] += 1
        self.fates[NOTIFIED] += 1
        self.until[0, port], self.half_until[0, port] = (now + time for time in self.times)

    def checked(self):
        self.say("no_packet")
        self.counts("packets", **{f"_{fate}": count for fate, count in enumerate(self.fates)})
        return self


def three_meters():
    """At 264, 132 and 66 bytes a microsecond, with bursts of two packets of 264 bytes."""
    return [Meter(rate, 528, rate, 528) for rate in (264, 132, 66)]


class HardState(Router):
    """A port is pessimistic until the deflection queue that notified it last is empty."""

    def __init__(self, title):
        super().__init__(title, three_meters, (5, 0))
        self.say("setdefault ending hard()")
        self.notified = set()

    def is_pessimistic(self, pipe, port, now):
        return port in self.notified

    def update(self, address, ttl=64, is_last=False):
        super().update(address, ttl, is_last)
        if is_last:
            self.notified.clear()
        else:
            self.notified.add(PORTS[address])


class Returning(Router):
    """Trimmed packets go back to their sender by port 3."""

    def trimmed_port(self, port):
        return 3

    def trimmed(self, address, ttl, code_point):
        return [
            ethernet("02:00:00:00:00:f9", ROUTER),
            ipv4(address, SOURCE, 8 + len(NDP_HEADER), ttl=ttl, service=RETURNED << 2),
            udp(0xC000, NDP, len(NDP_HEADER)), NDP_HEADER,
        ]


class Bursts(Router):
    """A test on the chip of `chip.toml`, in bursts of packets that are over before port 2 has sent the first of them. So its
    data queue takes five packets of each burst, of which one is on the line, and deflects all further ones."""

    PORT, PIPES, ROOM, LENGTH = 2, {1: 0, 129: 1}, 5, 264
    # The microseconds from the arrival of a packet until it is in the queue of its port, if it is trimmed in ingress, and if it
    # is deflected; until the NOTIFY is in ingress.
    TRIMMED_AFTER, DEFLECTED_AFTER, NOTIFIED_AFTER = Fraction(3, 10), Fraction(21, 20), Fraction(5, 4)

    def __init__(self, title, meters, times):
        super().__init__(title, meters, times, "chip.toml", (68, 196))
        self.pipe_fates = {(pipe, fate): 0 for pipe in self.pipes for fate in range(11)}
        self.deflected = 0
        self.began = self.last = 0
        self.accepted, self.ahead, self.notices = [], [], []

    def packets(self, count, port=1, first_ttl=64):
        """Packets that come one after the other, told apart by their times to live."""
        for ttl in range(first_ttl, first_ttl - count, -1):
            self.of_burst(port, ttl)

    def of_burst(self, port, ttl):
        pipe, behind = self.PIPES[port], [udp(0xC000, NDP, 222, checksum=0x1111), NDP_HEADER, bytes(200)]
        now = self.last = self.packet(port, ethernet(ROUTER, HOST), ipv4(SOURCE, "10.0.0.2", 230, ttl=ttl), *behind)
        for notice in [notice for notice in self.notices if notice <= now]:
            self.notices.remove(notice)
            for told in self.pipes:
                self.until[told, self.PORT], self.half_until[told, self.PORT] = (notice + time for time in self.times)
        if self.is_trimmed(self.color(self.PORT, now, self.LENGTH, pipe)):
            self.pipe_fates[pipe, TRIMMED_FATE] += 1
            self.ahead.append((now + self.TRIMMED_AFTER, self.trimmed("10.0.0.2", ttl - 1, TRIMMED)))
            return
        self.pipe_fates[pipe, DATA_FATE] += 1
        if len(self.accepted) < self.ROOM:
            self.accepted.append([ethernet(self.neighbour(self.PORT), ROUTER), ipv4(SOURCE, "10.0.0.2", 230, ttl=ttl - 1), *behind])
            return
        self.deflected += 1
        self.pipe_fates[pipe, UPDATED] += 1
        for told in self.pipes:
            self.pipe_fates[told, NOTIFIED] += 1
        self.ahead.append((now + self.DEFLECTED_AFTER, self.trimmed("10.0.0.2", ttl - 1, self.deflected_point)))
        self.notices.append(now + self.NOTIFIED_AFTER)

    def pause(self):
        """A microsecond in which a packet for the other port comes."""
        behind = [udp(0xC000, NDP, 22), NDP_HEADER]
        self.last = self.packet(1, ethernet(ROUTER, HOST), ipv4(SOURCE, "10.0.0.3", 30, service=CONTROL << 2), *behind)
        self.expect(3, ethernet(self.neighbour(3), ROUTER), ipv4(SOURCE, "10.0.0.3", 30, ttl=63, service=CONTROL << 2), *behind)
        self.pipe_fates[0, CONTROL_FATE] += 1

    def settle(self, microseconds=1000):
        """The end of a burst: one packet was on the line, then come the trimmed ones, and then the rest."""
        assert self.last - self.began < 20, "port 2 has sent the first packet before the burst is over"
        first, *rest = self.accepted
        for packet in [first, *(packet for _, packet in sorted(self.ahead, key=lambda left: left[0])), *rest]:
            self.expect(self.PORT, *packet)
        self.accepted, self.ahead = [], []
        for notice in self.notices:
            for told in self.pipes:
                self.until[told, self.PORT], self.half_until[told, self.PORT] = (notice + time for time in self.times)
        self.notices = []
        self.say(f"wait {microseconds} us")
        self.began = self.time = self.last + microseconds

    def checked(self):
        self.say("no_packet")
        for (pipe, fate), count in self.pipe_fates.items():
            self.lines.append(f"pipe {pipe} check_counter packets({fate}) packets == {count}")
        self.counts("deflected", **{f"_{self.PORT}": self.deflected})
        return self
