//! `[transport]`: what carries messages; or several `[[transport]]`, each for some hosts.

use basis::Duration;
use node::Line;
use transports::{PathChoice, eqds, ndp, rocev2, tcp};

use super::names::Of;
use super::section::Section;
use super::{LinkPlan, Pattern};

/// What carries the messages of some hosts.
#[derive(Clone, Debug)]
pub struct TransportChoice {
    /// Which hosts, by name; all if there is none.
    pub names: Vec<Pattern>,
    /// What carries their messages.
    pub plan: TransportPlan,
}

/// What carries messages.
#[derive(Clone, Debug)]
pub enum TransportPlan {
    /// NDP.
    Ndp {
        /// What all hosts have in common; each has its own line.
        parameters: ndp::Parameters,
        /// How many paths a host chooses from; as many as the topology has if nobody says.
        paths: Option<u16>,
    },
    /// EQDS.
    Eqds {
        /// What all hosts have in common; each has its own line.
        parameters: eqds::Parameters,
        /// How many paths a host chooses from; as many as the topology has if nobody says.
        paths: Option<u16>,
    },
    /// TCP.
    Tcp {
        /// What all hosts have in common.
        parameters: tcp::Parameters,
    },
    /// RoCEv2.
    RoceV2 {
        /// What all hosts have in common; each has its own line.
        parameters: rocev2::Parameters,
    },
}

impl TransportPlan {
    /// A full packet in bytes, from the first of Ethernet's.
    pub fn packet_bytes(&self) -> u32 {
        match self {
            Self::Ndp { parameters, .. } => parameters.packet_bytes,
            Self::Eqds { parameters, .. } => parameters.packet_bytes,
            Self::Tcp { parameters } => parameters.packet_bytes,
            Self::RoceV2 { parameters } => parameters.packet_bytes(),
        }
    }

    /// Payload of a full packet, in bytes.
    pub fn payload_bytes(&self) -> u32 {
        match self {
            Self::Ndp { parameters, .. } => u32::from(parameters.payload_bytes()),
            Self::Eqds { parameters, .. } => u32::from(parameters.payload_bytes()),
            Self::Tcp { parameters } => u32::from(parameters.segment_payload()),
            Self::RoceV2 { parameters } => parameters.payload,
        }
    }

    /// What a full packet has beside its payload, in bytes: of packets that differ, what most of a long message have.
    pub fn header_bytes(&self) -> u32 {
        match self {
            Self::Ndp { .. } | Self::Eqds { .. } | Self::Tcp { .. } => self.packet_bytes() - self.payload_bytes(),
            Self::RoceV2 { parameters } => parameters.header_bytes(),
        }
    }

