"""Table entries of sonic-pins as messages of P4Runtime.

Two dialects are read, by the names of a program's P4Info:

- PD, generated from the program: `ipv4_table_entry { match { vrf_id: "v" ipv4_dst { value: "10.0.0.0" prefix_length: 8 } } … }`
- IR: `table_name: "ipv4_table" matches { name: "vrf_id" exact { str: "v" } } …`
"""

import ipaddress
import re

from google.protobuf import text_format
from p4.config.v1 import p4info_pb2
from p4.v1 import p4runtime_pb2

import text_format as generic

MatchType = p4info_pb2.MatchField


class NotOfProgram(Exception):
    """The entry is none of this program: another table, field, action, or an incomplete one."""


class Program:
    """What entries need to know of a program."""

    def __init__(self, p4info):
        self.p4info = p4info
        self.tables = {table.preamble.alias: table for table in p4info.tables}
        self.tables_by_id = {table.preamble.id: table for table in p4info.tables}
        self.actions = {action.preamble.alias: action for action in p4info.actions}
        self.actions_by_id = {action.preamble.id: action for action in p4info.actions}
        self.selectors = {profile.preamble.id for profile in p4info.action_profiles if profile.with_selector}

    def table(self, name):
        if name not in self.tables:
            raise NotOfProgram(f"table {name}")
        return self.tables[name]


def integer_of(text):
    """The number and the number of bytes of a value as PD and IR write it; None for other texts."""
    if re.fullmatch(r"0x[0-9a-fA-F]+", text):
        return int(text, 16)
    if re.fullmatch(r"([0-9a-fA-F]{1,2}:){5}[0-9a-fA-F]{1,2}", text):
        return int("".join(part.zfill(2) for part in text.split(":")), 16)
    try:
        return int(ipaddress.ip_address(text))
    except ValueError:
        return None


def canonical(number):
    """The shortest byte string of a number (P4Runtime specification, section 8.3)."""
    return number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big")


def encoded(value, bitwidth):
    """The byte string of a value. Those of translated types without a width are texts."""
    if isinstance(value, list):  # IR: `hex_str`, `ipv4`, `mac`, `str`, `ipv6`
        if len(value) != 1:
            raise NotOfProgram("a value with several forms")
        return encoded(value[0][1], bitwidth)
    text = value.decode() if isinstance(value, bytes) else str(value)
    if bitwidth == 0:
        if text.startswith(("@", "$")):
            raise NotOfProgram(f"the place {text}")
        return text.encode()
    number = integer_of(text)
    if number is None or number.bit_length() > bitwidth:
        raise NotOfProgram(f"the value {text}")
    return canonical(number)


def number_of(value, bitwidth):
    return int.from_bytes(encoded(value, bitwidth), "big")


def set_match(entry, field, value):
    """Adds the match of a field, given as PD or IR has it."""
    match = p4runtime_pb2.FieldMatch(field_id=field.id)
    if isinstance(value, list) and value and value[0][0] in ("exact", "lpm", "ternary", "optional", "range"):
        value = value[0][1]  # IR names the kind of the match
    part = lambda name: generic.first(value, name)
    if field.match_type == MatchType.EXACT:
        match.exact.value = encoded(value, field.bitwidth)
    elif field.match_type == MatchType.OPTIONAL:
        match.optional.value = encoded(part("value"), field.bitwidth)
    elif field.match_type == MatchType.LPM:
        match.lpm.value = encoded(part("value"), field.bitwidth)
        match.lpm.prefix_len = int(part("prefix_length"))
        if match.lpm.prefix_len == 0:
            return
    elif field.match_type == MatchType.TERNARY:
        value, mask = (number_of(part(name), field.bitwidth) for name in ("value", "mask"))
        if mask == 0:
            return
        match.ternary.value, match.ternary.mask = canonical(value), canonical(mask)
    else:
        raise NotOfProgram(f"the match kind of {field.name}")
    entry.match.append(match)


