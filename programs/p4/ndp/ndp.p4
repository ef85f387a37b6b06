// An IPv4 router that trims NDP's data packets, for the Tofino Native Architecture (Popa et al., "Implementing packet trimming
// support in hardware", 2022, section 5). The chip's queues cannot trim, and ingress cannot see them. So ingress emulates the
// queue of each port by meters and trims what they colour red; what overflows a queue nevertheless is deflected to a
// recirculation port, trimmed there, and tells all pipes to trim more of what goes to that port.
//
//   ingress ──> low-priority queue ──> egress ──> port           a data packet
//   ingress ──> mirror, cut, high-priority queue ──> port         TRIMMED: the meter was red
//   queue full ──> deflection queue ──> egress ──> mirror, cut    UPDATE, to the recirculation port of the same pipe
//      UPDATE ──> ingress ──> group: all recirculation ports      NOTIFY: ingress of each pipe trims more
//                                    and the port of the packet   NOTIFY: the trimmed packet itself
//
// Tofino 2 has a ghost thread that tells ingress the depth of the queues. For it (`__TARGET_TOFINO__` is 2), the program trims by
// that depth, and has neither meters nor modes.
#include <core.p4>
#if __TARGET_TOFINO__ == 2
#include <t2na.p4>
#else
#include <tna.p4>
#endif

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<16> next_hop_t;
typedef bit<3> pipe_t;
// Nanoseconds, of which registers hold 32 bits.
typedef bit<32> time_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;
// The UDP port of NDP, and its code points (docs/transports/ndp.md).
const bit<16> NDP_PORT = 20036;
const bit<6> DATA = 0;
const bit<6> CONTROL = 46;
const bit<6> TRIMMED_AT_A_PORT = 10;
const bit<6> TRIMMED_AT_LAST_HOP = 12;
const bit<6> RETURNED = 14;

// What is left of a trimmed packet: 64 bytes. Mirror sessions cut to this and the 5 bytes of `internal_t`.
const bit<16> TRIMMED_IPV4_LENGTH = 50;
const bit<16> TRIMMED_UDP_LENGTH = 30;

// The queues of each port.
const QueueId_t LOW_PRIORITY = 0;
const QueueId_t OTHERS = 1;
const QueueId_t HIGH_PRIORITY = 2;

// Local ports 68 to 71 of each pipe, which recirculate.
const PortId_t RECIRCULATION_PORT = 0x044;
const PortId_t RECIRCULATION_MASK = 0x07c;

const MirrorType_t TRIM = 1;
const MirrorType_t UPDATE = 1;

// What a packet between the gresses, or on a recirculation port, is.
enum bit<8> Kind {
    WHOLE = 1,
    TRIMMED = 2,
    UPDATE = 3,
    NOTIFY = 4
}

// What happened to a packet in ingress: an index of the counter `packets`.
enum bit<8> Fate {
    DATA = 0,               // to the low-priority queue
    TRIMMED = 1,            // by a meter
    CONTROL = 2,            // of NDP, to the high-priority queue
    OTHER = 3,              // to the queue of other traffic
    UPDATE = 4,
    NOTIFY = 5,
    MALFORMED = 6,
    NOT_IPV4 = 7,
    CHECKSUM = 8,
    TIME_TO_LIVE = 9,
    NO_ROUTE = 10
}
const bit<32> FATES = 11;

const bit<32> PORTS = 1 << PORT_ID_WIDTH;

// Stands in front of packets between the gresses, and of UPDATE and NOTIFY packets.
header internal_t {
    Kind kind;
    bit<1> is_returned;     // 1: the trimmed packet goes back to its sender
    bit<1> is_last;         // 1: no other packet waited at the deflection port
    pipe_t pipe;            // of an UPDATE and its NOTIFYs: the pipe of the deflection port
    bit<(11 - PORT_ID_WIDTH)> reserved;
    PortId_t port;          // the port to which the packet goes, or was to go
    next_hop_t next_hop;
}

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4> version;
    bit<4> header_length;
    bit<6> code_point;
    bit<2> congestion;
    bit<16> total_length;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragment_offset;
    bit<8> time_to_live;
    bit<8> protocol;
    bit<16> header_checksum;
    ipv4_address_t source;
    ipv4_address_t destination;
}

