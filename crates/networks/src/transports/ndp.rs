//! NDP in plans: `docs/transports/ndp.md`.

use std::sync::Arc;

use plans::Section;
use transports::Transport;
use transports::ndp::{Ndp, NdpParameters, PullOrder};

use super::paths::{path_choice, paths};
use super::{HostAttachment, TransportKind, TransportPlan, any_link};

pub(super) static NDP: NdpKind = NdpKind;

pub(super) struct NdpKind;

#[derive(Debug)]
struct NdpPlan {
    /// The parameters that all hosts have in common; each has its own link.
    parameters: NdpParameters,
    /// The number of paths that a host chooses from; `None` for as many as the topology has.
    paths: Option<u16>,
}

impl TransportKind for NdpKind {
    fn name(&self) -> &'static str {
        "ndp"
    }

    fn read(&self, section: &Section<'_>) -> Arc<dyn TransportPlan> {
        let usual = NdpParameters::new(any_link());
        let parameters = NdpParameters {
            packet_bytes: section.bytes("packet", 65..=65_535, u64::from(usual.packet_bytes)) as u32,
            first_window: section.count("first_window", 1..=1_000_000, u64::from(usual.first_window)) as u32,
            path_choice: path_choice(section),
            pull_order: section.choice(
                "pull_order",
                &[("fair", PullOrder::Fair), ("priority", PullOrder::Priority)],
                "fair",
            ),
            retransmission_timeout: section.positive("timeout", usual.retransmission_timeout),
            longest_timeout: section.duration("longest_timeout", usual.longest_timeout),
            attempts: section.count("attempts", 1..=255, u64::from(usual.attempts)) as u8,
            ..usual
        };
        Arc::new(NdpPlan { parameters, paths: paths(section) })
    }
}

impl TransportPlan for NdpPlan {
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
        Box::new(Ndp::new(address, NdpParameters { link, paths, ..self.parameters }, seed))
    }
}
