//! Values of any width: narrow ones compared with `arithmetic`, wide ones with a library of integers of any size.

#[path = "bits/bytes_and_text.rs"]
mod bytes_and_text;
#[path = "bits/narrow.rs"]
mod narrow;
#[path = "bits/operand.rs"]
mod operand;
#[path = "bits/wide.rs"]
mod wide;
