//! Keys: the matches of table entries and of members of value sets (P4Runtime specification 1.4, section 9.1.1).

use runtime::Bits;
use runtime::tables::{FieldMatch, MatchKind};

use super::{Representation, Types, byte_string};
use crate::failure::Failure;
use crate::message::p4::v1::field_match::{Exact, FieldMatchType, Lpm, Optional, Range, Ternary};
use crate::message::p4::v1::{self, ValueSetMember};

/// The fields of a table or value set as messages refer to them.
#[derive(Clone, Debug)]
pub(super) struct KeyForm {
    /// The owner, for messages of errors.
    owner: String,
    fields: Vec<FieldForm>,
    /// Whether entries of several priorities may match.
    pub(super) has_priorities: bool,
    /// Whether entries refer to a profile.
    pub(super) is_indirect: bool,
}

#[derive(Clone, Debug)]
struct FieldForm {
    id: u32,
    name: String,
    kind: MatchKind,
    representation: Representation,
}

impl KeyForm {
    pub(super) fn new(owner: String, fields: &[control::MatchField], types: &Types, is_indirect: bool) -> Self {
        let form = |field: &control::MatchField| FieldForm {
            id: field.id,
            name: field.name.clone(),
            kind: field.kind,
            representation: types.of(field.width, field.type_name.as_deref()),
        };
        let has_priorities = fields.iter().any(|field| field.kind.has_priority());
        Self { owner, fields: fields.iter().map(form).collect(), has_priorities, is_indirect }
    }

    /// Reads a key. Fields that are left out take any value.
    ///
    /// # Errors
    /// Fails with `INVALID_ARGUMENT` if a field is unknown, given twice, of another kind, missing though it is exact, or
    /// given though it takes any value, and with `OUT_OF_RANGE` if a value does not fit. What else a key must obey is
    /// checked when the request is carried out.
    pub(super) fn read(&self, matches: &[v1::FieldMatch]) -> Result<Vec<FieldMatch>, Failure> {
        let mut key = vec![FieldMatch::Any; self.fields.len()];
        for (place, given) in matches.iter().enumerate() {
            let at = self.position(place, given.field_id)?;
            if !matches!(key[at], FieldMatch::Any) {
                return Err(Failure::invalid("the field is given twice").about(self.field(at)));
            }
            key[at] = self.fields[at].read(given).map_err(|failure| failure.about(self.field(at)))?;
        }
        let is_missing =
            |(own, asked): &(&FieldForm, &FieldMatch)| own.kind == MatchKind::Exact && matches!(asked, FieldMatch::Any);
        if let Some(at) = self.fields.iter().zip(&key).position(|pair| is_missing(&pair)) {
            return Err(Failure::invalid("the field is exact and has no value").about(self.field(at)));
        }
        Ok(key)
    }

    /// Writes a key, without the fields that take any value.
    pub(super) fn write(&self, key: &[FieldMatch]) -> Vec<v1::FieldMatch> {
        let mut matches = Vec::with_capacity(key.len());
        for (own, asked) in self.fields.iter().zip(key) {
            if let Some(field_match_type) = own.write(asked) {
                matches.push(v1::FieldMatch { field_id: own.id, field_match_type: Some(field_match_type) });
            }
        }
        matches
    }

    /// Reads the members of a value set. Its single field may be repeated, with one member for each value.
    pub(super) fn read_members(&self, members: &[ValueSetMember]) -> Result<Vec<Vec<FieldMatch>>, Failure> {
        let mut keys = Vec::with_capacity(members.len());
        for member in members {
            match member.r#match.as_slice() {
                // So the example in section 9.6 gives several values of a plain number.
                several @ [_, _, ..] if self.fields.len() == 1 => {
                    for one in several.chunks(1) {
                        keys.push(self.read(one)?);
                    }
                }
                one => keys.push(self.read(one)?),
            }
        }
        Ok(keys)
    }

    /// Returns the position of the field with this id; mostly the fields are given in order.
    fn position(&self, place: usize, id: u32) -> Result<usize, Failure> {
        if self.fields.get(place).is_some_and(|field| field.id == id) {
            return Ok(place);
        }
        self.fields.iter().position(|field| field.id == id).ok_or_else(|| {
            let known = self.fields.iter().map(|field| format!("{} (`{}`)", field.id, field.name));
            let known = known.collect::<Vec<_>>().join(", ");
            Failure::invalid(format!("{} has no field with id {id}; it has {known}", self.owner))
        })
    }

    fn field(&self, at: usize) -> String {
        format!("field `{}` of {}", self.fields[at].name, self.owner)
    }
}

