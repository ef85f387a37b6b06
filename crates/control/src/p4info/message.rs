//! A protobuf message, before it is text.

/// A message: its fields in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Message {
    pub(super) fields: Vec<(&'static str, Content)>,
}

/// What a field holds.
#[derive(Clone, Debug)]
pub(super) enum Content {
    One(Value),
    Many(Vec<Value>),
    /// A map from strings, in their order.
    Map(Vec<(String, Message)>),
}

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Message(Message),
    Text(String),
    /// A number of 32 bits.
    Number(u32),
    /// A number of 64 bits, which JSON writes as text.
    Long(u64),
    /// A number of 64 bits with a sign, which JSON writes as text.
    Signed(i64),
    Flag(bool),
    Symbol(&'static str),
    Bytes(Vec<u8>),
}

impl Message {
    /// A message inside, always.
    pub(super) fn message(&mut self, name: &'static str, value: Message) -> &mut Self {
        self.one(name, Value::Message(value))
    }

    /// Messages inside.
    pub(super) fn messages(&mut self, name: &'static str, values: impl IntoIterator<Item = Message>) -> &mut Self {
        self.many(name, values.into_iter().map(Value::Message).collect())
    }

    /// A text, unless it is empty.
    pub(super) fn text(&mut self, name: &'static str, value: &str) -> &mut Self {
        if value.is_empty() { self } else { self.one(name, Value::Text(value.to_owned())) }
    }

    /// Texts.
    pub(super) fn texts(&mut self, name: &'static str, values: &[String]) -> &mut Self {
        self.many(name, values.iter().map(|value| Value::Text(value.clone())).collect())
    }

    /// A number, unless it is 0.
    pub(super) fn number(&mut self, name: &'static str, value: u32) -> &mut Self {
        if value == 0 { self } else { self.one(name, Value::Number(value)) }
    }

    /// Numbers.
    pub(super) fn numbers(&mut self, name: &'static str, values: impl IntoIterator<Item = u32>) -> &mut Self {
        self.many(name, values.into_iter().map(Value::Number).collect())
    }

    /// A number of 64 bits, unless it is 0.
    pub(super) fn long(&mut self, name: &'static str, value: u64) -> &mut Self {
        if value == 0 { self } else { self.one(name, Value::Long(value)) }
    }

    /// A number of 64 bits with a sign, which is there even if it is 0: one of several that exclude each other.
    pub(super) fn signed(&mut self, name: &'static str, value: i64) -> &mut Self {
        self.one(name, Value::Signed(value))
    }

    /// A text, which is there even if it is empty: one of several that exclude each other.
    pub(super) fn chosen_text(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.one(name, Value::Text(value.to_owned()))
    }

    /// A flag, which is there even if it is not set: one of several that exclude each other.
    pub(super) fn chosen_flag(&mut self, name: &'static str, value: bool) -> &mut Self {
        self.one(name, Value::Flag(value))
    }

    /// A flag, if it is set.
    pub(super) fn flag(&mut self, name: &'static str, value: bool) -> &mut Self {
        if value { self.one(name, Value::Flag(true)) } else { self }
    }

    /// The name of a number of an enum that is not 0.
    pub(super) fn symbol(&mut self, name: &'static str, value: &'static str) -> &mut Self {
        self.one(name, Value::Symbol(value))
    }

    /// Bytes.
    pub(super) fn bytes(&mut self, name: &'static str, value: Vec<u8>) -> &mut Self {
        self.one(name, Value::Bytes(value))
    }

    /// A map.
    pub(super) fn map(&mut self, name: &'static str, entries: Vec<(String, Message)>) -> &mut Self {
        if !entries.is_empty() {
            self.fields.push((name, Content::Map(entries)));
        }
        self
    }

    fn one(&mut self, name: &'static str, value: Value) -> &mut Self {
        self.fields.push((name, Content::One(value)));
        self
    }

    fn many(&mut self, name: &'static str, values: Vec<Value>) -> &mut Self {
        if !values.is_empty() {
            self.fields.push((name, Content::Many(values)));
        }
        self
    }
}
