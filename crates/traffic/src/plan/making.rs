//! The contents of packets that no file defines.

use std::fmt;

use crate::{FieldGenerator, Protocol};

/// The way in which packets are made whose contents no file defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Making {
    /// The transport protocol, if packets have headers.
    pub protocol: Protocol,
    /// The form of the packets; `None` means headers if the program reads any and applies to such packets, and
    /// otherwise records.
    pub form: Option<Form>,
    /// The sources of named fields, in records.
    pub fields: Vec<(String, FieldGenerator)>,
}

/// The form of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Headers: Ethernet, IPv4, and TCP or UDP.
    Wire,
    /// Field values, one word each.
    Record,
}

impl Default for Making {
    fn default() -> Self {
        Self { protocol: Protocol::Tcp, form: None, fields: Vec::new() }
    }
}

impl Making {
    /// Returns the source of a field's value in records, if the plan or the field's name determines it.
    pub(crate) fn generator_of(&self, name: &str) -> Option<FieldGenerator> {
        let said = self.fields.iter().find(|(field, _)| field == name).map(|(_, generator)| *generator);
        said.or_else(|| FieldGenerator::of_name(name))
    }

    /// Applies an option. Returns false if there is none with this name, and an error that says what the value should
    /// be.
    pub(super) fn option(&mut self, key: &str, value: &str) -> Result<bool, String> {
        match (key, value) {
            ("protocol", "tcp") => self.protocol = Protocol::Tcp,
            ("protocol", "udp") => self.protocol = Protocol::Udp,
            ("protocol", _) => return Err("`tcp` or `udp`".to_owned()),
            ("form", "wire") => self.form = Some(Form::Wire),
            ("form", "record") => self.form = Some(Form::Record),
            ("form", _) => return Err("`wire` (headers) or `record` (field values)".to_owned()),
            _ => {
                let Some(name) = key.strip_prefix("field.").filter(|name| !name.is_empty()) else { return Ok(false) };
                let generator = FieldGenerator::parse(value).ok_or_else(|| {
                    "a number, a range such as 0..99, skewed(N), per-flow(N), flow, sequence, arrival, length, port, \
                     or stage(N) of a published trace"
                        .to_owned()
                })?;
                self.fields.push((name.to_owned(), generator));
            }
        }
        Ok(true)
    }
}

impl fmt::Display for Making {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "protocol={}", self.protocol)?;
        if let Some(form) = self.form {
            write!(f, ",form={form}")?;
        }
        self.fields.iter().try_for_each(|(name, generator)| write!(f, ",field.{name}={generator}"))
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Wire { "wire" } else { "record" })
    }
}
