"""Reads protobuf text without knowing its messages, and finds such texts in the sources of programs.

The tests of sonic-pins hold their table entries as raw strings of C++, in dialects whose message types are generated from
the P4 program. A text is read as a tree: a message is a list of (name, value), a value a message, a string, a number or
a word.
"""

import re

TOKEN = re.compile(
    r"""\s+|\#[^\n]*
    |(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<word>-?[A-Za-z0-9_.+][A-Za-z0-9_.+-]*)
    |(?P<sign>[{}<>\[\]:;,])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


class NotText(Exception):
    """What was read is no text of a message."""


class Word(str):
    """A value without quotes: a number, `true`, the name of a constant."""


def tokens(text):
    for found in TOKEN.finditer(text):
        kind = found.lastgroup
        if kind == "other":
            raise NotText(f"`{found.group()}` begins nothing")
        if kind is not None:
            yield kind, found.group(kind)
    yield "end", ""


def unescaped(quoted):
    """The bytes of a string in quotes."""
    simple = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34, "?": 63}
    result, rest = bytearray(), quoted[1:-1]
    pattern = re.compile(r"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|(.))|([^\\]+)", re.DOTALL)
    for octal, hexadecimal, one, plain in pattern.findall(rest):
        if plain:
            result += plain.encode()
        elif octal:
            result.append(int(octal, 8) & 255)
        elif hexadecimal:
            result.append(int(hexadecimal, 16))
        elif one in simple:
            result.append(simple[one])
        else:
            raise NotText(f"`\\{one}` is no character")
    return bytes(result)


class Reader:
    def __init__(self, text):
        self.tokens = list(tokens(text))
        self.at = 0

    def peek(self):
        return self.tokens[self.at]

    def take(self):
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def message(self, end):
        fields = []
        while True:
            kind, text = self.peek()
            if (kind == "sign" and text == end) or (kind == "end" and end == ""):
                self.take()
                return fields
            if kind != "word":
                raise NotText(f"the name of a field is missing before `{text}`")
            name = self.take()[1]
            has_colon = self.peek() == ("sign", ":")
            if has_colon:
                self.take()
            if self.peek() == ("sign", "["):
                self.take()
                while self.peek() != ("sign", "]"):
                    fields.append((name, self.value(True)))
                    if self.peek() == ("sign", ","):
                        self.take()
                self.take()
            else:
                fields.append((name, self.value(has_colon)))
            if self.peek() in (("sign", ","), ("sign", ";")):
                self.take()

    def value(self, has_colon):
        kind, text = self.take()
        if kind == "sign" and text in "{<":
            return self.message({"{": "}", "<": ">"}[text])
        if not has_colon:
            raise NotText(f"`:` is missing before `{text}`")
        if kind == "string":
            whole = unescaped(text)
            while self.peek()[0] == "string":
                whole += unescaped(self.take()[1])
            return whole
        if kind == "word":
            return Word(text)
        raise NotText(f"a value is missing before `{text}`")


def read(text):
    """The message of a text.

    Raises NotText if it is none, such as one with places that the test fills in.
    """
    return Reader(text).message("")


def first(message, name, default=None):
    """The first value of a field."""
    return next((value for own, value in message if own == name), default)


RAW = re.compile(r'R"(?P<mark>[A-Za-z]*)\((?P<text>.*?)\)(?P=mark)"', re.DOTALL)


def messages_of(source):
    """The messages in the raw strings of a C++ source, and how many texts were none."""
    found, others = [], 0
    for raw in RAW.finditer(source):
        try:
            found.append(read(raw.group("text")))
        except NotText:
            others += 1
    return found, others
