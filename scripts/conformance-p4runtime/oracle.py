"""Decides constraints on entries a second time, straight from P4Info and the messages of a controller.

Polyplane's own implementation is compiled and works on the values of the program. This one is a plain reading of the
language specification of p4lang/p4-constraints: a constraint becomes an expression of Python. Where the two agree on every
entry and on random changes of it, neither misreads it.
"""

import ipaddress
import re

from p4.config.v1 import p4info_pb2

MatchType = p4info_pb2.MatchField

TOKEN = re.compile(
    r"""\s+|//[^\n]*|/\*.*?\*/
    |(?P<number>\d\w*)
    |(?P<address>(?:ipv4|ipv6|mac)\s*\(\s*'[^']*'\s*\))
    |(?P<name>[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)
    |(?P<sign>&&|\|\||->|::|==|!=|>=|<=|[!\-;<>()])""",
    re.VERBOSE | re.DOTALL,
)


class Typed:
    """A value with its width: None for integers of any size, 0 for texts, which have no width here either."""

    def __init__(self, number, width=None):
        self.number, self.width = number, width


class Key:
    """The match of a key: its fields by name, and its width and kind."""

    def __init__(self, fields, width, kind):
        self.fields, self.width, self.kind = fields, width, kind


def cut(number, width):
    return number % (1 << width) if width else number


