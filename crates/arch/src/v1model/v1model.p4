// The v1model architecture, made popular by the P4 project's switch `simple_switch`: parser, checksum
// verification, ingress, (queues and replication,) egress, checksum computation, deparser. Written from its
// documentation (p4lang/behavioral-model, docs/simple_switch.md); names and parameters are the published ones, so that
// existing programs compile.

#ifndef _V1_MODEL_P4_
#define _V1_MODEL_P4_

#include <core.p4>

// Programs choose between two published forms of counters, meters and registers: from 20200408 on, the type of their
// index is a parameter, and ports have a type with a name. Without a choice, programs get the first form.
#ifndef V1MODEL_VERSION
#define V1MODEL_VERSION 20180101
#endif
#if V1MODEL_VERSION < 20180101
#error V1MODEL_VERSION is earlier than the first version, which is 20180101
#elif V1MODEL_VERSION > 20200408
#error V1MODEL_VERSION is later than the last version, which is 20200408
#endif
const bit<32> __v1model_version = V1MODEL_VERSION;

// Further match kinds: between two bounds; exactly one value or any; not compared, but hashed to choose a member of
// a group.
match_kind {
    range,
    optional,
    selector
}

#if V1MODEL_VERSION >= 20200408
typedef bit<9> PortId_t;
#endif

// The metadata by which the switch and the program tell each other about a packet.
@metadata
@name("standard_metadata")
struct standard_metadata_t {
#if V1MODEL_VERSION >= 20200408
    PortId_t ingress_port;                  // the port at which the packet arrived
    PortId_t egress_spec;                   // written by ingress: the destination port; the drop port drops it
    PortId_t egress_port;                   // in egress: the port to which the packet is being sent
#else
    bit<9> ingress_port;
    bit<9> egress_spec;
    bit<9> egress_port;
#endif
    bit<32> instance_type;                  // 0 from outside; else the kind of clone, copy or further round
    bit<32> packet_length;                  // length in bytes
    @alias("queueing_metadata.enq_timestamp")
    bit<32> enq_timestamp;                  // the time of entering the queue, in microseconds
    @alias("queueing_metadata.enq_qdepth")
    bit<19> enq_qdepth;                     // packets in the queue at that time
    @alias("queueing_metadata.deq_timedelta")
    bit<32> deq_timedelta;                  // time in the queue, in microseconds
    @alias("queueing_metadata.deq_qdepth")
    bit<19> deq_qdepth;                     // packets in the queue when the packet left it
    @alias("intrinsic_metadata.ingress_global_timestamp")
    bit<48> ingress_global_timestamp;       // the time when ingress began, in microseconds
    @alias("intrinsic_metadata.egress_global_timestamp")
    bit<48> egress_global_timestamp;        // the time when egress began, in microseconds
    @alias("intrinsic_metadata.mcast_grp")
    bit<16> mcast_grp;                      // written by ingress: a multicast group; 0 means none
    @alias("intrinsic_metadata.egress_rid")
    bit<16> egress_rid;                     // in egress: the number of this copy of a multicast packet
    bit<1> checksum_error;                  // 1 after a `verify_checksum` that failed
    error parser_error;                     // the error with which the parser ended
    @alias("intrinsic_metadata.priority")
    bit<3> priority;                        // written by ingress: selects a queue of the port
}

enum CounterType {
    packets,
    bytes,
    packets_and_bytes
}

enum MeterType {
    packets,
    bytes
}

// Colours as `execute_meter` and `direct_meter.read` give them (RFC 2698).
#define V1MODEL_METER_COLOR_GREEN 0
#define V1MODEL_METER_COLOR_YELLOW 1
#define V1MODEL_METER_COLOR_RED 2

// Arrays of `size` counters, meters and registers. An index out of range counts nothing, writes nothing and reads an
// undefined value.
#if V1MODEL_VERSION >= 20200408

extern counter<I> {
    counter(bit<32> size, CounterType type);
    void count(in I index);
}

extern meter<I> {
    meter(bit<32> size, MeterType type);
    void execute_meter<T>(in I index, out T result);
}

extern register<T, I> {
    register(bit<32> size);
    @noSideEffects
    void read(out T result, in I index);
    void write(in I index, in T value);
}

#else

extern counter {
    counter(bit<32> size, CounterType type);
    void count(in bit<32> index);
}

extern meter {
    meter(bit<32> size, MeterType type);
    void execute_meter<T>(in bit<32> index, out T result);
}

