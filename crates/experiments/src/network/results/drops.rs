//! Packets that went no further: where, why, how many.

use std::collections::BTreeMap;
use std::sync::Arc;

use node::Reason;

use crate::results::{Column, Columns};

/// Counts drops by station and reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drops {
    counts: BTreeMap<(u32, Reason), (u64, u64)>,
}

impl Drops {
    /// One more.
    pub(super) fn add(&mut self, station: usize, reason: Reason, bytes: usize) {
        let (packets, all) = self.counts.entry((station as u32, reason)).or_default();
        *packets += 1;
        *all += bytes as u64;
    }

    /// How many packets there were by reason.
    pub fn by_reason(&self) -> BTreeMap<Reason, u64> {
        let mut reasons = BTreeMap::new();
        for (&(_, reason), &(packets, _)) in &self.counts {
            *reasons.entry(reason).or_default() += packets;
        }
        reasons
    }

    /// `drops.csv`: a row for each station and reason.
    pub(super) fn table(&self, stations: &Arc<[String]>) -> Columns {
        let rows = self.counts.keys().map(|&(station, _)| station).collect();
        Columns {
            name: "drops",
            columns: vec![
                ("station", Column::Names { names: stations.clone(), rows }),
                ("reason", Column::of_names(self.counts.keys().map(|(_, reason)| reason.to_string()))),
                ("packets", Column::Counts(self.counts.values().map(|&(packets, _)| packets).collect())),
                ("bytes", Column::Counts(self.counts.values().map(|&(_, bytes)| bytes).collect())),
            ],
        }
    }
}

basis::snapshot!(Drops { values counts; });
