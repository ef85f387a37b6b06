//! TCP in plans, one kind for each congestion control algorithm: `docs/transports/tcp.md`.

use std::sync::Arc;

use basis::Duration;
use plans::Section;
use transports::Transport;
use transports::tcp::{Algorithm, CongestionAlgorithm, Cubic, Dctcp, NewReno, Tcp, TcpParameters};

use super::{HostAttachment, TransportKind, TransportPlan};

pub(super) static NEW_RENO: TcpKind = TcpKind { algorithm: &NewReno };
pub(super) static CUBIC: TcpKind = TcpKind { algorithm: &Cubic };
pub(super) static DCTCP: TcpKind = TcpKind { algorithm: &Dctcp };

/// TCP with a congestion control algorithm, whose name plans use for the transport.
pub struct TcpKind {
    /// The algorithm, one of Polyplane's or one from outside.
    pub algorithm: &'static dyn CongestionAlgorithm,
}

/// The parameters that all hosts have in common.
#[derive(Debug)]
struct TcpPlan(TcpParameters);

impl TransportKind for TcpKind {
    fn name(&self) -> &'static str {
        self.algorithm.name()
    }

    fn read(&self, section: &Section<'_>) -> Arc<dyn TransportPlan> {
        let usual = TcpParameters::data_center(Algorithm(self.algorithm));
        let parameters = TcpParameters {
            packet_bytes: section.bytes("packet", 128..=65_549, u64::from(usual.packet_bytes)) as u32,
            ecn: section.flag("ecn", self.algorithm.counts_marks()),
            sack: section.flag("sack", usual.sack),
            timestamps: section.flag("timestamps", usual.timestamps),
            pacing: section.flag("pacing", usual.pacing),
            initial_window: section.count("initial_window", 1..=10_000, u64::from(usual.initial_window)) as u32,
            receive_buffer: section.bytes("receive_buffer", 1..=1 << 30, u64::from(usual.receive_buffer)) as u32,
            first_timeout: section.positive("first_timeout", usual.first_timeout),
            shortest_timeout: section.positive("timeout", usual.shortest_timeout),
            longest_timeout: section.positive("longest_timeout", usual.longest_timeout),
            attempts: section.count("attempts", 1..=255, u64::from(usual.attempts)) as u8,
            delayed_ack: section.duration("delayed_ack", usual.delayed_ack),
            segments_per_ack: section.count("segments_per_ack", 1..=255, u64::from(usual.segments_per_ack)) as u8,
            ..usual
        };
        refuse_long_timeout(section, &parameters);
        Arc::new(TcpPlan(parameters))
    }
}

/// Reports an error if the shortest timeout is longer than the longest.
fn refuse_long_timeout(section: &Section<'_>, parameters: &TcpParameters) {
    let [shortest, longest] = [parameters.shortest_timeout, parameters.longest_timeout];
    if shortest > longest && longest > Duration::ZERO {
        let text = units::duration_text;
        let message = format!("`timeout` ({}) is longer than `longest_timeout` ({})", text(shortest), text(longest));
        let name = if section.has("longest_timeout") { "longest_timeout" } else { "timeout" };
        section.error(
            &section.span_of(name),
            message,
            "make `timeout`, the shortest timeout, no longer than `longest_timeout`",
        );
    }
}

impl TransportPlan for TcpPlan {
    fn packet_bytes(&self) -> u32 {
        self.0.packet_bytes
    }

    fn payload_bytes(&self) -> u32 {
        u32::from(self.0.segment_payload())
    }

    fn usual_queue(&self) -> &'static str {
        if self.0.algorithm.0.counts_marks() { "ecn" } else { "drop-tail" }
    }

    fn longest_content(&self) -> u64 {
        self.0.longest_content
    }

    fn build(&self, HostAttachment { address, seed, .. }: HostAttachment) -> Box<dyn Transport> {
        Box::new(Tcp::new(address, self.0, seed))
    }
}
