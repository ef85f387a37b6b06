//! What a descriptor says of messages and enumerations, whoever wrote it.

use std::collections::BTreeMap;

/// Messages and enumerations by their full names.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Facts {
    /// The fields of each message by their numbers.
    pub messages: BTreeMap<String, BTreeMap<i32, Field>>,
    /// The names of the values of each enumeration by their numbers.
    pub enumerations: BTreeMap<String, BTreeMap<i32, String>>,
}

/// A field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name.
    pub name: String,
    /// A type of protobuf, the full name of a message or enumeration, or "map".
    pub kind: String,
    /// How often the field occurs.
    pub label: Label,
    /// The name of the `oneof` to which it belongs, if it does.
    pub oneof: Option<String>,
}

/// How often a field occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// Once or not at all.
    Single,
    /// Any number of times.
    Repeated,
    /// As a map from the first type to the second.
    Map(Box<[String; 2]>),
}

impl Facts {
    /// Returns every difference between published facts and ours, in words.
    pub fn differences(&self, ours: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        for (name, fields) in &self.messages {
            match ours.messages.get(name) {
                None => differences.push(format!("message {name} is missing")),
                Some(own) => compare(name, fields, own, &mut differences),
            }
        }
        for (name, values) in &self.enumerations {
            match ours.enumerations.get(name) {
                None => differences.push(format!("enumeration {name} is missing")),
                Some(own) => compare(name, values, own, &mut differences),
            }
        }
        differences
    }
}

fn compare<T: PartialEq + std::fmt::Debug>(
    name: &str,
    published: &BTreeMap<i32, T>,
    ours: &BTreeMap<i32, T>,
    differences: &mut Vec<String>,
) {
    for number in published.keys().chain(ours.keys().filter(|number| !published.contains_key(number))) {
        let pair = (published.get(number), ours.get(number));
        if pair.0 != pair.1 {
            differences.push(format!("{name}: {number} is {:?}, ours is {:?}", pair.0, pair.1));
        }
    }
}
