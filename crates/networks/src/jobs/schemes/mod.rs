//! The schemes of Polyplane, one a file.

pub(super) mod atp;
mod messages;
pub(super) mod parameter_servers;
mod participant;
pub(super) mod ring;
pub(super) mod switchml;
pub(super) mod trio_ml;