def compare(left, relation, right):
    if isinstance(left, bool):
        answers = {"==": left == right, "!=": left != right}
        return answers[relation]
    if isinstance(right, Key) and not isinstance(left, Key):
        return compare(right, {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(relation, relation), left)
    if isinstance(left, Key):
        if isinstance(right, Key):
            same = left.fields == right.fields
        elif left.kind == MatchType.EXACT:
            return compare(Typed(left.fields["value"], left.width), relation, right)
        else:
            value = cut(right.number, left.width)
            ones = (1 << left.width) - 1 if left.width else -1
            whole = {"value": value, "mask": ones, "prefix_length": left.width, "low": value, "high": value}
            same = all(own == whole[name] for name, own in left.fields.items())
        return same == (relation == "==")
    width = next((side.width for side in (left, right) if side.width is not None), None)
    a, b = (cut(side.number, width) if side.width is None else side.number for side in (left, right))
    return {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[relation]


class Constraint:
    """A constraint, as a tree of tuples."""

    def __init__(self, text):
        self.tokens, at = [], 0
        while at < len(text):
            found = TOKEN.match(text, at)
            if found is None:
                raise ValueError(f"{text[at:]!r} begins nothing")
            if found.lastgroup:
                self.tokens.append((found.lastgroup, found.group(found.lastgroup)))
            at = found.end()
        self.at = 0
        self.tree = self.sequence()
        if self.at != len(self.tokens):
            raise ValueError(f"{self.tokens[self.at :]} is left")

    def sign(self, *signs):
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "sign" and self.tokens[self.at][1] in signs:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return None

    def binary(self, below, *signs):
        left = below()
        while found := self.sign(*signs):
            left = (found, left, below())
        return left

    def sequence(self):
        left = self.implication()
        while self.sign(";"):
            if self.at == len(self.tokens) or self.tokens[self.at] == ("sign", ")"):
                break
            left = ("&&", left, self.implication())
        return left

    def implication(self):
        return self.binary(self.disjunction, "->")

    def disjunction(self):
        return self.binary(self.conjunction, "||")

    def conjunction(self):
        return self.binary(self.comparison, "&&")

    def comparison(self):
        return self.binary(self.operand, "==", "!=", "<", "<=", ">", ">=")

    def operand(self):
        if found := self.sign("!", "-"):
            return ("not" if found == "!" else "negative", self.operand())
        if self.sign("("):
            inside = self.sequence()
            if not self.sign(")"):
                raise ValueError("`)` is missing")
            return inside
        if self.sign("::"):
            self.at += 1
            return ("attribute", self.tokens[self.at - 1][1])
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            digits = text[2:] if text[:2] in ("0d", "0D") else text
            return ("number", int(digits, 0) if not digits.isdigit() else int(digits))
        if kind == "address":
            name, quoted = text.split("(", 1)
            inside = quoted.split("'")[1]
            number = int(inside.replace(":", ""), 16) if name.strip() == "mac" else int(ipaddress.ip_address(inside))
            return ("number", number)
        if text in ("true", "false"):
            return ("known", text == "true")
        node = ("name", re.sub(r"\s", "", text))
        if self.sign("::"):
            self.at += 1
            node = ("field", node, self.tokens[self.at - 1][1])
        return node

    def holds(self, names, priority=0):
        return self.value(self.tree, names, priority)

    def value(self, node, names, priority):
        of = lambda own: self.value(own, names, priority)
        match node:
            case ("known", answer):
                return answer
            case ("number", number):
                return Typed(number)
            case ("name", name):
                return names[name]
            case ("attribute", "priority"):
                return Typed(priority)
            case ("field", key, field):
                key = of(key)
                return Typed(key.fields[field], None if field == "prefix_length" else key.width)
            case ("not", own):
                return not of(own)
            case ("negative", own):
                return Typed(-of(own).number)
            case ("&&", left, right):
                return of(left) and of(right)
            case ("||", left, right):
                return of(left) or of(right)
            case ("->", left, right):
                return not of(left) or of(right)
            case (relation, left, right):
                return compare(of(left), relation, of(right))


def constraint_of(preamble, annotation):
    """The constraint in an annotation of a table or action, or None."""
    start = f"@{annotation}("
    text = next((text for text in preamble.annotations if text.startswith(start)), None)
    return None if text is None else Constraint("\n".join(re.findall(r'"([^"]*)"', text[len(start) :])))


class Constraints:
    """The constraints of a program."""

    def __init__(self, p4info):
        self.p4info = p4info
        self.tables = {
            table.preamble.id: (table, constraint_of(table.preamble, "entry_restriction")) for table in p4info.tables
        }
        self.actions = {
            action.preamble.id: (action, constraint_of(action.preamble, "action_restriction"))
            for action in p4info.actions
        }

    def admit(self, entry):
        """Whether an entry violates no constraint."""
        table, constraint = self.tables[entry.table_id]
        if constraint is not None and not constraint.holds(keys_of(table, entry), entry.priority):
            return False
        sets = entry.action.action_profile_action_set.action_profile_actions
        actions = [entry.action.action] if entry.action.HasField("action") else [one.action for one in sets]
        return all(self.admits_action(action) for action in actions)

    def admits_action(self, given):
        action, constraint = self.actions[given.action_id]
        if constraint is None:
            return True
        values = {param.param_id: int.from_bytes(param.value, "big") for param in given.params}
        return constraint.holds({own.name: Typed(values[own.id], own.bitwidth) for own in action.params})


def keys_of(table, entry):
    """The keys of an entry by name; what it leaves out matches anything (P4Runtime specification, section 9.1.1)."""
    number = lambda text: int.from_bytes(text, "big")
    given = {match.field_id: match for match in entry.match}
    keys = {}
    for field in table.match_fields:
        match, ones = given.get(field.id), (1 << field.bitwidth) - 1 if field.bitwidth else -1
        kind = field.match_type
        if kind == MatchType.EXACT:
            fields = {"value": number(match.exact.value)}
        elif kind == MatchType.OPTIONAL:
            fields = {"value": number(match.optional.value), "mask": ones} if match else {"value": 0, "mask": 0}
        elif kind == MatchType.TERNARY:
            own = match.ternary if match else None
            fields = {"value": number(own.value) if own else 0, "mask": number(own.mask) if own else 0}
        elif kind == MatchType.LPM:
            own = match.lpm if match else None
            fields = {"value": number(own.value) if own else 0, "prefix_length": own.prefix_len if own else 0}
        else:
            own = match.range if match else None
            fields = {"low": number(own.low) if own else 0, "high": number(own.high) if own else ones}
        keys[field.name] = Key(fields, field.bitwidth, kind)
    return keys
