#!/usr/bin/env python3
"""Writes the packet tests of the Microcode programs: packets, and what must come out, computed without Polyplane.

`packets.py` writes NAME/NAME.stf beside each program; `packets.py --check` fails if a file says something else.
"""

import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def address(text):
    return int.from_bytes(bytes(int(part) for part in text.split(".")), "big")


def ones_sum(data):
    """The sum in one's complement of 16-bit words (RFC 1071)."""
    total = sum(int.from_bytes(data[at : at + 2].ljust(2, b"\0"), "big") for at in range(0, len(data), 2))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def ethernet(destination, source, kind):
    return destination.to_bytes(6, "big") + source.to_bytes(6, "big") + kind.to_bytes(2, "big")


def udp(source, destination, ports, length, ttl=64, first=0x45, macs=(0x020000000009, 0x020000000008)):
    """A UDP packet of so many bytes over IPv4 and Ethernet."""
    header = bytearray([first, 0, *(length - 14).to_bytes(2, "big"), 0x12, 0x34, 0x40, 0, ttl, 17, 0, 0])
    header += address(source).to_bytes(4, "big") + address(destination).to_bytes(4, "big")
    header[10:12] = (0xFFFF - ones_sum(header)).to_bytes(2, "big")
    inner = b"".join(port.to_bytes(2, "big") for port in ports) + (length - 34).to_bytes(2, "big") + b"\0\0"
    packet = ethernet(*macs, 0x0800) + bytes(header) + inner
    return packet + bytes(at % 251 for at in range(length - len(packet)))


class Test:
    """The lines of a packet test."""

    def __init__(self, about):
        self.lines = [f"# {about}", "# Written by packets.py."]

    def say(self, line):
        self.lines.append(line)

    def packet(self, port, data):
        self.say(f"packet {port} {data.hex()}")

    def expect(self, port, data):
        self.say(f"expect {port} {data.hex()}$")

    def memory(self, segment, offset, value):
        self.say(f"check_memory {segment}({offset}) == {value}")

    def text(self):
        return "\n".join(self.lines) + "\n"


def filter_test():
    test = Test("IP packets without options leave by the other port of the pair; all others are dropped and counted.")
    plain, long = udp("10.0.0.1", "10.0.0.2", (3, 4), 64), udp("10.0.0.1", "10.0.0.2", (3, 4), 1500)
    arp = plain[:12] + b"\x08\x06" + plain[14:60]
    for port, data in [(3, plain), (2, arp), (0, udp("1.1.1.1", "2.2.2.2", (1, 2), 100, first=0x46)), (0, long)]:
        test.packet(port, data)
        if data in (plain, long):
            test.expect(port ^ 1, data)
    test.packet(1, udp("1.1.1.1", "2.2.2.2", (1, 2), 1500, first=0x65))
    test.say("no_packet")
    for word, value in enumerate([1, 60, 2, 1600]):
        test.memory("DROP_CNT_BASE", 8 * word, value)
    return test


# Where the compiler puts what the router's entries lead to, in words of 8 bytes: `polyplane compile router.mc --emit source`.
TREE_NODES, NEXT_HOPS = 0x1_0000_0000 // 8, 524352 // 8


