#!/usr/bin/env python3
"""What the programs in this folder must do, written a second time from the algorithms.

    python3 programs/domino/reference.py            rewrites expected.csv and registers.expected of every program
    python3 programs/domino/reference.py --check    says whether they are up to date; exit status 1 if not

For each program NAME it reads NAME/packets.csv (a packet a line; values of the fields by their names; the columns
`time` and `port` say when and where a packet comes and are ignored here) and writes

- NAME/expected.csv: the final value of every field of every packet, in the same order;
- NAME/registers.expected: the state after the last packet, `name[index] = value` or `name = value` for a scalar,
  one line for each value that is not what it was before the first packet.

It shares no code with Polyplane, and computes with plain integers: numbers wrap to 32 bits where a register or a
field takes them. The standard library is all that it needs.
"""

import csv
import io
import pathlib
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent


def wrap(number):
    """The number in 32-bit two's complement."""
    return (number + 2**31) % 2**32 - 2**31


def reflected_crc(data, polynomial, value):
    """A CRC that takes the lowest bit first; `polynomial` has its bits reversed."""
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ (polynomial if value & 1 else 0)
    return value


def crc32_aixm(data):
    """CRC-32/AIXM: polynomial 0x814141AB, highest bit first, no initial or final inversion."""
    value = 0
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1) ^ (0x1_8141_41AB if value & 0x8000_0000 else 0)
    return value


def words(*numbers):
    """The numbers as 32-bit little-endian words, one after the other."""
    return b"".join((number % 2**32).to_bytes(4, "little") for number in numbers)


def hash2(a, b):
    """CRC-16/ARC: polynomial 0x8005, lowest bit first."""
    return reflected_crc(words(a, b), 0xA001, 0)


def hash3(a, b, c):
    """CRC-16/ARC of three words."""
    return reflected_crc(words(a, b, c), 0xA001, 0)


def hash2a(a, b):
    """The upper 31 bits of CRC-32/ISO-HDLC, which is zlib's."""
    return zlib.crc32(words(a, b)) >> 1


def hash2b(a, b):
    """The upper 31 bits of CRC-32C (RFC 3720, appendix B.4)."""
    return (reflected_crc(words(a, b), 0x82F6_3B78, 0xFFFF_FFFF) ^ 0xFFFF_FFFF) >> 1


def hash2c(a, b):
    """The upper 31 bits of CRC-32/AIXM."""
    return crc32_aixm(words(a, b)) >> 1


# The check values of the CRC catalogue, of the digits 1 to 9.
assert reflected_crc(b"123456789", 0xA001, 0) == 0xBB3D
assert zlib.crc32(b"123456789") == 0xCBF4_3926
assert reflected_crc(b"123456789", 0x82F6_3B78, 0xFFFF_FFFF) ^ 0xFFFF_FFFF == 0xE306_9283
assert crc32_aixm(b"123456789") == 0x3010_BF7F


class Array(dict):
    """A register array: places that nobody wrote hold the first value."""

    def __init__(self, first):
        super().__init__()
        self.first = first

    def __missing__(self, index):
        return self.first

    def __setitem__(self, index, value):
        super().__setitem__(index, wrap(value))


class Program:
    """State, and what a packet (a dictionary of its fields) does to it. `registers` maps names to arrays; the
    arrays in `scalars` are used at index 0 only."""

    scalars = ()


class Flowlet(Program):
    def __init__(self):
        self.registers = {"last_time": Array(-1_000_000), "saved_hop": Array(0)}

    def packet(self, p):
        times, hops = self.registers.values()
        flow = hash2(p["sport"], p["dport"]) % 8192
        p["slot"] = flow
        p["new_hop"] = hash3(p["sport"], p["dport"], p["arrival"]) % 8
        p["pause"] = wrap(p["arrival"] - times[flow])
        times[flow] = p["arrival"]
        if p["pause"] > 500:
            hops[flow] = p["new_hop"]
        p["next_hop"] = hops[flow]


