#!/usr/bin/env python3
"""Counts what the programs here make of programs/captures/office.pcap with their office.txt, for their READMEs and for
crates/workbench/tests/programs_p4.rs.

    python3 programs/p4/count.py

It reads the capture by itself and runs the algorithms of the packets.py of each program: no code of Polyplane.
"""

import collections
import importlib.util
import ipaddress
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True


def algorithms(name):
    """The packets.py of a program."""
    spec = importlib.util.spec_from_file_location(f"{name}_packets", HERE / name / "packets.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def packets():
    """Of each packet: microseconds since the first one, length on the wire, flow, and flags of TCP or 0."""
    data = (HERE.parent / "captures" / "office.pcap").read_bytes()
    magic, _, _, _, _, _, link = struct.unpack("<IHHiIII", data[:24])
    assert (magic, link) == (0xA1B2C3D4, 1)
    place, first = 24, None
    while place < len(data):
        seconds, microseconds, captured, length = struct.unpack("<IIII", data[place : place + 16])
        frame = data[place + 16 : place + 16 + captured]
        place += 16 + captured
        time = seconds * 1_000_000 + microseconds
        first = time if first is None else first
        source, destination = (str(ipaddress.IPv4Address(frame[at : at + 4])) for at in (26, 30))
        is_fragment = struct.unpack("!H", frame[20:22])[0] & 0x3FFF
        has_ports = frame[23] in (6, 17) and not is_fragment
        ports = struct.unpack("!HH", frame[34:38]) if has_ports else ()
        flags = frame[47] if ports and frame[23] == 6 else 0
        yield time - first, length, (source, destination, frame[23], *ports), flags


def main():
    ecmp, flowlet, limiter = (algorithms(name) for name in ("ecmp", "flowlet", "rate_limiter"))
    members, paths, colors = collections.Counter(), collections.Counter(), collections.Counter()
    switch, begun = flowlet.Switch(timeout=500), 0
    meters = {1: limiter.Meter("0.05", 4000, "0.1", 8000), 2: limiter.Meter("0.4", 16000, "0.8", 32000)}
    for time, length, flow, _ in packets():
        members[ecmp.place(4, flow)] += 1
        before = switch.flowlets[flowlet.slot_of(flow)]
        place, number = switch.place(flow, time)
        paths[place] += 1
        begun += number != before
        customer = 1 if int(flow[0].rsplit(".", 1)[1]) < 16 else 2
        colors[customer, ("green", "yellow", "red")[meters[customer].mark(time, length)]] += 1
    print("ecmp: packets by member", [members[place] for place in range(4)])
    print("flowlet: packets by member", [paths[place] for place in range(4)], "flowlets that began", begun)
    print("rate_limiter: packets by customer and color", dict(sorted(colors.items())))
    with_registers()


def with_registers():
    """The programs that pipelines hold."""
    heavy, firewall, bucket = (algorithms(name) for name in ("heavy_hitter", "stateful_firewall", "token_bucket"))
    sketch, known = heavy.Sketch(), firewall.Filter()
    buckets = {1: bucket.Bucket(0, 4), 2: bucket.Bucket(1, 2)}
    classes, marked, verdicts, limited = (collections.Counter() for _ in range(4))
    octets, flows = collections.Counter(), set()
    for time, length, flow, flags in packets():
        source, destination, protocol, *ports = flow
        is_client, to_client = (int(end.rsplit(".", 1)[1]) < 128 for end in (source, destination))
        number = {6: 1 if is_client else 2, 17: 3}.get(protocol, 0)
        classes[number] += 1
        octets[number] += length
        is_heavy = sketch.count(flow) > 16
        marked[is_heavy] += 1
        flows |= {flow} if is_heavy else set()
        connection = (destination, source, *ports[::-1]) if to_client else (source, destination, *ports)
        if not to_client and flags & (firewall.SYN | firewall.ACK) == firewall.SYN:
            known.open(connection)
        if not to_client:
            verdicts["outgoing"] += 1
        elif protocol != 6:
            verdicts["not TCP"] += 1
        else:
            verdicts["connection" if known.knows(connection) else "stranger"] += 1
        limited[2 - is_client, "passed" if buckets[2 - is_client].takes(time, length) else "dropped"] += 1
    print("packet_counter: packets by class", dict(sorted(classes.items())), "bytes", dict(sorted(octets.items())))
    print("heavy_hitter: packets that are marked", marked[True], "of flows", len(flows))
    print("stateful_firewall: packets by verdict", dict(sorted(verdicts.items())))
    print("token_bucket: packets by class", dict(sorted(limited.items())))


if __name__ == "__main__":
    main()
