// What T2NA declares other than tna.p4: intrinsic metadata, headers of generated packets, the parser counter.

#ifndef _TOFINO2_BASE_P4_
#define _TOFINO2_BASE_P4_

// In egress, counters and meters of T2NA can count what a packet is when the deparser has written it.
#define _TRUE_EGRESS_ACCOUNTING , @optional bool true_egress_accounting

#include <tofino_base.p4>
#include <tofino2_registers.p4>
#include <tofino_externs.p4>

const bit<16> PARSER_ERROR_CSUM_MBE = 16w0x1000;       // the memory of the parser's checksums is damaged

// A further match kind: looked for in several hash tables, the first of which that has room takes a new entry.
match_kind {
    dleft_hash
}

// What ingress asks of its deparser. What is assigned to fields of mirrors counts in place of what the session says.
struct ingress_intrinsic_metadata_for_deparser_t {
    bit<3> drop_ctl;                        // bit 0: no unicast, multicast or resubmission; bit 1: no copy to the CPU;
                                            // bit 2 is reserved
    DigestType_t digest_type;               // selects the `Digest` that is sent
    ResubmitType_t resubmit_type;           // selects the `Resubmit` that takes place
    MirrorType_t mirror_type;               // selects the `Mirror` that takes place
    bit<1> mirror_io_select;                // 0: the packet as it arrived is mirrored; 1: as it leaves
    bit<13> mirror_hash;                    // chooses members of multicast groups
    bit<3> mirror_ingress_cos;              // the class of service by which the memory of the buffer is given out
    bit<1> mirror_deflect_on_drop;          // 1: without room in its queue, the copy goes to the deflection port
    bit<1> mirror_multicast_ctrl;           // 1: the copy goes to the session's multicast groups
    PortId_t mirror_egress_port;            // the port to which the copy goes
    QueueId_t mirror_qid;                   // the queue of the port
    bit<8> mirror_coalesce_length;          // the most bytes of a coalesced packet's samples, in units of four bytes
    bit<32> adv_flow_ctl;                   // for the flow control of the traffic manager
    bit<14> mtu_trunc_len;                  // the greatest length in bytes
    bit<1> mtu_trunc_err_f;                 // 1: a packet that is longer is in error
    bit<1> pktgen;                          // 1: the packet generator makes a packet; not together with a resubmission
    bit<14> pktgen_address;                 // where the packet is in the buffer of the generator
    bit<10> pktgen_length;                  // the length of that packet
}

// What the traffic manager tells the ghost thread of a queue whose depth has changed.
header ghost_intrinsic_metadata_t {
    bit<1> ping_pong;                       // which of two versions of a register is to be written
    bit<18> qlength;                        // the cells in the queue
    bit<11> qid;                            // the queue, among all of the pipe
    bit<2> pipe_id;                         // the pipe of the queue
}

// What stands in front of every packet in egress: 224 bits.
header egress_intrinsic_metadata_t {
    @padding bit<(8 - PORT_ID_WIDTH % 8)> _pad0;
    PortId_t egress_port;                   // the port to which the packet goes
    @padding bit<5> _pad1;
    bit<19> enq_qdepth;                     // the cells in the queue when the packet entered it
    @padding bit<6> _pad2;
    bit<2> enq_congest_stat;                // how congested the queue was then
    bit<32> enq_tstamp;                     // the time then, in nanoseconds
    @padding bit<5> _pad3;
    bit<19> deq_qdepth;                     // the cells in the queue when the packet left it
    @padding bit<6> _pad4;
    bit<2> deq_congest_stat;                // how congested the queue was then
    bit<8> app_pool_congest_stat;           // how congested the four pools of the buffer were then, two bits each
    bit<32> deq_timedelta;                  // the time in the queue, in nanoseconds
    bit<16> egress_rid;                     // the number of this copy of a multicast packet
    @padding bit<7> _pad5;
    bit<1> egress_rid_first;                // 1 for the first copy of a multicast group
    @padding bit<(8 - QUEUE_ID_WIDTH % 8)> _pad6;
    QueueId_t egress_qid;                   // the queue in which the packet was, among those of the MAC
    @padding bit<5> _pad7;
    bit<3> egress_cos;                      // the class of service in egress
    @padding bit<7> _pad8;
    bit<1> deflection_flag;                 // 1 if the packet was deflected (`deflect_on_drop`)
    bit<16> pkt_length;                     // the length of the packet in bytes
    @padding bit<8> _pad9;
}

