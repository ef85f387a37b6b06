"""What goes through the tap, and what must come out."""

import struct

from reference import Test
from wire import ARP, IPV4, ethernet, mac

LABEL, COPY = 0x88B5, 0x88B6
OF_INGRESS, OF_EGRESS = 1, 2
ONE, OTHER = "02:00:00:00:00:0a", "02:00:00:00:00:0b"
TAP, MONITOR = "02:00:00:00:00:01", "02:00:00:00:00:99"
# The wires, the labels of ports, and the ports with a monitor.
WIRES = {1: 2, 2: 1, 3: 4, 4: 3}
LABELS = {4: 0x0123}
MONITORS = [9, 10]
SEEN = 11


def seen(kind, port, length, nanoseconds):
    return struct.pack("!BHH", kind, port, length) + nanoseconds.to_bytes(6, "big")


class Tap(Test):
    """A test with wires and monitors, which makes copies by itself."""

    def __init__(self, title):
        super().__init__(title)
        self.sessions, self.taps, self.egress_taps = {}, [], []
        self.counted = {}
        self.say(
            *(f"add wires ingress_port:{port} forward(port:{out}) = $wire{port}" for port, out in WIRES.items()),
            "add wires ingress_port:5 block() = $wire5",
            *(f"add labels egress_port:{port} label(number:{number})" for port, number in LABELS.items()),
            *(
                f"add monitors egress_port:{port} deliver(source:{TAP}, destination:{MONITOR}) = $monitor{port}"
                for port in MONITORS
            ),
        )

    def session(self, number, ports, length=0):
        """A session to ports; through a multicast group of its own if there are several."""
        self.sessions[number] = (ports, length)
        suffix = f" {length}" if length else ""
        if len(ports) == 1:
            self.say(f"mirroring_add {number} {ports[0]}{suffix}")
        else:
            self.say(f"mc_mgrp_create {number}", f"mc_node_create 0 {' '.join(map(str, ports))}")
            self.say(f"mc_node_associate {number} 0", f"mirroring_add_mc {number} {number}{suffix}")

    def tap(self, port, session, ether_type=None):
        """Copies what arrives at a port; only frames of a type, if one is given."""
        name = f"tap{len(self.taps)}"
        self.taps.append((name, port, ether_type, session))
        of = f" ethernet.ether_type:{ether_type}" if ether_type is not None else ""
        self.say(f"add TapIngress.taps {5 if of else 4} ingress_port:{port}{of} copy_to(session:{session}) = ${name}")

    def egress_tap(self, port, session, arrived=None):
        """Copies what leaves by a port; only what arrived at another, if one is given."""
        name = f"leaving{len(self.egress_taps)}"
        self.egress_taps.append((name, port, arrived, session))
        of = f" bridge.from:{arrived}" if arrived is not None else ""
        self.say(f"add TapEgress.taps {5 if of else 4} egress_port:{port}{of} copy_to(session:{session}) = ${name}")

    def _count(self, counter, name, packets=1):
        self.counted[counter, name] = self.counted.get((counter, name), 0) + packets

    def _copies(self, session, front, frame):
        ports, length = self.sessions.get(session, ([], 0))
        for port in ports:
            if port in MONITORS:
                copy = front + frame
                copy = copy[:length] if length else copy
                self.expect(port, mac(MONITOR) + mac(TAP) + struct.pack("!H", COPY), copy[:SEEN], copy[SEEN:])
                self._count("delivered", f"monitor{port}")

    def frame(self, port, ether_type=IPV4, data=b"polyplane", destination=OTHER):
        header = ethernet(destination, ONE, ether_type)
        time = 1000 * self.packet(port, header, data)
        if port in (*WIRES, 5):
            self._count("received", f"wire{port}")
        taps = [tap for tap in self.taps if tap[1] == port and tap[2] in (None, ether_type)]
        if taps:
            name, _, _, session = max(taps, key=lambda tap: tap[2] is not None)
            self._count("TapIngress.copied", name)
            self._copies(session, seen(OF_INGRESS, port, 0, time), header + data)
        out = WIRES.get(port)
        if not out:
            return
        leaving = [header, data]
        if out in LABELS:
            leaving = [ethernet(destination, ONE, LABEL), struct.pack("!HH", LABELS[out], ether_type), data]
        self.expect(out, *leaving)
        taps = [tap for tap in self.egress_taps if tap[1] == out and tap[2] in (None, port)]
        if taps:
            name, _, _, session = max(taps, key=lambda tap: tap[2] is not None)
            self._count("TapEgress.copied", name)
            self._copies(session, seen(OF_EGRESS, out, len(header + data), time), b"".join(leaving))

    def finish(self):
        self.say("no_packet")
        for (counter, name), count in sorted(self.counted.items()):
            self.counts(counter, **{name: count})
        return self


def mirrors():
    test = Tap("Copies of frames as they arrive and as they leave; what is copied is unchanged itself.")
    test.note("No copies yet, and a port that leads nowhere.")
    for port in (1, 2, 3, 4, 5, 6):
        test.frame(port)
    test.note("Of what arrives at port 1, whole; of what leaves by port 4, with its label.")
    test.session(7, [9])
    test.tap(1, 7)
    test.egress_tap(4, 7)
    for port in (1, 2, 3, 4):
        test.frame(port)
    test.note("A copy of each kind for one frame, at one monitor: the ingress deparser comes first.")
    test.tap(3, 7)
    test.frame(3)
    test.note("A frame that is dropped is copied nevertheless.")
    test.tap(5, 7)
    test.frame(5)
    test.note("By type of frame, to another monitor.")
    test.session(1023, [10])
    test.tap(1, 1023, ARP)
    test.frame(1, ARP, bytes(28))
    test.frame(1)
    test.note("By the port where a frame came from, which egress knows by the bytes in front of it.")
    test.egress_tap(1, 1023, arrived=2)
    test.egress_tap(2, 1023, arrived=4)
    test.frame(2)
    test.frame(1)
    test.note("To both monitors, by a multicast group.")
    test.session(3, [9, 10])
    test.tap(4, 3)
    test.frame(4)
    test.note("A session that nobody set up, and one to a port without a monitor: no copies, and frames go on.")
    test.session(4, [11])
    test.tap(2, 5, ARP)
    test.tap(4, 4, ARP)
    test.frame(2, ARP, bytes(28))
    test.frame(4, ARP, bytes(28))
    return test.finish()


def truncation():
    test = Tap("Sessions that cut copies: to a number of bytes in which the header in front counts. Frames stay whole.")
    data = bytes(range(200))
    for number, length in enumerate((SEEN, SEEN + 1, SEEN + 14, SEEN + 14 + 64, 4096), start=1):
        test.note(f"To {length} bytes.")
        test.session(number, [9], length)
        test.session(number + 100, [9, 10], length)
        test.tap(1, number, number)
        test.tap(1, number + 100, number + 100)
        test.frame(1, number, data)
        test.frame(1, number + 100, data)
        test.frame(1, number, b"")
    test.note("As they leave, with a label and without.")
    test.session(20, [10], 40)
    test.egress_tap(4, 20)
    test.egress_tap(1, 20)
    test.frame(3, data=data)
    test.frame(2, data=data)
    test.frame(2, data=data[:15])
    test.frame(2, data=data[:14])
    test.note("A session that changes.")
    test.session(20, [10], 30)
    test.frame(3, data=data)
    test.session(20, [9])
    test.frame(3, data=data)
    return test.finish()


def tests():
    return {"mirrors": mirrors(), "truncation": truncation()}
