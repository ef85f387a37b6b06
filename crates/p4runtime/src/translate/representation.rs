//! How the values of a field, parameter or index look to controllers, and how to the program.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use control::{Annotation, ControllerType, Info, Representation as Declared};
use runtime::Bits;

use super::byte_string;
use super::names::{self, Names};
use crate::failure::Failure;

/// The representation of a value.
#[derive(Clone, Debug)]
pub struct Representation {
    /// The width in the program, in bits.
    pub width: u32,
    /// The strings that controllers use instead of numbers, if they do. All uses of a type share them.
    names: Option<Arc<Mutex<Names>>>,
}

impl Representation {
    /// Creates the representation of a plain number.
    pub fn number(width: u32) -> Self {
        Self { width, names: None }
    }

    /// Returns whether controllers use strings.
    pub fn is_text(&self) -> bool {
        self.names.is_some()
    }

    /// Reads a controller's value.
    ///
    /// # Errors
    /// Fails with `OUT_OF_RANGE` if a number does not fit or is empty, with `INVALID_ARGUMENT` if a string is not UTF-8,
    /// and with `RESOURCE_EXHAUSTED` if there are more strings than values.
    #[inline]
    pub fn read(&self, bytes: &[u8]) -> Result<Bits, Failure> {
        let Some(names) = &self.names else { return byte_string::decode(bytes, self.width) };
        let text =
            str::from_utf8(bytes).map_err(|_| Failure::invalid("the value is a string, and this is not UTF-8"))?;
        let number = names.lock().unwrap_or_else(PoisonError::into_inner).number(text)?;
        Ok(Bits::from_u64(number, self.width))
    }

    /// Writes a value of the program for controllers.
    #[inline]
    pub fn write(&self, value: &Bits) -> Vec<u8> {
        let Some(names) = &self.names else { return byte_string::encode(value) };
        names.lock().unwrap_or_else(PoisonError::into_inner).string(value.low()).into_bytes()
    }
}

/// The representations of a program's types that are not plain numbers.
#[derive(Clone, Debug, Default)]
pub struct Types {
    names: BTreeMap<String, (u32, Arc<Mutex<Names>>)>,
}

impl Types {
    /// Creates the strings of a program's types. A type that `before` knows with the same width keeps its strings, so
    /// that controllers' entries mean the same after a program has taken the place of another.
    pub fn new(info: &Info, before: Option<&Self>) -> Self {
        let mut types = Self::default();
        for own in &info.new_types {
            let Declared::Translated { controller: ControllerType::Text, .. } = &own.representation else { continue };
            let width = width_of(info, &own.name);
            let kept = before.and_then(|before| before.names.get(&own.name)).filter(|(old, _)| *old == width);
            let names = kept.map(|(_, names)| Arc::clone(names)).unwrap_or_else(|| {
                let mut names = Names::new(width);
                for annotation in &own.annotations {
                    if let Annotation::Text(text) = annotation {
                        names::fixed(text).iter().for_each(|(string, number)| names.set(string, *number));
                    }
                }
                Arc::new(Mutex::new(names))
            });
            types.names.insert(own.name.clone(), (width, names));
        }
        types
    }

    /// Returns the representation of values of `width` bits in the program that have this type.
    pub fn of(&self, width: u32, type_name: Option<&str>) -> Representation {
        let names = type_name.and_then(|name| self.names.get(name)).map(|(_, names)| Arc::clone(names));
        Representation { width, names }
    }

    /// Returns the representation of ports where messages name them without a field: in replicas and watch ports. It is
    /// that of the program's type of ports, which PSA and programs for other architectures call `PortId_t` or `port_id_t`
    /// (section 18.1.5).
    pub fn of_ports(&self, width: u32) -> Representation {
        let is_port = |name: &&String| matches!(&*name.replace('_', "").to_ascii_lowercase(), "portid" | "portidt");
        self.of(width, self.names.keys().find(is_port).map(String::as_str))
    }

    /// Lets a controller's string stand for a value of a type, as the switch knows the names of its ports. It has no
    /// effect if either is in use.
    pub fn set(&self, type_name: &str, string: &str, number: u64) {
        if let Some((_, names)) = self.names.get(type_name) {
            names.lock().unwrap_or_else(PoisonError::into_inner).set(string, number);
        }
    }
}

/// Returns the width of a new type, from where the program uses it.
fn width_of(info: &Info, name: &str) -> u32 {
    let is_it = |type_name: &Option<String>| type_name.as_deref() == Some(name);
    let fields =
        info.tables.iter().flat_map(|table| &table.fields).chain(info.value_sets.iter().flat_map(|set| &set.fields));
    let parameters = info.actions.iter().flat_map(|action| &action.parameters);
    let parameters = parameters.chain(info.controller_headers.iter().flat_map(|header| &header.fields));
    let mut widths = fields.filter(|field| is_it(&field.type_name)).map(|field| field.width);
    let mut others = parameters.filter(|parameter| is_it(&parameter.type_name)).map(|parameter| parameter.width);
    widths.next().or_else(|| others.next()).unwrap_or(64)
}
