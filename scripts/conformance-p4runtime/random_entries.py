"""Random entries of a program's tables, many of which a constraint admits and many of which it refuses."""

import re

from p4.config.v1 import p4info_pb2
from p4.v1 import p4runtime_pb2

from entries import canonical

MatchType = p4info_pb2.MatchField
Reference = p4info_pb2.ActionRef
TEXTS = ["1", "2", "7", "a", "vrf-80"]


def constants(preamble):
    """The numbers in the annotations of a table or action, at which constraints decide."""
    text = " ".join(preamble.annotations)
    return [int(own, 0) for own in re.findall(r"\b(?:0x[0-9a-fA-F]+|[1-9]\d*)\b", text)] + [0, 1, 2]


class Maker:
    def __init__(self, program, random):
        self.program, self.random = program, random

    def number(self, width, known):
        fitting = [own for own in known if own.bit_length() <= width]
        choice = self.random.random()
        if choice < 0.6:
            return self.random.choice(fitting)
        if choice < 0.75:
            return (1 << width) - 1
        return self.random.getrandbits(width)

    def value(self, width, known):
        if width == 0:
            return self.random.choice(TEXTS).encode()
        return canonical(self.number(width, known))

    def match(self, field, known):
        """The match of a field, or None where it is left out."""
        own, width = p4runtime_pb2.FieldMatch(field_id=field.id), field.bitwidth
        if field.match_type == MatchType.EXACT:
            own.exact.value = self.value(width, known)
            return own
        if self.random.random() < 0.55:
            return None
        if field.match_type == MatchType.OPTIONAL:
            own.optional.value = self.value(width, known)
        elif field.match_type == MatchType.TERNARY:
            ones = (1 << width) - 1
            mask = ones if self.random.random() < 0.7 else self.number(width, known) or ones
            own.ternary.value, own.ternary.mask = canonical(self.number(width, known) & mask), canonical(mask)
        elif field.match_type == MatchType.LPM:
            own.lpm.prefix_len = self.random.randint(1, width)
            mask = ((1 << own.lpm.prefix_len) - 1) << (width - own.lpm.prefix_len)
            own.lpm.value = canonical(self.number(width, known) & mask)
        else:
            low, high = sorted(self.number(width, known) for _ in range(2))
            if (low, high) == (0, (1 << width) - 1):
                return None
            own.range.low, own.range.high = canonical(low), canonical(high)
        return own

    def fill(self, action, reference):
        known = self.program.actions_by_id[reference.id]
        action.action_id = known.preamble.id
        for param in known.params:
            value = self.value(param.bitwidth, constants(known.preamble))
            action.params.add(param_id=param.id, value=value)

    def entry(self, table):
        """An entry of a table; None if no action may be in its entries."""
        references = [own for own in table.action_refs if own.scope != Reference.DEFAULT_ONLY]
        if not references or table.is_const_table:
            return None
        entry = p4runtime_pb2.TableEntry(table_id=table.preamble.id)
        known = constants(table.preamble)
        entry.match.extend(own for own in (self.match(field, known) for field in table.match_fields) if own)
        kinds = (MatchType.TERNARY, MatchType.OPTIONAL, MatchType.RANGE)
        if any(field.match_type in kinds for field in table.match_fields):
            entry.priority = self.random.randint(1, 1 << 20)
        if table.implementation_id in self.program.selectors:
            one = entry.action.action_profile_action_set.action_profile_actions.add(weight=1)
            self.fill(one.action, self.random.choice(references))
        else:
            self.fill(entry.action.action, self.random.choice(references))
        return entry
