//! `trimming`, `cut-payload` and `source-flow-control`: a packet that finds no room loses its payload.

use plans::{Amount, Section};
use queues::{DisciplinePlan, DscpSet, Marking, Returns, Service, ShortPackets, TrimmedQueue, TrimmingPlan, Victim};
use wire::dscp;

use super::code_points::{code_point, code_point_pairs, code_points};
use super::{DisciplineKind, QueueReading};

pub(super) static TRIMMING: Trimming = Trimming { name: "trimming", kind: TrimmingVariant::Trimming };
pub(super) static CUT_PAYLOAD: Trimming = Trimming { name: "cut-payload", kind: TrimmingVariant::CutPayload };
pub(super) static SOURCE_FLOW_CONTROL: Trimming =
    Trimming { name: "source-flow-control", kind: TrimmingVariant::SourceFlowControl };

/// A discipline that trims.
pub(super) struct Trimming {
    name: &'static str,
    kind: TrimmingVariant,
}

/// The disciplines that trim, which differ in their defaults and in the number of queues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TrimmingVariant {
    Trimming,
    CutPayload,
    SourceFlowControl,
}

impl DisciplineKind for Trimming {
    fn name(&self) -> &'static str {
        self.name
    }

    fn read(&self, section: &Section<'_>, reading: &mut QueueReading<'_>) -> DisciplinePlan {
        DisciplinePlan::Trimming(Box::new(trimming(section, self.kind, reading.packet())))
    }
}

fn trimming(section: &Section<'_>, kind: TrimmingVariant, packet: u64) -> TrimmingPlan {
    let amount = |name, default| section.amount(name, default).bytes(packet);
    let (data, limit) = match kind {
        // There is one queue, and packets that arrive above the threshold are cut.
        TrimmingVariant::CutPayload => (amount("threshold", Amount::Packets(8)), amount("limit", Amount::Packets(16))),
        _ => {
            let data = section.amount("limit", Amount::Packets(8));
            (data.bytes(packet), amount("trimmed_limit", data))
        }
    };
    let usual = match kind {
        TrimmingVariant::CutPayload => TrimmingPlan::cut_payload(data, limit),
        TrimmingVariant::SourceFlowControl => TrimmingPlan::source_flow_control(data, data),
        _ => TrimmingPlan::ndp(data),
    };
    let trimmed = if kind == TrimmingVariant::CutPayload {
        TrimmedQueue::Same { limit }
    } else {
        TrimmedQueue::Priority { limit, service: service(section) }
    };
    let mut control = DscpSet::EMPTY;
    for point in code_points(section, "control_dscps", &[dscp::CONTROL]) {
        control = control.with(point);
    }
    TrimmingPlan {
        data,
        trimmed,
        returns: returns(section, kind, packet),
        trim_size: section.bytes("trim_size", 34..=65_535, u64::from(TrimmingPlan::TRIM_SIZE)) as u32,
        victim: section.choice(
            "victim",
            &[("arriving", Victim::Arriving), ("arriving-or-tail", Victim::ArrivingOrTail)],
            if usual.victim == Victim::Arriving { "arriving" } else { "arriving-or-tail" },
        ),
        marking: marking(section),
        returned: code_point(section, "returned_dscp", dscp::RETURNED),
        corrects_lengths: section.flag("corrects_lengths", true),
        corrects_checksum: section.flag("corrects_checksum", true),
        control,
        short: section.choice(
            "short_packets",
            &[("dropped", ShortPackets::Dropped), ("with-trimmed", ShortPackets::WithTrimmed)],
            "with-trimmed",
        ),
    }
}

/// Reads how trimmed packets and data share the link.
fn service(section: &Section<'_>) -> Service {
    let make: fn(u32, u32) -> Service = section.choice(
        "service",
        &[
            ("bytes", (|headers, data| Service::Bytes { headers, data }) as fn(u32, u32) -> Service),
            ("packets", |headers, data| Service::Packets { headers, data }),
            ("strict", |_, _| Service::Strict),
        ],
        "bytes",
    );
    if make(1, 1) == Service::Strict {
        return Service::Strict;
    }
    let part = |name, default| section.count(name, 1..=1_000_000, default) as u32;
    make(part("trimmed_share", 10), part("data_share", 1))
}

fn returns(section: &Section<'_>, kind: TrimmingVariant, packet: u64) -> Returns {
    let usual = match kind {
        TrimmingVariant::CutPayload => "never",
        TrimmingVariant::SourceFlowControl => "above",
        _ => "when-full",
    };
    let choices = [("never", 0), ("when-full", 1), ("above", 2)];
    match section.choice("returns", &choices, usual) {
        0 => Returns::Never,
        1 => Returns::WhenFull,
        _ => Returns::Above { watermark: section.amount("watermark", Amount::Packets(4)).bytes(packet) },
    }
}

/// Reads which code point trimmed packets get.
fn marking(section: &Section<'_>) -> Marking {
    match section.choice("marking", &[("none", 0), ("symmetric", 1), ("asymmetric", 2), ("last-hop", 3)], "symmetric") {
        0 => Marking::Unmarked,
        1 => Marking::Symmetric(code_point(section, "trimmed_dscp", dscp::TRIMMED)),
        2 => Marking::Asymmetric(code_point_pairs(section, "trimmed_dscps")),
        _ => Marking::LastHop {
            last: code_point(section, "last_hop_dscp", dscp::TRIMMED_AT_LAST_HOP),
            elsewhere: code_point(section, "trimmed_dscp", dscp::TRIMMED),
        },
    }
}
