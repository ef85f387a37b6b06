//! The rate at which the packets of an application arrive.

use basis::{Duration, Instant};
use node::Offered;

/// The rate at which the packets of an application arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Load {
    /// The line rate of the ports, as published. A pipeline is as fast as its ports are with packets of 64 bytes (MP5
    /// section 2.3), so packets of 200 and 1400 bytes use about one cycle in twelve of each pipeline.
    Ports,
    /// One packet per cycle for each pipeline, as if every packet had 64 bytes, in the same order and of the same
    /// flows.
    EveryCycle,
}

impl Load {
    /// Both loads.
    pub const ALL: [Self; 2] = [Self::Ports, Self::EveryCycle];

    /// Returns its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ports => "published",
            Self::EveryCycle => "every-cycle",
        }
    }

    /// Returns the load of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|load| load.name() == name)
    }

    /// Changes packets that arrive at the line rate of the ports to this load.
    pub fn pace(
        self,
        packets: impl Iterator<Item = Offered>,
        pipelines: usize,
        period: Duration,
    ) -> impl Iterator<Item = Offered> {
        let mut came: u128 = 0;
        packets.map(move |mut offered| {
            if self == Self::EveryCycle {
                // A packet arrives with its last byte. Times are computed from the total, so rounding errors do not
                // accumulate.
                came += 1;
                let picoseconds = came * u128::from(period.picoseconds()) / pipelines.max(1) as u128;
                offered.at = Instant::from_picoseconds(u64::try_from(picoseconds).unwrap_or(u64::MAX));
            }
            offered
        })
    }
}
