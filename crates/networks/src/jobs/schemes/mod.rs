//! The schemes of Polyplane, one a file.

pub(super) mod atp;
mod messages;
pub(super) mod parameter_servers;
pub(super) mod ring;
