//! Conversion of known values, and default values (section 7.3).

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use super::{Conversions, constants};
use crate::ast::ContainerKind;
use crate::types::{Sort, Type, TypeForm, Types, Value};

/// The values that were converted before: a value with shared parts may double in size with each declaration.
type Done = HashMap<(usize, Type), Option<Rc<Value>>>;

impl Conversions {
    /// Converts a known value to another type; `None` if the result is not known, as for an invalid header.
    pub(super) fn convert_value(
        &mut self,
        types: &mut Types,
        value: Rc<Value>,
        from: Type,
        to: Type,
    ) -> Option<Rc<Value>> {
        self.convert_value_once(types, value, from, to, &mut Done::new())
    }

    fn convert_value_once(
        &mut self,
        types: &mut Types,
        value: Rc<Value>,
        from: Type,
        to: Type,
        done: &mut Done,
    ) -> Option<Rc<Value>> {
        if from == to || to == Types::UNKNOWN {
            return Some(value);
        }
        let key = (Rc::as_ptr(&value) as usize, to);
        if let Some(known) = done.get(&key) {
            return known.clone();
        }
        let converted = match &*value {
            Value::Integer(number) => Some(Rc::new(Value::Integer(constants::fit(types, number.clone(), to)))),
            Value::Default => self.default_value(types, to),
            Value::Parts(parts) => self.convert_parts(types, parts, from, to, done),
            Value::Fields(fields) => {
                self.convert_fields(types, fields, from, to, done).unwrap_or(Some(Rc::clone(&value)))
            }
            _ => Some(Rc::clone(&value)),
        };
        done.insert(key, converted.clone());
        converted
    }

    fn convert_parts(
        &mut self,
        types: &mut Types,
        parts: &[Rc<Value>],
        from: Type,
        to: Type,
        done: &mut Done,
    ) -> Option<Rc<Value>> {
        let given = match parts.split_last() {
            Some((last, given)) if **last == Value::Default => given,
            _ => parts,
        };
        let wanted = types.part_types(to, given.len())?;
        let own = types.part_types(from, given.len()).unwrap_or_default();
        let mut converted = Vec::with_capacity(wanted.len());
        for (place, &wanted) in wanted.iter().enumerate() {
            let part = match given.get(place) {
                Some(part) => {
                    let own = own.get(place).copied().unwrap_or(Types::UNKNOWN);
                    self.convert_value_once(types, Rc::clone(part), own, wanted, done)
                }
                None => self.default_value(types, wanted),
            };
            converted.push(part?);
        }
        Some(Rc::new(Value::Parts(converted)))
    }

    /// `None` if the type has no fields.
    fn convert_fields(
        &mut self,
        types: &mut Types,
        fields: &[(Rc<str>, Rc<Value>)],
        from: Type,
        to: Type,
        done: &mut Done,
    ) -> Option<Option<Rc<Value>>> {
        let (own, _) = types.container(to)?;
        let wanted = types.field_types(to);
        let record = types.shared(from);
        let mut converted = Vec::with_capacity(wanted.len());
        for (field, &wanted) in own.fields.iter().zip(&wanted) {
            let given = fields.iter().position(|(name, _)| *name == field.name);
            let part = match given {
                Some(place) => {
                    let of = match &*record {
                        TypeForm::Record(own, _) => own.get(place).map_or(Types::UNKNOWN, |(_, of)| *of),
                        _ => Types::UNKNOWN,
                    };
                    self.convert_value_once(types, Rc::clone(&fields[place].1), of, wanted, done)
                }
                None => self.default_value(types, wanted),
            };
            match part {
                Some(part) => converted.push(part),
                None => return Some(None),
            }
        }
        Some(Some(Rc::new(Value::Parts(converted))))
    }

    /// Returns the default value of a type (section 7.3): zero, `false`, `error.NoError`, the first member of an
    /// enumeration, and the default values of parts. Headers are invalid, which no known value expresses.
    fn default_value(&mut self, types: &mut Types, of: Type) -> Option<Rc<Value>> {
        if let Some(known) = self.defaults.get(&of) {
            return known.clone();
        }
        let value = match &*types.shared(of) {
            TypeForm::Bit(_) | TypeForm::Int(_) | TypeForm::Integer => Some(Value::Integer(BigInt::ZERO)),
            TypeForm::Bool => Some(Value::Bool(false)),
            TypeForm::Error => Some(Value::Error("NoError".into())),
            TypeForm::String => Some(Value::String("".into())),
            TypeForm::Tuple(_) | TypeForm::Stack(_, Some(_)) => self.default_parts(types, of),
            TypeForm::Named(definition, _) => match types.sort(*definition).clone() {
                Sort::Enumeration(own) if own.underlying.is_some() => Some(Value::Integer(BigInt::ZERO)),
                Sort::Enumeration(_) => Some(Value::Member(*definition, 0)),
                Sort::NewType(original) => self.default_value(types, original).map(|value| (*value).clone()),
                Sort::Container(own) if own.kind == ContainerKind::Struct => self.default_parts(types, of),
                _ => None,
            },
            _ => None,
        };
        let value = value.map(Rc::new);
        self.defaults.insert(of, value.clone());
        value
    }

    fn default_parts(&mut self, types: &mut Types, of: Type) -> Option<Value> {
        let parts = types.part_types(of, 0)?;
        let parts: Option<Vec<_>> = parts.into_iter().map(|part| self.default_value(types, part)).collect();
        parts.map(Value::Parts)
    }
}
