//! TNA and T2NA, the native architectures of Tofino and Tofino 2: their P4 headers, and their values.

mod annotations;
mod architecture;
mod front;

use crate::Header;

pub use architecture::{T2NA, TNA};

/// The names that both headers declare, and those of one of them, without externs whose names are words that a program
/// for another architecture may have meant for something else.
macro_rules! declared {
    ($($of_one:literal),* $(,)?) => {
        &[
            $($of_one,)*
            "Alpm", "Atcam", "atcam_partition_index", "CounterType_t", "CRCPolynomial", "DigestType_t", "DirectLpf",
            "DirectRegisterAction", "DirectWred", "egress_intrinsic_metadata_for_deparser_t",
            "egress_intrinsic_metadata_for_output_port_t", "egress_intrinsic_metadata_from_parser_t",
            "egress_intrinsic_metadata_t", "EgressDeparserT", "EgressParserT", "EgressT", "funnel_shift_right",
            "HashAlgorithm_t", "ingress_intrinsic_metadata_for_deparser_t", "ingress_intrinsic_metadata_for_tm_t",
            "ingress_intrinsic_metadata_from_parser_t", "ingress_intrinsic_metadata_t", "IngressDeparserT",
            "IngressParserT", "IngressT", "is_validated", "L1ExclusionId_t", "L2ExclusionId_t", "Lpf", "MathOp_t",
            "MathUnit", "MeterColor_t", "MeterType_t", "MirrorId_t", "MirrorType_t", "MulticastGroupId_t",
            "PARSER_ERROR_ARAM_MBE", "PARSER_ERROR_CTR_RANGE", "PARSER_ERROR_FCS", "PARSER_ERROR_MULTIWRITE",
            "PARSER_ERROR_NO_MATCH", "PARSER_ERROR_OK", "PARSER_ERROR_PARTIAL_HDR", "PARSER_ERROR_PHV_OWNER",
            "PARSER_ERROR_SRC_EXT", "PARSER_ERROR_TIMEOUT_HW", "PARSER_ERROR_TIMEOUT_USER", "ParserCounter",
            "ParserError_t", "ParserPriority", "pktgen_port_down_header_t", "pktgen_recirc_header_t",
            "pktgen_timer_header_t", "PORT_METADATA_SIZE", "port_metadata_unpack", "PortId_t", "ptp_metadata_t",
            "QueueId_t", "RegisterAction", "RegisterParam", "ReplicationId_t", "ResubmitType_t", "SelectorAction",
            "SelectorMode_t", "sizeInBits", "sizeInBytes", "Wred",
        ]
    };
}

/// The header of TNA.
pub const TNA_HEADER: Header = Header {
    name: "tna.p4",
    text: include_str!("tna.p4"),
    parts: &[
        TYPES,
        BASE,
        EXTERNS,
        ("tofino1_specs.p4", include_str!("tofino1_specs.p4")),
        // On Tofino 2, the header takes the widths from there.
        TOFINO2_SPECS,
        ("tofino1_registers.p4", include_str!("tofino1_registers.p4")),
        ("tofino1_base.p4", include_str!("tofino1_base.p4")),
        ("tofino1_arch.p4", include_str!("tofino1_arch.p4")),
    ],
    declares: declared!(
        "PARSER_ERROR_DST_CONT",
        "IngressParsers",
        "EgressParsers",
        "MultiParserPipeline",
        "MultiParserSwitch"
    ),
};

/// The header of T2NA.
pub const T2NA_HEADER: Header = Header {
    name: "t2na.p4",
    text: include_str!("t2na.p4"),
    parts: &[
        TYPES,
        BASE,
        EXTERNS,
        TOFINO2_SPECS,
        ("tofino2_registers.p4", include_str!("tofino2_registers.p4")),
        ("tofino2_base.p4", include_str!("tofino2_base.p4")),
        ("tofino2_arch.p4", include_str!("tofino2_arch.p4")),
    ],
    declares: declared!(
        "CloneId_t",
        "GhostT",
        "IdleTimeout",
        "Pktgen",
        "RegisterAction2",
        "RegisterAction3",
        "RegisterAction4",
        "DirectRegisterAction2",
        "DirectRegisterAction3",
        "DirectRegisterAction4",
        "LearnAction",
        "LearnAction2",
        "LearnAction3",
        "LearnAction4",
        "MinMaxAction",
        "MinMaxAction2",
        "MinMaxAction3",
        "MinMaxAction4",
        "PARSER_ERROR_CSUM_MBE",
        "dleft_hash",
        "ghost_intrinsic_metadata_t",
        "pktgen_deparser_header_t",
        "pktgen_pfc_header_t",
    ),
};

// What both headers include.
const TYPES: (&str, &str) = ("tofino_types.p4", include_str!("tofino_types.p4"));
const BASE: (&str, &str) = ("tofino_base.p4", include_str!("tofino_base.p4"));
const EXTERNS: (&str, &str) = ("tofino_externs.p4", include_str!("tofino_externs.p4"));
const TOFINO2_SPECS: (&str, &str) = ("tofino2_specs.p4", include_str!("tofino2_specs.p4"));
