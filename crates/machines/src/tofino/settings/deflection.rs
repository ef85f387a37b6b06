//! Where packets go that find no room: a deflection port for each pipe.

use std::collections::BTreeMap;

use plans::Section;
use serde::{Deserialize, Serialize};

use super::MOST_PORTS;
use crate::tofino::ports::pipe_of;

/// The deflection ports by pipe.
///
/// The drivers of the chip set one port and one of its queues for each pipe, and the port must be one of the pipe
/// (open-p4studio, `pd_tm.h`: the destination of negative mirrors).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeflectionSettings {
    ports: BTreeMap<usize, DeflectionPort>,
}

/// Where packets go whose ingress was in one pipe and that find no room in their queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeflectionPort {
    /// The device port, which belongs to the pipe.
    pub port: u16,
    /// The queue of the port.
    pub queue: u8,
    /// The number of bytes that are kept of such a packet; `None` for all of them.
    pub length: Option<u32>,
}

impl DeflectionSettings {
    /// Reads the `[[deflection]]` sections within a section, and appends their text to `text`.
    pub fn read(section: &Section<'_>, text: &mut String) -> Self {
        let mut ports = BTreeMap::new();
        for own in section.sections("deflection") {
            own.require("port", "the device port to which packets of its pipe are deflected: port = 8");
            let port = own.count("port", 0..=u64::from(MOST_PORTS - 1), 0) as u16;
            let queue = own.count("queue", 0..=127, 0) as u8;
            let length = own.optional_count("length", 1..=65_535).map(|length| length as u32);
            let pipe = pipe_of(port);
            if ports.insert(pipe, DeflectionPort { port, queue, length }).is_some() {
                let message = format!("pipe {pipe} has two deflection ports");
                own.error(&own.span_of("port"), message, "keep one of them: a pipe deflects to one port");
            }
            own.end(text);
        }
        Self { ports }
    }

    /// Takes over what a fragment of settings says; the other pipes keep what they have.
    pub fn merge(&mut self, fragment: Self) {
        self.ports.extend(fragment.ports);
    }

    /// Returns the deflection ports, in the order of their pipes.
    pub fn ports(&self) -> impl Iterator<Item = &DeflectionPort> {
        self.ports.values()
    }

    /// Returns where packets go whose ingress was in a pipe; `None` if they are dropped.
    pub fn of_pipe(&self, pipe: usize) -> Option<DeflectionPort> {
        self.ports.get(&pipe).copied()
    }
}
