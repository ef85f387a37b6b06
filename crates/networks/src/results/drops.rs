//! Dropped packets by station and reason.

use std::collections::BTreeMap;
use std::sync::Arc;

use node::Reason;

use report::{Column, Columns};

/// Counts drops by station and reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drops {
    counts: BTreeMap<(u32, Reason), (u64, u64)>,
}

impl Drops {
    /// Counts a dropped packet.
    pub(super) fn add(&mut self, station: usize, reason: Reason, bytes: usize) {
        let (packets, all) = self.counts.entry((station as u32, reason)).or_default();
        *packets += 1;
        *all += bytes as u64;
    }

    /// Returns the number of packets by reason.
    pub fn by_reason(&self) -> BTreeMap<Reason, u64> {
        let mut reasons = BTreeMap::new();
        for (&(_, reason), &(packets, _)) in &self.counts {
            *reasons.entry(reason).or_default() += packets;
        }
        reasons
    }

    /// Returns `drops.csv`: a row for each station and reason.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn reasons_have_unique_names_in_the_order_of_results() {
        let declared = [
            Reason::OF_ANY_NODE,
            machines::reasons::ALL,
            machines::mp5::reasons::ALL,
            machines::v1model::reasons::ALL,
            queues::reasons::ALL,
            netsim::reasons::ALL,
            netsim::faults::reasons::ALL,
            transports::reasons::ALL,
        ]
        .concat();
        let ordered: BTreeSet<Reason> = declared.iter().copied().collect();
        let names: Vec<&str> = ordered.iter().map(|reason| reason.name()).collect();
        let expected = [
            "dropped by the program",
            "stage queue full",
            "phantom lost",
            "gave way to a starving packet",
            "recirculated too often",
            "recirculation queue full",
            "no such port",
            "unknown multicast group",
            "multicast group without copies",
            "unknown clone session",
            "resubmitted too often",
            "cloned too often",
            "too many copies",
            "assertion failed",
            "the program did not end",
            "queue full",
            "dynamic threshold of the queue reached",
            "limit for packets of this color reached",
            "queue closed",
            "no such queue",
            "queue for trimmed packets full",
            "shared buffer full",
            "no headroom left for a lossless priority",
            "random early detection",
            "no route",
            "time to live exceeded",
            "longer than the line carries",
            "malformed",
            "unexpected at its host",
            "link down",
            "lost by a rule of the plan",
            "check sequence wrong",
            "receive ring full",
        ];
        assert_eq!(names, expected);
        assert_eq!(declared.iter().map(|reason| reason.name()).collect::<BTreeSet<_>>().len(), declared.len());
    }
}
