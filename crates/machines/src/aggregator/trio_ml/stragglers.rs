//! Stragglers: which sources are missing how often, and what workers are told of it (section 5).

use basis::Instant;
use wire::Packet;
use wire::trio_ml::age;

use super::packets::{self, Said};
use super::state::{JOBS, Straggler, TrioMlSwitch};

/// In how many looks in a row a source has events before it is a permanent straggler.
const PERMANENT_AFTER: u16 = 4;

impl TrioMlSwitch {
    /// Counts an event for each source that has not contributed to a block.
    pub(super) fn count_stragglers(&mut self, place: u32, job: u32) {
        let record = &self.job[job as usize];
        let received = self.places[place as usize].record.received;
        for source in 0..=u8::MAX {
            let (word, bit) = (usize::from(source / 64), 1 << 63 >> (source % 64));
            if record.sources[word] & !received[word] & bit != 0 {
                let key = u16::from(record.job) << 8 | u16::from(source);
                let straggler = self.stragglers.entry(key).or_default();
                straggler.events = straggler.events.wrapping_add(1);
            }
        }
    }

    /// Lets the looks happen before `now` that found no source with events.
    pub(super) fn catch_up(&mut self, now: Instant) {
        if self.stragglers.is_empty() && self.judge.skip(now) {
            for place in 0..JOBS {
                self.judged[place] = self.job[place].total_blocks.into();
            }
        }
    }

    /// Looks at all sources. A job that has begun no block since the last look tells nothing about its workers.
    pub(super) fn judge_all(&mut self, send: &mut Vec<Packet>) {
        for place in 0..JOBS as u32 {
            let record = self.job[place as usize];
            if !self.jobs.has(place) {
                continue;
            }
            let total = u64::from(record.total_blocks);
            if std::mem::replace(&mut self.judged[place as usize], total) == total {
                continue;
            }
            let first = u16::from(record.job) << 8;
            for (key, straggler) in self.stragglers.range_mut(first..=first | 0xff) {
                let has_events = std::mem::take(&mut straggler.events) > 0;
                let periods = if has_events { straggler.periods.saturating_add(1) } else { 0 };
                let kind = match periods {
                    0 => 0,
                    PERMANENT_AFTER.. => age::PERMANENT_STRAGGLER,
                    _ => age::TEMPORARY_STRAGGLER,
                };
                let told = std::mem::replace(&mut straggler.told, kind);
                straggler.periods = periods;
                if told != kind {
                    self.totals.messages += 1;
                    let said = Said {
                        flags: if kind == 0 { age::RECOVERED } else { kind } << 4,
                        source: *key as u8,
                        generation: record.generation,
                        ..Said::default()
                    };
                    send.push(packets::make(&record, record.destination, said, &[]));
                }
            }
        }
        self.stragglers.retain(|_, straggler| *straggler != Straggler::default());
    }
}