impl FieldForm {
    fn read(&self, given: &v1::FieldMatch) -> Result<FieldMatch, Failure> {
        let value = |bytes: &[u8]| self.representation.read(bytes);
        let asked = match (self.kind, &given.field_match_type) {
            (MatchKind::Exact, Some(FieldMatchType::Exact(exact))) => {
                return value(&exact.value).map(FieldMatch::Exact);
            }
            (MatchKind::Optional, Some(FieldMatchType::Optional(own))) => {
                return value(&own.value).map(FieldMatch::Exact);
            }
            (_, Some(FieldMatchType::Other(_))) => {
                return Err(Failure::unimplemented("there are no kinds of match beyond the specification's"));
            }
            (_, None) => return Err(Failure::invalid("the match is missing")),
            // Numbers of the server's choice have no order and no bits that would mean something (section 18.1.3).
            _ if self.representation.is_text() && self.kind != MatchKind::Exact && self.kind != MatchKind::Optional => {
                return Err(Failure::unimplemented("strings can only be matched by `exact` and `optional`"));
            }
            (MatchKind::Lpm, Some(FieldMatchType::Lpm(prefix))) => {
                let length = u32::try_from(prefix.prefix_len)
                    .map_err(|_| Failure::invalid(format!("the prefix length {} is negative", prefix.prefix_len)))?;
                FieldMatch::Prefix { value: value(&prefix.value)?, length }
            }
            (MatchKind::Ternary, Some(FieldMatchType::Ternary(own))) => {
                FieldMatch::Mask { value: value(&own.value)?, mask: value(&own.mask)? }
            }
            (MatchKind::Range, Some(FieldMatchType::Range(own))) => {
                FieldMatch::Range { low: value(&own.low)?, high: value(&own.high)? }
            }
            (kind, Some(_)) => {
                return Err(Failure::invalid(format!("the field is of kind {kind}, and the match is not")));
            }
        };
        if is_any(&asked, self.representation.width) {
            return Err(Failure::invalid("a match that takes any value must be left out"));
        }
        Ok(asked)
    }

    fn write(&self, asked: &FieldMatch) -> Option<FieldMatchType> {
        let (width, value) = (self.representation.width, |value: &Bits| self.representation.write(value));
        if is_any(asked, width) {
            return None;
        }
        Some(match (self.kind, asked) {
            (_, FieldMatch::Any) => return None,
            (MatchKind::Exact, FieldMatch::Exact(own)) => FieldMatchType::Exact(Exact { value: value(own) }),
            (MatchKind::Optional, FieldMatch::Exact(own)) => FieldMatchType::Optional(Optional { value: value(own) }),
            (MatchKind::Lpm, FieldMatch::Exact(own)) => {
                FieldMatchType::Lpm(Lpm { value: value(own), prefix_len: width as i32 })
            }
            (MatchKind::Ternary, FieldMatch::Exact(own)) => {
                let mask = byte_string::encode(&Bits::ones(width));
                FieldMatchType::Ternary(Ternary { value: value(own), mask })
            }
            (MatchKind::Range, FieldMatch::Exact(own)) => {
                FieldMatchType::Range(Range { low: value(own), high: value(own) })
            }
            (_, FieldMatch::Prefix { value: own, length }) => {
                FieldMatchType::Lpm(Lpm { value: value(own), prefix_len: *length as i32 })
            }
            (_, FieldMatch::Mask { value: own, mask }) => {
                FieldMatchType::Ternary(Ternary { value: value(own), mask: value(mask) })
            }
            (_, FieldMatch::Range { low, high }) => FieldMatchType::Range(Range { low: value(low), high: value(high) }),
        })
    }
}

/// Returns whether a match takes any value of a field.
fn is_any(asked: &FieldMatch, width: u32) -> bool {
    match asked {
        FieldMatch::Exact(_) => false,
        FieldMatch::Prefix { length, .. } => *length == 0,
        FieldMatch::Mask { mask, .. } => mask.is_zero(),
        FieldMatch::Range { low, high } => low.is_zero() && *high == Bits::ones(width),
        FieldMatch::Any => true,
    }
}
