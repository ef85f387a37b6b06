//! Values of any type (P4Runtime specification 1.4, section 8.4.3). The program holds them as one value for each scalar
//! inside, in order.

use control::{DataType, Member};
use runtime::Bits;

use super::{Representation, Translator, byte_string};
use crate::failure::Failure;
use crate::message::p4::v1::p4_data::Data;
use crate::message::p4::v1::{P4Data, P4Header, P4StructLike, P4Varbit};

impl Translator {
    /// Reads a value of a type, as one value for each of its leaves.
    ///
    /// # Errors
    /// Fails with `INVALID_ARGUMENT` if the value has another type, and with `OUT_OF_RANGE` if a number does not fit.
    pub(crate) fn read_data(&self, data_type: &DataType, given: &P4Data) -> Result<Vec<Bits>, Failure> {
        let mut values = Vec::new();
        self.collect(data_type, given.data.as_ref(), &mut values)?;
        Ok(values)
    }

    fn collect(&self, data_type: &DataType, given: Option<&Data>, values: &mut Vec<Bits>) -> Result<(), Failure> {
        match (data_type, given) {
            (DataType::New { name, original }, _) => match self.translated(name, original) {
                Some(representation) => match given {
                    Some(Data::Bitstring(bytes)) => values.push(representation.read(bytes)?),
                    _ => return Err(mismatch(data_type)),
                },
                None => self.collect(original, given, values)?,
            },
            (DataType::Tuple(elements), Some(Data::Tuple(tuple))) => {
                self.collect_members(data_type, elements.iter(), &tuple.members, values)?;
            }
            (DataType::Structure { members, .. }, Some(Data::Struct(own))) => {
                self.collect_members(data_type, members.iter().map(|member| &member.data_type), &own.members, values)?;
            }
            (DataType::Header { members, .. }, Some(Data::Header(header))) => {
                if !header.is_valid {
                    return Err(Failure::unimplemented("an invalid header cannot be stored"));
                }
                if members.len() != header.bitstrings.len() {
                    return Err(mismatch(data_type));
                }
                for (member, bytes) in members.iter().zip(&header.bitstrings) {
                    values.push(self.read_field(&member.data_type, bytes)?);
                }
            }
            (DataType::Boolean, Some(Data::Bool(value))) => values.push(Bits::from(*value)),
            (DataType::Bits(_) | DataType::Signed(_), Some(Data::Bitstring(bytes))) => {
                values.push(self.read_field(data_type, bytes)?);
            }
            (DataType::Varying(width), Some(Data::Varbit(own))) => {
                if u32::try_from(own.bitwidth).is_ok_and(|own| own > *width) {
                    return Err(Failure::out_of_range(format!(
                        "the value has {} bits and may have {width}",
                        own.bitwidth
                    )));
                }
                values.push(byte_string::decode(&own.bitstring, *width)?);
            }
            (DataType::Enumeration { members, width, .. }, Some(Data::EnumValue(bytes))) if has_values(members) => {
                values.push(byte_string::decode(bytes, *width)?);
            }
            (DataType::Enumeration { members, width, name }, Some(Data::Enum(own))) if !has_values(members) => {
                let at = members.iter().position(|(member, _)| member == own);
                let at = at.ok_or_else(|| Failure::invalid(format!("`{own}` is no member of `{name}`")))?;
                values.push(Bits::from_u64(at as u64, *width));
            }
            (DataType::Error(width), Some(Data::Error(own))) => {
                let at = self.info.errors.iter().position(|error| error == own);
                let at = at.ok_or_else(|| Failure::invalid(format!("the program has no error `{own}`")))?;
                values.push(Bits::from_u64(at as u64, *width));
            }
            _ => return Err(mismatch(data_type)),
        }
        Ok(())
    }

