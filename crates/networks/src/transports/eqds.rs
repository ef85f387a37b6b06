//! EQDS in plans: `docs/transports/eqds.md`.

use std::sync::Arc;

use plans::Section;
use transports::Transport;
use transports::eqds::{Eqds, EqdsParameters};

use super::paths::{path_choice, paths};
use super::{HostAttachment, TransportKind, TransportPlan, any_link};

pub(super) static EQDS: EqdsKind = EqdsKind;

pub(super) struct EqdsKind;

#[derive(Debug)]
struct EqdsPlan {
    /// The parameters that all hosts have in common; each has its own link.
    parameters: EqdsParameters,
    /// The number of paths that a host chooses from; `None` for as many as the topology has.
    paths: Option<u16>,
}

impl TransportKind for EqdsKind {
    fn name(&self) -> &'static str {
        "eqds"
    }

    fn read(&self, section: &Section<'_>) -> Arc<dyn TransportPlan> {
        let usual = EqdsParameters::new(any_link());
        let parameters = EqdsParameters {
            packet_bytes: section.bytes("packet", 65..=65_535, u64::from(usual.packet_bytes)) as u32,
            first_window: section.count("first_window", 0..=1_000_000, u64::from(usual.first_window)) as u32,
            window: section.count("window", 1..=1_000_000, u64::from(usual.window)) as u32,
            quantum: section.bytes("quantum", 1..=1 << 20, u64::from(usual.quantum)) as u32,
            credit_bytes: section.bytes("credit", 1..=1 << 30, u64::from(usual.credit_bytes)) as u32,
            acknowledge_bytes: section.bytes("acknowledge", 1..=1 << 30, u64::from(usual.acknowledge_bytes)) as u32,
            path_choice: path_choice(section),
            retransmission_timeout: section.positive("timeout", usual.retransmission_timeout),
            longest_timeout: section.duration("longest_timeout", usual.longest_timeout),
            attempts: section.count("attempts", 1..=255, u64::from(usual.attempts)) as u8,
            ..usual
        };
        let (quanta, most) = (parameters.window_quanta(), EqdsParameters::MOST_QUANTA);
        if quanta > most {
            let hint = format!("a window has at most {most} quanta: increase `quantum`, or decrease the window");
            section.error(&section.span_of("window"), format!("this window has {quanta} quanta"), hint);
        }
        Arc::new(EqdsPlan { parameters, paths: paths(section) })
    }
}

impl TransportPlan for EqdsPlan {
    fn packet_bytes(&self) -> u32 {
        self.parameters.packet_bytes
    }

    fn payload_bytes(&self) -> u32 {
        u32::from(self.parameters.payload_bytes())
    }

    fn usual_queue(&self) -> &'static str {
        "trimming"
    }

    fn build(&self, HostAttachment { address, paths, link, seed }: HostAttachment) -> Box<dyn Transport> {
        let paths = self.paths.unwrap_or(paths);
        Box::new(Eqds::new(address, EqdsParameters { link, paths, ..self.parameters }, seed))
    }
}