extern register<T> {
    register(bit<32> size);
    @noSideEffects
    void read(out T result, in bit<32> index);
    void write(in bit<32> index, in T value);
}

#endif

// One counter for each entry of the table whose property `counters` names it. It counts when the table hits,
// whether or not an action says so.
extern direct_counter {
    direct_counter(CounterType type);
    void count();
}

// One meter for each entry of the table whose property `meters` names it.
extern direct_meter<T> {
    direct_meter(MeterType type);
    void read(out T result);
}

enum HashAlgorithm {
    crc32,
    crc32_custom,
    crc16,
    crc16_custom,
    random,
    identity,
    csum16,
    xor16
}

// For the property `implementation` of a table: its entries name members, each an action with its data.
extern action_profile {
    action_profile(bit<32> size);
}

// An action profile with groups of members: a hash of the keys of kind `selector`, modulo the size of the group,
// chooses one. Neither the public compiler nor BMv2 uses `outputWidth`.
extern action_selector {
    action_selector(HashAlgorithm algorithm, bit<32> size, bit<32> outputWidth);
}

// base + hash(data) mod max; with max 0, just base.
@pure
extern void hash<O, T, D, M>(out O result, in HashAlgorithm algo, in T base, in D data, in M max);

// Draws a random number from `lo` to `hi`, both included.
extern void random<T>(out T result, in T lo, in T hi);

// Sends values to the control plane.
extern void digest<T>(in bit<32> receiver, in T data);

// Sends the packet to the drop port and to no multicast group. A later write of egress_spec takes it back.
@pure
extern void mark_to_drop(inout standard_metadata_t standard_metadata);
@deprecated("name what it changes: mark_to_drop(standard_metadata)")
extern void mark_to_drop();

// Checksums. `data` is a list of fields, which is used only if `condition` holds. The forms with payload add the
// bytes of the packet that the parser did not extract.
extern void verify_checksum<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);
@pure
extern void update_checksum<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);
extern void verify_checksum_with_payload<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);
@noSideEffects
extern void update_checksum_with_payload<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);
@deprecated("use verify_checksum and update_checksum")
extern Checksum16 {
    Checksum16();
    bit<16> get<D>(in D data);
}

// Copies and further rounds. All of them happen when ingress or egress ends. Of the metadata, a new packet preserves
// the fields that carry `@field_list` with the number `index`, and no others.

// From ingress, a copy of the packet as it arrived; from egress, as it leaves.
enum CloneType {
    I2E,
    E2E
}
extern void clone(in CloneType type, in bit<32> session);
extern void clone_preserving_field_list(in CloneType type, in bit<32> session, bit<8> index);
@deprecated("use clone_preserving_field_list")
extern void clone3<T>(in CloneType type, in bit<32> session, in T data);

// From ingress: the packet as it arrived goes through the parser and ingress again.
extern void resubmit_preserving_field_list(bit<8> index);
@deprecated("use resubmit_preserving_field_list")
extern void resubmit<T>(in T data);

// From egress: the packet as the deparser wrote it goes through the parser and ingress again.
extern void recirculate_preserving_field_list(bit<8> index);
@deprecated("use recirculate_preserving_field_list")
extern void recirculate<T>(in T data);

// Truncates the packet to at most `length` bytes after the deparser.
extern void truncate(in bit<32> length);

// A condition that the program's author expects to hold. A packet for which it does not hold is reported.
extern void assert(in bool check);
extern void assume(in bool check);

// Writes a line to the log, in which each `{}` is replaced by a value of `data`, in order.
extern void log_msg(string msg);
extern void log_msg<T>(string msg, in T data);

parser Parser<H, M>(
    packet_in b,
    out H parsedHdr,
    inout M meta,
    inout standard_metadata_t standard_metadata);

// Only checksums are verified here.
control VerifyChecksum<H, M>(inout H hdr, inout M meta);

@pipeline
control Ingress<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);

@pipeline
control Egress<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);

// Only checksums are computed here.
control ComputeChecksum<H, M>(inout H hdr, inout M meta);

// Only headers are emitted here.
@deparser
control Deparser<H>(packet_out b, in H hdr);

package V1Switch<H, M>(
    Parser<H, M> p,
    VerifyChecksum<H, M> vr,
    Ingress<H, M> ig,
    Egress<H, M> eg,
    ComputeChecksum<H, M> ck,
    Deparser<H> dep);

#endif
