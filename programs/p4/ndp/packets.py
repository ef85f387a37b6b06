"""What goes through the router that trims NDP's packets, and what must come out."""

from fractions import Fraction

from ndp_router import (
    CHECKSUM, CONTROL, CONTROL_FATE, DATA_FATE, DEFLECTED, HOST, MALFORMED, NDP, NDP_HEADER, NO_ROUTE, NOT_IPV4, OTHER, RETURNED,
    NOTIFIED, ROUTER, SOURCE, TIME_TO_LIVE, TRIMMED, UPDATED, Bursts, HardState, Returning, Router, three_meters,
)
from wire import ARP, TCP, Meter, ethernet, ipv4, tcp, udp


def forwarding():
    test = Router("Data, control packets and others, and every reason for a drop. No meter is set, so nothing is trimmed.")
    test.note("NDP's data, and data that is no longer than what is left of a trimmed packet.")
    test.data("10.0.0.2")
    test.data("10.0.0.3", payload=bytes(1000), ttl=2)
    test.data("10.0.0.3", payload=b"")
    test.note("NDP's control packets: by their code point, whatever their length; trimmed and returned packets, too.")
    for point in (CONTROL, TRIMMED, DEFLECTED, RETURNED):
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


def upper_times():
    test = Router(
        "The registers hold 32 bits of a time. 4.294967296 s after a notification, the port is not pessimistic again; a mode that\n"
        "would last beyond such a time ends there, and one that begins behind it is as any other.", three_meters, (5, 12))
    test.update("10.0.0.2")
    test.data("10.0.0.2")
    test.say(f"wait {4_294_966} us")
    test.time = 1 + 4_294_966
    test.note("4294967 us after the beginning, the lower bits of the time are those of the first microsecond again.")
    for _ in range(4):
        test.data("10.0.0.2")
    test.note("Half-pessimistic mode ends at the next such time, 8589934.592 us, and pessimistic mode at the one behind it.")
    for end, before in ((8_589_934_592, 8), (12_884_901_888, 3)):
        first = end // 1000 - before
        test.say(f"wait {first - (test.time - 1)} us")
        test.time = first
        test.update("10.0.0.2")
        for until in (test.until, test.half_until):
            until[0, 2] = min(until[0, 2], Fraction(end - 1, 1000))
        for _ in range(12):
            test.data("10.0.0.2")
    test.update("10.0.0.2")
    for _ in range(16):
        test.data("10.0.0.2")
    return test.checked()


def meters_with_yellow():
    """As above, but for the first packet of a burst, all are yellow that are not red."""
    return [Meter(1, 264, rate, 528) for rate in (264, 132, 66)]


def colors():
    test = Router("Data that a meter colours yellow is trimmed only if all but green packets are.", meters_with_yellow)
    for _ in range(3):
        test.data("10.0.0.2")
    test.say("setdefault colors not_green()")
    test.trims_yellow = True
    for _ in range(3):
        test.data("10.0.0.2")
    test.data("10.0.0.3")
    test.data("10.0.0.3")
    test.say("setdefault colors red()")
    test.trims_yellow = False
    for _ in range(3):
        test.data("10.0.0.2")
    return test.checked()


def hard_state():
    test = HardState(
        "Hard state: a port is pessimistic from a notification until the deflection queue that sent it is empty, however long\n"
        "that takes. The last packet of the queue says so.")
    for _ in range(3):
        test.data("10.0.0.2")
    test.update("10.0.0.2")
    for _ in range(16):
        test.data("10.0.0.2")
    test.note("The other port is notified, too; the queue becomes empty, and both ports are optimistic again.")
    test.update("10.0.0.3")
    for _ in range(6):
        test.data("10.0.0.3")
    test.data("10.0.0.2")
    test.update("10.0.0.3", is_last=True)
    for address in ("10.0.0.2", "10.0.0.3"):
        for _ in range(6):
            test.data(address)
    test.note("A packet that is alone in the queue notifies nobody; the next notification counts again.")
    test.update("10.0.0.2", is_last=True)
    for _ in range(4):
        test.data("10.0.0.2")
    test.update("10.0.0.2")
    for _ in range(8):
        test.data("10.0.0.2")
    return test.checked()


def returned():
    test = Returning(
        "Return to sender: trimmed packets of 10.0.0.9, which is behind port 3, go back there; whole ones and control packets do not.",
        three_meters)
    test.say(
        "add next_hops next_hop:9 to(source:02:00:00:00:00:01, destination:02:00:00:00:00:f9)",
        f"add returns ipv4.source:{SOURCE}/32 return_to(next_hop:9, port:3, session:103)",
        "configure multicast = [{ group = 2, node = [{ ports = [68] }] }]",
    )
    test.note("By a meter.")
    for size in (200, 900, 200):
        test.data("10.0.0.2", payload=bytes(size))
    test.whole(CONTROL_FATE, "10.0.0.2", udp(0xC000, NDP, 22), NDP_HEADER, service=CONTROL << 2)
    test.note("By deflection.")
    test.update("10.0.0.2")
    for _ in range(3):
        test.data("10.0.0.2")
    return test.checked()


