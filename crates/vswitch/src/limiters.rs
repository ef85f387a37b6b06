//! The limiters of a switch, each with its tokens.

use basis::Instant;
use runtime::meter::{Color, Meter};
use wire::Segments;

use crate::configuration::Limiter;

/// The packets that a limiter has seen, by their colours (RFC 2698).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimiterCounts {
    /// The packets within the committed rate.
    pub within: u64,
    /// The packets above the committed rate and within the peak rate.
    pub excess: u64,
    /// The packets above the peak rate, which were dropped.
    pub dropped: u64,
}

/// The limiters of a configuration, by their positions.
#[derive(Debug, Default)]
pub struct Limiters(Vec<Running>);

#[derive(Clone, Debug)]
struct Running {
    limiter: Limiter,
    meter: Meter,
    counts: LimiterCounts,
}

impl Limiters {
    /// Creates limiters with all their tokens.
    pub fn new(limiters: &[Limiter]) -> Self {
        let mut new = Self::default();
        new.apply(limiters);
        new
    }

    /// Puts other limiters into the place of the present ones. Those of the same name and rates keep their tokens and counts.
    pub fn apply(&mut self, limiters: &[Limiter]) {
        let old = std::mem::take(&mut self.0);
        let running = |limiter: &Limiter| {
            let is_same = |old: &&Running| {
                let Limiter { name, course, unit, rates, .. } = &old.limiter;
                (name, course, unit, rates) == (&limiter.name, &limiter.course, &limiter.unit, &limiter.rates)
            };
            let kept = old.iter().find(is_same);
            let meter = || Meter::new(limiter.rates).ok();
            let (meter, counts) = kept.map_or_else(
                || Some((meter()?, LimiterCounts::default())),
                |kept| Some((kept.meter.clone(), kept.counts)),
            )?;
            Some(Running { limiter: limiter.clone(), meter, counts })
        };
        self.0 = limiters.iter().filter_map(running).collect();
    }

    /// Marks a packet, or all segments of a superframe alike, with its colour, which is red if it is to be dropped. With
    /// `or_not_at_all`, a red superframe is as if it had not come.
    pub fn mark(&mut self, now: Instant, limiter: u32, segments: &Segments, or_not_at_all: bool) -> Color {
        let Some(Running { limiter, meter, counts }) = self.0.get_mut(limiter as usize) else { return Color::Green };
        let amount = match limiter.unit {
            runtime::meter::MeterUnit::Packets => segments.count,
            runtime::meter::MeterUnit::Bytes => segments.bytes,
        };
        let color = meter.mark(now, amount, Color::Green);
        let count = match color {
            Color::Green => &mut counts.within,
            Color::Yellow => &mut counts.excess,
            // A red packet takes no tokens.
            Color::Red if or_not_at_all => return color,
            Color::Red => &mut counts.dropped,
        };
        *count += segments.count;
        color
    }

    /// Returns the code point for Differentiated Services that packets above the committed rate are given.
    pub fn excess_dscp(&self, limiter: u32) -> Option<u8> {
        self.0.get(limiter as usize)?.limiter.excess_dscp
    }

    /// Returns what a limiter has counted.
    pub fn counts(&self, limiter: u32) -> LimiterCounts {
        self.0.get(limiter as usize).map(|running| running.counts).unwrap_or_default()
    }
}
