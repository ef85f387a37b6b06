//! [`crate::Info`] as P4Info, which P4Runtime controllers read: as protobuf text and as protobuf JSON (p4info.proto of
//! the P4Runtime specification 1.4; fields come in the order of their numbers there, and those of value 0 are left out).

mod annotations;
mod build;
mod json;
mod message;
mod text;
mod types;

use crate::Info;

/// As protobuf text, like the file that `p4c --p4runtime-files program.txtpb` writes.
pub fn to_text(info: &Info) -> String {
    let head = "# proto-file: p4/config/v1/p4info.proto\n# proto-message: p4.config.v1.P4Info\n\n";
    format!("{head}{}", text::print(&build::p4info(info)))
}

/// As protobuf JSON, like the file that `p4c --p4runtime-files program.json` writes.
pub fn to_json(info: &Info) -> String {
    json::print(&build::p4info(info))
}