    fn collect_members<'t>(
        &self,
        data_type: &DataType,
        members: impl ExactSizeIterator<Item = &'t DataType>,
        given: &[P4Data],
        values: &mut Vec<Bits>,
    ) -> Result<(), Failure> {
        if members.len() != given.len() {
            return Err(mismatch(data_type));
        }
        members.zip(given).try_for_each(|(member, given)| self.collect(member, given.data.as_ref(), values))
    }

    /// Reads a field of a header, or a number.
    fn read_field(&self, data_type: &DataType, bytes: &[u8]) -> Result<Bits, Failure> {
        match data_type.original() {
            DataType::Signed(width) => byte_string::decode_signed(bytes, *width),
            original => self.field(data_type, width_of(original)).read(bytes),
        }
    }

    /// Writes a value of a type, given one value for each of its leaves.
    pub(crate) fn write_data(&self, data_type: &DataType, values: &[Bits]) -> P4Data {
        self.take(data_type, &mut values.iter())
    }

    fn take<'v>(&self, data_type: &DataType, values: &mut impl Iterator<Item = &'v Bits>) -> P4Data {
        let mut next = || values.next().cloned().unwrap_or(Bits::Narrow(0));
        let data = match data_type {
            DataType::New { name, original } => match self.translated(name, original) {
                Some(representation) => Data::Bitstring(representation.write(&next())),
                None => return self.take(original, values),
            },
            DataType::Tuple(elements) => {
                let members = elements.iter().map(|element| self.take(element, values)).collect();
                Data::Tuple(P4StructLike { members })
            }
            DataType::Structure { members, .. } => {
                let members = members.iter().map(|member| self.take(&member.data_type, values)).collect();
                Data::Struct(P4StructLike { members })
            }
            DataType::Header { members, .. } => {
                let field = |member: &Member| self.write_field(&member.data_type, &next());
                Data::Header(P4Header { is_valid: true, bitstrings: members.iter().map(field).collect() })
            }
            DataType::Boolean => Data::Bool(!next().is_zero()),
            DataType::Bits(_) | DataType::Signed(_) => Data::Bitstring(self.write_field(data_type, &next())),
            DataType::Varying(width) => {
                Data::Varbit(P4Varbit { bitstring: byte_string::encode(&next()), bitwidth: *width as i32 })
            }
            DataType::Enumeration { members, .. } if has_values(members) => {
                Data::EnumValue(byte_string::encode(&next()))
            }
            DataType::Enumeration { members, .. } => {
                Data::Enum(members.get(next().low() as usize).map(|(name, _)| name.clone()).unwrap_or_default())
            }
            DataType::Error(_) => Data::Error(self.info.errors.get(next().low() as usize).cloned().unwrap_or_default()),
        };
        P4Data { data: Some(data) }
    }

    fn write_field(&self, data_type: &DataType, value: &Bits) -> Vec<u8> {
        match data_type.original() {
            DataType::Signed(width) => byte_string::encode_signed(value, *width),
            original => self.field(data_type, width_of(original)).write(value),
        }
    }

    fn field(&self, data_type: &DataType, width: u32) -> Representation {
        match data_type {
            DataType::New { name, .. } => self.types.of(width, Some(name)),
            _ => Representation::number(width),
        }
    }

    /// Returns the representation of a new type if the program says that controllers have another one.
    fn translated(&self, name: &str, original: &DataType) -> Option<Representation> {
        let own = self.info.new_type(name)?;
        let is_translated = matches!(own.representation, control::Representation::Translated { .. });
        is_translated.then(|| self.types.of(width_of(original.original()), Some(name)))
    }
}

fn width_of(data_type: &DataType) -> u32 {
    match data_type {
        DataType::Bits(width) | DataType::Signed(width) | DataType::Varying(width) | DataType::Error(width) => *width,
        DataType::Enumeration { width, .. } => *width,
        DataType::Boolean => 1,
        _ => 0,
    }
}

/// Returns whether an enum has an underlying type (section 8.4.5).
fn has_values(members: &[(String, Option<u64>)]) -> bool {
    members.iter().any(|(_, value)| value.is_some())
}

fn mismatch(data_type: &DataType) -> Failure {
    let expected = match data_type {
        DataType::Bits(_) | DataType::Signed(_) => "a byte string",
        DataType::Varying(_) => "a varbit",
        DataType::Boolean => "a truth value",
        DataType::Error(_) => "the name of an error",
        DataType::Enumeration { members, .. } if has_values(members) => "the value of an enum",
        DataType::Enumeration { .. } => "the name of an enum's member",
        DataType::Tuple(_) => "a tuple with as many members as the type",
        DataType::Structure { .. } => "a struct with as many members as the type",
        DataType::Header { .. } => "a header with as many fields as the type",
        DataType::New { .. } => "a byte string of the controller's type",
    };
    Failure::invalid(format!("the value is not of the type: it must be {expected}"))
}
