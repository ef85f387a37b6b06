"""What goes through the router for Tofino 2, and what must come out."""

from fractions import Fraction

from ndp_router import (
    CONTROL, CONTROL_FATE, DATA_FATE, DEFLECTED, HOST, NDP, NDP_HEADER, OTHER, ROUTER, SOURCE, TRIMMED, TRIMMED_FATE, UPDATED, Router,
)
from wire import TCP, ethernet, ipv4, tcp, udp

# Cells of a packet in its queue; of the depth from which on packets are trimmed; of the queue.
CELLS, TRIMMED_FROM, ROOM = 4, 8, 16
PORT = 2
# The microseconds from the arrival of a packet until ingress reads the depth, and until the packet is in its queue.
READ, QUEUED = Fraction(145, 1000), Fraction(47, 10)


class Bursts(Router):
    """Bursts on the chip of `small.toml`, which are over before port 2 has sent their first packet: it is on the line, and all
    further ones wait."""

    def __init__(self, title):
        super().__init__(title, chip="small.toml", recirculation=(68, 196), told=())
        self.say(
            f"setdefault watermark trim_from(cells:{TRIMMED_FROM})",
            f"setdefault marks mark(deflected_code_point:{DEFLECTED})",
        )
        self.deflected = 0

    def burst(self, *ports):
        """Packets that come at these ports, told apart by their times to live."""
        began, queued, ahead, waiting = self.time, [], [], []
        for place, port in enumerate(ports):
            ttl, behind = 64 - place, [udp(0xC000, NDP, 222, checksum=0x1111), NDP_HEADER, bytes(200)]
            now = self.packet(port, ethernet(ROUTER, HOST), ipv4(SOURCE, "10.0.0.2", 230, ttl=ttl), *behind)
            # The first one has left the queue at once.
            depth = CELLS * max(0, min(len([at for at in queued if at <= now + READ]) - 1, ROOM // CELLS))
            if depth >= TRIMMED_FROM:
                self.fates[TRIMMED_FATE] += 1
                ahead.append((now + QUEUED, self.trimmed("10.0.0.2", ttl - 1, TRIMMED)))
                continue
            self.fates[DATA_FATE] += 1
            queued.append(now + QUEUED)
            if len(queued) > 1 + ROOM // CELLS:
                self.deflected += 1
                self.fates[UPDATED] += 1
                # It goes through the traffic manager three times, and through egress twice before the last time.
                ahead.append((now + 3 * QUEUED + Fraction(2, 5), self.trimmed("10.0.0.2", ttl - 1, DEFLECTED)))
                continue
            waiting.append([ethernet(self.neighbour(PORT), ROUTER), ipv4(SOURCE, "10.0.0.2", 230, ttl=ttl - 1), *behind])
        assert self.time - began < 15, "port 2 has sent the first packet before the burst is over"
        for packet in [waiting[0], *(packet for _, packet in sorted(ahead, key=lambda left: left[0])), *waiting[1:]]:
            self.expect(PORT, *packet)
        self.say("wait 1 ms")
        self.time += 999

    def checked(self):
        self.counts("deflected", **{f"_{PORT}": self.deflected})
        return super().checked()


def depths():
    test = Bursts(
        "Data is trimmed in ingress from a depth of two packets on, which ingress of both pipes is told. Packets that read the depth\n"
        "before the last ones were in the queue are late: four of them wait, and the others are deflected.")
    test.note("Five fit.")
    test.burst(*5 * [1])
    test.note("From ports of both pipes.")
    test.burst(*6 * [1, 129])
    test.note("The queue was empty again.")
    test.burst(*12 * [129])
    return test.checked()


def others():
    test = Router("What is not data goes on as with Tofino, on a chip in which nothing waits.")
    test.data("10.0.0.2")
    test.data("10.0.0.3", payload=b"")
    test.whole(CONTROL_FATE, "10.0.0.2", udp(0xC000, NDP, 222), NDP_HEADER, bytes(200), service=CONTROL << 2)
    test.whole(OTHER, "10.0.0.3", tcp(4000, 80), protocol=TCP)
    return test.checked()


def tests():
    return {"depths": depths(), "others": others()}
