// What TNA declares other than t2na.p4: intrinsic metadata, headers of generated packets, the parser counter.

#ifndef _TOFINO1_BASE_P4_
#define _TOFINO1_BASE_P4_

// Counters and meters of TNA count what a packet is when they are called.
#define _TRUE_EGRESS_ACCOUNTING

#include <tofino_base.p4>
#include <tofino1_registers.p4>
#include <tofino_externs.p4>

const bit<16> PARSER_ERROR_DST_CONT = 16w0x0040;       // the destination of an extraction does not exist

// What ingress asks of its deparser.
struct ingress_intrinsic_metadata_for_deparser_t {
    bit<3> drop_ctl;                        // bit 0: no unicast, multicast or resubmission; bit 1: no copy to the CPU;
                                            // bit 2 is reserved
    DigestType_t digest_type;               // selects the `Digest` that is sent
    ResubmitType_t resubmit_type;           // selects the `Resubmit` that takes place
    MirrorType_t mirror_type;               // selects the `Mirror` that takes place
}

// What stands in front of every packet in egress: 216 bits with the widths of the first Tofino.
header egress_intrinsic_metadata_t {
    @padding bit<(8 - PORT_ID_WIDTH % 8)> _pad0;
    PortId_t egress_port;                   // the port to which the packet goes
    @padding bit<5> _pad1;
    bit<19> enq_qdepth;                     // the cells in the queue when the packet entered it
    @padding bit<6> _pad2;
    bit<2> enq_congest_stat;                // how congested the queue was then
    @padding bit<14> _pad3;
    bit<18> enq_tstamp;                     // the time then, in nanoseconds
    @padding bit<5> _pad4;
    bit<19> deq_qdepth;                     // the cells in the queue when the packet left it
    @padding bit<6> _pad5;
    bit<2> deq_congest_stat;                // how congested the queue was then
    bit<8> app_pool_congest_stat;           // how congested the four pools of the buffer were then, two bits each
    @padding bit<14> _pad6;
    bit<18> deq_timedelta;                  // the time in the queue, in nanoseconds
    bit<16> egress_rid;                     // the number of this copy of a multicast packet
    @padding bit<7> _pad7;
    bit<1> egress_rid_first;                // 1 for the first copy of a multicast group
    @padding bit<(8 - QUEUE_ID_WIDTH % 8)> _pad8;
    QueueId_t egress_qid;                   // the queue in which the packet was
    @padding bit<5> _pad9;
    bit<3> egress_cos;                      // the class of service in egress
    @padding bit<7> _pad10;
    bit<1> deflection_flag;                 // 1 if the packet was deflected (`deflect_on_drop`)
    bit<16> pkt_length;                     // the length of the packet in bytes
}

// What egress asks of its deparser.
struct egress_intrinsic_metadata_for_deparser_t {
    bit<3> drop_ctl;                        // bit 0: not sent; bit 1: no copy to the CPU; bit 2: not mirrored
    MirrorType_t mirror_type;               // selects the `Mirror` that takes place
    bit<1> coalesce_flush;                  // 1: the samples collected so far are sent
    bit<7> coalesce_length;                 // the bytes of this packet that are collected as a sample
}

// What stands in front of a packet that the packet generator made because a timer ran out.
header pktgen_timer_header_t {
    @padding bit<3> _pad1;
    bit<2> pipe_id;                         // the pipe of the generator
    bit<3> app_id;                          // the application of the generator
    @padding bit<8> _pad2;
    bit<16> batch_id;                       // counts batches from 0
    bit<16> packet_id;                      // counts packets of a batch from 0
}

// What stands in front of a packet that the packet generator made because a port went down.
header pktgen_port_down_header_t {
    @padding bit<3> _pad1;
    bit<2> pipe_id;                         // the pipe of the generator
    bit<3> app_id;                          // the application of the generator
    @padding bit<(16 - PORT_ID_WIDTH % 8)> _pad2;
    PortId_t port_num;                      // the port that went down
    bit<16> packet_id;                      // counts packets from 0
}

// What stands in front of a packet that the packet generator made because a recirculated packet began with its pattern.
header pktgen_recirc_header_t {
    @padding bit<3> _pad1;
    bit<2> pipe_id;                         // the pipe of the generator
    bit<3> app_id;                          // the application of the generator
    bit<24> key;                            // bits of the recirculated packet
    bit<16> packet_id;                      // counts packets from 0
}

// A signed number of 8 bits beside the parser, with which it counts what it has still to extract.
extern ParserCounter {
    ParserCounter();

    // Sets the counter to a constant or a field.
    void set<T>(in T value);

    // Sets the counter to a field that is rotated to the right, masked to its `mask + 1` last bits, and added to.
    // A field above `max` is an error.
    void set<T>(in T field, in bit<8> max, in bit<8> rotate, in bit<3> mask, in bit<8> add);

    bool is_zero();

    bool is_negative();

    // Adds a constant.
    void increment(in bit<8> value);

    // Subtracts a constant.
    void decrement(in bit<8> value);
}

// Shifts the concatenation of `src1` and `src2` to the right by a constant, and keeps the last bits of it in `dst`.
extern void funnel_shift_right<T>(inout T dst, in T src1, in T src2, int shift_amount);

#endif
