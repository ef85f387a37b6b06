//! The messages of P4Runtime 1.4 as structs, with the field names and numbers of the specification, in modules by their
//! protobuf packages. A field of an enumeration is an `i32`, since a peer may send a number that this version does not
//! know; a getter of the same name returns the enumeration, or its value 0 for such a number.
//!
//! A test (`tests/descriptors`) compares every field with the descriptors that p4lang publishes.

pub mod google;
pub mod p4;
