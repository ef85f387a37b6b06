"""What goes through ATP's switch program, and what must come out."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from atp_switch import WORKER, SWITCH, ATP, SERVER, GROUP, SERVER_PORT, MEMBERS, MOST, LEAST, AGGREGATORS, header, saturated, Switch, DEFAULTS, values
from wire import ARP, TCP, ethernet, ipv4, tcp, udp


def aggregation():
    test = Switch("Figure 7, the first level: three workers, both halves of their values, and each way that a packet can take.")
    test.note("Box 1, empty: the first packet takes the aggregator. Boxes 5 and 6: the second is added, the third completes the sum.")
    test.gradient("allocated", values(1000), bitmap0=1, port=1)
    test.gradient("aggregated", values(20_000), bitmap0=2, port=2)
    test.note("Box 4: it came before, and adds nothing.")
    test.gradient("duplicate", values(20_000), bitmap0=2, port=2)
    test.gradient("duplicate", values(77), bitmap0=1, port=1)
    test.gradient("complete", values(300_000), bitmap0=4, port=3)
    test.note("A copy of the last packet is absorbed, too: the sum is on its way.")
    test.gradient("duplicate", values(300_000), bitmap0=4, port=3)
    test.note("Box 2: another fragment, another job, and their own packets a second time.")
    for other in (dict(sequence=6), dict(job=4), dict(sequence=6), dict(sequence=5 + 2**23)):
        test.gradient("collision", values(5), bitmap0=1, **other)
    test.note("Box 8: the parameter packet frees the aggregator, which another fragment can then take.")
    test.parameter("freed", values(321_000))
    test.gradient("allocated", values(-5), bitmap0=1, sequence=6)
    test.note("A parameter packet of the former owner frees nothing.")
    test.parameter("parameter", values(321_000))
    test.gradient("aggregated", values(4), bitmap0=4, sequence=6)
    test.gradient("complete", values(8), bitmap0=2, sequence=6)
    test.parameter("freed", values(7), sequence=6)
    test.note("Neighbours, the first and the last aggregator, and indices that no aggregator has.")
    for index in (69, 71, 0, AGGREGATORS - 1):
        test.gradient("allocated", values(index), bitmap0=1, index=index)
    for index in (AGGREGATORS, 65535):
        test.gradient("untouched", values(index), bitmap0=1, index=index)
        test.gradient("untouched", values(index), bitmap0=1, index=index, resend=1)
        test.parameter("parameter", values(index), index=index)
    for index in (69, 71, 0, AGGREGATORS - 1):
        test.gradient("aggregated", values(2), bitmap0=4, index=index)
        test.gradient("complete", values(3), bitmap0=2, index=index)
    test.note("A fan-in of one is complete at once, and its aggregator is in use until its parameter packet.")
    test.gradient("complete", values(9), bitmap0=1, fan_in0=1, index=5)
    test.gradient("duplicate", values(9), bitmap0=1, fan_in0=1, index=5)
    test.gradient("collision", values(9), bitmap0=1, fan_in0=1, index=5, sequence=6)
    test.parameter("freed", values(9), index=5)
    test.note("Jobs that are not aggregated here, one of them the job 0, and one that is, but at the other level.")
    for other in (dict(job=8), dict(job=0), dict(job=20), dict(edge=1), dict(edge=1, resend=1)):
        test.gradient("untouched", values(9), bitmap0=1, **other)
    test.note("A worker elsewhere gets the parameters by its own address, and this frees the aggregator, too.")
    test.gradient("allocated", values(1), bitmap0=1)
    test.parameter("freed", values(1), destination="10.0.1.7")
    return test.checked()


def all_bits():
    test = Switch("A fan-in of 32, which the packet has as 0: all bits of a bitmap.")
    for worker in range(31):
        test.gradient("aggregated" if worker else "allocated", values(worker), bitmap0=1 << worker, fan_in0=0)
    test.gradient("complete", values(31), bitmap0=1 << 31, fan_in0=0)
    return test.checked()


SECOND = dict(job=20, edge=1)


def second_level():
    test = Switch("Figure 7, past the first level: bitmap1 and fanInDegree1 count, and those of the first level stay as they are.")
    test.gradient("allocated", values(10), **SECOND, bitmap0=7, bitmap1=1, fan_in1=3)
    test.gradient("aggregated", values(20), **SECOND, bitmap0=3, bitmap1=4, fan_in1=3)
    test.gradient("duplicate", values(20), **SECOND, bitmap0=3, bitmap1=4, fan_in1=3)
    test.gradient("complete", values(30), **SECOND, bitmap0=1, bitmap1=2, fan_in1=3)
    test.gradient("collision", values(30), **SECOND, bitmap0=1, bitmap1=2, sequence=6)
    test.parameter("freed", values(60), job=20)
    test.note("A worker of the server's rack, whose bit is one of bitmap1, and a rack of one worker.")
    test.gradient("allocated", values(10), **SECOND, bitmap0=1, fan_in0=1, bitmap1=8)
    test.gradient("complete", values(20), **SECOND, bitmap0=1, fan_in0=1, bitmap1=1)
    test.note("A sum of a rack that is saturated.")
    test.gradient("allocated", values(10), **SECOND, bitmap1=1, index=3)
    test.gradient("complete", [MOST, LEAST] * 31, **SECOND, bitmap1=2, index=3)
    test.note("A job that is to be aggregated in the workers' racks alone has no entry at the server's.")
    test.gradient("untouched", values(10), edge=1, bitmap0=7, sequence=7, index=9)
    return test.checked()


def resent():
    test = Switch("Figure 17: packets that are sent again.")
    test.note("Boxes 5, 6 and 7: what was lost is added, goes on with what was there, and the aggregator is free.")
    test.gradient("allocated", values(1000), bitmap0=1, congestion=1)
    test.gradient("taken", values(20_000), bitmap0=2, resend=1)
    test.note("Those that follow find no aggregator, and take none.")
    test.gradient("passed", values(1000), bitmap0=1, resend=1)
    test.gradient("passed", values(300_000), bitmap0=4, resend=1)
    test.note("Box 5, aggregated before: the values that wait go on, and not twice. Here two of three, then all.")
    test.gradient("allocated", values(1), bitmap0=1)
    test.gradient("aggregated", values(2), bitmap0=4)
    test.gradient("taken", values(1), bitmap0=1, resend=1)
    test.gradient("allocated", values(3), bitmap0=1)
    test.gradient("aggregated", values(4), bitmap0=4)
    test.gradient("complete", values(5), bitmap0=2)
    test.gradient("taken", values(5), bitmap0=2, resend=1)
    test.note("A packet that was late takes the aggregator again: nobody completes it, and whoever is sent again takes its values out.")
    test.gradient("allocated", values(4), bitmap0=4)
    test.gradient("taken", values(3), bitmap0=1, resend=1)
    test.note("Another fragment has the aggregator: nothing is touched.")
    test.gradient("allocated", values(1), bitmap0=1, sequence=8)
    test.gradient("passed", values(1), bitmap0=1, resend=1)
    test.gradient("aggregated", values(2), bitmap0=2, sequence=8)
    test.gradient("complete", values(3), bitmap0=4, sequence=8)
    test.parameter("freed", values(6), sequence=8)
    test.note("Box 3, the second level: what was aggregated is discarded, and the packet goes on as it is; a collision of the first level, too.")
    for other in (dict(), dict(collision=1)):
        test.gradient("allocated", values(1), **SECOND, bitmap0=7, bitmap1=1, congestion=1)
        test.gradient("discarded", values(2), **SECOND, bitmap0=3, bitmap1=2, resend=1, **other)
        test.gradient("passed", values(1), **SECOND, bitmap0=4, bitmap1=2, resend=1)
    test.note("Nothing is left of it.")
    test.gradient("allocated", values(100), **SECOND, bitmap0=7, bitmap1=2)
    test.gradient("complete", values(200), **SECOND, bitmap0=7, bitmap1=1)
    return test.checked()


def overflow():
    test = Switch("Values that are saturated stay so, in both halves (section 3.8).")
    for sequence, place, first, second, third in (
        (1, 0, MOST - 5, 6, -1000), (2, 61, LEAST + 5, -6, 1000), (3, 30, MOST - 5, 5, -7), (4, 31, LEAST, 0, 1), (5, 17, 1, 2, MOST)
    ):
        own = dict(sequence=sequence, index=sequence)
        for bit, value, fate in ((1, first, "allocated"), (2, second, "aggregated"), (4, third, "complete")):
            there = values(10 * bit)
            there[place] = value
            test.gradient(fate, there, bitmap0=bit, **own)
    test.note("The greatest and the least sum that is not saturated.")
    for sequence, sums in ((6, MOST - 1), (7, LEAST + 1)):
        own = dict(sequence=sequence, index=sequence, fan_in0=2)
        test.gradient("allocated", [sums] * 62, bitmap0=1, **own)
        test.gradient("complete", [0] * 62, bitmap0=2, **own)
    test.note("Taken out before it is complete.")
    test.gradient("allocated", [MOST] * 62, bitmap0=1, sequence=8)
    test.gradient("taken", [-1] * 62, bitmap0=2, sequence=8, resend=1)
    test.note("Original values, and those that are not to be aggregated (B.2), go on untouched.")
    test.gradient("untouched", values(1), bitmap0=1, sequence=9, overflow=1)
    test.gradient("allocated", values(1), bitmap0=1, sequence=9)
    for other in (dict(), dict(resend=1), dict(service=3)):
        test.gradient("untouched", values(1), bitmap0=2, sequence=9, overflow=1, **other)
    test.gradient("aggregated", values(2), bitmap0=2, sequence=9)
    return test.checked()


def congestion():
    test = Switch("Box 7: the ECN flag of any packet reaches the sum, also that of a duplicate; queues of other switches mark IP.")
    marked = dict(congestion=1)
    for sequence, flags in enumerate(({}, marked, {}, {}), start=1):
        own = dict(sequence=sequence, index=sequence)
        test.gradient("allocated", values(1), bitmap0=1, **own, **(marked if sequence == 1 else {}))
        test.gradient("aggregated", values(2), bitmap0=2, **own, service=3 if sequence == 3 else 2)
        test.gradient("duplicate", values(2), bitmap0=2, **own, **flags)
        test.gradient("complete", values(3), bitmap0=4, **own)
    test.note("It does not outlive the aggregator.")
    for sequence in range(1, 5):
        test.parameter("freed", values(6), sequence=sequence, index=sequence)
    test.gradient("allocated", values(1), bitmap0=1, sequence=9, index=1)
    test.gradient("taken", values(2), bitmap0=2, sequence=9, index=1, resend=1)
    test.note("What goes on alone and parameter packets are marked, too.")
    test.gradient("passed", values(2), bitmap0=2, sequence=9, index=1, resend=1, service=3)
    test.parameter("parameter", values(2), service=3)
    test.parameter("parameter", values(2), congestion=1)
    return test.checked()


def ageing():
    test = Switch("A parameter packet frees the aggregator at its index if nothing was aggregated for long, whoever has it (section 3.7).",
                  "setdefault ageing set_age(age:20)")
    test.age = 20
    test.gradient("allocated", values(1), bitmap0=1)
    test.parameter("parameter", values(1), sequence=77)
    test.say("wait 15 us")
    test.time += 14
    test.gradient("aggregated", values(2), bitmap0=2)
    test.say("wait 15 us")
    test.time += 14
    test.note("Fifteen after the last packet, and then 22.")
    test.parameter("parameter", values(1), sequence=77)
    test.say("wait 7 us")
    test.time += 6
    test.parameter("parameter", values(1), sequence=77, index=71)
    test.parameter("freed", values(1), sequence=77)
    test.gradient("allocated", values(3), bitmap0=4)
    test.gradient("aggregated", values(3), bitmap0=1)
    test.gradient("complete", values(3), bitmap0=2)
    return test.checked()


def one_pass():
    test = Switch("Packets of 31 values take one pass.")
    test.gradient("allocated", values(1000, 31), bitmap0=1)
    test.gradient("aggregated", values(20_000, 31), bitmap0=2)
    test.gradient("duplicate", values(20_000, 31), bitmap0=2)
    test.gradient("complete", values(300_000, 31), bitmap0=4)
    test.parameter("freed", values(321_000, 31))
    test.gradient("allocated", [MOST] * 31, bitmap0=1, congestion=1)
    test.gradient("taken", values(1, 31), bitmap0=2, resend=1)
    test.gradient("allocated", values(1, 31), bitmap0=1)
    test.gradient("collision", values(1, 31), bitmap0=1, sequence=9)
    test.note("A fragment of another job, whose packets have 62 values, in the same aggregator afterwards.")
    test.parameter("freed", values(1, 31))
    test.gradient("allocated", values(3), bitmap0=4, job=9)
    test.gradient("aggregated", values(4), bitmap0=1, job=9)
    test.gradient("complete", values(5), bitmap0=2, job=9)
    return test.checked()


def routing():
    test = Switch("What is not ATP's is routed as plain IPv4, and every reason for a drop. What is dropped changes no aggregator.")

    def routed(*behind, **other):
        length = sum(map(len, behind))
        test.packet(1, ethernet(SWITCH, WORKER), ipv4("10.0.1.1", SERVER, length, **other), *behind)
        test.fates["routed"] += 1
        test.expect(SERVER_PORT, ethernet(SWITCH, WORKER), ipv4("10.0.1.1", SERVER, length, **{**other, "ttl": other.get("ttl", 64) - 1}), *behind)

    def dropped(fate, *headers):
        test.packet(1, *headers)
        test.fates[fate] += 1

    full = header(**{**DEFAULTS, "bitmap0": 1}) + bytes(248)
    test.note("Another port, another length, a fragment, another protocol.")
    routed(udp(4000, 4001, len(full)), full)
    routed(udp(4000, ATP, len(full), checksum=0x1234), full + b"\0")
    routed(udp(4000, ATP, len(full) - 4), full[:-4])
    routed(udp(4000, ATP, len(full) - 1), full)
    routed(udp(4000, ATP, len(full)), full, flags=1)
    routed(udp(4000, ATP, len(full)), full, offset=3)
    routed(tcp(4000, 80), full[:-12], protocol=TCP)
    routed(b"", ttl=2)
    test.note("A group's address is not only for ATP's packets.")
    test.packet(1, ethernet(SWITCH, WORKER), ipv4("10.0.1.1", GROUP, 8), udp(1, 2, 0))
    test.fates["routed"] += 1
    for member in MEMBERS:
        test.expect(member, ethernet(SWITCH, WORKER), ipv4("10.0.1.1", GROUP, 8, ttl=63), udp(1, 2, 0))
    test.note("A UDP checksum would not be that of the values that leave.")
    test.gradient("passed", values(1), bitmap0=1, resend=1, checksum=0x1234)
    test.gradient("untouched", values(1), bitmap0=1, job=8, checksum=0x1234)
    test.note("Dropped: no IPv4, options, cut short in IPv4's header, in ATP's, and in the values; a wrong checksum; a time to live of 1; no route.")
    dropped("not_ipv4", ethernet(SWITCH, WORKER, ARP), bytes(28))
    ip = lambda **other: ipv4("10.0.1.1", other.pop("destination", SERVER), 8 + len(full), **other)
    dropped("malformed", ethernet(SWITCH, WORKER), ipv4("10.0.1.1", SERVER, 8 + len(full), options=bytes(4)), udp(1, ATP, len(full)), full)
    dropped("malformed", ethernet(SWITCH, WORKER), ip()[:19])
    dropped("malformed", ethernet(SWITCH, WORKER), ip(), udp(1, ATP, len(full)), full[:15])
    dropped("malformed", ethernet(SWITCH, WORKER), ip(), udp(1, ATP, len(full)), full[:139])
    dropped("checksum", ethernet(SWITCH, WORKER), ip(checksum=0x1234), udp(1, ATP, len(full)), full)
    dropped("time_to_live", ethernet(SWITCH, WORKER), ip(ttl=1), udp(1, ATP, len(full)), full)
    dropped("no_route", ethernet(SWITCH, WORKER), ip(destination="10.7.0.1"), udp(1, ATP, len(full)), full)
    test.gradient("allocated", values(1), bitmap0=2)
    test.note("Its second half is cut short: the sum lacks it, and does not go on; sent again, all packets reach the server.")
    dropped("malformed", ethernet(SWITCH, WORKER), ip(), udp(1, ATP, len(full)), header(**{**DEFAULTS, "bitmap0": 1}) + bytes(244))
    test.fates["aggregated"] += 1
    test.packet(1, *test.frame({**DEFAULTS, "bitmap0": 4}, values(5), SERVER))
    test.fates["complete"] += 1
    test.fates["overtaken"] += 1
    test.packet(1, *test.frame({**DEFAULTS, "bitmap0": 4, "resend": 1}, values(5), SERVER))
    test.fates["taken"] += 1
    test.fates["overtaken"] += 1
    del test.aggregators[70]
    for bit in (1, 2, 4):
        test.gradient("passed", values(bit), bitmap0=bit, resend=1)
    return test.checked()


def between_passes():
    test = Switch("What other packets do to an aggregator between the two passes of a packet. No sum that goes on is wrong.",)
    test.lines.insert(1, "option chip chip.toml")

    def sends(fate, start, bit, passes=1, **fields):
        """A gradient packet, with how often it comes to its second pass and whether a sum goes on."""
        test.packet(1, *test.frame({**DEFAULTS, "bitmap0": bit, **fields}, values(start), SERVER))
        test.fates[fate] += 1
        test.fates["second_pass"] += passes

    def parameter(fate, **fields):
        given = {**DEFAULTS, "ack": 1, **fields}
        test.packet(SERVER_PORT, *test.frame(given, values(0), "10.0.1.7"))
        test.fates[fate] += 1
        test.expect(1, *test.frame(given, values(0), "10.0.1.7", 63))

    def goes_on(start, **fields):
        test.expect(SERVER_PORT, *test.frame({**DEFAULTS, "edge": 1, **fields}, values(start), SERVER, 63))

    def added(*starts):
        return [sum(one) for one in zip(*map(values, starts))]

    def sum_goes_on(*starts, **fields):
        test.expect(SERVER_PORT, *test.frame({**DEFAULTS, "edge": 1, "bitmap0": 7, **fields}, added(*starts), SERVER, 63))

    test.note("Packets of one fragment close to each other: second halves come in the order of the first ones.")
    sends("allocated", 100, 1)
    sends("aggregated", 2000, 2)
    sends("complete", 30_000, 4)
    sum_goes_on(100, 2000, 30_000)
    test.say("wait")
    parameter("freed")
    test.note("A second half comes when another fragment has the aggregator, and is not added to that one's.")
    sends("allocated", 7, 1)
    parameter("freed")
    sends("allocated", 100, 1, sequence=6)
    sends("aggregated", 2000, 2, sequence=6)
    sends("complete", 30_000, 4, sequence=6)
    sum_goes_on(100, 2000, 30_000, sequence=6)
    test.say("wait")
    parameter("freed", sequence=6)
    test.note("The sum recirculates when a packet that is sent again takes the aggregator. Neither goes on, for both halves of neither are\n"
              "known to be of the same packets. Until the second pass is over, nobody can have the aggregator.")
    sends("allocated", 100, 1)
    sends("aggregated", 2000, 2)
    sends("complete", 30_000, 4, passes=0)
    sends("taken", 100, 1, passes=0, resend=1)
    test.fates["overtaken"] += 2
    sends("collision", 5, 1, passes=0, sequence=6)
    goes_on(5, bitmap0=1, sequence=6, resend=1, collision=1)
    sends("passed", 2000, 2, passes=0, resend=1)
    goes_on(2000, bitmap0=2, resend=1)
    test.say("wait")
    test.note("Then it is free.")
    sends("allocated", 1, 1, sequence=6)
    test.say("wait")
    test.note("Taken out, and asked for by others at once.")
    sends("taken", 20, 2, resend=1, sequence=6)
    sends("collision", 300, 4, passes=0, sequence=6)
    goes_on(300, bitmap0=4, sequence=6, resend=1, collision=1)
    sum_goes_on(1, 20, bitmap0=3, sequence=6, resend=1)
    test.say("wait")
    test.note("A parameter packet frees the aggregator of a sum that recirculates, and another fragment takes it: the sum is not added to that\n"
              "one's values, and does not go on.")
    sends("allocated", 100, 1)
    sends("aggregated", 2000, 2)
    sends("complete", 30_000, 4, passes=0)
    test.fates["overtaken"] += 1
    parameter("freed")
    sends("allocated", 1, 1, sequence=6)
    test.say("wait")
    sends("aggregated", 20, 2, sequence=6)
    sends("complete", 300, 4, sequence=6)
    sum_goes_on(1, 20, 300, sequence=6)
    return test.checked()


def queue():
    test = Switch("Packets that find a long queue at their port have the ECN flag (section 3.3). Each takes four cells there, and the first\n"
                  "leaves at once.", "setdefault congestion_marks mark_from(cells:8)")
    test.lines.insert(2, "option chip slow.toml")
    for place in range(6):
        fields = {**DEFAULTS, "bitmap0": 1, "resend": 1, "sequence": place}
        test.packet(1, *test.frame(fields, values(place), SERVER))
        test.fates["passed"] += 1
        cells = 4 * max(0, place - 1)
        test.expect(SERVER_PORT, *test.frame({**fields, "edge": 1, "congestion": cells >= 8}, values(place), SERVER, 63))
    return test.checked()


def tests():
    return {
        "aggregation": aggregation(), "ageing": ageing(), "all_bits": all_bits(),
        "between_passes": between_passes(), "congestion": congestion(), "one_pass": one_pass(),
        "overflow": overflow(), "queue": queue(), "resent": resent(), "routing": routing(), "second_level": second_level(),
    }
