//! v1model, the architecture for which most P4_16 programs are written, as defined by `v1model.p4` and BMv2's
//! `simple_switch.md`.

use crate::Parameter::{self, Headers, Metadata, Packet};
use crate::{
    Architecture, Block, Drop, Function, Group, Header, IntrinsicValue, Kept, MetadataAssignment, Object, Package,
    Points, Property, Stage,
};

/// The v1model architecture.
pub static V1MODEL: Architecture = Architecture {
    name: "v1model",
    packages: &[Package { name: "V1Switch", pipeline: None }],
    header: Header { name: "v1model.p4", text: include_str!("v1model.p4"), parts: &[], declares: DECLARES },
    blocks: &[
        block("parser", Stage::Parser, &[Packet, Headers, Metadata, STANDARD]),
        block("verify_checksum", Stage::Ingress, &[Headers, Metadata]),
        block("ingress", Stage::Ingress, &[Headers, Metadata, STANDARD]),
        block("egress", Stage::Egress, &[Headers, Metadata, STANDARD]),
        block("compute_checksum", Stage::Deparser, &[Headers, Metadata]),
        block("deparser", Stage::Deparser, &[Packet, Headers]),
    ],
    metadata: Points {
        before_parser: &[
            assigned("ingress_port", IntrinsicValue::ArrivalPort),
            assigned("packet_length", IntrinsicValue::Length),
            assigned("instance_type", IntrinsicValue::Instance),
            assigned("ingress_global_timestamp", IntrinsicValue::Time),
        ],
        after_parser: &[assigned("parser_error", IntrinsicValue::ParserError)],
        after_ingress: &[assigned("instance_type", IntrinsicValue::Instance)],
        before_queue: &[
            assigned("enq_timestamp", IntrinsicValue::Time),
            assigned("enq_qdepth", IntrinsicValue::QueueDepth),
        ],
        before_egress: &[
            assigned("egress_global_timestamp", IntrinsicValue::Time),
            assigned("deq_timedelta", IntrinsicValue::QueueTime),
            assigned("deq_qdepth", IntrinsicValue::QueueDepth),
            assigned("egress_port", IntrinsicValue::DeparturePort),
            assigned("packet_length", IntrinsicValue::LengthInEgress),
            // Any value but the drop port is allowed (`simple_switch.md`); this is the next one, which wraps to 0 after
            // 511.
            assigned("egress_spec", IntrinsicValue::AfterDropPort),
        ],
        after_egress_parser: &[],
    },
    destination: "egress_spec",
    drop: Drop::Port,
    group: Some("mcast_grp"),
    copy: Some("egress_rid"),
    queue: Some("priority"),
    checksum_error: Some("checksum_error"),
    counts_when_called: false,
    counters_have_widths: false,
    keeps_fields: false,
    colors: [0, 1, 2],
    // The numbers are BMv2's, because `v1model.p4` does not name them. 3 is a packet that was reassembled from several,
    // which never happens.
    instances: [0, 1, 2, 4, 5, 6],
    annotations: None,
    alias_annotation: None,
    selectors: &[],
    in_front: None,
    refused_fields: &[],
    traffic: None,
    functions: &[
        // The drop port is the greatest value that the program's destination can hold: 511 for a `bit<9>`.
        ("mark_to_drop", Function::Assign(&[("egress_spec", -1), ("mcast_grp", 0)])),
        ("hash", Function::Hash),
        ("random", Function::Random),
        ("digest", Function::Digest),
        ("clone", Function::Clone(Kept::Fields)),
        ("clone3", Function::Clone(Kept::Fields)),
        ("clone_preserving_field_list", Function::Clone(Kept::List)),
        ("resubmit", Function::Resubmit(Kept::Fields)),
        ("resubmit_preserving_field_list", Function::Resubmit(Kept::List)),
        ("recirculate", Function::Recirculate(Kept::Fields)),
        ("recirculate_preserving_field_list", Function::Recirculate(Kept::List)),
        ("truncate", Function::Truncate),
        ("verify_checksum", Function::VerifyChecksum { with_payload: false }),
        ("verify_checksum_with_payload", Function::VerifyChecksum { with_payload: true }),
        ("update_checksum", Function::UpdateChecksum { with_payload: false }),
        ("update_checksum_with_payload", Function::UpdateChecksum { with_payload: true }),
        ("log_msg", Function::Log),
        ("assert", Function::Assert),
        ("assume", Function::Assert),
    ],
    objects: &[
        ("register", Object::Registers),
        ("counter", Object::Counter),
        ("direct_counter", Object::DirectCounter),
        ("meter", Object::Meter),
        ("direct_meter", Object::DirectMeter),
        ("action_profile", Object::Profile),
        ("action_selector", Object::Selector),
        ("Checksum16", Object::Checksum),
    ],
    properties: &[
        ("counters", Property::Counters),
        ("meters", Property::Meters),
        ("implementation", Property::Implementation),
        ("support_timeout", Property::SupportTimeout),
    ],
};

/// The standard metadata.
const STANDARD: Parameter = Parameter::Intrinsics(Group { name: "", of: "standard_metadata_t" });

/// A block, which works on the one set of headers and metadata.
const fn block(name: &'static str, stage: Stage, parameters: &'static [Parameter]) -> Block {
    Block { name, stage, gress: "", is_optional: false, parameters }
}

const fn assigned(field: &'static str, value: IntrinsicValue) -> MetadataAssignment {
    MetadataAssignment { field, value }
}

/// The names that `v1model.p4` declares other than the package and the externs.
const DECLARES: &[&str] =
    &["standard_metadata_t", "CounterType", "MeterType", "HashAlgorithm", "CloneType", "optional", "selector"];
