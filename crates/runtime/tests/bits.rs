//! Values of any width: narrow ones against `arithmetic`, wide ones against a library of integers of any size.

#[path = "bits/bytes_and_text.rs"]
mod bytes_and_text;
#[path = "bits/narrow.rs"]
mod narrow;
#[path = "bits/operand.rs"]
mod operand;
#[path = "bits/wide.rs"]
mod wide;