def set_action(action, program, table, name, arguments):
    """Fills in an action by the name and the (name, value) of its arguments."""
    known = program.actions.get(name)
    default_only = p4info_pb2.ActionRef.DEFAULT_ONLY
    allowed = {reference.id for reference in table.action_refs if reference.scope != default_only}
    if known is None or known.preamble.id not in allowed:
        raise NotOfProgram(f"action {name}")
    action.action_id = known.preamble.id
    given = dict(arguments)
    if set(given) != {param.name for param in known.params}:
        raise NotOfProgram(f"arguments of {name}")
    for param in known.params:
        action.params.add(param_id=param.id, value=encoded(given[param.name], param.bitwidth))


def checked(entry, table):
    """The entry, if it has all that its table demands."""
    given = {match.field_id for match in entry.match}
    if any(field.match_type == MatchType.EXACT and field.id not in given for field in table.match_fields):
        raise NotOfProgram("a missing exact match")
    if not entry.HasField("action"):
        raise NotOfProgram("a missing action")
    kinds = (MatchType.TERNARY, MatchType.OPTIONAL, MatchType.RANGE)
    if any(field.match_type in kinds for field in table.match_fields) != (entry.priority != 0):
        raise NotOfProgram("a priority that is missing or may not be")
    return entry


def field_of(table, name):
    field = next((field for field in table.match_fields if field.name == name), None)
    if field is None:
        raise NotOfProgram(f"field {name}")
    return field


def of_ir(message, program):
    """An entry in the dialect IR."""
    table = program.table(generic.first(message, "table_name").decode())
    entry = p4runtime_pb2.TableEntry(table_id=table.preamble.id)
    for match in (value for name, value in message if name == "matches"):
        name = generic.first(match, "name").decode()
        rest = [(own, value) for own, value in match if own != "name"]
        set_match(entry, field_of(table, name), rest)
    named = lambda action: (
        generic.first(action, "name").decode(),
        [(generic.first(param, "name").decode(), generic.first(param, "value")) for own, param in action if own == "params"],
    )
    action, action_set = generic.first(message, "action"), generic.first(message, "action_set")
    if action is not None:
        set_action(entry.action.action, program, table, *named(action))
    elif action_set is not None:
        for one in (value for name, value in action_set if name == "actions"):
            own = entry.action.action_profile_action_set.action_profile_actions.add()
            own.weight = int(generic.first(one, "weight", "1"))
            set_action(own.action, program, table, *named(generic.first(one, "action")))
    entry.priority = int(generic.first(message, "priority", "0"))
    return checked(entry, table)


def of_pd(name, message, program):
    """An entry in the dialect PD: the name of its field and its message."""
    table = program.table(name.removesuffix("_entry"))
    entry = p4runtime_pb2.TableEntry(table_id=table.preamble.id)
    for own, value in generic.first(message, "match", []):
        set_match(entry, field_of(table, own), value)
    action = generic.first(message, "action")
    if action is not None:
        if len(action) != 1 or not isinstance(action[0][1], list):
            raise NotOfProgram("not one action")
        set_action(entry.action.action, program, table, *action[0])
    for one in (value for own, value in message if own in ("wcmp_actions", "actions")):
        own = entry.action.action_profile_action_set.action_profile_actions.add()
        own.weight = int(generic.first(one, "weight", "1"))
        set_action(own.action, program, table, *generic.first(one, "action")[0])
    entry.priority = int(generic.first(message, "priority", "0"))
    return checked(entry, table)


def of_message(message, program):
    """The entries in a message of any dialect, and how many of it are none of the program."""
    found, others = [], 0
    for name, value in [("", message)] + [pair for pair in nested(message)]:
        if not isinstance(value, list):
            continue
        try:
            if name.endswith("_table_entry"):
                found.append(of_pd(name, value, program))
            elif any(own == "table_name" for own, _ in value):
                found.append(of_ir(value, program))
        except NotOfProgram:
            others += 1
        except (AttributeError, TypeError, ValueError, IndexError):
            others += 1  # a name of these dialects that stands for something else here
    return found, others


def nested(message):
    for name, value in message:
        if isinstance(value, list):
            yield name, value
            yield from nested(value)


def key(entry):
    """What tells two entries apart: table, matches and priority."""
    matches = sorted(match.SerializeToString(deterministic=True) for match in entry.match)
    return entry.table_id, entry.priority, tuple(matches)


def shown(entry):
    return text_format.MessageToString(entry, as_one_line=True)
