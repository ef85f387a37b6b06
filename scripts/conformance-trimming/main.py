"""Offers the same packets to the authors' program for packet trimming and to programs/p4/ndp, on the same chip.

Usage: main.py POLYPLANE FOLDER. FOLDER has `ndp.p4` of Popa et al. and `common/headers.p4`, which run as they are, and
`common/util.p4`; if that is not there, one that has what the program takes from it is written into a temporary folder.

Senders send at line rate whatever happens (no transport pulls), sender i to host i mod 16 as in section 6.2, and four senders to one
host as in section 6.4. For each program the table says what became of all packets, and for how long at most a header was on its way
through a deflection port. The exit status is 1 if a packet is not accounted for.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import entries  # noqa: E402
import traffic  # noqa: E402

OWN_UTILITIES = """\
#ifndef _UTIL_
#define _UTIL_
#include "headers.p4"
Hash<bit<32>>(HashAlgorithm_t.CRC32) lookup_hash;
action compute_ip_hash(in switch_lookup_fields_t lookup, out bit<32> hash) {
    hash = lookup_hash.get({
        lookup.ip_proto, lookup.ip_src_addr, lookup.ip_dst_addr, lookup.l4_src_port, lookup.l4_dst_port });
}
parser TofinoIngressParser(packet_in packet, out ingress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        transition accept;
    }
}
parser TofinoEgressParser(packet_in packet, out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        transition accept;
    }
}
#endif
"""

# Senders with their receivers, and the packets of each: section 6.2 with 17, 18, 32 and 64 senders, section 6.4.
CASES = {
    **{f"{senders} senders": ([(host, host % 16) for host in range(senders)], 1000) for senders in (17, 18, 32, 64)},
    "4:1 of section 6.4": ([(16 * pipe + 1, 0) for pipe in range(4)], 5000),
}


class Program:
    """A program with its chip and entries, and how its packets look."""

    def __init__(self, name, path, port, high, cells, commands, was_deflected):
        self.name, self.path, self.port = name, path, port
        self.chip, self.commands, self.was_deflected = entries.chip(high, cells), "\n".join(commands) + "\n", was_deflected


def run(polyplane, program, case, folder):
    """What became of the packets of a case."""
    senders, packets = CASES[case]
    starts = dict(zip((sender for sender, _ in senders), traffic.spread(len(senders))))
    (folder / "chip.toml").write_text(program.chip)
    (folder / "entries.txt").write_text(program.commands)
    arguments = [polyplane, "run", program.path, "--chip", folder / "chip.toml", "--tables", folder / "entries.txt"]
    for sender, receiver in senders:
        capture = folder / f"{sender}.pcap"
        traffic.write(capture, program.port, sender, receiver, packets, starts[sender])
        arguments += ["--traffic", f"{entries.device_port(sender)}={capture}"]
    arguments += ["--out-dir", folder / "out"]
    ran = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True)
    if ran.returncode != 0:
        raise RuntimeError(ran.stderr[-2000:])
    first = min(starts.values())
    since = {sender: start - first for sender, start in starts.items()}
    fates = traffic.Fates(program.was_deflected)
    for path in (folder / "out").glob("*.pcap*"):
        for time, frame in traffic.read(path):
            fates.count(time, frame, since)
    return fates, len(senders) * packets


def main(polyplane, folder):
    folder, wrong = pathlib.Path(folder), 0
    here = pathlib.Path(__file__).resolve().parent
    print("| case | program | whole | trimmed in ingress | deflected | lost | longest way of a deflected header |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="polyplane-trimming-") as scratch:
        scratch = pathlib.Path(scratch)
        theirs = scratch / "authors"
        shutil.copytree(folder, theirs)
        (theirs / "common").mkdir(exist_ok=True)
        if not (theirs / "common/util.p4").exists():
            (theirs / "common/util.p4").write_text(OWN_UTILITIES)
        programs = [
            *(
                Program(name, theirs / "ndp.p4", 666, 1, 191, entries.theirs(queue), lambda frame: frame[42] & 0x10 != 0)
                for name, queue in (("the authors'", 0), ("the authors', UPDATEs first", 1))
            ),
            Program(
                "ours", here.parent.parent / "programs/p4/ndp/ndp.p4", 20036, 2, 190, entries.ours(),
                lambda frame: frame[15] >> 2 == 12),
        ]
        for case in CASES:
            for number, program in enumerate(programs):
                own = scratch / f"{case} {number}"
                own.mkdir()
                fates, sent = run(polyplane, program, case, own)
                lost = sent - fates.whole - fates.in_ingress - fates.deflected
                wrong += lost < 0
                print(
                    f"| {case} | {program.name} | {fates.whole} | {fates.in_ingress} | {fates.deflected} | {lost} "
                    f"| {fates.longest / 1000:.1f} us |", flush=True)
                shutil.rmtree(own)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
