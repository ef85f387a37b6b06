//! Ordered, named values: the parameters that identify a job, and the measures that it yields.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value of an axis or of a measure.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A count.
    Integer(u64),
    /// Any other number; always finite.
    Number(f64),
    /// A name.
    Word(String),
    /// No value, such as the mean of an empty set.
    Missing,
}

/// Named values in the order in which they were added. No name occurs twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    entries: Vec<(String, Value)>,
}

impl Value {
    /// Returns the value as a number, if it is a number or a count.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Number(value) => Some(*value),
            Self::Word(_) | Self::Missing => None,
        }
    }

    /// Returns the value as a count, if it is one.
    pub fn integer(&self) -> Option<u64> {
        if let Self::Integer(value) = self { Some(*value) } else { None }
    }

    /// Returns the value as a name, if it is one.
    pub fn word(&self) -> Option<&str> {
        if let Self::Word(value) = self { Some(value) } else { None }
    }
}

impl Record {
    /// Returns a record without values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value, or replaces the value of this name and keeps its position.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let (name, value) = (name.into(), value.into());
        match self.entries.iter_mut().find(|(known, _)| *known == name) {
            Some(entry) => entry.1 = value,
            None => self.entries.push((name, value)),
        }
        self
    }

    /// Removes the value of a name, if there is one.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.entries.retain(|(known, _)| known != name);
        self
    }

    /// Returns the value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Returns the value of a name, if it is a number or a count.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name).and_then(Value::number)
    }

    /// Returns the value of a name, if it is a count.
    pub fn integer(&self, name: &str) -> Option<u64> {
        self.get(name).and_then(Value::integer)
    }

    /// Returns the value of a name, if it is a word.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Value::word)
    }

    /// Iterates over names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns true if the record has no values.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Integer(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Integer(value as u64)
    }
}

impl From<f64> for Value {
    /// Infinities and NaN become [`Value::Missing`]: neither JSON nor a mean can hold them.
    fn from(value: f64) -> Self {
        if value.is_finite() { Self::Number(value) } else { Self::Missing }
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Word(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Word(value)
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

impl fmt::Display for Value {
    /// Writes a number with the fewest digits that read back as the same number, and nothing for a missing value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(f),
            Self::Number(value) => value.fmt(f),
            Self::Word(value) => value.fmt(f),
            Self::Missing => Ok(()),
        }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, value)) in self.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(f, "{comma}{name} = {value}")?;
        }
        Ok(())
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(value) => serializer.serialize_u64(*value),
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Word(value) => serializer.serialize_str(value),
            Self::Missing => serializer.serialize_none(),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Of;
        impl Visitor<'_> for Of {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a word or null")
            }
            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(Value::Integer(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value::Number(value as f64))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(value.into())
            }
            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(value.into())
            }
            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Missing)
            }
        }
        deserializer.deserialize_any(Of)
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.entries.len()))?;
        for (name, value) in &self.entries {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Record {
    /// Keeps the order of the text, which a map of the standard library would lose.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Of;
        impl<'de> Visitor<'de> for Of {
            type Value = Record;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("named values")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Record, M::Error> {
                let mut record = Record::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    record = record.with(name, value);
                }
                Ok(record)
            }
        }
        deserializer.deserialize_map(Of)
    }
}