class Conga(Program):
    def __init__(self):
        self.registers = {"best_metric": Array(256), "best_path": Array(-1)}

    def packet(self, p):
        metrics, paths = self.registers.values()
        leaf = p["leaf"] % 256
        p["slot"] = leaf
        better = p["metric"] < metrics[leaf]
        if better or p["path"] == paths[leaf]:
            metrics[leaf], paths[leaf] = p["metric"], p["path"]
        p["choice"] = paths[leaf]


class Stfq(Program):
    def __init__(self):
        self.registers = {"finish": Array(0)}

    def packet(self, p):
        finish = self.registers["finish"]
        flow = hash2(p["sport"], p["dport"]) % 8192
        p["slot"] = flow
        p["share"] = p["length"] // 2 ** (p["dscp"] // 8)
        idle = finish[flow] <= 0
        p["start"] = p["virtual_time"] if idle else max(finish[flow], p["virtual_time"])
        finish[flow] = p["start"] + p["share"]


class Sequencer(Program):
    def __init__(self):
        self.registers = {"next_sequence": Array(0)}

    def packet(self, p):
        numbers = self.registers["next_sequence"]
        p["slot"] = p["group"] % 256
        numbers[p["slot"]] += 1
        p["sequence"] = numbers[p["slot"]]


class HeavyHitters(Program):
    def __init__(self):
        self.registers = {f"sketch{row}": Array(0) for row in (1, 2, 3)}

    def packet(self, p):
        counts = []
        for row, function in enumerate((hash2a, hash2b, hash2c), 1):
            slot = function(p["sport"], p["dport"]) % 4096
            p[f"slot{row}"] = slot
            self.registers[f"sketch{row}"][slot] += 1
            counts.append(self.registers[f"sketch{row}"][slot])
        p["estimate"] = min(counts)
        p["heavy"] = int(p["estimate"] > 16)
        p["dscp"] = 1 if p["heavy"] else p["dscp"]


class LearningFilter(Program):
    def __init__(self):
        self.registers = {f"filter{row}": Array(0) for row in (1, 2, 3)}

    def packet(self, p):
        seen = True
        for row, function in enumerate((hash2a, hash2b, hash2c), 1):
            slot = function(p["src"], p["sport"]) % 1024
            p[f"slot{row}"] = slot
            seen = seen and self.registers[f"filter{row}"][slot] == 1
            self.registers[f"filter{row}"][slot] = 1
        p["learn"] = int(not seen)


class Rcp(Program):
    scalars = ("traffic_bytes", "rtt_sum", "rtt_packets")

    def __init__(self):
        self.registers = {name: Array(0) for name in self.scalars}

    def packet(self, p):
        traffic, total, count = self.registers.values()
        p["measured"] = int(p["rtt"] in range(1, 300))
        traffic[0] += p["length"]
        total[0] += p["rtt"] * p["measured"]
        count[0] += p["measured"]


class Sampling(Program):
    def __init__(self):
        self.registers = {"passed": Array(0)}

    def packet(self, p):
        passed = self.registers["passed"]
        p["slot"] = p["in_port"] % 64
        passed[p["slot"]] = (passed[p["slot"]] + 1) % 8
        p["sample"] = int(passed[p["slot"]] == 0)


class HulaProbe(Program):
    def __init__(self):
        self.registers = {"min_utilization": Array(255), "update_time": Array(0), "best_hop": Array(0)}

    def packet(self, p):
        utilization, heard, hop = self.registers.values()
        tor = p["tor"] % 1024
        p["slot"] = tor
        busiest = max(p["path_utilization"], p["link_utilization"])
        silent = wrap(heard[tor] - p["arrival"]) < -1000
        p["update"] = int(busiest < utilization[tor] or silent)
        if p["update"]:
            utilization[tor], heard[tor], hop[tor] = busiest, p["arrival"], p["in_port"]
        p["path_utilization"] = utilization[tor]


