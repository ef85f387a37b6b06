//! Export of [`crate::Info`] as P4Info, which P4Runtime controllers read, in the text, JSON and binary
//! formats of protobuf
//! (p4info.proto of the P4Runtime specification 1.4). Fields are in the order of their numbers there, and those with
//! value 0 are omitted.

mod annotations;
mod binary;
mod build;
mod externs;
mod json;
mod message;
mod text;
mod types;

use crate::Info;

/// Returns the P4Info as protobuf text, like the file that `p4c --p4runtime-files program.txtpb` writes.
pub fn to_text(info: &Info) -> String {
    let head = "# proto-file: p4/config/v1/p4info.proto\n# proto-message: p4.config.v1.P4Info\n\n";
    format!("{head}{}", text::print(&build::p4info(info)))
}

/// Returns the P4Info as protobuf JSON, like the file that `p4c --p4runtime-files program.json` writes.
pub fn to_json(info: &Info) -> String {
    json::print(&build::p4info(info))
}

/// Returns the P4Info in protobuf's binary format, as P4Runtime transports it.
pub fn to_bytes(info: &Info) -> Vec<u8> {
    binary::encode(&build::p4info(info))
}
