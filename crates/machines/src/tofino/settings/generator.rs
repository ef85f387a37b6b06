//! The applications of the packet generators.

use std::collections::BTreeMap;

use basis::Duration;
use plans::Section;
use serde::{Deserialize, Serialize};

use super::bytes::optional_bytes;
use crate::tofino::ports::OF_PIPE;

/// The most bytes of a generated packet: those of the buffer that a generator takes its packets from (open-p4studio,
/// `pktgen_intf.h`).
const MOST_BYTES: usize = 16_384;
/// The shortest time that a timer can measure.
const LEAST_TIME: Duration = Duration::from_picoseconds(1_000);
/// The most batches of a trigger, and the most packets of a batch. The chip counts both in 16 bits.
const MOST: u64 = 65_536;

/// The applications of the packet generators, by pipe and number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratorSettings {
    applications: BTreeMap<(u16, u8), GeneratorApplication>,
}

/// An application of a packet generator: what it waits for, and what it makes then (open-p4studio, `pktgen_intf.h`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratorApplication {
    /// Whether it generates packets.
    pub is_enabled: bool,
    /// What triggers it.
    pub trigger: GeneratorTrigger,
    /// The number of times that it is triggered at most after it was enabled; `None` for no limit. This is ours: it lets
    /// runs end.
    pub most_triggers: Option<u64>,
    /// The packet, behind the header that the generator puts in front.
    pub packet: Vec<u8>,
    /// The number of batches that a trigger makes; at least 1.
    pub batches: u32,
    /// The number of packets of a batch; at least 1.
    pub packets: u32,
    /// The least time from the start of a batch to that of the next.
    pub batch_gap: Duration,
    /// The least time from the start of a packet to that of the next one of its batch.
    pub packet_gap: Duration,
    /// The port within the pipe at which the packets arrive; `None` for that of the generator.
    pub port: Option<u16>,
    /// Whether each packet of a batch arrives at the port behind that of the packet before it.
    pub increments_port: bool,
}

/// What triggers an application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GeneratorTrigger {
    /// The time that has passed since the application was enabled, once.
    OneShot(Duration),
    /// The time that has passed since the application was enabled, or since it triggered.
    Periodic(Duration),
    /// A port of the pipe goes down: one of these, or any of them if there are none.
    PortDown(Vec<u16>),
    /// A recirculated packet of the pipe begins with the pattern, where the mask has ones.
    Recirculation {
        /// The pattern.
        pattern: Vec<u8>,
        /// The mask, of the same length.
        mask: Vec<u8>,
    },
}

impl GeneratorSettings {
    /// Reads the `[[generator]]` sections within a section, for a chip of so many pipes, and appends their text to `text`.
    pub fn read(section: &Section<'_>, pipes: u16, text: &mut String) -> Self {
        let mut applications = BTreeMap::new();
        for own in section.sections("generator") {
            own.require("application", "the number of the application: application = 0");
            let number = own.count("application", 0..=15, 0) as u8;
            let all: Vec<u64> = (0..u64::from(pipes)).collect();
            let of_pipes = own.counts("pipes", 0..=u64::from(pipes) - 1, &all);
            let application = application(&own);
            for pipe in of_pipes {
                if applications.insert((pipe as u16, number), application.clone()).is_some() {
                    let message = format!("application {number} of pipe {pipe} is there twice");
                    own.error(
                        &own.span_of("application"),
                        message,
                        "give them different numbers, or different `pipes`",
                    );
                }
            }
            own.end(text);
        }
        Self { applications }
    }

    /// Takes over the applications that a fragment of settings has; the others stay.
    pub fn merge(&mut self, fragment: Self) {
        self.applications.extend(fragment.applications);
    }

    /// Returns all applications with their pipe and number, in order.
    pub fn applications(&self) -> impl Iterator<Item = ((u16, u8), &GeneratorApplication)> {
        self.applications.iter().map(|(&place, application)| (place, application))
    }

    /// Returns an application of a pipe by its number.
    pub fn application(&self, pipe: u16, number: u8) -> Option<&GeneratorApplication> {
        self.applications.get(&(pipe, number))
    }
}

/// The kinds of triggers by name.
#[derive(Clone, Copy)]
enum Kind {
    OneShot,
    Periodic,
    PortDown,
    Recirculation,
}

fn application(section: &Section<'_>) -> GeneratorApplication {
    let kinds = [
        ("one_shot", Kind::OneShot),
        ("periodic", Kind::Periodic),
        ("port_down", Kind::PortDown),
        ("recirculation", Kind::Recirculation),
    ];
    section.require("trigger", "what triggers it: one_shot, periodic, port_down or recirculation");
    let trigger = match section.choice("trigger", &kinds, "one_shot") {
        Kind::OneShot => GeneratorTrigger::OneShot(timer(section)),
        Kind::Periodic => GeneratorTrigger::Periodic(timer(section)),
        Kind::PortDown => {
            let ports = section.counts("ports", 0..=u64::from(OF_PIPE - 1), &[]);
            GeneratorTrigger::PortDown(ports.into_iter().map(|port| port as u16).collect())
        }
        Kind::Recirculation => recirculation(section),
    };
    section.require("packet", "the bytes of the packet: packet = \"0x…\"");
    let mut packet = optional_bytes(section, "packet", MOST_BYTES).unwrap_or_default();
    let length = section.count("length", 1..=MOST_BYTES as u64, (packet.len() as u64).max(1)) as usize;
    packet.resize(length, 0);
    GeneratorApplication {
        is_enabled: section.flag("enabled", true),
        trigger,
        most_triggers: section.optional_count("triggers", 1..=u64::MAX),
        packet,
        batches: section.count("batches", 1..=MOST, 1) as u32,
        packets: section.count("packets", 1..=MOST, 1) as u32,
        batch_gap: section.duration("batch_gap", Duration::ZERO),
        packet_gap: section.duration("packet_gap", Duration::ZERO),
        port: section.optional_count("port", 0..=u64::from(OF_PIPE - 1)).map(|port| port as u16),
        increments_port: section.flag("increment_port", false),
    }
}

fn timer(section: &Section<'_>) -> Duration {
    section.require("timer", "the time until it is triggered: timer = \"1 us\"");
    let time = section.optional_duration("timer").unwrap_or(Duration::from_microseconds(1));
    if time < LEAST_TIME {
        section.error(
            &section.span_of("timer"),
            "the timer is too short",
            "at least \"1 ns\", in which the chip counts",
        );
        return LEAST_TIME;
    }
    time
}

fn recirculation(section: &Section<'_>) -> GeneratorTrigger {
    section.require("pattern", "what recirculated packets begin with: pattern = \"0x…\"");
    let pattern = optional_bytes(section, "pattern", 16).unwrap_or_default();
    let mask = optional_bytes(section, "mask", 16).unwrap_or_else(|| vec![0xFF; pattern.len()]);
    if mask.len() != pattern.len() {
        let message = format!("the mask has {} bytes, and the pattern {}", mask.len(), pattern.len());
        section.error(&section.span_of("mask"), message, "as many bytes as the pattern");
    }
    GeneratorTrigger::Recirculation { pattern, mask }
}
