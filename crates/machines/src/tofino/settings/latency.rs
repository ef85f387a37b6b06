//! `clock` and `[latency]`: how fast the chip is, and how long each part of it takes.

use basis::Duration;
use plans::Section;
use serde::{Deserialize, Serialize};

/// The highest frequency of the clock, with which a cycle lasts a picosecond, the unit of time.
const MOST_CLOCK: u64 = 1_000_000_000_000;

/// The clock of the chip, and the time that a packet takes in each part of it, whatever the program does there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencySettings {
    /// The frequency of the clock in hertz. Each gress of a pipe takes one packet a cycle.
    pub clock: u64,
    /// The number of packets that can wait in front of ingress of a pipe for their cycle.
    pub ingress_buffer: u64,
    /// The parser of ingress.
    pub ingress_parser: Duration,
    /// The match-action stages of ingress.
    pub ingress: Duration,
    /// The deparser of ingress.
    pub ingress_deparser: Duration,
    /// The way through the traffic manager to the queue.
    pub traffic_manager: Duration,
    /// The parser of egress.
    pub egress_parser: Duration,
    /// The match-action stages of egress.
    pub egress: Duration,
    /// The deparser of egress, and the way to the link.
    pub egress_deparser: Duration,
    /// The way from a port that recirculates back to ingress.
    pub recirculation: Duration,
}

impl Default for LatencySettings {
    /// Returns the latencies of Tofino as far as they are public.
    fn default() -> Self {
        // 160 cycles of 1/1.22 GHz: the least that stages of egress take on Tofino (p4lang/p4c,
        // backends/tofino/bf-asm/target.h, `MINIMUM_REQUIRED_EGRESS_PIPELINE_LATENCY`). For ingress it is our assumption.
        let stages = Duration::from_nanoseconds(131);
        // Our assumption: no public source says how long these take.
        let [edge, traffic_manager] = [40, 100].map(Duration::from_nanoseconds);
        Self {
            // p4lang/open-p4studio, pkgsrc/bf-drivers/src/dvm/dvm.c, `bf_drv_get_clock_speed`.
            clock: 1_220_000_000,
            // Our assumption.
            ingress_buffer: 256,
            ingress_parser: edge,
            ingress: stages,
            ingress_deparser: edge,
            traffic_manager,
            egress_parser: edge,
            egress: stages,
            egress_deparser: edge,
            recirculation: Duration::ZERO,
        }
    }
}

impl LatencySettings {
    /// Returns the time from the cycle in which ingress takes a packet to the end of its deparser.
    pub fn of_ingress(&self) -> Duration {
        self.ingress_parser + self.ingress + self.ingress_deparser
    }

    /// Returns the time from the cycle in which egress takes a packet to the end of its deparser.
    pub fn of_egress(&self) -> Duration {
        self.egress_parser + self.egress + self.egress_deparser
    }
}

/// Reads the clock from a file, and the latencies from its `[latency]`.
pub(super) fn read(above: &Section<'_>, text: &mut String) -> LatencySettings {
    let usual = LatencySettings::default();
    let clock = above.parsed_or("clock", "a frequency", units::frequency, units::frequency_text, usual.clock);
    if clock > MOST_CLOCK {
        let message = format!("`clock` cannot be {}", units::frequency_text(clock));
        above.error(&above.span_of("clock"), message, format!("at most {}", units::frequency_text(MOST_CLOCK)));
    }
    let ingress_buffer = above.count("ingress_buffer", 1..=1 << 20, usual.ingress_buffer);
    let section = above.section("latency");
    let settings = LatencySettings {
        clock,
        ingress_buffer,
        ingress_parser: section.delay("ingress_parser", usual.ingress_parser),
        ingress: section.delay("ingress", usual.ingress),
        ingress_deparser: section.delay("ingress_deparser", usual.ingress_deparser),
        traffic_manager: section.delay("traffic_manager", usual.traffic_manager),
        egress_parser: section.delay("egress_parser", usual.egress_parser),
        egress: section.delay("egress", usual.egress),
        egress_deparser: section.delay("egress_deparser", usual.egress_deparser),
        recirculation: section.delay("recirculation", usual.recirculation),
    };
    section.end(text);
    settings
}
