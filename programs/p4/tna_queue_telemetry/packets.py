"""What goes through the switch with queue telemetry, and what must come out.

In a packet test no packet waits, so depths and waiting times are 0.
"""

import struct

from reference import Test
from wire import ethernet

PROBE, REPORT, OTHER_TYPE = 0x88B5, 0x88B6, 0x0800
HOST, SWITCH, COLLECTOR = "02:00:00:00:00:aa", "02:00:00:00:00:01", "02:00:00:00:00:99"
MOST_RECORDS = 4
COLLECTORS = [20]
# By destination: an action with its arguments.
STATIONS = {
    "02:00:00:00:00:02": ("forward", dict(port=2, queue=0, class_of_service=0)),
    "02:00:00:00:00:03": ("forward", dict(port=3, queue=7, class_of_service=5)),
    "02:00:00:00:00:04": ("forward", dict(port=63, queue=31, class_of_service=7)),
    "03:00:00:00:00:01": ("replicate", dict(group=1, queue=3)),
    "03:00:00:00:00:02": ("both", dict(port=2, first_group=1, second_group=2)),
    "03:00:00:00:00:03": ("replicate", dict(group=9, queue=0)),
    "03:00:00:00:00:04": ("both", dict(port=4, first_group=0, second_group=2)),
}
# Copies of each group, with their numbers.
GROUPS = {1: [(100, 2), (101, 3), (101, 4)], 2: [(65535, 5)]}


class Telemetry(Test):
    """A test with stations, which knows what the traffic manager says about each copy."""

    def __init__(self, title):
        super().__init__(title)
        self.number = 0
        self.watched = {}
        self.received, self.sent = {}, {}
        for place, (address, (action, arguments)) in enumerate(STATIONS.items()):
            given = ", ".join(f"{name}:{value}" for name, value in arguments.items())
            self.say(f"add stations ethernet.destination:{address} {action}({given}) = $station{place}")
        node = 0
        for group, copies in GROUPS.items():
            self.say(f"mc_mgrp_create {group}")
            for replica, port in copies:
                self.say(f"mc_node_create {replica} {port}", f"mc_node_associate {group} {node}")
                node += 1
        for port in COLLECTORS:
            self.say(f"add collectors egress_port:{port} deliver(source:{SWITCH}, destination:{COLLECTOR})")

    def name_switch(self, number):
        self.number = number
        self.say(f"setdefault self number(own:{number})")

    def watch(self, port, queue, depth, session):
        self.watched[port, queue] = (depth, session)
        self.say(f"add thresholds egress_port:{port} egress_qid:{queue} watch(depth:{depth}, session:{session})")

    def _copies(self, destination):
        """Each copy: port, queue, class of service, number, and whether it is the first of its group."""
        if destination not in STATIONS:
            return []
        action, of = STATIONS[destination]
        groups, copies = [], []
        queue, class_of_service = of.get("queue", 0), of.get("class_of_service", 0)
        if "port" in of:
            copies.append((of["port"], queue, class_of_service, 0, 0))
        groups = [of.get(name, 0) for name in ("group", "first_group", "second_group")]
        for group in groups:
            for place, (replica, port) in enumerate(GROUPS.get(group, [])):
                copies.append((port, queue, class_of_service, replica, int(place == 0)))
        return copies

    def frame(self, destination, records=None, data=b"polyplane", port=1):
        header = ethernet(destination, HOST, OTHER_TYPE if records is None else PROBE)
        probe = b"" if records is None else bytes([len(records)])
        rest = data if records is None else b"".join(records) + data
        time = 1000 * self.packet(port, header, probe, rest) % (1 << 18)
        length = len(header + probe + rest)
        if destination in STATIONS:
            place = list(STATIONS).index(destination)
            self.received[place] = self.received.get(place, 0) + 1
        for out, queue, class_of_service, replica, is_first in self._copies(destination):
            record = struct.pack(
                "!HHBBIIIIHBH", self.number, out, queue, class_of_service, 0, 0, time, 0, replica, is_first, length)
            leaving = [header, probe, rest]
            if records is not None and len(records) < MOST_RECORDS:
                leaving = [header, bytes([len(records) + 1]), record, rest]
            self.expect(out, *leaving)
            packets, bytes_sent = self.sent.get(out, (0, 0))
            self.sent[out] = (packets + 1, bytes_sent + length)
            depth, session = self.watched.get((out, queue), (1, 0))
            if records is None and depth == 0 and session in COLLECTORS:
                self.expect(session, ethernet(COLLECTOR, SWITCH, REPORT), record, *leaving)

    def finish(self):
        self.say("no_packet")
        self.counts("received", **{f"station{place}": count for place, count in sorted(self.received.items())})
        for port, (packets, bytes_sent) in sorted(self.sent.items()):
            self.counts("sent", **{f"_{port}": packets})
            self.say(f"check_counter sent({port}) bytes == {bytes_sent}")
        return self


def probes():
    test = Telemetry("Probes leave with a record of their port, queue, time and copy; other frames as they came.")
    one, three, last, group, both, unknown_group, second = STATIONS
    test.note("One destination each; the switch has number 0 until somebody names it.")
    test.frame(one, [])
    test.name_switch(0xCAFE)
    for destination in (one, three, last):
        test.frame(destination, [])
        test.frame(destination)
    test.note("A record goes in front of those that are there, of which there are at most four.")
    for number in range(6):
        test.frame(three, [bytes([number]) * 27] * number)
    test.note("A probe that carries nothing.")
    test.frame(last, [], b"")
    test.note("A multicast group: each copy has its number, and the first of them says so.")
    test.frame(group, [])
    test.frame(group)
    test.note("A port and both groups together; a second group alone.")
    test.frame(both, [])
    test.frame(second, [])
    test.note("A group that nobody set up, and a destination that nobody knows.")
    test.frame(unknown_group, [])
    test.frame("02:00:00:00:00:0f", [])
    test.note("The time of entry has 18 bits, about 262 microseconds.")
    for _ in range(300 - test.time):
        test.frame(one)
    test.frame(one, [])
    return test.finish()


def reports():
    test = Telemetry("Frames that found a queue as long as its threshold are reported. Here queues are empty.")
    one, three, last, group, *_ = STATIONS
    test.name_switch(7)
    test.say("mirroring_add 20 20", "mirroring_add 21 21")
    test.note("A threshold of 0 is always reached, one of 1 never.")
    test.watch(2, 0, 0, 20)
    test.watch(3, 7, 1, 20)
    for destination in (one, three, last):
        test.frame(destination)
    test.note("Probes are not reported.")
    test.frame(one, [])
    test.note("Thresholds are those of a queue: here of one copy of three.")
    test.watch(4, 3, 0, 20)
    test.frame(group)
    test.note("A session to a port without a collector, and one that nobody set up.")
    test.watch(63, 31, 0, 21)
    test.frame(last)
    test.watch(2, 3, 0, 22)
    test.frame(group)
    return test.finish()


def tests():
    return {"probes": probes(), "reports": reports()}