header udp_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<16> length;
    bit<16> checksum;
}

struct headers_t {
    internal_t internal;
    ethernet_t ethernet;
    ipv4_t ipv4;
    udp_t udp;
}

struct metadata_t {
    bool wrong_checksum;
    MirrorId_t session;
    PortId_t port;
    next_hop_t next_hop;
    // Where a trimmed packet goes: to the port above, or back to its sender.
    bit<1> is_returned;
    PortId_t trimmed_port;
    next_hop_t trimmed_next_hop;
    bit<1> is_last;
}

#if __TARGET_TOFINO__ == 2
// The cells in the low-priority queue of each port, in two versions. The thread knows two bits of a pipe's number; of pipes that
// have them in common, only one may have a port of a number.
typedef bit<9> depth_index_t;
Register<bit<32>, depth_index_t>(512) first_depths;
Register<bit<32>, depth_index_t>(512) second_depths;

control NdpGhost(in ghost_intrinsic_metadata_t ghost) {
    depth_index_t index = ghost.pipe_id ++ ghost.qid[10:4];

    RegisterAction<bit<32>, depth_index_t, bit<32>>(first_depths) write_first_depth = {
        void apply(inout bit<32> value) {
            value = (bit<32>)ghost.qlength;
        }
    };

    RegisterAction<bit<32>, depth_index_t, bit<32>>(second_depths) write_second_depth = {
        void apply(inout bit<32> value) {
            value = (bit<32>)ghost.qlength;
        }
    };

    apply {
        if (ghost.qid[3:0] == LOW_PRIORITY[3:0]) {
            if (ghost.ping_pong == 1) {
                write_first_depth.execute(index);
            } else {
                write_second_depth.execute(index);
            }
        }
    }
}
#endif

parser NdpIngressParser(
    packet_in packet,
    out headers_t hdr,
    out metadata_t meta,
    out ingress_intrinsic_metadata_t intrinsic)
{
    Checksum() ipv4_checksum;

    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        transition select(intrinsic.ingress_port) {
            RECIRCULATION_PORT &&& RECIRCULATION_MASK: recirculated;
            default: ethernet;
        }
    }

    state recirculated {
        packet.extract(hdr.internal);
        transition ethernet;
    }

    state ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_IPV4: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        ipv4_checksum.add(hdr.ipv4);
        meta.wrong_checksum = ipv4_checksum.verify();
        transition select(
            hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.fragment_offset, hdr.ipv4.protocol)
        {
            (4, 5, 0, PROTOCOL_UDP): udp;
            (4, 5, _, _): accept;
            // Without a case, the parser ends with PARSER_ERROR_NO_MATCH.
        }
    }

    state udp {
        packet.extract(hdr.udp);
        transition accept;
    }
}

control NdpIngress(
    inout headers_t hdr,
    inout metadata_t meta,
    in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
#if __TARGET_TOFINO__ == 2
    inout ingress_intrinsic_metadata_for_tm_t for_manager,
    in ghost_intrinsic_metadata_t ghost)
#else
    inout ingress_intrinsic_metadata_for_tm_t for_manager)
#endif
{
    Counter<bit<64>, bit<8>>(FATES, CounterType_t.PACKETS_AND_BYTES) packets;
    Fate fate = Fate.OTHER;
    bool is_data = false;
    bool is_trimmed = false;

#if __TARGET_TOFINO__ == 2
    bit<32> depth = 0;
    bit<32> trimmed_from = 0;

    RegisterAction<bit<32>, depth_index_t, bit<32>>(first_depths) read_first_depth = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = value;
        }
    };

    RegisterAction<bit<32>, depth_index_t, bit<32>>(second_depths) read_second_depth = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = value;
        }
    };

    action trim_from(bit<32> cells) {
        trimmed_from = cells;
    }

    // From which depth of the low-priority queue on data is trimmed. The default is ten packets of 1500 bytes in cells of 80.
    table watermark {
        actions = { trim_from; }
        default_action = trim_from(190);
    }
