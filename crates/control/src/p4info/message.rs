//! Protobuf messages, independent of their text format.

/// A message, with its fields in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Message {
    pub(super) fields: Vec<Field>,
}

/// A field of a message.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// The number, by which the binary format knows the field.
    pub(super) number: u32,
    /// The name, by which text and JSON know it.
    pub(super) name: &'static str,
    pub(super) content: Content,
}

/// The content of a field.
#[derive(Clone, Debug)]
pub(super) enum Content {
    One(Value),
    Many(Vec<Value>),
    /// A map with string keys, in the order of the keys.
    Map(Vec<(String, Message)>),
}

/// The value of a field.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Message(Message),
    Text(String),
    /// An unsigned 32-bit number.
    Number(u32),
    /// An unsigned 64-bit number, which JSON represents as a string.
    Long(u64),
    /// A signed 64-bit number, which JSON represents as a string.
    Signed(i64),
    Flag(bool),
    /// A value of an enumeration, by number and name.
    Symbol(u32, &'static str),
    Bytes(Vec<u8>),
    /// A message of a type that is named beside it (google/protobuf/any.proto).
    Any(&'static str, Message),
}

impl Message {
    /// Adds a message, even if it is empty.
    pub(super) fn message(&mut self, number: u32, name: &'static str, value: Message) -> &mut Self {
        self.one(number, name, Value::Message(value))
    }

    /// Adds a repeated field of messages.
    pub(super) fn messages(
        &mut self,
        number: u32,
        name: &'static str,
        values: impl IntoIterator<Item = Message>,
    ) -> &mut Self {
        self.many(number, name, values.into_iter().map(Value::Message).collect())
    }

    /// Adds a string, unless it is empty.
    pub(super) fn text(&mut self, number: u32, name: &'static str, value: &str) -> &mut Self {
        if value.is_empty() { self } else { self.one(number, name, Value::Text(value.to_owned())) }
    }

    /// Adds a repeated field of strings.
    pub(super) fn texts(&mut self, number: u32, name: &'static str, values: &[String]) -> &mut Self {
        self.many(number, name, values.iter().map(|value| Value::Text(value.clone())).collect())
    }

    /// Adds a 32-bit number, unless it is 0.
    pub(super) fn number(&mut self, number: u32, name: &'static str, value: u32) -> &mut Self {
        if value == 0 { self } else { self.one(number, name, Value::Number(value)) }
    }

    /// Adds a repeated field of numbers.
    pub(super) fn numbers(
        &mut self,
        number: u32,
        name: &'static str,
        values: impl IntoIterator<Item = u32>,
    ) -> &mut Self {
        self.many(number, name, values.into_iter().map(Value::Number).collect())
    }

    /// Adds a 64-bit number, unless it is 0.
    pub(super) fn long(&mut self, number: u32, name: &'static str, value: u64) -> &mut Self {
        if value == 0 { self } else { self.one(number, name, Value::Long(value)) }
    }

    /// Adds a signed 64-bit number of a `oneof`, which is present even if it is 0.
    pub(super) fn signed(&mut self, number: u32, name: &'static str, value: i64) -> &mut Self {
        self.one(number, name, Value::Signed(value))
    }

    /// Adds a string of a `oneof`, which is present even if it is empty.
    pub(super) fn chosen_text(&mut self, number: u32, name: &'static str, value: &str) -> &mut Self {
        self.one(number, name, Value::Text(value.to_owned()))
    }

    /// Adds a flag of a `oneof`, which is present even if it is not set.
    pub(super) fn chosen_flag(&mut self, number: u32, name: &'static str, value: bool) -> &mut Self {
        self.one(number, name, Value::Flag(value))
    }

    /// Adds a flag, if it is set.
    pub(super) fn flag(&mut self, number: u32, name: &'static str, value: bool) -> &mut Self {
        if value { self.one(number, name, Value::Flag(true)) } else { self }
    }

    /// Adds the name of an enum value other than 0.
    pub(super) fn symbol(
        &mut self,
        number: u32,
        name: &'static str,
        (value, symbol): (u32, &'static str),
    ) -> &mut Self {
        self.one(number, name, Value::Symbol(value, symbol))
    }

    /// Adds bytes.
    pub(super) fn bytes(&mut self, number: u32, name: &'static str, value: Vec<u8>) -> &mut Self {
        self.one(number, name, Value::Bytes(value))
    }

    /// Adds a message with the name of its type.
    pub(super) fn any(
        &mut self,
        number: u32,
        name: &'static str,
        type_name: &'static str,
        value: Message,
    ) -> &mut Self {
        self.one(number, name, Value::Any(type_name, value))
    }

    /// Adds a map.
    pub(super) fn map(&mut self, number: u32, name: &'static str, entries: Vec<(String, Message)>) -> &mut Self {
        if !entries.is_empty() {
            self.fields.push(Field { number, name, content: Content::Map(entries) });
        }
        self
    }

    fn one(&mut self, number: u32, name: &'static str, value: Value) -> &mut Self {
        self.fields.push(Field { number, name, content: Content::One(value) });
        self
    }

    fn many(&mut self, number: u32, name: &'static str, values: Vec<Value>) -> &mut Self {
        if !values.is_empty() {
            self.fields.push(Field { number, name, content: Content::Many(values) });
        }
        self
    }
}
