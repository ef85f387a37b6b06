//! The `queue` of a switch or of a class, with all of its fields.

use std::ops::Range;

use queues::{
    ClassMap, ClassPlan, DisciplinePlan, DscpSet, Marking, RedPlan, Returns, Service, ShortPackets, Spacing,
    TrimmedQueue, TrimmingPlan, Victim,
};
use wire::dscp;

use plans::Amount;
use plans::Section;

/// The names of disciplines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    DropTail,
    Ecn,
    Red,
    Trimming,
    CutPayload,
    SourceFlowControl,
    StrictPriorities,
    WeightedFair,
}

const KINDS: [(&str, Kind); 8] = [
    ("trimming", Kind::Trimming),
    ("cut-payload", Kind::CutPayload),
    ("source-flow-control", Kind::SourceFlowControl),
    ("drop-tail", Kind::DropTail),
    ("ecn", Kind::Ecn),
    ("red", Kind::Red),
    ("strict-priorities", Kind::StrictPriorities),
    ("weighted-fair", Kind::WeightedFair),
];

/// Reads a discipline, by default the one that `usual` names. A full packet takes `packet` bytes on the wire. The text
/// of classes is appended to `classes`, which follows the text of their switch in the plan.
pub(super) fn discipline(section: &Section<'_>, packet: u64, usual: &str, classes: &mut String) -> DisciplinePlan {
    let is_class = !classes.is_empty();
    let errors = section.errors();
    let kind = section.choice("queue", &KINDS, usual);
    let amount = |name, default| section.amount(name, Amount::Packets(default)).bytes(packet);
    let discipline = match kind {
        Kind::DropTail => DisciplinePlan::DropTail { limit: amount("limit", 100) },
        Kind::Ecn => DisciplinePlan::Ecn { limit: amount("limit", 100), threshold: amount("threshold", 20) },
        Kind::Red => DisciplinePlan::Red(RedPlan {
            limit: amount("limit", 100),
            minimum: amount("minimum", 5),
            maximum: amount("maximum", 15),
            probability: section.number("probability", 0.0..=1.0, 0.02),
            weight: section.number("weight", 0.0..=1.0, 0.002),
            spacing: section.choice(
                "spacing",
                &[("uniform", Spacing::Uniform), ("geometric", Spacing::Geometric)],
                "uniform",
            ),
            usual_packet: u32::try_from(packet).unwrap_or(u32::MAX),
        }),
        Kind::Trimming | Kind::CutPayload | Kind::SourceFlowControl => trimming(section, kind, packet),
        Kind::StrictPriorities | Kind::WeightedFair if is_class => {
            let hint = "use a queue without classes, such as trimming or drop-tail";
            section.error(&section.span_of("queue"), "a class cannot contain classes", hint);
            DisciplinePlan::trimming(8 * packet)
        }
        Kind::StrictPriorities => {
            let (map, classes) = of_classes(section, packet, classes);
            DisciplinePlan::StrictPriorities {
                map,
                classes: classes.into_iter().map(|class| class.discipline).collect(),
            }
        }
        Kind::WeightedFair => {
            let (map, classes) = of_classes(section, packet, classes);
            DisciplinePlan::WeightedFair { map, classes }
        }
    };
    // Classes report their own problems, and values that stand in for wrong ones must not be reported.
    if section.errors() == errors && !matches!(kind, Kind::StrictPriorities | Kind::WeightedFair) {
        for problem in discipline.problems() {
            section.error(section.span(), problem, "docs/queues.md describes the fields of each queue");
        }
    }
    discipline
}

fn of_classes(section: &Section<'_>, packet: u64, text: &mut String) -> (ClassMap, Vec<ClassPlan>) {
    let sections = section.sections("class");
    if sections.is_empty() {
        let hint = "add [[switch.class]] for each, from class 0 on, with `dscps` and `queue`";
        section.error(section.span(), "this queue needs classes", hint);
    }
    let mut points = Vec::new();
    let mut classes = Vec::new();
    for (number, section) in sections.into_iter().enumerate() {
        let number = u8::try_from(number).unwrap_or(u8::MAX);
        points.extend(code_points(&section, "dscps", &[]).into_iter().map(|point| (point, number)));
        let weight = section.count("weight", 1..=1_000_000, 1) as u32;
        let mut nested = String::from("-");
        let discipline = discipline(&section, packet, "trimming", &mut nested);
        classes.push(ClassPlan { weight, discipline });
        section.end(text);
    }
    (ClassMap::of(&points), classes)
}

fn trimming(section: &Section<'_>, kind: Kind, packet: u64) -> DisciplinePlan {
    let amount = |name, default| section.amount(name, default).bytes(packet);
    let (data, limit) = match kind {
        // There is one queue, and packets that arrive above the threshold are cut.
        Kind::CutPayload => (amount("threshold", Amount::Packets(8)), amount("limit", Amount::Packets(16))),
        _ => {
            let data = section.amount("limit", Amount::Packets(8));
            (data.bytes(packet), amount("trimmed_limit", data))
        }
    };
    let usual = match kind {
        Kind::CutPayload => TrimmingPlan::cut_payload(data, limit),
        Kind::SourceFlowControl => TrimmingPlan::source_flow_control(data, data),
        _ => TrimmingPlan::ndp(data),
    };
    let trimmed = if kind == Kind::CutPayload {
        TrimmedQueue::Same { limit }
    } else {
        TrimmedQueue::Priority { limit, service: service(section) }
    };
    let mut control = DscpSet::EMPTY;
    for point in code_points(section, "control_dscps", &[dscp::CONTROL]) {
        control = control.with(point);
    }
    DisciplinePlan::Trimming(Box::new(TrimmingPlan {
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
    }))
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

fn returns(section: &Section<'_>, kind: Kind, packet: u64) -> Returns {
    let usual = match kind {
        Kind::CutPayload => "never",
        Kind::SourceFlowControl => "above",
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

/// Reads a code point, 0 to 63.
fn code_point(section: &Section<'_>, name: &'static str, default: u8) -> u8 {
    section.count(name, 0..=63, u64::from(default)) as u8
}

/// Reads code points, each 0 to 63.
pub(super) fn code_points(section: &Section<'_>, name: &'static str, default: &[u8]) -> Vec<u8> {
    let default: Vec<u64> = default.iter().map(|&point| u64::from(point)).collect();
    section.counts(name, 0..=63, &default).into_iter().map(|point| point as u8).collect()
}

/// Reads pairs of code points from texts such as `"0 > 10"`.
fn code_point_pairs(section: &Section<'_>, name: &'static str) -> Vec<(u8, u8)> {
    let pair = |(text, span): (String, Range<usize>)| {
        let points = text.split_once('>').and_then(|(from, to)| {
            let point = |text: &str| text.trim().parse::<u8>().ok().filter(|point| *point < 64);
            Some((point(from)?, point(to)?))
        });
        if points.is_none() {
            section.error(
                &span,
                "this is not a pair of code points",
                "write \"0 > 10\" for 0 becomes 10; each is 0 to 63",
            );
        }
        points
    };
    section.texts(name).into_iter().filter_map(pair).collect()
}
