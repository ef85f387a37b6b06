//! The package `p4.v1`: the messages of the service `P4Runtime`.

mod action_profile;
mod data;
mod pipeline;
mod replication;
mod request;
mod state;
mod stream;
mod tables;

pub use action_profile::*;
pub use data::*;
pub use pipeline::*;
pub use replication::*;
pub use request::*;
pub use state::*;
pub use stream::*;
pub use tables::*;

impl prost::Name for Error {
    const NAME: &'static str = "Error";
    const PACKAGE: &'static str = "p4.v1";

    fn type_url() -> String {
        "type.googleapis.com/p4.v1.Error".to_owned()
    }
}

impl From<Uint128> for u128 {
    fn from(number: Uint128) -> Self {
        Self::from(number.high) << 64 | Self::from(number.low)
    }
}

impl From<u128> for Uint128 {
    fn from(number: u128) -> Self {
        Self { high: (number >> 64) as u64, low: number as u64 }
    }
}