def router_test():
    test = Test("The longest of four prefixes decides; what has no route, and what has lived too long, is dropped.")
    leaf, node = 1 << 62, 2 << 62
    hops = {"10.1.0.0/16": (1, 0xA1), "10.2.0.0/16": (2, 0xA2), "10.2.3.0/24": (3, 0xA3), "10.2.4.128/25": (0, 0xA4)}
    leaves = {}
    for place, (prefix, (port, mac)) in enumerate(hops.items()):
        test.say(f"memory_write next_hops {8 * place} {port << 48 | mac:#x}")
        leaves[prefix] = leaf | NEXT_HOPS + place
    test.say(f"memory_write tree_high {8 * 0x0A01:#x} {leaves['10.1.0.0/16']:#x}")
    # 10.2/16 leads to the first node, whose entry for 10.2.4/24 leads to the second one.
    test.say(f"memory_write tree_high {8 * 0x0A02:#x} {node | TREE_NODES:#x}")
    second = [leaves["10.2.0.0/16"]] * 256
    second[3] = leaves["10.2.3.0/24"]
    second[4] = node | TREE_NODES + 256
    third = [leaves["10.2.0.0/16"]] * 128 + [leaves["10.2.4.128/25"]] * 128
    for begin, entries in [(0, second), (256, third)]:
        for at in range(0, 256, 64):
            words = " ".join(f"{entry:#x}" for entry in entries[at : at + 64])
            test.say(f"memory_write tree_nodes {8 * (begin + at)} {words}")
    routes = [
        ("10.1.9.9", "10.1.0.0/16"),
        ("10.2.9.9", "10.2.0.0/16"),
        ("10.2.3.255", "10.2.3.0/24"),
        ("10.2.4.127", "10.2.0.0/16"),
        ("10.2.4.128", "10.2.4.128/25"),
        ("10.3.0.1", None),
        ("9.2.4.128", None),
    ]
    for place, (destination, prefix) in enumerate(routes):
        data = udp("5.5.5.5", destination, (1000 + place, 53), 80 + place)
        test.packet(0, data)
        if prefix:
            port, mac = hops[prefix]
            macs = (mac, 0x020000000000 + port)
            test.expect(port, udp("5.5.5.5", destination, (1000 + place, 53), 80 + place, ttl=63, macs=macs))
    test.packet(0, udp("5.5.5.5", "10.1.0.1", (1, 2), 70, ttl=1))
    test.packet(0, ethernet(1, 2, 0x86DD) + bytes(60))
    test.say("no_packet")
    # Packets and bytes: not IPv4, the time to live has expired, no route.
    for word, value in enumerate([1, 74, 1, 70, 2, 85 + 86]):
        test.memory("drop_counters", 8 * word, value)
    return test


def load_balancer_test():
    test = Test("Packets to the service go to a server, which all places name here; other packets are dropped.")
    server = 1 << 48 | 0xB5
    test.say("memory_write servers 0 " + " ".join([f"{server:#x}"] * 64))
    for flow in range(6):
        ports = (4000 + flow, 80)
        test.packet(2, udp("1.1.0.7", "10.0.0.1", ports, 70))
        test.expect(1, udp("1.1.0.7", "10.0.0.1", ports, 70, macs=(0xB5, 0x020000000008)))
    test.packet(2, udp("1.1.0.7", "10.0.0.2", (1, 2), 70))
    test.packet(2, udp("1.1.0.7", "10.0.0.1", (1, 2), 70, first=0x46))
    test.say("no_packet")
    return test


def keepalive_test():
    test = Test("Each millisecond a keep-alive leaves by four ports; neighbours that are silent for three are told.")

    def frame(interval, sender=1):
        inner = sender.to_bytes(4, "big") + interval.to_bytes(4, "big") + bytes(38)
        return ethernet(0x0180C200000E, 0x020000000001, 0x88B5) + inner

    other = ethernet(1, 2, 0x0800) + bytes(50)
    # A packet that is no keep-alive starts the clock, and after each interval the neighbour on port 2 answers.
    test.packet(2, other)
    for interval in range(3):
        test.say("wait 1100 us")
        test.packet(2, frame(7, sender=2))
        for port in range(4):
            test.expect(port, frame(interval))
    test.say("wait 100 us")
    for port in (0, 1, 3):
        test.say(f"check_digest neighbour_lost(port:{port})")
    test.say("check_digest neighbour_lost none")
    test.memory("silent", 16, 0)
    # The number of intervals is in the upper half of the word.
    test.memory("silent", 0, 3 << 32)
    return test


def telemetry_test():
    test = Test("Packets pass, and each flow has a record, which counts them.")
    for flow, count in [(1, 3), (2, 1)]:
        for _ in range(count):
            data = udp(f"10.0.0.{flow}", "10.9.9.9", (flow, 53), 100)
            test.packet(0, data)
            test.expect(1, data)
    test.packet(0, ethernet(1, 2, 0x86DD) + bytes(60))
    test.say("no_packet")
    test.say("check_records flows == 2")
    return test


