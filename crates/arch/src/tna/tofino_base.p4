// What both native architectures declare alike: enumerations, match kinds, errors, and most of the intrinsic metadata.
// The externs that they have in common are in tofino_externs.p4.

#ifndef _TOFINO_BASE_P4_
#define _TOFINO_BASE_P4_

#include <core.p4>

// The version of the public compiler as a number. Its three parts are macros of that compiler, and 0 here in an `#if`.
#define PACK_VERSION(a, b, c) (((a) << 24) + ((b) << 12) + (c))
#define COMPILER_VERSION PACK_VERSION(__p4c_major__, __p4c_minor__, __p4c_patchlevel__)

// The bits of `parser_err`, each of which says that something happened in the parser. Those of memories are of the
// chip's health.
const bit<16> PARSER_ERROR_OK = 16w0x0000;             // nothing happened
const bit<16> PARSER_ERROR_NO_MATCH = 16w0x0001;       // no case of a `select` matched
const bit<16> PARSER_ERROR_PARTIAL_HDR = 16w0x0002;    // the packet ended within what was extracted
const bit<16> PARSER_ERROR_CTR_RANGE = 16w0x0004;      // the parser counter was set beyond its range
const bit<16> PARSER_ERROR_TIMEOUT_USER = 16w0x0008;   // the parser took longer than the program allows
const bit<16> PARSER_ERROR_TIMEOUT_HW = 16w0x0010;     // the parser took longer than the chip allows
const bit<16> PARSER_ERROR_SRC_EXT = 16w0x0020;        // the source of an extraction is not in the parser's buffer
const bit<16> PARSER_ERROR_PHV_OWNER = 16w0x0080;      // a field belongs to the other gress
const bit<16> PARSER_ERROR_MULTIWRITE = 16w0x0100;     // a field that can be written once was written twice
const bit<16> PARSER_ERROR_ARAM_MBE = 16w0x0400;       // the memory of the parser's actions is damaged
const bit<16> PARSER_ERROR_FCS = 16w0x0800;            // the frame check sequence of the packet is wrong

// What meters measure.
enum MeterType_t {
    PACKETS,
    BYTES
}

// The colours of meters (RFC 2698), as they stand in `packet_color`.
enum bit<8> MeterColor_t {
    GREEN = 8w0,
    YELLOW = 8w1,
    RED = 8w3
}

// What counters count.
enum CounterType_t {
    PACKETS,
    BYTES,
    PACKETS_AND_BYTES
}

// How an action selector chooses a member of a group: with equal shares, or so that as few packets as possible change
// their member when members come and go.
enum SelectorMode_t {
    FAIR,
    RESILIENT
}

// What `Hash` computes. CUSTOM is a CRC by the polynomial that is passed to its constructor.
enum HashAlgorithm_t {
    IDENTITY,
    RANDOM,
    XOR8,
    XOR16,
    XOR32,
    CRC8,
    CRC16,
    CRC32,
    CRC64,
    CUSTOM
}

// Further match kinds: between two bounds; not compared, but hashed to choose a member of a group; the partition of an
// algorithmic TCAM (see `Atcam`).
match_kind {
    range,
    selector,
    atcam_partition_index
}

// Errors of parsers that core.p4 does not have; each is a bit of `parser_err`.
error {
    CounterRange,
    Timeout,
    PhvOwner,
    MultiWrite,
    IbufOverflow,
    IbufUnderflow
}

// What stands in front of every packet in ingress: 64 bits.
header ingress_intrinsic_metadata_t {
    bit<1> resubmit_flag;                   // 1 if ingress resubmitted the packet
    @padding bit<1> _pad1;
    bit<2> packet_version;                  // the version of the pipe's configuration for this packet
    @padding bit<(4 - PORT_ID_WIDTH % 8)> _pad2;
    PortId_t ingress_port;                  // the device port at which the packet arrived
    bit<48> ingress_mac_tstamp;             // the time when the MAC received the packet, in nanoseconds
}

// What the ingress parser tells of a packet.
struct ingress_intrinsic_metadata_from_parser_t {
    bit<48> global_tstamp;                  // the time when the packet arrived at ingress, in nanoseconds
    bit<32> global_ver;                     // the version of the pipe's configuration then
    bit<16> parser_err;                     // what happened in the parser: PARSER_ERROR_...
}

// What ingress tells the traffic manager. A packet with no destination of any kind is dropped there.
struct ingress_intrinsic_metadata_for_tm_t {
    PortId_t ucast_egress_port;             // the port to which the packet goes; nothing is sent unless it is assigned
    bit<1> bypass_egress;                   // 1: the packet goes from the queue to the port, without egress
    bit<1> deflect_on_drop;                 // 1: without room in its queue, it goes to the deflection port
    bit<3> ingress_cos;                     // the class of service by which the memory of the buffer is given out
    QueueId_t qid;                          // the queue of the port
    bit<3> icos_for_copy_to_cpu;            // the class of service of the copy for the CPU
    bit<1> copy_to_cpu;                     // 1: a copy goes to the CPU port
    bit<2> packet_color;                    // the colour by which a full buffer drops: a `MeterColor_t`
    bit<1> disable_ucast_cutthru;           // 1: the packet is stored before it is forwarded
    bit<1> enable_mcast_cutthru;            // 1: copies may be forwarded before the packet is stored
    MulticastGroupId_t mcast_grp_a;         // a multicast group
    MulticastGroupId_t mcast_grp_b;         // a second multicast group
    bit<13> level1_mcast_hash;              // chooses a member where a node of the first level has several
    bit<13> level2_mcast_hash;              // chooses a port where a node of the second level has a LAG
    L1ExclusionId_t level1_exclusion_id;    // prunes nodes of the first level that have it and `rid`
    L2ExclusionId_t level2_exclusion_id;    // prunes the ports that have it
    bit<16> rid;                            // the number of the copies of the nodes that are pruned
}

// What the egress parser tells of a packet.
struct egress_intrinsic_metadata_from_parser_t {
    bit<48> global_tstamp;                  // the time when the packet arrived at egress, in nanoseconds
    bit<32> global_ver;                     // the version of the pipe's configuration then
    bit<16> parser_err;                     // what happened in the parser: PARSER_ERROR_...
}

// What egress asks of the port (IEEE 1588).
struct egress_intrinsic_metadata_for_output_port_t {
    bit<1> capture_tstamp_on_tx;            // 1: the MAC keeps the time of departure for the control plane
    bit<1> update_delay_on_tx;              // 1: the MAC corrects the packet by `ptp_metadata_t`, which is in front
}

// Where the MAC writes the time that a packet of PTP was in the chip; emitted in front of the packet.
header ptp_metadata_t {
    bit<8> udp_cksum_byte_offset;           // where the UDP checksum is that changes with it, in bytes
    bit<8> cf_byte_offset;                  // where the correction field is, in bytes
    bit<48> updated_cf;                     // the correction field, less the time of arrival
}

#endif
