//! What lies in front of packets of TNA and T2NA, field by field.

use crate::{FrontField, FrontValue, GeneratedFront};

/// `ingress_intrinsic_metadata_t`.
pub(super) const INGRESS_FRONT: &[FrontField] = &[
    front(1, FrontValue::Resubmitted),
    front(6, FrontValue::Padding),
    front(9, FrontValue::ArrivalPort),
    front(48, FrontValue::ArrivalTime),
];

/// `egress_intrinsic_metadata_t` of Tofino.
pub(super) const EGRESS_FRONT: &[FrontField] = &[
    front(7, FrontValue::Padding),
    front(9, FrontValue::DeparturePort),
    front(5, FrontValue::Padding),
    front(19, FrontValue::DepthOnEntry),
    front(6, FrontValue::Padding),
    front(2, FrontValue::CongestionOnEntry),
    front(14, FrontValue::Padding),
    front(18, FrontValue::TimeOfEntry),
    front(5, FrontValue::Padding),
    front(19, FrontValue::DepthOnExit),
    front(6, FrontValue::Padding),
    front(2, FrontValue::CongestionOnExit),
    front(8, FrontValue::CongestionOfPools),
    front(14, FrontValue::Padding),
    front(18, FrontValue::TimeInQueue),
    front(16, FrontValue::Replica),
    front(7, FrontValue::Padding),
    front(1, FrontValue::IsFirstReplica),
    front(3, FrontValue::Padding),
    front(5, FrontValue::Queue),
    front(5, FrontValue::Padding),
    front(3, FrontValue::ClassOfService),
    front(7, FrontValue::Padding),
    front(1, FrontValue::IsDeflected),
    front(16, FrontValue::Length),
];

/// `egress_intrinsic_metadata_t` of Tofino 2.
pub(super) const EGRESS_FRONT_OF_TOFINO_2: &[FrontField] = &[
    front(7, FrontValue::Padding),
    front(9, FrontValue::DeparturePort),
    front(5, FrontValue::Padding),
    front(19, FrontValue::DepthOnEntry),
    front(6, FrontValue::Padding),
    front(2, FrontValue::CongestionOnEntry),
    front(32, FrontValue::TimeOfEntry),
    front(5, FrontValue::Padding),
    front(19, FrontValue::DepthOnExit),
    front(6, FrontValue::Padding),
    front(2, FrontValue::CongestionOnExit),
    front(8, FrontValue::CongestionOfPools),
    front(32, FrontValue::TimeInQueue),
    front(16, FrontValue::Replica),
    front(7, FrontValue::Padding),
    front(1, FrontValue::IsFirstReplica),
    front(1, FrontValue::Padding),
    front(7, FrontValue::Queue),
    front(5, FrontValue::Padding),
    front(3, FrontValue::ClassOfService),
    front(7, FrontValue::Padding),
    front(1, FrontValue::IsDeflected),
    front(16, FrontValue::Length),
    front(8, FrontValue::Padding),
];

/// The headers of generated packets of Tofino, each of 48 bits. The packet generator of a pipe sends to its port 68
/// (open-p4studio, `pktgen_intf.h`, and `tna_pktgen`, whose test compares 32 bits of recirculated packets).
pub(super) const GENERATED_FRONT: GeneratedFront = GeneratedFront {
    timer: &[
        front(3, FrontValue::Padding),
        front(2, FrontValue::Generator),
        front(3, FrontValue::Application),
        front(8, FrontValue::Padding),
        front(16, FrontValue::Batch),
        front(16, FrontValue::PacketOfBatch),
    ],
    port_down: &[
        front(3, FrontValue::Padding),
        front(2, FrontValue::Generator),
        front(3, FrontValue::Application),
        front(15, FrontValue::Padding),
        front(9, FrontValue::PortDown),
        front(16, FrontValue::PacketOfBatch),
    ],
    recirculation: &[
        front(3, FrontValue::Padding),
        front(2, FrontValue::Generator),
        front(3, FrontValue::Application),
        front(24, FrontValue::Trigger),
        front(16, FrontValue::PacketOfBatch),
    ],
    pattern: 4,
    applications: 8,
    port: 68,
};

/// The headers of generated packets of Tofino 2. What a recirculated packet began with follows the 48 bits.
pub(super) const GENERATED_FRONT_OF_TOFINO_2: GeneratedFront = GeneratedFront {
    timer: &[
        front(2, FrontValue::Padding),
        front(2, FrontValue::Generator),
        front(4, FrontValue::Application),
        front(8, FrontValue::Padding),
        front(16, FrontValue::Batch),
        front(16, FrontValue::PacketOfBatch),
    ],
    port_down: &[
        front(2, FrontValue::Padding),
        front(2, FrontValue::Generator),
        front(4, FrontValue::Application),
        front(15, FrontValue::Padding),
        front(9, FrontValue::PortDown),
        front(16, FrontValue::PacketOfBatch),
    ],
    recirculation: &[
        front(2, FrontValue::Padding),
        front(2, FrontValue::Generator),
        front(4, FrontValue::Application),
        front(8, FrontValue::Padding),
        front(16, FrontValue::Batch),
        front(16, FrontValue::PacketOfBatch),
        front(128, FrontValue::Trigger),
    ],
    pattern: 16,
    applications: 16,
    port: 68,
};

const fn front(bits: u32, value: FrontValue) -> FrontField {
    FrontField { bits, value }
}
