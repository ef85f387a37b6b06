//! What every stage of every pipeline does in every cycle, as a table for people and as values for scripts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use basis::Clock;
use serde::{Serialize, Serializer};

/// The number of characters that a line of the table has at the most, unless one cycle alone needs more.
const WIDTH: usize = 118;

/// How something waits at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Waiting {
    /// A data packet.
    Data,
    /// A placeholder whose data packet has yet to come.
    Phantom,
    /// A placeholder whose data packet will not come.
    Void,
    /// A data packet that was served and has not left the stage.
    Served,
}

/// Where packets can be. The order is that of the table's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In front of the pipelines, for the first time.
    Entrance,
    /// In a stage of a pipeline, or in front of it.
    Stage {
        /// The pipeline.
        pipeline: usize,
        /// The stage.
        stage: usize,
    },
    /// On the way from the end of a pipeline to the entrance of this one.
    Round {
        /// The pipeline to be entered.
        pipeline: usize,
    },
}

/// What happened at one place in one cycle. Packets go by their place in the order of arrival, from 0.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Moment {
    /// The packets that were processed there; more than one only where the rules let packets share a stage.
    pub processed: Vec<u64>,
    /// What still waited there after that, oldest first.
    pub waiting: Vec<(u64, Waiting)>,
}

/// A record of a run, cycle by cycle.
///
/// It displays as a table with a row for each place and a column for each cycle in which anything was anywhere, in
/// blocks if that is too wide: `[A]` for a packet that is processed, `B` for a data packet that waits, `(C)` for a
/// phantom, `(-D)` for a void one, `E>` for a packet that was served and has not left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    clock: Clock,
    moments: BTreeMap<Place, BTreeMap<u64, Moment>>,
    /// The number of cycles that may still be begun, and the last one that was.
    left: u64,
    last: Option<u64>,
    is_cut: bool,
}

impl Timeline {
    /// An empty record with room for so many cycles in which something happens.
    pub(crate) fn new(clock: Clock, cycles: u64) -> Self {
        Self { clock, moments: BTreeMap::new(), left: cycles, last: None, is_cut: false }
    }

    /// Records what happened at a place. Cycles come in order.
    pub(crate) fn record(&mut self, cycle: u64, place: Place, moment: Moment) {
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
        self.moments.entry(place).or_default().insert(cycle, moment);
    }

    /// Returns what happened at a place in a cycle; `None` if nothing was there.
    pub fn moment(&self, place: Place, cycle: u64) -> Option<&Moment> {
        self.moments.get(&place)?.get(&cycle)
    }

    /// True if the run went on after the last cycle that was recorded.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The cycles in which something happened. Others have no column, for there may be millions.
    fn cycles(&self) -> BTreeSet<u64> {
        self.moments.values().flat_map(BTreeMap::keys).copied().collect()
    }
}

/// A to Z, then the number.
fn name(packet: u64) -> String {
    let letter = u8::try_from(packet).ok().filter(|&packet| packet < 26).map(|packet| char::from(b'A' + packet));
    letter.map_or_else(|| format!("#{packet}"), String::from)
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entrance => f.write_str("entrance"),
            Self::Stage { pipeline, stage } => write!(f, "pipeline {pipeline} stage {stage}"),
            Self::Round { pipeline } => write!(f, "going round to {pipeline}"),
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let processed = self.processed.iter().map(|&packet| format!("[{}]", name(packet)));
        let waiting = self.waiting.iter().map(|&(packet, kind)| match kind {
            Waiting::Data => name(packet),
            Waiting::Phantom => format!("({})", name(packet)),
            Waiting::Void => format!("(-{})", name(packet)),
            Waiting::Served => format!("{}>", name(packet)),
        });
        f.write_str(&processed.chain(waiting).collect::<Vec<_>>().join(" "))
    }
}

impl fmt::Display for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places: Vec<String> =
            ["ns".to_owned()].into_iter().chain(self.moments.keys().map(Place::to_string)).collect();
        // An edge lies at a whole number of picoseconds, so three digits after the point are exact.
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
            writeln!(f, "the run goes on; its first {} cycles are shown", self.cycles().len())?;
        }
        Ok(())
    }
}

/// A moment as scripts read it.
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
    kind: Waiting,
}

impl Serialize for Timeline {
    /// A list of moments, by cycle and then by place.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = self
            .moments
            .iter()
            .flat_map(|(place, moments)| moments.iter().map(move |(cycle, it)| (*cycle, *place, it)));
        let mut all: Vec<(u64, Place, &Moment)> = all.collect();
        all.sort_by_key(|&(cycle, place, _)| (cycle, place));
        serializer.collect_seq(all.into_iter().map(|(cycle, place, moment)| {
            let (name, pipeline, stage) = match place {
                Place::Entrance => ("entrance", None, None),
                Place::Stage { pipeline, stage } => ("stage", Some(pipeline), Some(stage)),
                Place::Round { pipeline } => ("round", Some(pipeline), None),
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
    fn a_wide_table_is_folded_and_a_long_run_is_cut() {
        let clock = Clock::new(Duration::from_nanoseconds(1), 1);
        let mut timeline = Timeline::new(clock, 20);
        for cycle in 0..30 {
            timeline.record(cycle, Place::Stage { pipeline: 0, stage: 0 }, processed(cycle));
        }
        let text = timeline.to_string();
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("ns")).count(), 2, "{text}");
        assert!(text.contains("[T]") && !text.contains("[U]"), "{text}");
        assert!(text.ends_with("the run goes on; its first 20 cycles are shown\n"), "{text}");
    }
}
