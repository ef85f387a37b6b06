"""Writes the table entries of sonic-pins' tests to a server of SAI P4, reads them back, and sends packets.

Usage: main.py POLYPLANE SONIC_PINS [PROGRAM...]. SONIC_PINS is a checkout of sonic-net/sonic-pins. The last line is the
count; the exit status is 1 if something is not as it must be.
"""

import pathlib
import random
import sys

import entries
import golden
import oracle
import packets
import random_entries
import session
import text_format
from google.rpc import code_pb2

INSTANTIATIONS = pathlib.Path("sai_p4/instantiations/google")
PROGRAMS = ["middleblock", "fabric_border_router", "tor", "wbb"]
RANDOM_ENTRIES = 2_000
# The server shortens the messages of a batch with many refusals, and each is to be told in full.
BATCH = 20


class Outcome:
    """What was checked, and what was wrong."""

    def __init__(self, program):
        self.program, self.checked, self.wrong = program, 0, []

    def check(self, is_right, said):
        self.checked += 1
        if not is_right:
            self.wrong.append(said)


def sources(checkout):
    return [path for path in sorted(checkout.rglob("*")) if path.suffix in (".cc", ".h") and path.is_file()]


def messages(checkout):
    """The messages in the raw strings of all sources."""
    texts = (path.read_text(errors="replace") for path in sources(checkout))
    return [message for text in texts for message in text_format.messages_of(text)[0]]


def entries_of(program, all_messages):
    """The different entries of a program."""
    found = {}
    for message in all_messages:
        for entry in entries.of_message(message, program)[0]:
            found.setdefault(entry.SerializeToString(deterministic=True), entry)
    return list(found.values())


def rounds(found):
    """Lists in which no two entries have the same key, which a table does not hold at once."""
    result = []
    for entry in found:
        place = next((one for one in result if entries.key(entry) not in one), None)
        if place is None:
            result.append(place := {})
        place[entries.key(entry)] = entry
    return [list(one.values()) for one in result]


def normal(entry):
    """The entry in the one form that a comparison needs: its matches and arguments in the order of their ids."""
    own = type(entry)()
    own.CopyFrom(entry)
    matches = sorted(own.match, key=lambda match: match.field_id)
    del own.match[:]
    own.match.extend(matches)
    return own.SerializeToString(deterministic=True)


def is_refusal(status):
    code, message = status
    return code == code_pb2.INVALID_ARGUMENT and " restricts its " in message


def write_all(outcome, controller, constraints, chosen, note):
    """Inserts entries of different keys, holds the answers against the oracle, reads back and deletes."""
    statuses = controller.write_entries(session.INSERT, chosen)
    admitted, room = [], {table.preamble.id: table.size for table in constraints.p4info.tables}
    for entry, status in zip(chosen, statuses):
        if constraints.admit(entry):
            if room[entry.table_id] == 0:
                outcome.check(status[0] == code_pb2.RESOURCE_EXHAUSTED, f"{note}: {entries.shown(entry)}: {status}")
                continue
            room[entry.table_id] -= 1
            outcome.check(status[0] == code_pb2.OK, f"{note}: {entries.shown(entry)}: {status}")
            if status[0] == code_pb2.OK:
                admitted.append(entry)
        else:
            outcome.check(is_refusal(status), f"{note}: not refused for its constraint: {entries.shown(entry)}: {status}")
    written, read = ({normal(entry) for entry in own} for own in (admitted, controller.entries()))
    outcome.check(written == read, f"{note}: {len(written - read)} entries are not read back, {len(read - written)} others are")
    gone = controller.write_entries(session.DELETE, admitted)
    outcome.check(all(code == code_pb2.OK for code, _ in gone), f"{note}: {[status for status in gone if status[0]][:3]}")
    outcome.check(controller.entries() == [], f"{note}: entries are left")
    return len(admitted), len(chosen) - len(admitted)


def entries_of_tests(outcome, controller, program, constraints, all_messages):
    found = entries_of(program, all_messages)
    counts = [write_all(outcome, controller, constraints, one, "tests") for one in rounds(found)]
    return [sum(column) for column in zip(*counts)] or [0, 0]


def answers_of_theirs(outcome, controller, program, answers):
    """Holds our answers against those of p4-constraints: what is refused, by which part, for which keys."""
    count = 0
    for answer in answers:
        found, others = entries.of_message(answer.request, program)
        if others or len(found) != 1:
            continue  # an entry of another program
        count += 1
        (status,) = controller.write_entries(session.INSERT, found)
        # Their part begins where ours does, and ends before a parenthesis that belongs to it.
        is_told = f": `{answer.part}" in status[1] and all(f"`{own}`" in status[1] for own in answer.names)
        is_right = is_refusal(status) and is_told if answer.is_refused else status[0] == code_pb2.OK
        outcome.check(is_right, f"{answer.name}: {status}, with `{answer.part}` and {answer.names}")
        if status[0] == code_pb2.OK:
            controller.write_entries(session.DELETE, found)
    return count


def entries_by_chance(outcome, controller, program, constraints):
    source = random.Random(outcome.program)
    maker = random_entries.Maker(program, source)
    tables = [table for table in program.p4info.tables if maker.entry(table) is not None]
    made = [maker.entry(tables[number % len(tables)]) for number in range(RANDOM_ENTRIES)] if tables else []
    counts = []
    for one in rounds(made):
        counts += [
            write_all(outcome, controller, constraints, one[at : at + BATCH], "chance") for at in range(0, len(one), BATCH)
        ]
    return [sum(column) for column in zip(*counts)] or [0, 0]


def run(polyplane, checkout, name, all_messages, answers):
    outcome = Outcome(name)
    source = checkout / INSTANTIATIONS / f"{name}.p4"
    with session.server(polyplane, ["serve", str(source)]) as address, session.Session(address) as controller:
        p4info = controller.p4info()
        program, constraints = entries.Program(p4info), oracle.Constraints(p4info)
        of_tests = entries_of_tests(outcome, controller, program, constraints, all_messages)
        theirs = answers_of_theirs(outcome, controller, program, answers)
        by_chance = entries_by_chance(outcome, controller, program, constraints)
    sent = packets.run(outcome, polyplane, source) if packets.suits(name) else 0
    print(
        f"{name}: entries of tests: {of_tests[0]} written and read back, {of_tests[1]} refused; "
        f"by chance: {by_chance[0]} and {by_chance[1]}; answers of theirs: {theirs}; packets: {sent}; checks: {outcome.checked}, wrong: {len(outcome.wrong)}"
    )
    for said in outcome.wrong[:20]:
        print(f"  {said}")
    return outcome


def main():
    polyplane, checkout, *chosen = sys.argv[1:]
    checkout = pathlib.Path(checkout)
    all_messages, answers = messages(checkout), golden.answers(checkout)
    outcomes = [run(polyplane, checkout, name, all_messages, answers) for name in chosen or PROGRAMS]
    wrong = sum(len(outcome.wrong) for outcome in outcomes)
    print(f"{sum(outcome.checked for outcome in outcomes)} checks, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