#else
    // At line rate, at half and at a quarter of it; by port.
    Meter<PortId_t>(PORTS, MeterType_t.BYTES) optimistic;
    Meter<PortId_t>(PORTS, MeterType_t.BYTES) half_pessimistic;
    Meter<PortId_t>(PORTS, MeterType_t.BYTES) pessimistic;
    // Until when a port is pessimistic, and until when half-pessimistic (`t0_reg` and `t1_reg` of section 5).
    Register<time_t, PortId_t>(PORTS) pessimistic_until;
    Register<time_t, PortId_t>(PORTS) half_pessimistic_until;
    // The upper 16 bits of the time of the last notification: both times above are meant with these.
    Register<bit<16>, PortId_t>(PORTS) notified_in;
    // How many packets are still to be trimmed, if each notification asks for a number (section 4, "Trim N Packets").
    Register<bit<32>, PortId_t>(PORTS) still_to_trim;
    // How often the deflection queue of each pipe has become empty, from 1 (section 4, "Hard vs soft state").
    Register<bit<32>, pipe_t>(8, 1) emptied;
    // The pipe whose deflection queue notified a port last (3 bits), and how often that queue had become empty by then (29).
    Register<bit<32>, PortId_t>(PORTS) notified_by;

    bool is_pessimistic = false;
    bool is_half_pessimistic = false;
    bool is_recent = false;
    bool is_owed = false;
    time_t now = 0;
    bit<16> upper_now = 0;
    time_t until = 0;
    time_t half_until = 0;
    bit<32> notification = 0;
    bit<32> times = 0;
    // The parameters of the response.
    time_t pessimistic_time = 0;
    time_t half_pessimistic_time = 0;
    bit<32> trims_per_notification = 0;
    bit<1> trims_everything = 0;
    bool is_hard = false;
    bool trims_yellow = false;
    MeterColor_t color = MeterColor_t.GREEN;
    MeterColor_t half_color = MeterColor_t.GREEN;
    MeterColor_t quarter_color = MeterColor_t.GREEN;

    RegisterAction<time_t, PortId_t, bool>(pessimistic_until) be_pessimistic = {
        void apply(inout time_t value) {
            value = until;
        }
    };

    RegisterAction<time_t, PortId_t, bool>(pessimistic_until) ask_pessimistic = {
        void apply(inout time_t value, out bool result) {
            result = now <= value;
            if (now > value) {
                value = 0;
            }
        }
    };

    RegisterAction<time_t, PortId_t, bool>(half_pessimistic_until) be_half_pessimistic = {
        void apply(inout time_t value) {
            value = half_until;
        }
    };

    RegisterAction<time_t, PortId_t, bool>(half_pessimistic_until) ask_half_pessimistic = {
        void apply(inout time_t value, out bool result) {
            result = now <= value;
            if (now > value) {
                value = 0;
            }
        }
    };

    RegisterAction<bit<16>, PortId_t, bool>(notified_in) note_upper = {
        void apply(inout bit<16> value) {
            value = upper_now;
        }
    };

    RegisterAction<bit<16>, PortId_t, bool>(notified_in) has_same_upper = {
        void apply(inout bit<16> value, out bool result) {
            result = value == upper_now;
        }
    };

    RegisterAction<bit<32>, PortId_t, bool>(still_to_trim) owe_trims = {
        void apply(inout bit<32> value) {
            value = value + trims_per_notification;
        }
    };

    RegisterAction<bit<32>, PortId_t, bool>(still_to_trim) take_trim = {
        void apply(inout bit<32> value, out bool result) {
            result = value != 0;
            if (value != 0) {
                value = value - 1;
            }
        }
    };

    RegisterAction<bit<32>, pipe_t, bit<32>>(emptied) count_empty = {
        void apply(inout bit<32> value) {
            value = value + 1;
        }
    };

    RegisterAction<bit<32>, pipe_t, bit<32>>(emptied) times_empty = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = value;
        }
    };

    RegisterAction<bit<32>, PortId_t, bit<32>>(notified_by) note_notification = {
        void apply(inout bit<32> value) {
            value = notification;
        }
    };

    RegisterAction<bit<32>, PortId_t, bit<32>>(notified_by) last_notification = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = value;
        }
    };

    // T0 and T1 of section 5, both from the notification on.
    action respond(time_t pessimistic_for, time_t half_pessimistic_for, bit<32> trims, bit<1> everything) {
        pessimistic_time = pessimistic_for;
        half_pessimistic_time = half_pessimistic_for;
        trims_per_notification = trims;
        trims_everything = everything;
    }

    // How ports respond to a notification. The default is the paper's: 6 us, then until 24 us.
    table response {
        actions = { respond; }
        default_action = respond(6000, 24000, 0, 0);
    }

    action soft() {
        is_hard = false;
    }

    action hard() {
        is_hard = true;
    }

    // When a port is pessimistic no longer: after a time, or when the deflection queue that notified it is empty.
    table ending {
        actions = {
            soft;
            hard;
        }
        default_action = soft();
    }

    action red() {
        trims_yellow = false;
    }

    action not_green() {
        trims_yellow = true;
    }

    // Which colours are trimmed: red ones (section 5), or all but green ones, as the table of section 5 about switch.p4 has it.
    table colors {
        actions = {
            red;
            not_green;
        }
        default_action = red();
    }
