//! What every stage of every pipeline does in every cycle, as text for people and golden files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use basis::Clock;

/// What waits in front of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// A data packet.
    Data,
    /// A placeholder whose data packet has yet to come.
    Phantom,
    /// A placeholder whose data packet will not come.
    Void,
}

/// What one stage of one pipeline did in one cycle. Packets go by their place in the order of arrival, from 0.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Moment {
    /// The packet that it processed.
    pub processed: Option<u64>,
    /// What still waited in its queue after that, oldest first.
    pub waiting: Vec<(u64, Waiting)>,
}

/// A record of a run, cycle by cycle. Displays as a table: a row for each stage, a column for
/// each cycle in which something happened, `[A]`
/// for the packet that is processed, `B` for a data packet that waits, `(C)` for a phantom, `(-D)` for a void one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    clock: Clock,
    /// By pipeline, stage and cycle.
    moments: BTreeMap<(usize, usize), BTreeMap<u64, Moment>>,
}

impl Timeline {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, moments: BTreeMap::new() }
    }

    pub(crate) fn record(&mut self, cycle: u64, stage: usize, pipeline: usize, moment: Moment) {
        if moment != Moment::default() {
            self.moments.entry((pipeline, stage)).or_default().insert(cycle, moment);
        }
    }

    /// What a stage did in a cycle; `None` if nothing was there.
    pub fn moment(&self, pipeline: usize, stage: usize, cycle: u64) -> Option<&Moment> {
        self.moments.get(&(pipeline, stage))?.get(&cycle)
    }
}

/// A to Z, then the number.
fn name(packet: u64) -> String {
    let letter = u8::try_from(packet).ok().filter(|&packet| packet < 26).map(|packet| char::from(b'A' + packet));
    letter.map_or_else(|| format!("#{packet}"), String::from)
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let processed = self.processed.map(|packet| format!("[{}]", name(packet)));
        let waiting = self.waiting.iter().map(|&(packet, kind)| match kind {
            Waiting::Data => name(packet),
            Waiting::Phantom => format!("({})", name(packet)),
            Waiting::Void => format!("(-{})", name(packet)),
        });
        f.write_str(&processed.into_iter().chain(waiting).collect::<Vec<_>>().join(" "))
    }
}

impl fmt::Display for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Cycles in which nothing happened anywhere have no column, for there may be millions.
        let cycles: BTreeSet<u64> = self.moments.values().flat_map(BTreeMap::keys).copied().collect();
        let mut rows = vec![vec!["ns".to_owned()]];
        // An edge lies at a whole number of picoseconds, so three digits after the point are exact.
        let times = cycles.iter().map(|&cycle| self.clock.edge(cycle).picoseconds());
        rows[0].extend(times.map(|time| format!("{}.{:03}", time / 1000, time % 1000)));
        for (&(pipeline, stage), moments) in &self.moments {
            let mut row = vec![format!("pipeline {pipeline} stage {stage}")];
            row.extend(cycles.iter().map(|cycle| moments.get(cycle).map_or_else(String::new, Moment::to_string)));
            rows.push(row);
        }
        let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
        for row in &rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
            writeln!(f, "{}", cells.collect::<Vec<_>>().join(" | ").trim_end())?;
        }
        Ok(())
    }
}
