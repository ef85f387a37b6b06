//! How fast an application's packets come.

use basis::{Duration, Instant};
use node::Offered;

/// How fast an application's packets come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Load {
    /// As fast as the ports bring them, as published: packets of 200 and 1400 bytes then fill one slot in twelve or
    /// so of each pipeline, for a pipeline is as fast as its ports with packets of 64 bytes (MP5 section 2.3).
    Ports,
    /// As if every packet had 64 bytes: a packet a cycle for every pipeline, in the same order and of the same flows.
    EveryCycle,
}

impl Load {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Ports, Self::EveryCycle];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ports => "published",
            Self::EveryCycle => "every-cycle",
        }
    }

    /// The load of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|load| load.name() == name)
    }

    /// The packets, which come as the ports bring them, at this load.
    pub fn pace(
        self,
        packets: impl Iterator<Item = Offered>,
        pipelines: usize,
        period: Duration,
    ) -> impl Iterator<Item = Offered> {
        let mut came: u128 = 0;
        packets.map(move |mut offered| {
            if self == Self::EveryCycle {
                // A packet arrives when its last byte does; no error adds up.
                came += 1;
                let picoseconds = came * u128::from(period.picoseconds()) / pipelines.max(1) as u128;
                offered.at = Instant::from_picoseconds(u64::try_from(picoseconds).unwrap_or(u64::MAX));
            }
            offered
        })
    }
}
