#!/usr/bin/env python3
"""Writes chip.toml and entries.txt: the chip of the paper's section 3 (8 pipes of 8 ports of 100 Gb/s, a recirculation port for
each 8 ports) and what routes between 64 hosts, 10.0.0.1 to 10.0.0.64.

    python3 programs/p4/ndp_tofino2/make.py
"""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent
PIPES, PORTS = 8, 8


def device_port(pipe, port):
    """The thread that tells depths knows two bits of a pipe's number, so pipes 4 to 7 have other ports than 0 to 3."""
    return 128 * pipe + 8 * port + 4 * (pipe // 4)


def chip():
    ports = [device_port(pipe, port) for pipe in range(PIPES) for port in range(PORTS)]
    recirculation = [128 * pipe + 68 for pipe in range(PIPES)]
    deflection = "".join(f"\n[[deflection]]\nport = {port}\n" for port in recirculation)
    return f"""\
# Tofino 2 as section 3 of the paper has it: 8 pipes of 8 ports of 100 Gb/s, with a recirculation port each. Written by make.py.
pipes = {PIPES}

# The queues of each port: 0 data, 1 other traffic, 2 trimmed and control packets.
[queue]
queues = 3

[[queue.class]]
queues = [0]
# 10 packets of 1500 bytes, each of which takes 19 cells of 80 bytes with the 5 bytes in front that the program puts there.
limit = 190

[[queue.class]]
queues = [1]
priority = 0

[[queue.class]]
queues = [2]
weight = 10

[[port]]
ports = {ports}

# The ports that recirculate: 0 packets that were deflected, 2 those that tell ingress of it, which go first.
[[port]]
ports = {recirculation}

[port.queue]
queues = 3

[[port.queue.class]]
queues = [0, 1]
priority = 0
{deflection}
# Four of the twenty stages are behind the one that reads the depth.
[ghost]
stage = 16
"""


def entries():
    lines = ["# Routes between 64 hosts. Written by make.py."]
    for host in range(PIPES * PORTS):
        port = device_port(host // PORTS, host % PORTS)
        lines += [
            f"table_add routes to_next_hop 10.0.0.{host + 1}/32 => {host} {port} {100 + host}",
            f"table_add groups notify {port} => {1 + host}",
            f"table_add next_hops to {host} => 02:00:00:00:00:01 02:00:0a:00:00:{host + 1:02x}",
            f"configure mirror = [{{ session = {100 + host}, port = {port}, queue = 2, length = 69 }}]",
            # Nobody has to be told but the port itself, which gets the trimmed packet.
            f"configure multicast = [{{ group = {1 + host}, node = [{{ ports = [{port}] }}] }}]",
        ]
    for pipe in range(PIPES):
        port = 128 * pipe + 68
        lines += [
            f"table_add updates update {port} => {200 + pipe}",
            f"configure mirror = [{{ session = {200 + pipe}, port = {port}, queue = 2, length = 69 }}]",
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (HERE / "chip.toml").write_text(chip())
    (HERE / "entries.txt").write_text(entries())
