"""What goes through the learning switch for TNA, and what must come out."""

from reference import Test
from wire import ethernet

PORTS = [0, 1, 2, 3]
TYPE = 0x88B5
ONE, OTHER, THIRD = "02:00:00:00:00:0a", "02:00:00:00:00:0b", "02:00:00:00:00:0c"
UNKNOWN, EVERYBODY, LINK_LOCAL = "02:00:00:00:00:0e", "ff:ff:ff:ff:ff:ff", "01:80:c2:00:00:0e"
DATA = b"polyplane"
FORWARDED, FLOODED, NOT_A_STATION, RESERVED, SAME_PORT = range(5)


class Switch(Test):
    """A test with a group of all ports, which knows where stations are."""

    def __init__(self, title):
        super().__init__(title)
        self.known = {}
        self.fates = [0] * 5
        self.pruned = {}
        self.say(
            "mc_mgrp_create 1",
            *(f"mc_node_create {replica} {port}" for replica, port in enumerate(PORTS)),
            *(f"mc_node_associate 1 {node}" for node in range(len(PORTS))),
        )

    def learn(self, address, port):
        """What the control plane does about a digest."""
        self.known[address] = port
        self.say(
            f"add sources ethernet.source:{address} intrinsic.ingress_port:{port} NoAction()",
            f"add destinations ethernet.destination:{address} forward(port:{port})",
        )

    def frame(self, port, source, destination):
        headers = [ethernet(destination, source, TYPE), DATA]
        self.packet(port, *headers)
        if int(source[:2], 16) & 1:
            fate = NOT_A_STATION
        elif destination.startswith("01:80:c2:00:00:0"):
            fate = RESERVED
        elif destination not in self.known:
            fate = FLOODED
            for other in PORTS:
                if other != port:
                    self.expect(other, *headers)
            if port in PORTS:
                self.pruned[port] = self.pruned.get(port, 0) + 1
        elif self.known[destination] == port:
            fate = SAME_PORT
        else:
            fate = FORWARDED
            self.expect(self.known[destination], *headers)
        self.fates[fate] += 1

    def finish(self):
        self.say("no_packet")
        self.counts("frames", **{f"_{fate}": count for fate, count in enumerate(self.fates)})
        self.counts("pruned", **{f"_{port}": self.pruned.get(port, 0) for port in PORTS})
        return self


def learning_switch():
    test = Switch("A learning switch: unknown destinations are flooded, known ones are not.")
    test.note("Nothing is known: to all ports but the one that it came from.")
    for port in PORTS:
        test.frame(port, ONE, OTHER)
    test.note("The control plane has heard of two stations.")
    test.learn(ONE, 0)
    test.learn(OTHER, 1)
    test.frame(0, ONE, OTHER)
    test.frame(1, OTHER, ONE)
    test.note("A third station, and an address that nobody has.")
    test.frame(2, THIRD, ONE)
    test.frame(1, OTHER, UNKNOWN)
    test.frame(0, ONE, EVERYBODY)
    test.note("Both on one port: the switch has nothing to do.")
    test.frame(1, THIRD, OTHER)
    test.note("From a port outside of the group: no copy comes back to it.")
    test.frame(9, THIRD, EVERYBODY)
    test.note("Dropped: a group as source; an address that stays on its link.")
    test.frame(0, "03:00:00:00:00:0a", OTHER)
    test.frame(0, EVERYBODY, EVERYBODY)
    test.frame(0, ONE, LINK_LOCAL)
    test.note("Next to those addresses is an ordinary one.")
    test.frame(0, ONE, "01:80:c2:00:00:10")
    test.note("Cut short: the parser fails, and the chip drops it.")
    test.packet(0, ethernet(OTHER, ONE, TYPE)[:13])
    return test.finish()


def tests():
    return {"learning_switch": learning_switch()}
