//! A record of what every stage of every pipeline does in every cycle, as a table for people and as values for scripts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use basis::Clock;
use serde::{Serialize, Serializer};

/// The maximum width of the table in characters, unless a single cycle needs more.
const WIDTH: usize = 118;

/// The state in which something waits at a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitingState {
    /// A data packet.
    Data,
    /// A placeholder whose data packet has yet to arrive.
    Phantom,
    /// A placeholder whose data packet will never arrive.
    Void,
    /// A data packet that has been served but has not left the stage.
    Served,
}

/// A location of packets. The order is that of the rows in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PacketLocation {
    /// The entrance of the pipelines, on the first pass.
    Entrance,
    /// A stage of a pipeline, including its queue.
    Stage {
        /// The number of the pipeline.
        pipeline: usize,
        /// The number of the stage.
        stage: usize,
    },
    /// The way from the end of a pipeline to the entrance of this one.
    Round {
        /// The number of the pipeline to be entered.
        pipeline: usize,
    },
}

/// The activity at one location in one cycle. Packets are numbered from 0 in order of arrival.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Moment {
    /// The packets that were processed; more than one only where the rules let packets share a stage.
    pub processed: Vec<u64>,
    /// The entries that still waited afterwards, oldest first.
    pub waiting: Vec<(u64, WaitingState)>,
}

/// A record of a run, cycle by cycle.
///
/// It is displayed as a table with a row per location and a column per cycle in which any packet was inside, split into
/// blocks if it is too wide. `[A]` is a packet that is processed, `B` a data packet that waits, `(C)` a phantom, `(-D)`
/// a void phantom, and `E>` a packet that was served and has not left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    clock: Clock,
    moments: BTreeMap<PacketLocation, BTreeMap<u64, Moment>>,
    /// The number of further cycles that may be recorded.
    left: u64,
    last: Option<u64>,
    is_cut: bool,
}

impl Timeline {
    /// Creates an empty record with room for `cycles` cycles in which something happens.
    pub(crate) fn new(clock: Clock, cycles: u64) -> Self {
        Self { clock, moments: BTreeMap::new(), left: cycles, last: None, is_cut: false }
    }

    /// Records the activity at a location. Cycles must be recorded in order.
    pub(crate) fn record(&mut self, cycle: u64, location: PacketLocation, moment: Moment) {
        if moment == Moment::default() {
            return;
        }
        if self.last != Some(cycle) {
            if self.left == 0 {
                self.is_cut = true;
                return;
            }
            self.left -= 1;
            self.last = Some(cycle);
        }
        self.moments.entry(location).or_default().insert(cycle, moment);
    }

    /// Returns the activity at a location in a cycle, or `None` if there was none.
    pub fn moment(&self, location: PacketLocation, cycle: u64) -> Option<&Moment> {
        self.moments.get(&location)?.get(&cycle)
    }

    /// Returns true if the run continued after the last recorded cycle.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns the cycles with activity. Other cycles have no column, because there may be millions of them.
    fn cycles(&self) -> BTreeSet<u64> {
        self.moments.values().flat_map(BTreeMap::keys).copied().collect()
    }
}

/// Returns the name of a packet: A to Z, then its number.
fn name(packet: u64) -> String {
    let letter = u8::try_from(packet).ok().filter(|&packet| packet < 26).map(|packet| char::from(b'A' + packet));
    letter.map_or_else(|| format!("#{packet}"), String::from)
}

impl fmt::Display for PacketLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entrance => f.write_str("entrance"),
            Self::Stage { pipeline, stage } => write!(f, "pipeline {pipeline} stage {stage}"),
            Self::Round { pipeline } => write!(f, "recirculating to {pipeline}"),
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let processed = self.processed.iter().map(|&packet| format!("[{}]", name(packet)));
        let waiting = self.waiting.iter().map(|&(packet, kind)| match kind {
            WaitingState::Data => name(packet),
            WaitingState::Phantom => format!("({})", name(packet)),
            WaitingState::Void => format!("(-{})", name(packet)),
            WaitingState::Served => format!("{}>", name(packet)),
        });
        f.write_str(&processed.chain(waiting).collect::<Vec<_>>().join(" "))
    }
}

