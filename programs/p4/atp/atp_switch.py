"""The switch of ATP (sections 3.5 and 3.7), by which packet tests know what must come out."""

import struct

from reference import Test
from wire import ethernet, ipv4, udp

WORKER, SWITCH = "02:00:00:00:00:aa", "02:00:00:00:00:01"
ATP = 42992
SERVER, GROUP = "10.0.9.1", "239.192.0.3"
SERVER_PORT, MEMBERS = 9, (1, 2, 3)
JOB = 3
MOST, LEAST = 2**31 - 1, -2**31
AGGREGATORS = 32768

FATES = (
    "routed", "allocated", "aggregated", "duplicate", "complete", "collision", "taken", "discarded", "passed", "untouched", "parameter",
    "freed", "second_pass", "overtaken", "malformed", "not_ipv4", "checksum", "time_to_live", "no_route",
)


def header(bitmap0=0, bitmap1=0, fan_in0=0, fan_in1=0, overflow=0, resend=0, collision=0, congestion=0, edge=0, ack=0,
           job=JOB, sequence=0, index=0):
    """The 16 bytes of ATP: 32, 32, 5, 5, six flags, 8, 24 and 16 bits."""
    flags = overflow << 5 | resend << 4 | collision << 3 | congestion << 2 | edge << 1 | ack
    return struct.pack("!IIHIH", bitmap0, bitmap1, (fan_in0 % 32) << 11 | (fan_in1 % 32) << 6 | flags, job << 24 | sequence, index)


def saturated(first, second):
    """Values that are saturated stay so (section 3.8)."""
    if first in (MOST, LEAST):
        return first
    return second if second in (MOST, LEAST) else max(LEAST, min(MOST, first + second))


class Aggregator:
    def __init__(self, fields, bit, values, now):
        self.identifier = (fields["job"], fields["sequence"])
        self.bitmap, self.counter, self.congestion, self.values, self.updated = bit, 1, fields["congestion"], list(values), now


class Switch(Test):
    """A test whose packets a switch of its own aggregates, by sections 3.5 and 3.7."""

    def __init__(self, title, *settings):
        super().__init__(title)
        self.fates = dict.fromkeys(FATES, 0)
        self.aggregators = {}
        self.age, self.levels = 0x7FFFFFFF, {JOB: 0, 4: 0, 9: 0, 20: 1}
        self.say(*(f"add jobs hdr.atp.job:{job} aggregate(level:{level})" for job, level in self.levels.items()))
        self.say(f"add ipv4 hdr.ipv4.destination:10.0.9.0/24 route(port:{SERVER_PORT})",
                 "add ipv4 hdr.ipv4.destination:10.0.1.0/24 route(port:1)",
                 f"add groups hdr.ipv4.destination:{GROUP} multicast(group:7)", "mc_mgrp_create 7")
        self.say(*(f"mc_node_create {number} {port}\nmc_node_associate 7 {number}" for number, port in enumerate(MEMBERS)), *settings)

    def frame(self, fields, values, destination, ttl=64, checksum=0, service=2):
        length = 16 + 4 * len(values)
        return (ethernet(SWITCH, WORKER), ipv4("10.0.1.1", destination, 8 + length, ttl=ttl, service=service),
                udp(4000, ATP, length, checksum=checksum), header(**fields), struct.pack(f"!{len(values)}i", *values))

    def gradient(self, fate, values, port=1, ttl=64, service=2, checksum=0, **fields):
        """A gradient packet, what must become of it by the figures, and what the switch above makes of it."""
        fields = {name: fields.get(name, default) for name, default in DEFAULTS.items()}
        self.packet(port, *self.frame(fields, values, SERVER, ttl, checksum, service))
        now = (self.time - 1) * 1000 >> 10
        found, leaving, values = self._aggregate(fields, service & 3 == 3, list(values), now)
        assert found == fate, f"{found}, and not {fate}"
        self.fates[fate] += 1
        absorbed = fate in ("allocated", "aggregated", "duplicate")
        two_halves = len(values) == 62
        self.fates["second_pass"] += two_halves and fate in ("allocated", "aggregated", "complete", "taken")
        if not absorbed:
            untouched = fate == "untouched"
            leaving = dict(leaving, edge=leaving["edge"] if untouched else 1)
            self.expect(SERVER_PORT, *self.frame(leaving, values, SERVER, ttl - 1, checksum if untouched else 0, service))

    def _aggregate(self, packet, has_met_congestion, values, now):
        level = str(packet["edge"])
        bit, own = packet["bitmap" + level], (packet["job"], packet["sequence"])
        there = self.aggregators.get(packet["index"])
        if self.levels.get(packet["job"]) != packet["edge"] or packet["overflow"] or packet["index"] >= AGGREGATORS:
            return "untouched", packet, values
        packet = dict(packet, congestion=packet["congestion"] | has_met_congestion)
        if packet["resend"]:
            if there is None or there.identifier != own:
                return "passed", packet, values
            del self.aggregators[packet["index"]]
            if packet["edge"]:
                return "discarded", packet, values
            if not there.bitmap & bit:
                there.values = [saturated(*pair) for pair in zip(there.values, values)]
            return "taken", self._with_sum(packet, level, there, there.bitmap | bit), there.values
        if there is not None and there.identifier != own:
            return "collision", dict(packet, resend=1, collision=1), values
        if there is None:
            fate = "allocated"
            there = self.aggregators[packet["index"]] = Aggregator(packet, bit, values, now)
        else:
            there.updated = now
            there.congestion |= packet["congestion"]
            if there.bitmap & bit:
                return "duplicate", packet, values
            fate = "aggregated"
            there.values = [saturated(*pair) for pair in zip(there.values, values)]
            there.bitmap |= bit
            there.counter += 1
        if there.counter == (packet["fan_in" + level] or 32):
            return "complete", self._with_sum(packet, level, there, there.bitmap), there.values
        return fate, packet, values

    @staticmethod
    def _with_sum(packet, level, there, bitmap):
        return {**packet, "bitmap" + level: bitmap, "congestion": packet["congestion"] | there.congestion}

    def parameter(self, fate, values, port=SERVER_PORT, destination=GROUP, service=2, **fields):
        """A parameter packet, which the group's members get, or the one host that it is sent to."""
        fields = {**{name: fields.get(name, default) for name, default in DEFAULTS.items()}, "ack": 1}
        self.packet(port, *self.frame(fields, values, destination, service=service))
        now = (self.time - 1) * 1000 >> 10
        there = self.aggregators.get(fields["index"])
        own = there is not None and there.identifier == (fields["job"], fields["sequence"])
        freed = own or there is not None and now - there.updated > self.age
        if freed:
            del self.aggregators[fields["index"]]
        assert fate == ("freed" if freed else "parameter"), fate
        self.fates[fate] += 1
        leaving = dict(fields, congestion=fields["congestion"] | (service & 3 == 3))
        for member in MEMBERS if destination == GROUP else (1,):
            self.expect(member, *self.frame(leaving, values, destination, 63, service=service))

    def checked(self):
        self.say("no_packet")
        self.counts("packets", **{f"_{place}": self.fates[fate] for place, fate in enumerate(FATES)})
        return self


DEFAULTS = dict(bitmap0=0, bitmap1=1, fan_in0=3, fan_in1=2, overflow=0, resend=0, collision=0, congestion=0, edge=0, job=JOB,
                sequence=5, index=70)


def values(start, count=62):
    """Positive and negative numbers, each different from the others."""
    return [(start + number) * (1 if number % 2 else -1) for number in range(count)]