def burst_meters():
    """At line rate there is no meter. Half-pessimistic, one packet in six passes, and pessimistic none."""
    return [Meter(1000, 1000, 1000, 1000), Meter(44, 264, 44, 264), Meter(1, 1, 1, 1)]


def deflection():
    test = Bursts(
        "A queue is full (Figure 4): the packet is deflected to the recirculation port of its pipe and cut there, and comes back\n"
        "to ingress of this pipe as an UPDATE. There it becomes a NOTIFY for ingress of both pipes, and the trimmed packet for its\n"
        "port, where it goes ahead of all data that waits.", burst_meters, (3, 7))
    test.deflected_point = DEFLECTED
    test.say(f"setdefault marks mark(deflected_code_point:{DEFLECTED})")
    test.pause()
    test.note("Five packets fit, and the sixth is deflected.")
    test.packets(6)
    test.settle()
    test.note("The same from the other pipe, with two packets too many.")
    test.packets(7, port=129)
    test.settle()
    test.note("Figure 3: the port is pessimistic for 3 us from the notification on, half-pessimistic until 7 us, then optimistic.")
    test.packets(6)
    test.pause()
    test.packets(11, first_ttl=50)
    test.settle()
    test.note("Ingress of the other pipe, which deflected nothing, trims as well.")
    test.packets(6)
    test.pause()
    test.packets(11, port=129, first_ttl=50)
    test.settle()
    test.note("A notification in pessimistic mode begins its time anew: two packets are deflected before the first notification.")
    test.packets(7)
    test.pause()
    test.packets(10, first_ttl=50)
    test.settle()
    return test.checked()


def queues():
    test = Router(
        "What waits for a slow port: trimmed and control packets go first, then data, then other traffic, whose queue holds one packet.",
        chip="chip.toml", recirculation=(68, 196))
    test.note("The first packet is on the line at once.")
    data, tail = [udp(0xC000, NDP, 222, checksum=0x1111), NDP_HEADER, bytes(200)], [udp(4000, 4001, 209), bytes(209)]
    control = [udp(0xC000, NDP, 22), NDP_HEADER]
    kinds = {"data": (data, 230, 0), "other": (tail, 217, 0), "control": (control, 30, CONTROL)}
    order = ["data", "other", "data", "control", "other", "data", "control"]
    fates = {"data": DATA_FATE, "other": OTHER, "control": CONTROL_FATE}

    def sent(at, ttl_of):
        behind, length, point = kinds[order[at]]
        return ipv4(SOURCE, "10.0.0.2", length, ttl=ttl_of - at, service=point << 2), *behind

    for at, kind in enumerate(order):
        test.packet(1, ethernet(ROUTER, HOST), *sent(at, 64))
        test.fates[fates[kind]] += 1
    # The second packet of other traffic, number 4, finds no room, and is not deflected.
    for at in (0, 3, 6, 2, 5, 1):
        test.expect(2, ethernet(test.neighbour(2), ROUTER), *sent(at, 63))
    test.counts("deflected", _2=0)
    return test.checked()


def full():
    test = Router(
        "The deflection port of pipe 1 is slow: one deflected packet is on its line, two wait, and others are lost there. Each takes\n"
        "more than 20 us there, and what becomes of it 5 us twice, as UPDATE and as NOTIFY, which go before the next one.",
        chip="slow_deflection.toml", recirculation=(68, 196))
    test.note("Five packets fit into the queue of port 2; of seven deflected ones, three come back, which go first when they are there.")
    behind = [udp(0xC000, NDP, 222, checksum=0x1111), NDP_HEADER, bytes(200)]
    for ttl in range(64, 52, -1):
        test.packet(129, ethernet(ROUTER, HOST), ipv4(SOURCE, "10.0.0.2", 230, ttl=ttl), *behind)
        test.fates[DATA_FATE] += 1

    def whole(ttl):
        test.expect(2, ethernet(test.neighbour(2), ROUTER), ipv4(SOURCE, "10.0.0.2", 230, ttl=ttl - 1), *behind)

    def trimmed(ttl):
        test.expect(2, *test.trimmed("10.0.0.2", ttl - 1, TRIMMED))
        test.fates[UPDATED] += 1
        test.fates[NOTIFIED] += 2

    # The port sends a whole packet in about 22 us, and the deflection port one with its UPDATE and the NOTIFY before it in 33 us.
    for ttl, send in ((64, whole), (63, whole), (59, trimmed), (62, whole), (58, trimmed), (61, whole), (60, whole), (57, trimmed)):
        send(ttl)
    test.say("wait")
    test.counts("deflected", _2=3)
    test.note("Hard state: when the first of them left its queue, no other waited; the second had one behind it, and then came the last.")
    for pipe in test.pipes:
        test.say(f"pipe {pipe} register_read emptied 1")
    return test.checked()


def tests():
    return {
        "forwarding": forwarding(), "trimming": trimming(), "notification": notification(), "upper_times": upper_times(),
        "colors": colors(), "hard_state": hard_state(), "returned": returned(), "deflection": deflection(),
        "queues": queues(), "full": full(),
    }
