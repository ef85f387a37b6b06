"""What goes through the learning switch, and what must come out."""

from reference import Test
from wire import ethernet

PORTS = (0, 1, 2, 3)
A, B, C = (f"02:00:00:00:00:0{letter}" for letter in "abc")
SERVER = "02:00:00:00:00:5e"
BROADCAST = "ff:ff:ff:ff:ff:ff"
FEW = "01:00:5e:00:00:05"
# A station that is flooded to on purpose, as some clusters want it.
EVERYWHERE = "02:00:00:00:00:f0"
TYPE = 0x88B5
DATA = b"polyplane"

SETUP = [
    "mc_mgrp_create 1",
    "mc_node_create 0 " + " ".join(map(str, PORTS)),
    "mc_node_associate 1 0",
    "mc_mgrp_create 2",
    "mc_node_create 0 2 3",
    "mc_node_associate 2 1",
]

MALFORMED, GROUP_SOURCE, RESERVED, SAME_PORT, BLOCKED = range(5)


def frame(destination, source):
    return [ethernet(destination, source, TYPE), DATA]


def learned(address, port):
    """What the control plane answers to the digest (address, port)."""
    return [
        f"add sources ethernet.source:{address} ingress_port:{port} NoAction()",
        f"add destinations ethernet.destination:{address} forward(port:{port})",
    ]


def switching():
    test = Test("The learning switch: flooding, learning, static entries, moves, and what is dropped.\n"
                "The control plane's answers to digests are written by hand: packet tests cannot read digests.")
    test.say(*SETUP)

    returned = 0

    def flooded(port, *headers, ports=PORTS):
        nonlocal returned
        test.packet(port, *headers)
        returned += port in ports
        for out in ports:
            if out != port:
                test.expect(out, *headers)

    test.note("Nobody is known: the frame goes everywhere but back. A digest says that A is behind port 0.")
    flooded(0, *frame(B, A))
    test.say(*learned(A, 0))
    test.note("B answers. A is known by now, and then B.")
    test.through(1, 0, *frame(A, B))
    test.say(*learned(B, 1))
    test.through(0, 1, *frame(B, A))
    test.note("For all stations, and for a group that nobody knows.")
    flooded(0, *frame(BROADCAST, A))
    flooded(1, *frame(FEW, B))
    test.note("Static entries: a server, a group of ports 2 and 3, a station that is blocked.")
    test.say(
        f"add destinations ethernet.destination:{SERVER} forward(port:3) = server",
        f"add destinations ethernet.destination:{FEW} flood_to(group:2)",
        f"add destinations ethernet.destination:{C} block() = blocked",
    )
    test.through(0, 3, *frame(SERVER, A))
    flooded(1, *frame(FEW, B), ports=(2, 3))
    flooded(2, *frame(FEW, C), ports=(2, 3))
    test.note("A static entry may also flood.")
    test.say(f"add destinations ethernet.destination:{EVERYWHERE} flood()")
    flooded(3, *frame(EVERYWHERE, SERVER))
    test.note("A moves to port 2. Until the control plane has answered, frames for A go to the old port.")
    flooded(2, *frame(BROADCAST, A))
    test.through(1, 0, *frame(A, B))
    test.say(
        "table_modify destinations forward 0 => 2",
        f"add sources ethernet.source:{A} ingress_port:2 NoAction()",
    )
    test.through(1, 2, *frame(A, B))
    test.note("The shortest frame: a header and nothing else.")
    test.through(1, 2, ethernet(A, B, TYPE))

    test.note("Dropped: cut short (three times), from a group, for a blocked station.")
    for length in (0, 6, 13):
        test.packet(0, ethernet(A, B, TYPE)[:length])
    test.packet(0, *frame(B, FEW))
    test.packet(0, *frame(C, B))
    test.note("Dropped: all addresses from 01:80:c2:00:00:00 to :0f are the neighbour's; the next one is not.")
    for last in (0x00, 0x0E, 0x0F):
        test.packet(0, *frame(f"01:80:c2:00:00:{last:02x}", B))
    flooded(0, *frame("01:80:c2:00:00:10", B))
    test.note("Dropped: who sends has the destination on the same port.")
    test.packet(1, *frame(B, C))
    test.say("no_packet")

    test.counts("SwitchIngress.dropped", **{
        f"_{MALFORMED}": 3, f"_{GROUP_SOURCE}": 1, f"_{RESERVED}": 3, f"_{SAME_PORT}": 1, f"_{BLOCKED}": 1,
    })
    test.counts("sent_to", server=1, blocked=1)
    test.counts("not_returned", _0=returned)
    return test


def tests():
    return {"learning_switch": switching()}
