//! TNA and T2NA as values: what the public documentation of the Tofino Native Architecture says of blocks, intrinsic
//! metadata and externs.

use super::annotations::ANNOTATIONS;
use super::front::{
    EGRESS_FRONT, EGRESS_FRONT_OF_TOFINO_2, GENERATED_FRONT, GENERATED_FRONT_OF_TOFINO_2, INGRESS_FRONT,
};
use super::{T2NA_HEADER, TNA_HEADER};
use crate::Parameter::{self, Headers, Metadata, Optional, Packet};
use crate::{
    Architecture, Block, Drop, Function, GhostFields, Group, InFront, Instance, IntrinsicValue, MetadataAssignment,
    MirrorFields, Object, Package, Points, Property, Selector, Stage, TrafficFields,
};

const INGRESS: Parameter = optional("ig_intr_md", "ingress_intrinsic_metadata_t");
const INGRESS_FROM_PARSER: Parameter = optional("ig_intr_md_from_prsr", "ingress_intrinsic_metadata_from_parser_t");
const INGRESS_FOR_DEPARSER: Parameter = optional("ig_intr_md_for_dprsr", "ingress_intrinsic_metadata_for_deparser_t");
const FOR_TRAFFIC_MANAGER: Parameter = optional("ig_intr_md_for_tm", "ingress_intrinsic_metadata_for_tm_t");
const GHOST: Parameter = optional("g_intr_md", "ghost_intrinsic_metadata_t");
const EGRESS: Parameter = optional("eg_intr_md", "egress_intrinsic_metadata_t");
const EGRESS_FROM_PARSER: Parameter = optional("eg_intr_md_from_prsr", "egress_intrinsic_metadata_from_parser_t");
const EGRESS_FOR_DEPARSER: Parameter = optional("eg_intr_md_for_dprsr", "egress_intrinsic_metadata_for_deparser_t");
const FOR_OUTPUT_PORT: Parameter = optional("eg_intr_md_for_oport", "egress_intrinsic_metadata_for_output_port_t");

const fn optional(name: &'static str, of: &'static str) -> Parameter {
    Optional(Group { name, of })
}

/// The externs that both architectures have, and those of one of them.
macro_rules! objects {
    ($($of_one:expr),* $(,)?) => {
        &[
            $($of_one,)*
            ("Register", Object::Registers),
            ("DirectRegister", Object::DirectRegisters),
            ("RegisterAction", Object::RegisterAction),
            ("DirectRegisterAction", Object::RegisterAction),
            ("SelectorAction", Object::SelectorAction),
            ("RegisterParam", Object::RegisterParameter),
            ("MathUnit", Object::MathUnit),
            ("Counter", Object::Counter),
            ("DirectCounter", Object::DirectCounter),
            ("Meter", Object::Meter),
            ("DirectMeter", Object::DirectMeter),
            ("Lpf", Object::Filter),
            ("DirectLpf", Object::DirectFilter),
            ("Wred", Object::EarlyDetection),
            ("DirectWred", Object::DirectEarlyDetection),
            ("Hash", Object::Hash),
            ("CRCPolynomial", Object::Polynomial),
            ("Random", Object::Random),
            ("Checksum", Object::ChecksumUnit),
            ("ParserCounter", Object::ParserCounter),
            ("ParserPriority", Object::ParserPriority),
            ("ActionProfile", Object::Profile),
            ("ActionSelector", Object::Selector),
            ("Digest", Object::Digest),
            ("Mirror", Object::Mirror),
            ("Resubmit", Object::Resubmission),
            ("Alpm", Object::TableHint),
            ("Atcam", Object::TableHint),
        ]
    };
}

