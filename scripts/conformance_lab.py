#!/usr/bin/env python3
"""Runs every exercise of the P4 tutorials in a lab of `polyplane`, from a checkout, and says which do what their README says.

The exercises run in copies of their folders, so that nothing is written into the checkout. The exit status is 1 if one fails.
"""

import argparse
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent / "lab"))

import exercises  # noqa: E402
from lab import Lab  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tutorials", type=pathlib.Path, help="a checkout of p4lang/tutorials")
    parser.add_argument("--polyplane", type=pathlib.Path, required=True, help="the program polyplane")
    parser.add_argument("--python", type=pathlib.Path, help="the Python that has what the exercises' scripts import")
    parser.add_argument("--report", type=pathlib.Path, help="the page whose table is replaced")
    parser.add_argument("--only", action="append", help="the name of an exercise; may be given several times")
    arguments = parser.parse_args()
    rows, failures = [], 0
    for exercise in exercises.ALL:
        name = exercise.__name__
        if arguments.only and name not in arguments.only:
            continue
        began = time.monotonic()
        try:
            result, seen = "passes", run(exercise, arguments)
        except Exception as failed:  # noqa: BLE001: whatever it is, the other exercises still run
            result, seen, failures = "**fails**", " ".join(str(failed).split()), failures + 1
        print(f"{name:15} {result:9} {time.monotonic() - began:5.1f} s  {seen}", flush=True)
        cell = seen.replace("|", "\\|")
        rows.append(f"| `{name}` | {result} | {cell} |")
    if arguments.report and not arguments.only:
        replace_table(arguments.report, rows)
    print(f"{len(rows) - failures} passed, {failures} failed")
    return 1 if failures else 0


def run(exercise, arguments):
    with tempfile.TemporaryDirectory(prefix="polyplane-lab-") as folder:
        checkout = pathlib.Path(folder)
        shutil.copytree(arguments.tutorials / "utils", checkout / "utils")
        place = checkout / "exercises" / exercise.__name__
        shutil.copytree(arguments.tutorials / "exercises" / exercise.__name__, place)
        # As `make` does in an exercise.
        for name in ("build", "logs", "pcaps"):
            (place / name).mkdir()
        polyplane = str(arguments.polyplane.resolve())
        # The path of the environment, and not that of the interpreter to which it leads.
        python = arguments.python and arguments.python.absolute()
        return exercise(lambda plan, *programs, **options: Lab(polyplane, place, plan, *programs, python=python, **options))


def replace_table(page, rows):
    """Puts the rows between the marks of the page."""
    begin, end = "<!-- table of the exercises -->", "<!-- end of the table -->"
    before, rest = page.read_text().split(begin)
    after = rest.split(end)[1]
    table = "\n".join(["| exercise | | what was seen |", "|---|---|---|", *rows])
    page.write_text(f"{before}{begin}\n{table}\n{end}{after}")


if __name__ == "__main__":
    sys.exit(main())
