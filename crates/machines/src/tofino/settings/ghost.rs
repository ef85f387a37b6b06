//! `[ghost]`: when the ghost thread runs.

use basis::Duration;
use plans::Section;
use serde::{Deserialize, Serialize};

/// The match-action stages of a pipe of Tofino 2 (p4lang/p4c, backends/tofino/bf-asm/target.h).
const STAGES: u64 = 20;

/// Where in a pipe the ghost thread writes what ingress reads, and how long it takes to hear of a queue. All of it is ours:
/// the public documentation does not say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GhostSettings {
    /// The stage, from 0, that has the registers. In programs with a ghost thread, ingress takes place when a packet reaches
    /// it.
    pub stage: u16,
    /// The time from the change of a queue until the thread writes.
    pub latency: Duration,
}

impl GhostSettings {
    /// Returns the time from the beginning of the first stage until a packet reaches the stage of the registers, if it
    /// takes `all` through all stages.
    pub(in crate::tofino) fn before_stage(&self, all: Duration) -> Duration {
        Duration::from_picoseconds(all.picoseconds() * u64::from(self.stage) / STAGES)
    }

    /// Reads the section `[ghost]` within a section, and appends its text to `text`.
    pub fn read(section: &Section<'_>, text: &mut String) -> Self {
        let own = section.section("ghost");
        let settings =
            Self { stage: own.count("stage", 0..=STAGES - 1, 0) as u16, latency: own.delay("latency", Duration::ZERO) };
        own.end(text);
        settings
    }
}
