#!/usr/bin/env python3
"""Writes entries.txt: tables, mirror sessions, multicast groups and meters for programs/p4/ndp on the chip of chip.toml, with
hosts 0 to 63 (10.0.0.1 + i) behind the 16 ports of each pipe, and receivers, hosts 64 to 79, behind the 16 further ones of the
last. programs/p4/ndp/README.md says what each is for."""

from pathlib import Path

PIPES = 4
# The device ports of hosts. Each pipe has 128 numbers, of which 68 recirculates.
PORTS = [128 * pipe + 4 * port for pipe in range(3) for port in range(16)] + [384 + 2 * port for port in range(32)]
RECIRCULATION = [128 * pipe + 68 for pipe in range(PIPES)]
# 100 Gb/s in bytes a microsecond, and 10 packets of 1500 bytes.
LINE_RATE, BURST = 12_500, 15_000

lines = ["# Written by entries.py."]
for host, port in enumerate(PORTS):
    address = f"10.0.0.{host + 1}"
    # As hosts of the simulator have them: 02:00, and the IPv4 address.
    mac = f"02:00:0a:00:00:{host + 1:02x}"
    session, group = host + 1, host + 1
    members = [port, *RECIRCULATION]
    lines += [
        f"table_add routes to_next_hop {address}/32 => {host} {port} {session}",
        f"table_add next_hops to {host} => 02:00:00:00:00:01 {mac}",
        f"table_add groups notify {port} => {group}",
        f'configure mirror = [{{ session = {session}, direction = "ingress", port = {port}, queue = 2, length = 69 }}]',
        f"configure multicast = [{{ group = {group}, node = [{{ ports = {members} }}] }}]",
    ]
for pipe, port in enumerate(RECIRCULATION):
    session = len(PORTS) + 1 + pipe
    lines += [
        f"table_add updates update {port} => {session}",
        f'configure mirror = [{{ session = {session}, direction = "egress", port = {port}, queue = 2, length = 69 }}]',
    ]
for meter, share in [("optimistic", 1), ("half_pessimistic", 2), ("pessimistic", 4)]:
    rate = f"{LINE_RATE // share}:{BURST}"
    lines.append(f"meter_array_set_rates {meter} {rate} {rate}")
Path(__file__).with_name("entries.txt").write_text("\n".join(lines) + "\n")