    /// The queue that its switches have if nobody says: what it was made for.
    pub fn usual_queue(&self) -> &'static str {
        match self {
            Self::Ndp { .. } | Self::Eqds { .. } => "trimming",
            Self::Tcp { parameters } if parameters.algorithm == tcp::Algorithm::Dctcp => "ecn",
            Self::RoceV2 { parameters } if parameters.dcqcn.is_some() => "ecn",
            Self::Tcp { .. } | Self::RoceV2 { .. } => "drop-tail",
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Ndp,
    Eqds,
    Tcp(tcp::Algorithm),
    RoceV2,
}

const KINDS: [(&str, Kind); 6] = [
    ("ndp", Kind::Ndp),
    ("eqds", Kind::Eqds),
    ("newreno", Kind::Tcp(tcp::Algorithm::NewReno)),
    ("cubic", Kind::Tcp(tcp::Algorithm::Cubic)),
    ("dctcp", Kind::Tcp(tcp::Algorithm::Dctcp)),
    ("rocev2", Kind::RoceV2),
];

/// Reads one section. It adds itself to `plan`.
pub(super) fn choice(section: Section<'_>, link: &LinkPlan, plan: &mut String) -> TransportChoice {
    let names = section.patterns("where", Of::Host);
    let transport = match section.choice("kind", &KINDS, "ndp") {
        Kind::Ndp => of_ndp(&section),
        Kind::Eqds => of_eqds(&section),
        Kind::Tcp(algorithm) => of_tcp(&section, algorithm),
        Kind::RoceV2 => of_rocev2(&section),
    };
    let (packet, mtu) = (transport.packet_bytes(), link.line.mtu);
    if packet > mtu {
        let hint = format!("lines carry packets of at most {mtu} B: make `link.mtu` larger, or packets shorter");
        let name = if matches!(transport, TransportPlan::RoceV2 { .. }) { "payload" } else { "packet" };
        section.error(&section.span_of(name), "packets that no line carries", hint);
    }
    section.end(plan);
    TransportChoice { names, plan: transport }
}

fn of_ndp(section: &Section<'_>) -> TransportPlan {
    let usual = ndp::Parameters::new(any_line());
    let parameters = ndp::Parameters {
        packet_bytes: section.bytes("packet", 65..=65_535, u64::from(usual.packet_bytes)) as u32,
        first_window: section.count("first_window", 1..=1_000_000, u64::from(usual.first_window)) as u32,
        path_choice: path_choice(section),
        pull_order: section.choice(
            "pull_order",
            &[("fair", ndp::PullOrder::Fair), ("priority", ndp::PullOrder::Priority)],
            "fair",
        ),
        retransmission_timeout: section.positive("timeout", usual.retransmission_timeout),
        longest_timeout: section.duration("longest_timeout", usual.longest_timeout),
        attempts: section.count("attempts", 1..=255, u64::from(usual.attempts)) as u8,
        ..usual
    };
    TransportPlan::Ndp { parameters, paths: paths(section) }
}

fn of_eqds(section: &Section<'_>) -> TransportPlan {
    let usual = eqds::Parameters::new(Line::new(basis::Rate::from_gigabits_per_second(1), 0));
    let parameters = eqds::Parameters {
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
    let (quanta, most) = (parameters.window_quanta(), eqds::Parameters::MOST_QUANTA);
    if quanta > most {
        let hint = format!("a window has at most {most} quanta: make `quantum` larger, or the window smaller");
        section.error(&section.span_of("window"), format!("this window has {quanta} quanta"), hint);
    }
    TransportPlan::Eqds { parameters, paths: paths(section) }
}

fn path_choice(section: &Section<'_>) -> PathChoice {
    let choices = [
        ("permutation", PathChoice::Permutation),
        ("random", PathChoice::Random),
        ("one-per-message", PathChoice::OnePerMessage),
    ];
    section.choice("path_choice", &choices, "permutation")
}

fn paths(section: &Section<'_>) -> Option<u16> {
    section.optional_count("paths", 1..=u64::from(wire::path::PATHS)).map(|paths| paths as u16)
}

fn of_tcp(section: &Section<'_>, algorithm: tcp::Algorithm) -> TransportPlan {
    let usual = tcp::Parameters::data_center(algorithm);
    let parameters = tcp::Parameters {
        packet_bytes: section.bytes("packet", 128..=65_549, u64::from(usual.packet_bytes)) as u32,
        ecn: section.flag("ecn", algorithm == tcp::Algorithm::Dctcp),
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
    let [shortest, longest] = [parameters.shortest_timeout, parameters.longest_timeout];
    if shortest > longest && longest > Duration::ZERO {
        let text = units::duration_text;
        let message = format!("`timeout` ({}) is longer than `longest_timeout` ({})", text(shortest), text(longest));
        let name = if section.has("longest_timeout") { "longest_timeout" } else { "timeout" };
        section.error(&section.span_of(name), message, "`timeout` is the shortest that there is: make it shorter");
    }
    TransportPlan::Tcp { parameters }
}

fn of_rocev2(section: &Section<'_>) -> TransportPlan {
    use rocev2::Recovery::{GoBackN, SelectiveRepeat};
    let recovery =
        section.choice("recovery", &[("go-back-n", GoBackN), ("selective-repeat", SelectiveRepeat)], "go-back-n");
    let usual = rocev2::Parameters::new(any_line(), recovery);
    let code_point = |name, usual: u8| section.count(name, 0..=63, u64::from(usual)) as u8;
    let mut parameters = rocev2::Parameters {
        payload: section.bytes("payload", 64..=32_768, u64::from(usual.payload)) as u32,
        window: section.count("window", 1..=u64::from(rocev2::Parameters::LARGEST_WINDOW), u64::from(usual.window))
            as u32,
        packets_per_ack: section.count("packets_per_ack", 1..=255, u64::from(usual.packets_per_ack)) as u8,
        timeout: section.positive("timeout", usual.timeout),
        short_timeout: section.positive("short_timeout", usual.short_timeout),
        few: section.count("few", 0..=u64::from(u32::MAX), u64::from(usual.few)) as u32,
        retries: section.count("retries", 0..=255, u64::from(usual.retries)) as u8,
        ack_dscp: code_point("ack_dscp", usual.ack_dscp),
        notification_dscp: code_point("notification_dscp", usual.notification_dscp),
        dcqcn: section.flag("dcqcn", usual.dcqcn.is_some()).then(|| of_dcqcn(section)),
        ..usual
    };
    if !parameters.payload.is_multiple_of(4) {
        let hint = "InfiniBand counts in words of 4 bytes: 256, 512, 1024, 2048 or 4096";
        section.error(&section.span_of("payload"), "a full packet is no multiple of 4 bytes", hint);
        parameters.payload = usual.payload;
    }
    TransportPlan::RoceV2 { parameters }
}

fn of_dcqcn(section: &Section<'_>) -> rocev2::Dcqcn {
    let usual = rocev2::Dcqcn::default();
    rocev2::Dcqcn {
        notification_interval: section.duration("notification_interval", usual.notification_interval),
        gain_divisor: section.count("gain_divisor", 1..=1_000_000, u64::from(usual.gain_divisor)) as u32,
        alpha_timer: section.positive("alpha_timer", usual.alpha_timer),
        increase_timer: section.positive("increase_timer", usual.increase_timer),
        byte_counter: section.bytes("byte_counter", 1..=u64::MAX, usual.byte_counter),
        fast_recoveries: section.count("fast_recoveries", 0..=1_000_000, u64::from(usual.fast_recoveries)) as u32,
        additive: section.rate("additive_increase", usual.additive),
        hyper: section.rate("hyper_increase", usual.hyper),
        lowest: section.rate("lowest_rate", usual.lowest),
    }
}

/// In the place of the lines that hosts have.
fn any_line() -> Line {
    Line::new(basis::Rate::from_gigabits_per_second(1), 0)
}
