//! A message of any type.

use prost::{DecodeError, Message, Name};

/// A message of any type, with the name of the type.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Any {
    /// The type: "type.googleapis.com/" and its full name.
    #[prost(string, tag = "1")]
    pub type_url: String,
    /// The encoded message.
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

impl Any {
    /// Wraps a message.
    pub fn pack<M: Message + Name>(message: &M) -> Self {
        Self { type_url: M::type_url(), value: message.encode_to_vec() }
    }

    /// Returns the message inside if it is of this type, whatever server its type's address names.
    ///
    /// # Errors
    /// Returns why the bytes are no such message.
    pub fn unpack<M: Message + Name + Default>(&self) -> Option<Result<M, DecodeError>> {
        let name = self.type_url.rsplit('/').next()?;
        (name == M::full_name()).then(|| M::decode(&*self.value))
    }
}