impl fmt::Display for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places: Vec<String> =
            ["ns".to_owned()].into_iter().chain(self.moments.keys().map(PacketLocation::to_string)).collect();
        // Edges lie at whole picoseconds, so three digits after the point are exact.
        let time = |cycle| self.clock.edge(cycle).picoseconds();
        let column = |cycle: u64| -> Vec<String> {
            let time = format!("{}.{:03}", time(cycle) / 1000, time(cycle) % 1000);
            let cell =
                |moments: &BTreeMap<u64, Moment>| moments.get(&cycle).map_or_else(String::new, Moment::to_string);
            [time].into_iter().chain(self.moments.values().map(cell)).collect()
        };
        let width = |column: &[String]| column.iter().map(String::len).max().unwrap_or(0);
        let mut columns = self.cycles().into_iter().map(column).peekable();
        let mut is_first = true;
        while columns.peek().is_some() {
            let mut block = vec![places.clone()];
            let mut length = width(&places);
            while let Some(next) = columns.next_if(|next| block.len() == 1 || length + 3 + width(next) <= WIDTH) {
                length += 3 + width(&next);
                block.push(next);
            }
            if !is_first {
                writeln!(f)?;
            }
            is_first = false;
            for row in 0..places.len() {
                let cells = block.iter().map(|column| format!("{:width$}", column[row], width = width(column)));
                writeln!(f, "{}", cells.collect::<Vec<_>>().join(" | ").trim_end())?;
            }
        }
        if self.is_cut {
            writeln!(f, "the run continues; only its first {} cycles are shown", self.cycles().len())?;
        }
        Ok(())
    }
}

/// The serialised form of a moment.
#[derive(Serialize)]
struct Row<'t> {
    cycle: u64,
    picoseconds: u64,
    place: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pipeline: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<usize>,
    processed: &'t [u64],
    waiting: Vec<WaitingRow>,
}

#[derive(Serialize)]
struct WaitingRow {
    packet: u64,
    #[serde(rename = "as")]
    kind: WaitingState,
}

impl Serialize for Timeline {
    /// Serialises as a list of moments, ordered by cycle and then by location.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = self
            .moments
            .iter()
            .flat_map(|(location, moments)| moments.iter().map(move |(cycle, it)| (*cycle, *location, it)));
        let mut all: Vec<(u64, PacketLocation, &Moment)> = all.collect();
        all.sort_by_key(|&(cycle, location, _)| (cycle, location));
        serializer.collect_seq(all.into_iter().map(|(cycle, location, moment)| {
            let (name, pipeline, stage) = match location {
                PacketLocation::Entrance => ("entrance", None, None),
                PacketLocation::Stage { pipeline, stage } => ("stage", Some(pipeline), Some(stage)),
                PacketLocation::Round { pipeline } => ("round", Some(pipeline), None),
            };
            let waiting = moment.waiting.iter().map(|&(packet, kind)| WaitingRow { packet, kind }).collect();
            let picoseconds = self.clock.edge(cycle).picoseconds();
            Row { cycle, picoseconds, place: name, pipeline, stage, processed: &moment.processed, waiting }
        }))
    }
}

#[cfg(test)]
mod tests {
    use basis::Duration;

    use super::*;

    fn processed(packet: u64) -> Moment {
        Moment { processed: vec![packet], waiting: Vec::new() }
    }

    #[test]
    fn wide_tables_are_split_and_long_runs_are_cut() {
        let clock = Clock::new(Duration::from_nanoseconds(1), 1);
        let mut timeline = Timeline::new(clock, 20);
        for cycle in 0..30 {
            timeline.record(cycle, PacketLocation::Stage { pipeline: 0, stage: 0 }, processed(cycle));
        }
        let text = timeline.to_string();
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("ns")).count(), 2, "{text}");
        assert!(text.contains("[T]") && !text.contains("[U]"), "{text}");
        assert!(text.ends_with("the run continues; only its first 20 cycles are shown\n"), "{text}");
    }
}