class StatefulFirewall(Program):
    def __init__(self):
        self.registers = {"open": Array(0)}

    def packet(self, p):
        inside = [p[address] in range(0x0A4D_0000, 0x0A4D_0080) for address in ("src", "dst")]
        source, destination = (p["src"], p["sport"]), (p["dst"], p["dport"])
        inner, outer = (source, destination) if inside[0] else (destination, source)
        hole = hash3(inner[0], outer[0], inner[1] * 65536 + outer[1]) % 8192
        p["from_inside"], p["to_inside"], p["slot"] = int(inside[0]), int(inside[1]), hole
        p["drop"] = 0
        if inside == [True, False]:
            self.registers["open"][hole] = 1
        if inside == [False, True]:
            p["drop"] = int(self.registers["open"][hole] == 0)


class DnsTtlChange(Program):
    def __init__(self):
        self.registers = {"owner": Array(0), "last_ttl": Array(0), "ttl_changes": Array(0)}

    def packet(self, p):
        owner, last, changes = self.registers.values()
        slot = hash2(p["rdata"], 0) % 4096
        p["slot"] = slot
        p["fresh"] = int(owner[slot] != p["rdata"])
        if p["fresh"]:
            changes[slot] = 0
        elif p["ttl"] != last[slot]:
            changes[slot] += 1
        owner[slot], last[slot] = p["rdata"], p["ttl"]
        p["changes"] = changes[slot]


class PacketCounter(Program):
    scalars = ("packets", "bytes")

    def __init__(self):
        self.registers = {name: Array(0) for name in self.scalars}

    def packet(self, p):
        self.registers["packets"][0] += 1
        self.registers["bytes"][0] += p["length"]


class Figure3(Program):
    def __init__(self):
        self.registers = {"reg1": Array(0), "reg2": Array(0), "reg3": Array(1)}
        self.registers["reg1"].update(enumerate((2, 4, 8, 16)))
        self.registers["reg2"].update(enumerate((1, 3, 5, 7)))

    def packet(self, p):
        reg1, reg2, reg3 = self.registers.values()
        h1, h2, h3 = (p[name] % 4 for name in ("h1", "h2", "h3"))
        if p["mux"] == 1:
            p["factor"], p["term"] = reg1[h1], 0
            reg3[h3] *= reg1[h1]
        else:
            p["factor"], p["term"] = 1, reg2[h2]
            reg3[h3] += reg2[h2]
        p["result"] = reg3[h3]


PROGRAMS = {
    "conga": Conga,
    "dns_ttl_change": DnsTtlChange,
    "figure3": Figure3,
    "flowlet": Flowlet,
    "heavy_hitters": HeavyHitters,
    "hula_probe": HulaProbe,
    "learning_filter": LearningFilter,
    "packet_counter": PacketCounter,
    "rcp": Rcp,
    "sampling": Sampling,
    "sequencer": Sequencer,
    "stateful_firewall": StatefulFirewall,
    "stfq": Stfq,
}


def expected(name):
    """The texts of expected.csv and registers.expected."""
    with open(HERE / name / "packets.csv", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    fields = [column for column in rows[0] if column not in ("time", "port")]
    program = PROGRAMS[name]()
    before = {register: dict(values) for register, values in program.registers.items()}

    packets = io.StringIO()
    writer = csv.writer(packets, lineterminator="\n")
    writer.writerow(fields)
    for row in rows:
        packet = {field: int(row[field], 0) for field in fields}
        program.packet(packet)
        writer.writerow(wrap(packet[field]) for field in fields)

    lines = []
    for register, values in program.registers.items():
        for index, value in sorted(values.items()):
            if value != before[register].get(index, values.first):
                place = "" if register in program.scalars else f"[{index}]"
                lines.append(f"{register}{place} = {value}\n")
    return packets.getvalue(), "".join(lines)


def main():
    check = "--check" in sys.argv[1:]
    stale = 0
    for name in PROGRAMS:
        for file, text in zip(("expected.csv", "registers.expected"), expected(name)):
            path = HERE / name / file
            if check:
                if not path.exists() or path.read_text() != text:
                    print(f"{name}/{file} is not what the reference computes", file=sys.stderr)
                    stale += 1
            else:
                path.write_text(text)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
