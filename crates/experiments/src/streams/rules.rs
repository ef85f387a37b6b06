//! The rules of the machine, under the name that streams know them by.

pub use machines::mp5::Rules;