// What egress asks of its deparser. What is assigned to fields of mirrors counts in place of what the session says.
struct egress_intrinsic_metadata_for_deparser_t {
    bit<3> drop_ctl;                        // bit 0: not sent; bit 1: no copy to the CPU; bit 2: not mirrored
    MirrorType_t mirror_type;               // selects the `Mirror` that takes place
    bit<1> coalesce_flush;                  // 1: the samples collected so far are sent
    bit<7> coalesce_length;                 // the bytes of this packet that are collected as a sample
    bit<1> mirror_io_select;                // 0: the packet as it arrived is mirrored; 1: as it leaves
    bit<13> mirror_hash;                    // chooses members of multicast groups
    bit<3> mirror_ingress_cos;              // the class of service by which the memory of the buffer is given out
    bit<1> mirror_deflect_on_drop;          // 1: without room in its queue, the copy goes to the deflection port
    bit<1> mirror_multicast_ctrl;           // 1: the copy goes to the session's multicast groups
    PortId_t mirror_egress_port;            // the port to which the copy goes
    QueueId_t mirror_qid;                   // the queue of the port
    bit<8> mirror_coalesce_length;          // the most bytes of a coalesced packet's samples, in units of four bytes
    bit<32> adv_flow_ctl;                   // for the flow control of the traffic manager
    bit<14> mtu_trunc_len;                  // the greatest length in bytes
    bit<1> mtu_trunc_err_f;                 // 1: a packet that is longer is in error
}

// What stands in front of a packet that the packet generator made because a timer ran out.
header pktgen_timer_header_t {
    @padding bit<2> _pad1;
    bit<2> pipe_id;                         // the pipe of the generator
    bit<4> app_id;                          // the application of the generator
    @padding bit<8> _pad2;
    bit<16> batch_id;                       // counts batches from 0
    bit<16> packet_id;                      // counts packets of a batch from 0
}

// What stands in front of a packet that the packet generator made because a port went down.
header pktgen_port_down_header_t {
    @padding bit<2> _pad1;
    bit<2> pipe_id;                         // the pipe of the generator
    bit<4> app_id;                          // the application of the generator
    @padding bit<(16 - PORT_ID_WIDTH % 8)> _pad2;
    PortId_t port_num;                      // the port that went down
    bit<16> packet_id;                      // counts packets from 0
}

// What stands in front of a packet that the packet generator made because a recirculated packet began with its pattern.
header pktgen_recirc_header_t {
    @padding bit<2> _pad1;
    bit<2> pipe_id;                         // the pipe of the generator
    bit<4> app_id;                          // the application of the generator
    @padding bit<8> _pad2;
    bit<16> batch_id;                       // counts batches from 0
    bit<16> packet_id;                      // counts packets of a batch from 0
}

// What stands in front of a packet that the packet generator made because a packet asked for it (`Pktgen`).
header pktgen_deparser_header_t {
    @padding bit<2> _pad1;
    bit<2> pipe_id;                         // the pipe of the generator
    bit<4> app_id;                          // the application of the generator
    @padding bit<8> _pad2;
    bit<16> batch_id;                       // counts batches from 0
    bit<16> packet_id;                      // counts packets of a batch from 0
}

// What stands in front of a packet that the packet generator made because of a pause frame of a priority (PFC).
header pktgen_pfc_header_t {
    @padding bit<2> _pad1;
    bit<2> pipe_id;                         // the pipe of the generator
    bit<4> app_id;                          // the application of the generator
    @padding bit<40> _pad2;
}

// A signed number of 8 bits beside the parser, with which it counts what it has still to extract. Four of them are a
// stack, for lists within lists.
extern ParserCounter {
    ParserCounter();

    // Sets the counter to a constant or a field.
    void set<T>(in T value);

    // Sets the counter to a field that is rotated to the right, masked, and added to. A field above `max` is an error.
    void set<T>(in T field, in bit<8> max, in bit<8> rotate, in bit<8> mask, in bit<8> add);

    // Pushes a constant or a field. With `update_with_top`, what changes the counter on top changes it as well.
    void push<T>(in T value, @optional bool update_with_top);

    // Pushes what the second form of `set` sets.
    void push<T>(
        in T field,
        in bit<8> max,
        in bit<8> rotate,
        in bit<8> mask,
        in bit<8> add,
        @optional bool update_with_top);

    // Drops the counter on top.
    void pop();

    bool is_zero();

    bool is_negative();

    // Adds a constant.
    void increment(in bit<8> value);

    // Subtracts a constant.
    void decrement(in bit<8> value);
}

// For the property `idle_timeout` of a table: entries that no packet has matched for some time are reported.
extern IdleTimeout {
    IdleTimeout();
}

// Shifts the concatenation of `src1` and `src2` to the right by a constant, and keeps the last bits of it in `dst`.
extern void funnel_shift_right<T>(out T dst, in T src1, in T src2, int shift_amount);

// A packet that a packet generates: where `pktgen` is 1, the packet generator makes one with a header in front.
extern Pktgen {
    Pktgen();
    void emit<T>(in T hdr);
}

#endif