#endif

    action to_next_hop(next_hop_t next_hop, PortId_t port, MirrorId_t session) {
        meta.next_hop = next_hop;
        meta.port = port;
        meta.session = session;
        meta.trimmed_port = port;
        meta.trimmed_next_hop = next_hop;
        for_manager.ucast_egress_port = port;
    }

    action no_route() {
        fate = Fate.NO_ROUTE;
    }

    // The session of a port cuts to 69 bytes and leads to its high-priority queue.
    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = {
            to_next_hop;
            @defaultonly no_route;
        }
        const default_action = no_route();
        size = 4096;
    }

    action return_to(next_hop_t next_hop, PortId_t port, MirrorId_t session) {
        meta.is_returned = 1;
        meta.trimmed_port = port;
        meta.trimmed_next_hop = next_hop;
        meta.session = session;
    }

    // To which senders trimmed packets return (sections 1 and 2, "return to sender" and SFC); without an entry, they go on to
    // their destination.
    table returns {
        key = { hdr.ipv4.source: lpm; }
        actions = {
            return_to;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 4096;
    }

    action notify(MulticastGroupId_t group) {
        for_manager.mcast_grp_a = group;
        hdr.internal.kind = Kind.NOTIFY;
        hdr.internal.pipe = (pipe_t)(intrinsic.ingress_port >> 7);
    }

    // The group of a port has the recirculation ports of the pipes that are told, and the port itself, unless its trimmed packets
    // return.
    table groups {
        key = { hdr.internal.port: exact; }
        actions = {
            notify;
            @defaultonly no_route;
        }
        const default_action = no_route();
        size = 512;
    }

    action send(QueueId_t queue) {
        for_manager.qid = queue;
        hdr.internal.setValid();
        hdr.internal.kind = Kind.WHOLE;
        hdr.internal.is_returned = 0;
        hdr.internal.is_last = 0;
        hdr.internal.pipe = 0;
        hdr.internal.reserved = 0;
        hdr.internal.port = meta.port;
        hdr.internal.next_hop = meta.next_hop;
    }

    apply {
        meta.is_returned = 0;
#if __TARGET_TOFINO__ == 2
        watermark.apply();
#else
        now = intrinsic.ingress_mac_tstamp[31:0];
        upper_now = intrinsic.ingress_mac_tstamp[47:32];
        response.apply();
        ending.apply();
        colors.apply();
#endif
        if (hdr.internal.isValid()) {
            if (hdr.internal.kind == Kind.UPDATE) {
                fate = Fate.UPDATE;
                for_manager.qid = HIGH_PRIORITY;
                groups.apply();
                if (returns.apply().hit) {
                    hdr.internal.is_returned = 1;
                    hdr.internal.next_hop = meta.trimmed_next_hop;
                    for_manager.ucast_egress_port = meta.trimmed_port;
                }
            } else {
                fate = Fate.NOTIFY;
                for_deparser.drop_ctl = 1;
#if __TARGET_TOFINO__ != 2
                // A mode ends when the 32 bits of its time would wrap, every 4.3 s, and not a time later that means another one.
                until = now + pessimistic_time;
                if (until < now) {
                    until = 0xffffffff;
                }
                half_until = now + half_pessimistic_time;
                if (half_until < now) {
                    half_until = 0xffffffff;
                }
                be_pessimistic.execute(hdr.internal.port);
                be_half_pessimistic.execute(hdr.internal.port);
                note_upper.execute(hdr.internal.port);
                owe_trims.execute(hdr.internal.port);
                if (hdr.internal.is_last == 1) {
                    // "All clear" for each port whose last notification came from this queue.
                    count_empty.execute(hdr.internal.pipe);
                } else {
                    times = times_empty.execute(hdr.internal.pipe);
                    notification = hdr.internal.pipe ++ times[28:0];
                    note_notification.execute(hdr.internal.port);
                }
#endif
            }
        } else if (from_parser.parser_err != PARSER_ERROR_OK) {
            fate = Fate.MALFORMED;
        } else if (!hdr.ipv4.isValid()) {
            fate = Fate.NOT_IPV4;
        } else if (meta.wrong_checksum) {
            fate = Fate.CHECKSUM;
        } else if (hdr.ipv4.time_to_live <= 1) {
            fate = Fate.TIME_TO_LIVE;
        } else if (routes.apply().hit) {
            if (hdr.udp.isValid() && hdr.udp.destination_port == NDP_PORT) {
                // What is no longer than a trimmed packet is not worth trimming, and waits with trimmed packets.
                is_data = hdr.ipv4.code_point == DATA && hdr.ipv4.total_length > TRIMMED_IPV4_LENGTH;
                fate = is_data ? Fate.DATA : Fate.CONTROL;
            }
            if (is_data) {
#if __TARGET_TOFINO__ == 2
                // Ingress reads the version that the ghost thread does not write at the time.
                if (ghost.ping_pong == 0) {
                    depth = read_first_depth.execute((depth_index_t)meta.port);
                } else {
                    depth = read_second_depth.execute((depth_index_t)meta.port);
                }
                is_trimmed = depth >= trimmed_from;
#else
                color = (MeterColor_t)optimistic.execute(meta.port);
                half_color = (MeterColor_t)half_pessimistic.execute(meta.port);
                quarter_color = (MeterColor_t)pessimistic.execute(meta.port);
                is_pessimistic = ask_pessimistic.execute(meta.port);
                is_half_pessimistic = ask_half_pessimistic.execute(meta.port);
                is_recent = has_same_upper.execute(meta.port);
                is_owed = take_trim.execute(meta.port);
                notification = last_notification.execute(meta.port);
                times = times_empty.execute(notification[31:29]);
                if (is_hard) {
                    is_pessimistic = notification[28:0] == times[28:0];
                } else {
                    is_pessimistic = is_pessimistic && is_recent;
                }
                if (is_pessimistic) {
                    color = trims_everything == 1 ? MeterColor_t.RED : quarter_color;
                } else if (is_half_pessimistic && is_recent) {
                    color = half_color;
                }
                is_trimmed = color == MeterColor_t.RED || trims_yellow && color != MeterColor_t.GREEN || is_owed;
#endif
                if (is_trimmed) {
                    fate = Fate.TRIMMED;
                    returns.apply();
                    for_deparser.mirror_type = TRIM;
                    for_deparser.drop_ctl = 1;
                } else {
                    for_manager.deflect_on_drop = 1;
                    send(LOW_PRIORITY);
                }
            } else if (fate == Fate.CONTROL) {
                send(HIGH_PRIORITY);
            } else {
                send(OTHERS);
            }
        }
        if (fate >= Fate.MALFORMED) {
            for_deparser.drop_ctl = 1;
        }
        packets.count(fate);
    }
}