def ddos_filter_test():
    test = Test("Of three entries the one of the highest priority says whether a packet passes, is dropped, or is policed.")
    result = lambda action, policer: f"{action << 56 | policer << 48:#x}"
    acl = "add acl {priority} src_addr:{source} acl.set(acl.result:{data})"
    test.say(acl.format(priority=1, source="10.0.0.0&&&0xff000000", data=result(1, 0)))
    test.say(acl.format(priority=2, source="10.1.0.0&&&0xffff0000", data=result(2, 5)))
    test.say(acl.format(priority=3, source="10.1.2.3&&&0xffffffff", data=result(0, 0)))
    # A thousand bytes at once, and nearly none afterwards.
    test.say("meter_set_rates limits 5 0.000001:1000 0.000001:1000")
    passes = [("11.0.0.1", True), ("10.2.0.1", False), ("10.1.2.3", True)]
    passes += [("10.1.0.1", True)] * 3 + [("10.1.0.1", False)] * 2
    for source, passed in passes:
        data = udp(source, "9.9.9.9", (1, 2), 300)
        test.packet(2, data)
        if passed:
            test.expect(3, data)
        test.say("wait")
    test.say("no_packet")
    for segment, word, value in [("filtered", 0, 1), ("filtered", 1, 300), ("limited", 0, 2), ("limited", 1, 600)]:
        test.memory(f"{segment}_counter", 8 * word, value)
    return test


def tail_inspection_test():
    test = Test("A packet whose tail has the word 0xdeadbeef at a multiple of 4 is dropped; the head has 192 bytes.")
    found = 0
    for place, is_found in [(192, True), (196, True), (252, True), (256, True), (996, True), (194, False), (188, False)]:
        data = bytearray(udp("1.1.1.1", "2.2.2.2", (3, 4), 1000))
        data[place : place + 4] = b"\xde\xad\xbe\xef"
        test.packet(2, bytes(data))
        found += is_found
        if not is_found:
            test.expect(3, bytes(data))
    test.say("no_packet")
    test.memory("found_counter", 0, found)
    test.memory("found_counter", 8, 1000 * found)
    return test


def mix_test():
    test = Test("Packets to port 7 come back to their sender, those to port 53 are counted, and all others pass.")
    test.packet(2, udp("10.0.0.1", "10.0.0.2", (5555, 7), 90))
    test.expect(2, udp("10.0.0.2", "10.0.0.1", (7, 5555), 90, macs=(0x020000000008, 0x020000000009)))
    for ports in [(5555, 53), (5555, 99)]:
        test.packet(2, udp("10.0.0.1", "10.0.0.2", ports, 80))
        test.expect(3, udp("10.0.0.1", "10.0.0.2", ports, 80))
    other = ethernet(1, 2, 0x86DD) + bytes(60)
    test.packet(3, other)
    test.expect(2, other)
    test.say("no_packet")
    return test


# Trio-ML: the record of figure 17 and the 6 bytes behind it, and packets of figure 8.
TRIO_ML, GROUP = address("172.16.0.1"), address("239.192.0.1")


