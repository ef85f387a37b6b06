//! The schemes of Polyplane, one a file.

mod messages;
pub(super) mod parameter_servers;
pub(super) mod ring;
