#!/usr/bin/env python3
"""Counts what the programs of programs/domino/ make of the captures here, for their READMEs and for
crates/domino/tests/captures.rs.

    python3 programs/captures/count.py

It reads the captures by itself and runs the algorithms of programs/domino/reference.py: no code of Polyplane.
"""

import collections
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "domino"))
sys.dont_write_bytecode = True
import reference  # noqa: E402


def packets(name):
    """The fields of each packet of a capture: pcap of Ethernet and IPv4 without options, in microseconds."""
    data = (HERE / name).read_bytes()
    magic, _, _, _, _, _, link = struct.unpack("<IHHiIII", data[:24])
    assert (magic, link) == (0xA1B2C3D4, 1)
    place, first = 24, None
    while place < len(data):
        seconds, microseconds, captured, length = struct.unpack("<IIII", data[place : place + 16])
        frame = data[place + 16 : place + 16 + captured]
        place += 16 + captured
        assert frame[12:15] == b"\x08\x00\x45"
        time = seconds * 1_000_000 + microseconds
        first = time if first is None else first
        source, destination, sport, dport = struct.unpack(">iiHH", frame[26:38])
        fields = {
            "arrival": time - first,
            "virtual_time": time - first,
            "length": length,
            "dscp": frame[15] >> 2,
            "src": source,
            "dst": destination,
            "group": destination,
            "sport": sport,
            "dport": dport,
            "in_port": 0,
        }
        if frame[23] == 17 and sport == 53:
            fields["ttl"], _, fields["rdata"] = struct.unpack(">IHi", frame[42 + 30 : 42 + 40])
        yield fields


def run(name, capture, applies=lambda p: True):
    program = reference.PROGRAMS[name]()
    seen = [p for p in packets(capture) if applies(p)]
    for packet in seen:
        program.packet(packet)
    return program, seen


def main():
    _, seen = run("flowlet", "office.pcap")
    paths = collections.Counter(p["next_hop"] for p in seen)
    print("flowlet: packets", len(seen), "flowlets", sum(p["pause"] > 500 for p in seen))
    print("flowlet: packets by path", [paths[path] for path in range(8)])

    _, seen = run("heavy_hitters", "office.pcap")
    heavy = [p for p in seen if p["heavy"]]
    flows = {(p["sport"], p["dport"]) for p in seen}
    print("heavy_hitters: flows", len(flows), "heavy", len({(p["sport"], p["dport"]) for p in heavy}), end=" ")
    print("packets marked", len(heavy))

    _, seen = run("learning_filter", "office.pcap")
    endpoints = {(p["src"], p["sport"]) for p in seen}
    print("learning_filter: endpoints", len(endpoints), "learnt", sum(p["learn"] for p in seen))

    _, seen = run("stateful_firewall", "office.pcap")
    print("stateful_firewall: dropped, by port", [p["dport"] for p in seen if p["drop"]])

    _, seen = run("stfq", "office.pcap")
    print("stfq: packets that wait", sum(p["start"] > p["virtual_time"] for p in seen))

    program, _ = run("sequencer", "office.pcap")
    print("sequencer: packets by group", sorted(program.registers["next_sequence"].values(), reverse=True))

    program, _ = run("packet_counter", "office.pcap")
    print("packet_counter:", {name: values[0] for name, values in program.registers.items()})

    for capture in ("dns.pcap", "office.pcap"):
        program, seen = run("dns_ttl_change", capture, lambda p: "ttl" in p)
        owner, changes = program.registers["owner"], program.registers["ttl_changes"]
        print(f"dns_ttl_change, {capture}: answers", len(seen), end=" ")
        print({f"{owner[slot] % 2**32:#x}": count for slot, count in changes.items() if count})


if __name__ == "__main__":
    main()