/// The functions that both architectures have. `port_metadata` is the size of the metadata of a port in bits.
const fn functions(port_metadata: u32) -> [(&'static str, Function); 8] {
    [
        ("min", Function::Minimum),
        ("max", Function::Maximum),
        ("funnel_shift_right", Function::FunnelShiftRight),
        ("sizeInBytes", Function::SizeInBytes),
        ("sizeInBits", Function::SizeInBits),
        ("invalidate", Function::Invalidate),
        ("is_validated", Function::IsValidated),
        ("port_metadata_unpack", Function::UnpackPortMetadata { bits: port_metadata }),
    ]
}

/// Channels have four ports, and pipes 128 numbers of ports. The public assembler numbers parsers by channel (p4lang/p4c,
/// `backends/tofino/bf-asm/parser-tofino-jbay.cpp`).
const CHANNEL: (u16, u16) = (6, 2);

/// The port that no packet goes to: what `ucast_egress_port` is until a program assigns it.
const NO_PORT: u64 = 0x1FF;

/// The Tofino Native Architecture.
pub static TNA: Architecture = Architecture {
    name: "tna",
    packages: &[
        Package { name: "Switch", pipeline: Some("Pipeline") },
        Package { name: "MultiParserSwitch", pipeline: Some("MultiParserPipeline") },
    ],
    header: TNA_HEADER,
    blocks: &[
        block(
            "ingress_parser",
            Stage::Parser,
            "ingress",
            &[Packet, Headers, Metadata, INGRESS, FOR_TRAFFIC_MANAGER, INGRESS_FROM_PARSER],
        ),
        block(
            "ingress",
            Stage::Ingress,
            "ingress",
            &[Headers, Metadata, INGRESS, INGRESS_FROM_PARSER, INGRESS_FOR_DEPARSER, FOR_TRAFFIC_MANAGER],
        ),
        block("ingress_deparser", Stage::IngressDeparser, "ingress", INGRESS_DEPARSER),
        block("egress_parser", Stage::EgressParser, "egress", EGRESS_PARSER),
        block("egress", Stage::Egress, "egress", EGRESS_CONTROL),
        block("egress_deparser", Stage::Deparser, "egress", EGRESS_DEPARSER),
    ],
    functions: &functions(64),
    in_front: Some(InFront {
        channel: CHANNEL,
        ingress: INGRESS_FRONT,
        port_metadata: 64,
        egress: EGRESS_FRONT,
        generated: GENERATED_FRONT,
    }),
    ..COMMON
};

/// The native architecture of Tofino 2.
pub static T2NA: Architecture = Architecture {
    name: "t2na",
    packages: &[Package { name: "Switch", pipeline: Some("Pipeline") }],
    header: T2NA_HEADER,
    blocks: &[
        block(
            "ingress_parser",
            Stage::Parser,
            "ingress",
            &[Packet, Headers, Metadata, INGRESS, FOR_TRAFFIC_MANAGER, INGRESS_FROM_PARSER],
        ),
        block(
            "ingress",
            Stage::Ingress,
            "ingress",
            &[Headers, Metadata, INGRESS, INGRESS_FROM_PARSER, INGRESS_FOR_DEPARSER, FOR_TRAFFIC_MANAGER, GHOST],
        ),
        block("ingress_deparser", Stage::IngressDeparser, "ingress", INGRESS_DEPARSER),
        block("egress_parser", Stage::EgressParser, "egress", EGRESS_PARSER),
        block("egress", Stage::Egress, "egress", EGRESS_CONTROL),
        block("egress_deparser", Stage::Deparser, "egress", EGRESS_DEPARSER),
        Block { is_optional: true, ..block("ghost", Stage::Ghost, "ghost", &[GHOST]) },
    ],
    functions: &functions(192),
    in_front: Some(InFront {
        channel: CHANNEL,
        ingress: INGRESS_FRONT,
        port_metadata: 192,
        egress: EGRESS_FRONT_OF_TOFINO_2,
        generated: GENERATED_FRONT_OF_TOFINO_2,
    }),
    traffic: Some(TrafficFields {
        lag_hash_has_replica: true,
        ghost: Some(GHOST_FIELDS),
        mirrors: [Some(MIRRORS_OF_INGRESS), Some(MIRRORS_OF_EGRESS)],
        greatest_lengths: [Some("ig_intr_md_for_dprsr.mtu_trunc_len"), Some("eg_intr_md_for_dprsr.mtu_trunc_len")],
        ..TRAFFIC
    }),
    refused_fields: &[
        COALESCED[0],
        COALESCED[1],
        ("ig_intr_md_for_dprsr.mirror_coalesce_length", NO_COALESCING),
        ("eg_intr_md_for_dprsr.mirror_coalesce_length", NO_COALESCING),
        ("ig_intr_md_for_dprsr.adv_flow_ctl", NO_FLOW_CONTROL),
        ("eg_intr_md_for_dprsr.adv_flow_ctl", NO_FLOW_CONTROL),
        ("ig_intr_md_for_dprsr.mtu_trunc_err_f", NO_LENGTH_ERROR),
        ("eg_intr_md_for_dprsr.mtu_trunc_err_f", NO_LENGTH_ERROR),
        ("ig_intr_md_for_dprsr.pktgen", NO_GENERATION),
        ("ig_intr_md_for_dprsr.pktgen_address", NO_GENERATION),
        ("ig_intr_md_for_dprsr.pktgen_length", NO_GENERATION),
    ],
    objects: objects!(
        ("RegisterAction2", Object::RegisterAction),
        ("RegisterAction3", Object::RegisterAction),
        ("RegisterAction4", Object::RegisterAction),
        ("DirectRegisterAction2", Object::RegisterAction),
        ("DirectRegisterAction3", Object::RegisterAction),
        ("DirectRegisterAction4", Object::RegisterAction),
        ("IdleTimeout", Object::IdleTimeout),
    ),
    ..COMMON
};

const INGRESS_DEPARSER: &[Parameter] = &[Packet, Headers, Metadata, INGRESS_FOR_DEPARSER, INGRESS];
const EGRESS_PARSER: &[Parameter] = &[Packet, Headers, Metadata, EGRESS, EGRESS_FROM_PARSER, EGRESS_FOR_DEPARSER];
const EGRESS_CONTROL: &[Parameter] =
    &[Headers, Metadata, EGRESS, EGRESS_FROM_PARSER, EGRESS_FOR_DEPARSER, FOR_OUTPUT_PORT];
const EGRESS_DEPARSER: &[Parameter] = &[Packet, Headers, Metadata, EGRESS_FOR_DEPARSER, EGRESS, EGRESS_FROM_PARSER];

/// The parts that both architectures have in common.
const COMMON: Architecture = Architecture {
    name: "",
    packages: &[],
    header: TNA_HEADER,
    blocks: &[],
    metadata: Points {
        before_parser: &[
            assigned("ig_intr_md_for_tm.ucast_egress_port", IntrinsicValue::Constant(NO_PORT)),
            assigned("ig_intr_md_from_prsr.global_tstamp", IntrinsicValue::Nanoseconds),
        ],
        after_parser: &[assigned("ig_intr_md_from_prsr.parser_err", IntrinsicValue::ParserErrorBits(PARSER_ERRORS))],
        after_ingress: &[],
        before_queue: &[],
        before_egress: &[assigned("eg_intr_md_from_prsr.global_tstamp", IntrinsicValue::Nanoseconds)],
        after_egress_parser: &[assigned(
            "eg_intr_md_from_prsr.parser_err",
            IntrinsicValue::ParserErrorBits(PARSER_ERRORS),
        )],
    },
    destination: "ig_intr_md_for_tm.ucast_egress_port",
    drop: Drop::Flag("ig_intr_md_for_dprsr.drop_ctl"),
    group: Some("ig_intr_md_for_tm.mcast_grp_a"),
    copy: None,
    queue: Some("ig_intr_md_for_tm.qid"),
    checksum_error: None,
    counts_when_called: true,
    counters_have_widths: true,
    // Whether a header is valid is a bit beside its fields on this chip; programs fill a header before they make it valid
    // (open-p4studio, `tna_mirror`).
    keeps_fields: true,
    colors: [0, 1, 3],
    // Programs see where a packet comes from by `resubmit_flag`, or by what their own headers say.
    instances: [0; Instance::COUNT],
    annotations: Some(ANNOTATIONS),
    alias_annotation: Some("pa_alias"),
    // The deparser's tables of mirrors, resubmissions and digests look at the bit that says whether a field is valid
    // (p4lang/p4c, `backends/tofino/bf-p4c/parde/add_metadata_pov.h`).
    selectors: &[
        selector("ig_intr_md_for_dprsr.mirror_type", Object::Mirror),
        selector("ig_intr_md_for_dprsr.resubmit_type", Object::Resubmission),
        selector("ig_intr_md_for_dprsr.digest_type", Object::Digest),
        selector("eg_intr_md_for_dprsr.mirror_type", Object::Mirror),
    ],
    in_front: None,
    traffic: Some(TRAFFIC),
    refused_fields: &COALESCED,
    functions: &[],
    objects: objects!(),
    properties: &[
        ("counters", Property::Counters),
        ("meters", Property::Meters),
        ("filters", Property::Filters),
        ("registers", Property::Registers),
        ("implementation", Property::Implementation),
        ("alpm", Property::Hint),
        ("atcam", Property::Hint),
        ("proxy_hash", Property::Hint),
        ("requires_versioning", Property::Hint),
        ("idle_timeout", Property::SupportTimeout),
    ],
};

/// The intrinsic metadata by which ingress instructs the traffic manager.
const TRAFFIC: TrafficFields = TrafficFields {
    no_port: NO_PORT,
    copy_to_cpu: "ig_intr_md_for_tm.copy_to_cpu",
    bypass_egress: "ig_intr_md_for_tm.bypass_egress",
    cpu_class_of_service: "ig_intr_md_for_tm.icos_for_copy_to_cpu",
    deflect_on_drop: "ig_intr_md_for_tm.deflect_on_drop",
    second_group: "ig_intr_md_for_tm.mcast_grp_b",
    node_hash: "ig_intr_md_for_tm.level1_mcast_hash",
    lag_hash: "ig_intr_md_for_tm.level2_mcast_hash",
    // From Tofino 2 on it is (open-p4studio, `tna_multicast`).
    lag_hash_has_replica: false,
    node_exclusion: "ig_intr_md_for_tm.level1_exclusion_id",
    port_exclusion: "ig_intr_md_for_tm.level2_exclusion_id",
    excluded_replica: "ig_intr_md_for_tm.rid",
    class_of_service: "ig_intr_md_for_tm.ingress_cos",
    color: "ig_intr_md_for_tm.packet_color",
    ingress_drop: "ig_intr_md_for_dprsr.drop_ctl",
    egress_drop: "eg_intr_md_for_dprsr.drop_ctl",
    ghost: None,
    mirrors: [None; 2],
    greatest_lengths: [None; 2],
};

/// How T2NA's deparsers direct mirrors. Its declarations say that what is assigned overrides the value of the mirror table
/// (p4lang/p4c, `backends/tofino/bf-p4c/p4include/tofino2_base.p4`).
const MIRRORS_OF_INGRESS: MirrorFields = MirrorFields {
    as_it_leaves: "ig_intr_md_for_dprsr.mirror_io_select",
    port: "ig_intr_md_for_dprsr.mirror_egress_port",
    queue: "ig_intr_md_for_dprsr.mirror_qid",
    class_of_service: "ig_intr_md_for_dprsr.mirror_ingress_cos",
    deflect_on_drop: "ig_intr_md_for_dprsr.mirror_deflect_on_drop",
    multicast: "ig_intr_md_for_dprsr.mirror_multicast_ctrl",
    hash: "ig_intr_md_for_dprsr.mirror_hash",
};
const MIRRORS_OF_EGRESS: MirrorFields = MirrorFields {
    as_it_leaves: "eg_intr_md_for_dprsr.mirror_io_select",
    port: "eg_intr_md_for_dprsr.mirror_egress_port",
    queue: "eg_intr_md_for_dprsr.mirror_qid",
    class_of_service: "eg_intr_md_for_dprsr.mirror_ingress_cos",
    deflect_on_drop: "eg_intr_md_for_dprsr.mirror_deflect_on_drop",
    multicast: "eg_intr_md_for_dprsr.mirror_multicast_ctrl",
    hash: "eg_intr_md_for_dprsr.mirror_hash",
};

/// Why fields of intrinsic metadata cannot be assigned.
const NO_COALESCING: &str = "mirrors that collect samples of several packets are not modelled";
const NO_FLOW_CONTROL: &str = "the public documentation does not say what the traffic manager does with it";
const NO_LENGTH_ERROR: &str = "the public documentation does not say what becomes of a packet in error";
const NO_GENERATION: &str = "packets that a deparser asks the packet generator for are not modelled";

/// The fields of coalescing mirrors that both architectures have.
const COALESCED: [(&str, &str); 2] =
    [("eg_intr_md_for_dprsr.coalesce_flush", NO_COALESCING), ("eg_intr_md_for_dprsr.coalesce_length", NO_COALESCING)];

/// What the traffic manager of Tofino 2 tells the ghost thread. The 11 bits of `qid` are 4 for the group of eight ports with a
/// MAC in common and 7 for the queue among those of the group, of which each port has 16 to begin with.
const GHOST_FIELDS: GhostFields = GhostFields {
    version: "g_intr_md.ping_pong",
    depth: "g_intr_md.qlength",
    queue: "g_intr_md.qid",
    pipe: "g_intr_md.pipe_id",
    queues_of_port: 16,
};

/// The bits of `parser_err` that errors set.
const PARSER_ERRORS: &[(&str, u64)] = &[
    ("NoMatch", 0x0001),
    ("PacketTooShort", 0x0002),
    ("CounterRange", 0x0004),
    ("Timeout", 0x0008),
    ("ParserTimeout", 0x0010),
    ("PhvOwner", 0x0080),
    ("MultiWrite", 0x0100),
];

const fn block(name: &'static str, stage: Stage, gress: &'static str, parameters: &'static [Parameter]) -> Block {
    Block { name, stage, gress, is_optional: false, parameters }
}

const fn assigned(field: &'static str, value: IntrinsicValue) -> MetadataAssignment {
    MetadataAssignment { field, value }
}

const fn selector(field: &'static str, object: Object) -> Selector {
    Selector { field, object }
}
