"""The answers of p4-constraints itself: sonic-pins keeps those of its own server for some requests.

`p4rt_app/tests/golden_outputs/p4_constraints_test.expected` has for each test a request and the answer to it, in which the
part of the constraint that fails is underlined and the keys that it speaks of are listed.
"""

import pathlib
import re

import text_format

FILE = pathlib.Path("p4rt_app/tests/golden_outputs/p4_constraints_test.expected")


class Answer:
    def __init__(self, name, request, answer):
        self.name, self.request = name, text_format.read(request)
        self.is_refused = "INVALID_ARGUMENT" in answer
        # The line that is quoted, and the line below it with the underline; both begin with a margin that ends in `|`.
        quoted = re.search(r"^\s*\d+ \|(?P<line>.*)\n\s*\|(?P<underline> *\^+)", answer, re.MULTILINE)
        self.part = None
        if quoted:
            underline = quoted["underline"]
            self.part = quoted["line"][underline.index("^") : len(underline)]
        self.names = re.findall(r'(?:Field|Param name): "([^"]*)"', answer)


def answers(checkout):
    """All answers; none if the file is not there."""
    path = checkout / FILE
    text = path.read_text() if path.exists() else ""
    found = re.split(r"^=== Test: (.*) ===\n", text, flags=re.MULTILINE)[1:]
    result = []
    for name, body in zip(found[::2], found[1::2]):
        request, answer = re.split(r"^--- OUTPUT.*\n", body, maxsplit=1, flags=re.MULTILINE)
        result.append(Answer(name, request.split("\n", 1)[1], answer))
    return result