control NdpIngressDeparser(
    packet_out packet,
    inout headers_t hdr,
    in metadata_t meta,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser)
{
    Mirror() mirror;

    apply {
        if (for_deparser.mirror_type == TRIM) {
            mirror.emit<internal_t>(
                meta.session, { Kind.TRIMMED, meta.is_returned, 0, 0, 0, meta.trimmed_port, meta.trimmed_next_hop });
        }
        packet.emit(hdr);
    }
}

parser NdpEgressParser(
    packet_in packet,
    out headers_t hdr,
    out metadata_t meta,
    out egress_intrinsic_metadata_t intrinsic)
{
    state start {
        packet.extract(intrinsic);
        packet.extract(hdr.internal);
        packet.extract(hdr.ethernet);
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.protocol, hdr.ipv4.fragment_offset) {
            (PROTOCOL_UDP, 0): udp;
            default: accept;
        }
    }

    state udp {
        packet.extract(hdr.udp);
        transition accept;
    }
}

control NdpEgress(
    inout headers_t hdr,
    inout metadata_t meta,
    in egress_intrinsic_metadata_t intrinsic,
    in egress_intrinsic_metadata_from_parser_t from_parser,
    inout egress_intrinsic_metadata_for_deparser_t for_deparser,
    inout egress_intrinsic_metadata_for_output_port_t for_port)
{
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) sent;
    Counter<bit<64>, PortId_t>(PORTS, CounterType_t.PACKETS) deflected;
    bit<6> code_point = TRIMMED_AT_A_PORT;
    bool is_trimmed = false;
    ipv4_address_t sender = 0;

    action to(mac_t source, mac_t destination) {
        sent.count();
        hdr.ethernet.source = source;
        hdr.ethernet.destination = destination;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }

    action unresolved() {
        for_deparser.drop_ctl = 1;
    }

    table next_hops {
        key = { hdr.internal.next_hop: exact; }
        actions = {
            to;
            @defaultonly unresolved;
        }
        const default_action = unresolved();
        counters = sent;
        size = 1024;
    }

    action update(MirrorId_t session) {
        meta.session = session;
        meta.port = hdr.internal.port;
        meta.next_hop = hdr.internal.next_hop;
        meta.is_last = intrinsic.deq_qdepth == 0 ? 1w1 : 1w0;
        for_deparser.mirror_type = UPDATE;
    }

    // The session of a deflection port cuts to 69 bytes and leads to the recirculation port of its pipe.
    table updates {
        key = { intrinsic.egress_port: exact; }
        actions = {
            update;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 8;
    }

    action mark(bit<6> deflected_code_point) {
        code_point = deflected_code_point;
    }

    // The code point of packets that were deflected; section 6.4 tells them from those trimmed in ingress.
    table marks {
        actions = { mark; }
        default_action = mark(TRIMMED_AT_A_PORT);
    }

    apply {
        if (intrinsic.deflection_flag == 1) {
            deflected.count(hdr.internal.port);
            updates.apply();
            hdr.internal.setInvalid();
            for_deparser.drop_ctl = 1;
        } else if (intrinsic.egress_port & RECIRCULATION_MASK == RECIRCULATION_PORT) {
            // On its way to ingress: an UPDATE, or a NOTIFY, which goes to the port of the packet, too.
        } else {
            if (hdr.internal.kind == Kind.NOTIFY) {
                marks.apply();
            }
            is_trimmed = hdr.internal.kind != Kind.WHOLE;
            if (is_trimmed) {
                hdr.ipv4.code_point = code_point;
                hdr.ipv4.total_length = TRIMMED_IPV4_LENGTH;
                hdr.udp.length = TRIMMED_UDP_LENGTH;
                hdr.udp.checksum = 0;
            }
            if (hdr.internal.is_returned == 1) {
                hdr.ipv4.code_point = RETURNED;
                sender = hdr.ipv4.source;
                hdr.ipv4.source = hdr.ipv4.destination;
                hdr.ipv4.destination = sender;
            }
            next_hops.apply();
            hdr.internal.setInvalid();
        }
    }
}

control NdpEgressDeparser(
    packet_out packet,
    inout headers_t hdr,
    in metadata_t meta,
    in egress_intrinsic_metadata_for_deparser_t for_deparser)
{
    Checksum() ipv4_checksum;
    Mirror() mirror;

    apply {
        if (for_deparser.mirror_type == UPDATE) {
            mirror.emit<internal_t>(meta.session, { Kind.UPDATE, 0, meta.is_last, 0, 0, meta.port, meta.next_hop });
        }
        hdr.ipv4.header_checksum = ipv4_checksum.update({
            hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.code_point, hdr.ipv4.congestion,
            hdr.ipv4.total_length, hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset,
            hdr.ipv4.time_to_live, hdr.ipv4.protocol,
            hdr.ipv4.source, hdr.ipv4.destination
        });
        packet.emit(hdr);
    }
}

Pipeline(
    NdpIngressParser(),
    NdpIngress(),
    NdpIngressDeparser(),
    NdpEgressParser(),
    NdpEgress(),
#if __TARGET_TOFINO__ == 2
    NdpEgressDeparser(),
    NdpGhost()
#else
    NdpEgressDeparser()
#endif
) pipe;

Switch(pipe) main;
