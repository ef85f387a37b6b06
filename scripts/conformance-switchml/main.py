"""Has workers of SwitchML add vectors of random integers with p4app-switchML, on the chip that Polyplane runs.

Usage: main.py POLYPLANE FOLDER [CASE...]. FOLDER is that of the program, `dev_root/p4` in a checkout of p4lang/p4app-switchML, which runs as
it is. The workers, their links and the expected sums are here; the switch is `polyplane live`, each of its ports a UDP socket.
The last line is the count; the exit status is 1 if something is not as it must be.
"""

import dataclasses
import pathlib
import random
import struct
import sys

sys.dont_write_bytecode = True

import entries  # noqa: E402
from link import Link  # noqa: E402
from switch import Switch  # noqa: E402
from worker import Worker  # noqa: E402

SLOTS = 512
TIMEOUT = 0.2
# A worker sends 5000 packets a second, so that few are lost between processes: sockets have room for a hundred.
GAP = 0.0002


@dataclasses.dataclass
class Case:
    """A job: so many workers, values in a packet and pieces of a vector, and what goes wrong on the way."""

    workers: int
    values: int
    pieces: int
    dropped: float = 0
    late: float = 0
    doubled: float = 0

    def __str__(self):
        wrong = [f"{share:.0%} {word}" for word, share in (("dropped", self.dropped), ("late", self.late), ("doubled", self.doubled)) if share]
        return f"{self.workers} workers, {self.values} values a packet" + "".join(f", {one}" for one in wrong)


CASES = [
    Case(workers, values, 4 * SLOTS, **wrong)
    for values in (64, 256)
    for workers in (2, 8)
    for wrong in ({}, {"dropped": 0.01}, {"dropped": 0.01, "late": 0.02, "doubled": 0.05})
]


def vectors(case, source):
    """For each worker its pieces and exponents. The sum of all workers' integers is one of 32 bits with a sign."""
    most = 2**31 // case.workers - 1
    for _ in range(case.workers):
        numbers = [[source.randint(-most, most) for _ in range(case.values)] for _ in range(case.pieces)]
        yield numbers, [(source.randint(-128, 127), source.randint(-128, 127)) for _ in range(case.pieces)]


def run(polyplane, program, case):
    """Runs a case and says what was seen; raises what was wrong."""
    source = random.Random(str(case))
    given = list(vectors(case, source))
    form = f"!{case.values}i"
    workers = [
        Worker(number, [struct.pack(form, *piece) for piece in numbers], exponents, SLOTS, TIMEOUT)
        for number, (numbers, exponents) in enumerate(given)
    ]
    links = [
        [Link(source.random(), gap, case.late, case.doubled, 2.5 * TIMEOUT) for gap in (GAP, 0)] for _ in workers
    ]
    commands = entries.commands(case.workers, case.values)
    ports = [entries.port_of(worker.number) for worker in workers]
    chip = entries.chip(case.workers, case.values, case.dropped)
    with Switch(polyplane, program, chip, commands, ports) as switch:
        seconds = switch.drive(workers, links)
        dropped = switch.counted("Ingress.egress_drop_sim.simulated_drop_packet_counter")
        received = switch.counted("Ingress.udp_receiver.receive_counter")
    # It draws for ingress and for egress.
    share = dropped / received
    assert case.dropped <= share <= 3 * case.dropped, f"the drop simulator dropped {dropped} of {received} packets"
    numbers, exponents = zip(*given)
    for piece in range(case.pieces):
        total = struct.pack(form, *map(sum, zip(*(own[piece] for own in numbers))))
        for worker in workers:
            assert worker.sums[piece] == total, f"worker {worker.number}, piece {piece}: another sum"
            # `Exponents` gives the greatest exponents to fields of a struct that it also takes as `inout`. They are copied out first and the
            # struct last (P4_16, section 6.8), so that they have the values again with which the packet came: whichever sent the answer.
            assert worker.answered[piece] in {own[piece] for own in exponents}, f"worker {worker.number}, piece {piece}: other exponents"
    again = sum(worker.sent_again for worker in workers)
    superfluous = sum(worker.superfluous for worker in workers)
    late, doubled = (sum(counts) for counts in zip(*((link.have_been_late, link.have_been_doubled) for both in links for link in both)))
    return (
        f"{case.workers * case.pieces} packets, {again} sent again, {late} late and {doubled} doubled, {dropped} dropped by the program, {superfluous} results more than needed, {seconds:.1f} s"
    )


def main():
    polyplane, folder, *chosen = sys.argv[1:]
    program = pathlib.Path(folder) / "switchml.p4"
    failed = 0
    cases = [case for case in CASES if not chosen or str(case) in chosen]
    for case in cases:
        try:
            seen = f"sums are right: {run(polyplane, program, case)}"
        except Exception as wrong:  # noqa: BLE001: whatever it is, the other cases still run
            seen, failed = f"FAILED: {type(wrong).__name__}: {wrong}", failed + 1
        print(f"| p4app-switchML, {case} | 1 | {seen} |", flush=True)
    print(f"{len(cases) - failed} ran, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