def bits(*fields):
    """Numbers one behind the other, each as (width, value), as bytes."""
    value = 0
    for width, field in fields:
        assert 0 <= field < 1 << width
        value = value << width | field
    return value.to_bytes(sum(width for width, _ in fields) // 8, "big")


def trio_ml_job(job, sources, most=8, timeout=0, destination=GROUP, next_hop=0, own=0, generation=7, window=2, gradients=1024):
    masks = sum(1 << (255 - source) for source in sources)
    record = bits((16, 0), (12, most), (12, gradients), (8, timeout), (32, 0), (32, TRIO_ML), (32, destination))
    record += bits((32, next_hop), (24, 0), (8, len(sources) & 255), (256, masks))
    record += bits((8, job), (8, own), (16, generation), (16, window))
    return " ".join(f"0x{record[at : at + 8].hex()}" for at in range(0, 64, 8))


def trio_ml_header(job, block, source, count, gradients, age=0, final=0, degraded=0, generation=7):
    header = bits((8, job), (32, block), (4, age), (1, final), (1, degraded), (2, 0), (8, source), (8, count & 255))
    return header + bits((16, generation), (4, 0), (12, gradients))


def trio_ml_packet(source, destination, header, values, padding=0):
    """A packet of Trio-ML as hosts and aggregators send it."""

    def mac(number):
        if number >> 28 == 14:
            return 0x01005E << 24 | number & 0x7FFFFF
        return 0x0200 << 32 | number

    payload = header + b"".join((value & 0xFFFFFFFF).to_bytes(4, "big") for value in values)
    ip = bytearray([0x45, 0, *(28 + len(payload)).to_bytes(2, "big"), 0, 0, 0x40, 0, 64, 17, 0, 0])
    ip += source.to_bytes(4, "big") + destination.to_bytes(4, "big")
    ip[10:12] = (0xFFFF - ones_sum(ip)).to_bytes(2, "big")
    ports = (12000).to_bytes(2, "big") * 2 + (8 + len(payload)).to_bytes(2, "big") + b"\0\0"
    return ethernet(mac(destination), mac(source), 0x0800) + bytes(ip) + ports + payload + bytes(padding)


def trio_ml_test():
    test = Test("Sums over three sources, of every place at which a packet can end; what is late, wrong or missing; ageing.")
    hosts = [address(f"10.0.0.{1 + number}") for number in range(4)]
    for port, host in enumerate(hosts):
        test.say(f"add ipv4 key:{host:#x}/32 route(ipv4.result:{port})")
    test.say(f"add groups key:{GROUP:#x} multicast(groups.result:1)")
    test.say("mc_mgrp_create 1")
    test.say("mc_node_create 0 0 1 2")
    test.say("mc_node_associate 1 0")
    test.say(f"record_add jobs 1 {trio_ml_job(1, [0, 1, 200])}")
    test.say(f"record_add jobs 2 {trio_ml_job(2, [0, 1, 2], timeout=10, destination=hosts[3], own=9)}")
    sources = [0, 1, 200]

    def value(source, block, at):
        return (source + 3) * 0x1234567 * (block + 1) + at * 0x10001 * (source + 1)

    def sent(block, which, count, job=1, **more):
        header = trio_ml_header(job, block, sources[which], 1, count, **more)
        return trio_ml_packet(hosts[which], TRIO_ML, header, [value(which, block, at) for at in range(count)])

    def result(block, parts, count, destination=GROUP, job=1, own=0, **more):
        sums = [sum(value(which, block, at) for which in parts) for at in range(count)]
        header = trio_ml_header(job, block, own, len(parts), count, **more)
        return trio_ml_packet(TRIO_ML, destination, header, sums)

    counts = [1, 5, 16, 17, 32, 33, 34, 35, 48, 49, 50, 64, 65, 1023, 1024]
    for block, count in enumerate(counts):
        final = int(count == 1024)
        for which in (2, 0, 1):
            test.packet(which, sent(block, which, count, final=final))
        for port in range(3):
            test.expect(port, result(block, [0, 1, 2], count, final=final))
        test.say("wait")
    last = len(counts) - 1
    # A retransmission after the result: the result again, once for all. A block that is over: whoever asks is told which are.
    test.packet(0, sent(last, 0, 1024, final=1))
    for port in range(3):
        test.expect(port, result(last, [0, 1, 2], 1024, final=1))
    test.say("wait")
    test.packet(1, sent(0, 1, 1))
    test.expect(1, trio_ml_packet(TRIO_ML, hosts[1], trio_ml_header(1, last - 1, 1, 0, 0, age=15), []))
    test.say("wait")
    test.say("check_records blocks == 2")
    # A copy adds nothing.
    block = last + 1
    for which in (0, 0, 1, 0, 2):
        test.packet(which, sent(block, which, 20))
    for port in range(3):
        test.expect(port, result(block, [0, 1, 2], 20))
    test.say("wait")
    # What is wrong goes nowhere, and the block is complete without it.
    block += 1
    test.packet(0, sent(block, 0, 20))
    test.say("wait")
    test.packet(0, sent(block, 0, 20, generation=6))
    test.packet(1, sent(block, 1, 21))
    test.packet(1, sent(block, 1, 20)[:-4])
    test.packet(1, trio_ml_packet(hosts[1], TRIO_ML, trio_ml_header(1, block, 5, 1, 1), [7]))
    test.packet(1, sent(block, 1, 20, job=1)[:12] + b"\x08\x06" + bytes(40))
    test.say("wait")
    test.packet(1, sent(block, 1, 20))
    test.packet(2, sent(block, 2, 20))
    for port in range(3):
        test.expect(port, result(block, [0, 1, 2], 20))
    test.say("wait")
    # Packets for others, and those of other ports, are forwarded.
    other = trio_ml_packet(hosts[0], hosts[2], trio_ml_header(1, 0, 0, 1, 1), [7])
    test.packet(0, other)
    onward = bytearray(other)
    onward[22] = 63
    onward[24:26] = (int.from_bytes(onward[24:26], "big") + 0x0100).to_bytes(2, "big")
    test.expect(2, bytes(onward))
    test.packet(0, trio_ml_packet(hosts[0], address("9.9.9.9"), trio_ml_header(1, 0, 0, 1, 1), [7]))
    test.say("wait")
    # A block of job 2 ages out with what two sources have sent, and goes to the next aggregator.
    sources = [0, 1, 2]
    test.packet(0, sent(0, 0, 100, job=2))
    test.packet(1, sent(0, 1, 100, job=2))
    test.say("wait 21 ms")
    test.expect(3, result(0, [0, 1], 100, hosts[3], 2, 9, age=1, degraded=1))
    test.say("check_memory stragglers(4112) == 4294967296")
    # Its last source comes late, and gets what the others got.
    test.packet(2, sent(0, 2, 100, job=2))
    test.expect(3, result(0, [0, 1], 100, hosts[3], 2, 9, age=1, degraded=1))
    test.say("wait")
    test.say("check_memory jobs(64) == 566936338432")
    # A source sends a block again that others have not sent: the next aggregator is asked for its result, and so it is for what this one is
    # asked for.
    question = trio_ml_packet(TRIO_ML, hosts[3], trio_ml_header(2, 1, 9, 0, 0), [])
    test.packet(0, sent(1, 0, 20, job=2))
    test.say("wait")
    test.packet(0, sent(1, 0, 20, job=2))
    test.expect(3, question)
    test.packet(1, trio_ml_packet(hosts[1], TRIO_ML, trio_ml_header(2, 1, 1, 0, 0), []))
    test.expect(3, question)
    test.say("wait")
    test.packet(1, sent(1, 1, 20, job=2))
    test.packet(2, sent(1, 2, 20, job=2))
    test.expect(3, result(1, [0, 1, 2], 20, hosts[3], 2, 9))
    test.say("wait")
    # The last aggregator answers with the result, if it has one.
    test.packet(1, trio_ml_packet(hosts[1], TRIO_ML, trio_ml_header(1, block, 0, 0, 0), []))
    for port in range(3):
        test.expect(port, result(block, [0, 1, 2], 20))
    test.packet(1, trio_ml_packet(hosts[1], TRIO_ML, trio_ml_header(1, block + 1, 0, 0, 0), []))
    test.say("no_packet")
    return test


TESTS = {
    "filter": filter_test,
    "router": router_test,
    "load_balancer": load_balancer_test,
    "keepalive": keepalive_test,
    "telemetry": telemetry_test,
    "ddos_filter": ddos_filter_test,
    "tail_inspection": tail_inspection_test,
    "mix": mix_test,
    "trio_ml": trio_ml_test,
}


def main():
    wrong = []
    for name, make in TESTS.items():
        path, text = FOLDER / name / f"{name}.stf", make().text()
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            wrong.append(str(path))
    if wrong:
        sys.exit("these files are not what packets.py writes: " + ", ".join(wrong))


main()
