// An IPv6 router: longest prefix match on 128 bits, next hops, new MAC addresses, hop limit, MTU of the next link.
//
// It does by itself what its neighbours need a router for: it answers neighbour solicitations (RFC 4861) and pings for
// its own addresses, and tells senders why a packet went no further (RFC 4443). Such an answer is built of what the
// parser has seen: the packet's own header, and the first eight bytes behind it.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<128> ipv6_address_t;
typedef bit<9> port_t;
typedef bit<16> next_hop_t;

const bit<16> ETHER_TYPE_IPV6 = 0x86dd;
// Bytes of headers.
const bit<32> ETHERNET_LENGTH = 14;
const bit<16> IPV6_LENGTH = 40;
const bit<16> FIRST_LENGTH = 8;

const bit<8> NEXT_HEADER_ICMPV6 = 58;

// Types of ICMPv6 messages (RFC 4443, RFC 4861).
const bit<8> DESTINATION_UNREACHABLE = 1;
const bit<8> PACKET_TOO_BIG = 2;
const bit<8> TIME_EXCEEDED = 3;
const bit<8> ECHO_REQUEST = 128;
const bit<8> ECHO_REPLY = 129;
const bit<8> NEIGHBOR_SOLICITATION = 135;
const bit<8> NEIGHBOR_ADVERTISEMENT = 136;

// Its sender is the router of this link: nothing with it comes from another one.
const bit<8> HOP_LIMIT_OF_NEIGHBORS = 255;
// The group of all nodes on a link, to which a host without an address is answered, and its MAC address.
const ipv6_address_t ALL_NODES = 0xff02_0000_0000_0000_0000_0000_0000_0001;
const mac_t ALL_NODES_MAC = 0x333300000001;
// The flags of a neighbour advertisement: from a router, solicited, override.
const bit<32> ROUTER_FLAG = 0x80000000;
const bit<32> SOLICITED_FLAG = 0x40000000;
const bit<32> OVERRIDE_FLAG = 0x20000000;
// A solicitation with one option, and one without.
const bit<16> NEIGHBOR_LENGTH = 32;
const bit<16> NEIGHBOR_LENGTH_BARE = 24;

// Why a packet is not forwarded: an index of the counter `dropped`. Some of these are answered.
enum bit<32> Drop {
    MALFORMED = 0,      // cut short, or another version
    NOT_FOR_US = 1,     // a frame for another station
    NOT_IPV6 = 2,
    LENGTH = 3,         // a payload that the frame cannot have
    MULTICAST = 4,      // to a group, which this router does not forward, or a question to somebody else on the link
    MARTIAN = 5,        // an address that nothing but a link may see
    OWN = 6,            // for the router itself
    NO_ROUTE = 7,
    HOP_LIMIT = 8,
    NO_NEXT_HOP = 9,    // a route to a next hop that nobody described
    NO_INTERFACE = 10,  // a next hop behind a port that has no address
    TOO_BIG = 11        // for the next link
}
const bit<32> DROP_REASONS = 12;

// What the router has said by itself: an index of the counter `answers`.
enum bit<32> Answer {
    ADVERTISEMENT = 0,
    ECHO = 1,
    NO_ROUTE = 2,
    TOO_BIG = 3,
    TIME_EXCEEDED = 4,
    SUPPRESSED = 5      // an error that would have been one too many
}
const bit<32> ANSWERS = 6;

error {
    Ipv6Version
}

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

header ipv6_t {
    bit<4> version;
    bit<8> traffic_class;
    bit<20> flow_label;
    bit<16> payload_length;
    bit<8> next_header;
    bit<8> hop_limit;
    ipv6_address_t source;
    ipv6_address_t destination;
}

// The first eight bytes behind an IPv6 header. In an ICMPv6 message they have these names; of other headers, and of
// extension headers, the router knows nothing.
header first_t {
    bit<8> type;
    bit<8> code;
    bit<16> checksum;
    bit<32> parameter;
}

// How a neighbour solicitation or advertisement goes on.
header neighbor_t {
    ipv6_address_t target;
}

// An option of it: the MAC address of its sender or of the target, or any other one of eight bytes.
header option_t {
    bit<8> type;
    bit<8> length;      // units of eight bytes
    bit<48> value;
}

struct headers_t {
    ethernet_t ethernet;
    // An error that the router sends, in front of the packet that it quotes.
    ipv6_t error_ipv6;
    first_t error_icmp;
    ipv6_t ipv6;
    first_t first;
    neighbor_t neighbor;
    option_t option;
}

struct metadata_t {
    next_hop_t next_hop;
    // Which address of the router's own could be meant: the target of a solicitation, else the destination.
    ipv6_address_t address;
    mac_t own_mac;
    // The first byte behind the IPv6 header, or 0: the type of an ICMPv6 message.
    bit<8> type;
    // What the next link takes in one packet.
    bit<16> mtu;
    bit<2> color;
}

parser RouterParser(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    inout standard_metadata_t standard_metadata)
{
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_IPV6: ipv6;
            default: accept;
        }
    }

    state ipv6 {
        packet.extract(hdr.ipv6);
        verify(hdr.ipv6.version == 6, error.Ipv6Version);
        meta.address = hdr.ipv6.destination;
        meta.type = 0;
        // A packet may end in less than eight bytes, and then has no first header that would matter here.
        transition select(hdr.ipv6.payload_length >= FIRST_LENGTH) {
            true: first;
            false: accept;
        }
    }

    state first {
        packet.extract(hdr.first);
        meta.type = hdr.first.type;
        transition select(hdr.ipv6.next_header, hdr.first.type, hdr.ipv6.hop_limit, hdr.ipv6.payload_length) {
            (NEXT_HEADER_ICMPV6, NEIGHBOR_SOLICITATION, HOP_LIMIT_OF_NEIGHBORS, NEIGHBOR_LENGTH): neighbor_and_option;
            (NEXT_HEADER_ICMPV6, NEIGHBOR_SOLICITATION, HOP_LIMIT_OF_NEIGHBORS, NEIGHBOR_LENGTH_BARE): neighbor;
            default: accept;
        }
    }

    state neighbor {
        packet.extract(hdr.neighbor);
        meta.address = hdr.neighbor.target;
        transition accept;
    }

    state neighbor_and_option {
        packet.extract(hdr.neighbor);
        packet.extract(hdr.option);
        meta.address = hdr.neighbor.target;
        transition accept;
    }
}

control RouterVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(
            hdr.neighbor.isValid() && !hdr.option.isValid(),
            {
                hdr.ipv6.source, hdr.ipv6.destination, 16w0, hdr.ipv6.payload_length, 24w0, hdr.ipv6.next_header,
                hdr.first.type, hdr.first.code, hdr.first.parameter, hdr.neighbor.target
            },
            hdr.first.checksum,
            HashAlgorithm.csum16);
        verify_checksum(
            hdr.option.isValid(),
            {
                hdr.ipv6.source, hdr.ipv6.destination, 16w0, hdr.ipv6.payload_length, 24w0, hdr.ipv6.next_header,
                hdr.first.type, hdr.first.code, hdr.first.parameter, hdr.neighbor.target,
                hdr.option.type, hdr.option.length, hdr.option.value
            },
            hdr.first.checksum,
            HashAlgorithm.csum16);
    }
}

control RouterIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(DROP_REASONS, CounterType.packets_and_bytes) dropped;
    counter(ANSWERS, CounterType.packets_and_bytes) answers;
    direct_counter(CounterType.packets_and_bytes) route_used;

    // How many errors each port may cause (RFC 4443, section 2.4 (f)): as many as come, until the control plane sets
    // a rate.
    meter(512, MeterType.packets) errors;

    action drop(in Drop reason) {
        dropped.count((bit<32>)reason);
        mark_to_drop(standard_metadata);
    }

    // The MAC addresses that the router listens to, by port.
    table stations {
        key = {
            standard_metadata.ingress_port: exact;
            hdr.ethernet.destination: exact;
        }
        actions = { NoAction; }
        default_action = NoAction();
        size = 512;
    }

    action own(mac_t address) {
        meta.own_mac = address;
    }

    // The router's own addresses, by the ports where somebody may ask for them, with the MAC address there.
    table addresses {
        key = {
            standard_metadata.ingress_port: exact;
            meta.address: exact;
        }
        actions = {
            own;
            @defaultonly NoAction;
        }
        default_action = NoAction();
        size = 1024;
    }

    action martian() {
        drop(Drop.MARTIAN);
    }

    // Addresses with which no packet leaves its link: no address and loopback (RFC 4291, sections 2.5.2 and 2.5.3),
    // link-local ones (2.5.6), and groups as sources (2.7).
    table martians {
        key = {
            hdr.ipv6.source: ternary;
            hdr.ipv6.destination: ternary;
        }
        actions = {
            martian;
            NoAction;
        }
        const default_action = NoAction();
        const entries = {
            (0 &&& 0xffffffff_ffffffff_ffffffff_fffffffe, _): martian();
            (0xfe800000_00000000_00000000_00000000 &&& 0xffc00000_00000000_00000000_00000000, _): martian();
            (0xff000000_00000000_00000000_00000000 &&& 0xff000000_00000000_00000000_00000000, _): martian();
            (_, 0 &&& 0xffffffff_ffffffff_ffffffff_fffffffe): martian();
            (_, 0xfe800000_00000000_00000000_00000000 &&& 0xffc00000_00000000_00000000_00000000): martian();
        }
    }

    action to_next_hop(next_hop_t next_hop) {
        meta.next_hop = next_hop;
    }

    action no_route() { }

    table routes {
        key = { hdr.ipv6.destination: lpm; }
        actions = {
            to_next_hop;
            no_route;
        }
        default_action = no_route();
        counters = route_used;
        size = 4096;
    }

    action forward(port_t port, mac_t destination) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.destination = destination;
        hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;
    }

    action no_next_hop() {
        drop(Drop.NO_NEXT_HOP);
    }

    table next_hops {
        key = { meta.next_hop: exact; }
        actions = {
            forward;
            @defaultonly no_next_hop;
        }
        default_action = no_next_hop();
        size = 256;
    }

    action set_source(mac_t source, bit<16> mtu) {
        hdr.ethernet.source = source;
        meta.mtu = mtu;
    }

    action no_interface() {
        drop(Drop.NO_INTERFACE);
    }

    // The router's MAC address on the port that the packet leaves by, and how long a packet that port takes.
    table interfaces {
        key = { standard_metadata.egress_spec: exact; }
        actions = {
            set_source;
            @defaultonly no_interface;
        }
        default_action = no_interface();
        size = 512;
    }

    // To whoever sent the frame, from the address to which it came or that somebody asked for.
    action turn_around(mac_t own) {
        standard_metadata.egress_spec = standard_metadata.ingress_port;
        hdr.ethernet.destination = hdr.ethernet.source;
        hdr.ethernet.source = own;
    }

    // RFC 4861, section 7.2.4. A host that asks whether its own new address is taken has none yet, and is answered as
    // one of all.
    action advertise() {
        turn_around(meta.own_mac);
        hdr.first.parameter = ROUTER_FLAG | OVERRIDE_FLAG;
        if (hdr.ipv6.source == 0) {
            hdr.ipv6.destination = ALL_NODES;
            hdr.ethernet.destination = ALL_NODES_MAC;
        } else {
            hdr.ipv6.destination = hdr.ipv6.source;
            hdr.first.parameter = hdr.first.parameter | SOLICITED_FLAG;
        }
        hdr.ipv6.source = meta.address;
        hdr.ipv6.payload_length = NEIGHBOR_LENGTH;
        hdr.first.type = NEIGHBOR_ADVERTISEMENT;
        hdr.option.setValid();
        hdr.option.type = 2;    // target link-layer address
        hdr.option.length = 1;
        hdr.option.value = meta.own_mac;
        answers.count((bit<32>)Answer.ADVERTISEMENT);
    }

    // RFC 4443, section 4.2. Its addresses change places, which the checksum does not notice, and its type grows by
    // one, by which the checksum shrinks in its upper byte (RFC 1624, section 3, equation 3).
    action echo() {
        turn_around(meta.own_mac);
        ipv6_address_t asked = hdr.ipv6.destination;
        hdr.ipv6.destination = hdr.ipv6.source;
        hdr.ipv6.source = asked;
        hdr.ipv6.hop_limit = 64;
        hdr.first.type = ECHO_REPLY;
        bit<17> sum = (bit<17>)(~hdr.first.checksum) + 0x100;
        hdr.first.checksum = ~(sum[15:0] + (bit<16>)sum[16:16]);
        answers.count((bit<32>)Answer.ECHO);
    }

    // An error to the sender of the packet, from an address of the router's own, with the packet as far as the parser
    // has seen it. It takes the way back by which the packet came.
    action tell(bit<8> type, bit<32> parameter, ipv6_address_t source, bit<16> quoted) {
        turn_around(hdr.ethernet.destination);
        hdr.error_ipv6.setValid();
        hdr.error_ipv6.version = 6;
        hdr.error_ipv6.traffic_class = 0;
        hdr.error_ipv6.flow_label = 0;
        hdr.error_ipv6.payload_length = FIRST_LENGTH + quoted;
        hdr.error_ipv6.next_header = NEXT_HEADER_ICMPV6;
        hdr.error_ipv6.hop_limit = 64;
        hdr.error_ipv6.source = source;
        hdr.error_ipv6.destination = hdr.ipv6.source;
        hdr.error_icmp.setValid();
        hdr.error_icmp.type = type;
        hdr.error_icmp.code = 0;
        hdr.error_icmp.checksum = 0;
        hdr.error_icmp.parameter = parameter;
        truncate(ETHERNET_LENGTH + (bit<32>)(IPV6_LENGTH + FIRST_LENGTH + quoted));
    }

    action set_error_source(ipv6_address_t source) {
        meta.address = source;
    }

    // From which address the router speaks of errors, by the port to which it does. Without one it is silent.
    table error_sources {
        key = { standard_metadata.ingress_port: exact; }
        actions = {
            set_error_source;
            @defaultonly NoAction;
        }
        default_action = NoAction();
        size = 512;
    }

    action silent() { }

    // What no error is sent about (RFC 4443, section 2.4 (e)): errors and redirects; and packets with extension
    // headers, behind which one may be.
    table silence {
        key = {
            hdr.ipv6.next_header: ternary;
            meta.type: ternary;
        }
        actions = {
            silent;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        const entries = {
            (NEXT_HEADER_ICMPV6, 0 &&& 0x80): silent();
            (NEXT_HEADER_ICMPV6, 137): silent();
            (0, _): silent();       // hop-by-hop options
            (43, _): silent();      // routing
            (44, _): silent();      // fragment
            (51, _): silent();      // authentication
            (60, _): silent();      // destination options
            (135, _): silent();     // mobility
            (139, _): silent();     // host identity
            (140, _): silent();     // shim6
        }
    }

    apply {
        // Which error to send, if any: a type of ICMPv6, with what stands in its last four bytes.
        bit<8> problem = 0;
        bit<32> parameter = 0;
        bool is_to_group = hdr.ipv6.isValid() && hdr.ipv6.destination[127:120] == 0xff;

        if (standard_metadata.parser_error != error.NoError) {
            drop(Drop.MALFORMED);
        } else if (
            // Ethernet has a group for each of IPv6 (RFC 2464, section 7).
            !(is_to_group && hdr.ethernet.destination[47:32] == 0x3333) && !stations.apply().hit
        ) {
            drop(Drop.NOT_FOR_US);
        } else if (!hdr.ipv6.isValid()) {
            drop(Drop.NOT_IPV6);
        } else if (
            // A frame may be longer than its packet, for short ones are padded.
            (bit<32>)hdr.ipv6.payload_length + (bit<32>)IPV6_LENGTH
                > standard_metadata.packet_length - ETHERNET_LENGTH
        ) {
            drop(Drop.LENGTH);
        } else if (addresses.apply().hit) {
            // RFC 4861, section 7.1.1, has what makes a solicitation valid.
            if (hdr.neighbor.isValid()) {
                if (
                    standard_metadata.checksum_error == 0 && hdr.first.code == 0
                    && (!hdr.option.isValid() || hdr.option.length == 1)
                    && (hdr.ipv6.source != 0 || (is_to_group && !(hdr.option.isValid() && hdr.option.type == 1)))
                ) {
                    advertise();
                    truncate(ETHERNET_LENGTH + (bit<32>)(IPV6_LENGTH + NEIGHBOR_LENGTH));
                } else {
                    drop(Drop.MALFORMED);
                }
            } else if (
                hdr.ipv6.next_header == NEXT_HEADER_ICMPV6 && hdr.first.isValid() && hdr.first.type == ECHO_REQUEST
                && hdr.ipv6.source[127:120] != 0xff && hdr.ipv6.source != 0
            ) {
                echo();
            } else {
                drop(Drop.OWN);
            }
        } else if (is_to_group || hdr.neighbor.isValid()) {
            drop(Drop.MULTICAST);
        } else if (martians.apply().miss) {
            switch (routes.apply().action_run) {
                to_next_hop: {
                    if (hdr.ipv6.hop_limit <= 1) {
                        problem = TIME_EXCEEDED;
                        drop(Drop.HOP_LIMIT);
                    } else {
                        mac_t sender = hdr.ethernet.source;
                        mac_t ours = hdr.ethernet.destination;
                        if (next_hops.apply().hit) {
                            if (interfaces.apply().hit && (bit<17>)hdr.ipv6.payload_length + 40 > (bit<17>)meta.mtu) {
                                problem = PACKET_TOO_BIG;
                                parameter = (bit<32>)meta.mtu;
                                drop(Drop.TOO_BIG);
                                // The error quotes the packet as it came.
                                hdr.ipv6.hop_limit = hdr.ipv6.hop_limit + 1;
                                hdr.ethernet.source = sender;
                                hdr.ethernet.destination = ours;
                            }
                        }
                    }
                }
                no_route: {
                    problem = DESTINATION_UNREACHABLE;
                    drop(Drop.NO_ROUTE);
                }
            }
        }

        if (problem != 0 && silence.apply().miss && error_sources.apply().hit) {
            errors.execute_meter((bit<32>)standard_metadata.ingress_port, meta.color);
            if (meta.color == 2) {
                answers.count((bit<32>)Answer.SUPPRESSED);
            } else {
                bit<16> quoted = hdr.first.isValid() ? IPV6_LENGTH + FIRST_LENGTH : IPV6_LENGTH;
                tell(problem, parameter, meta.address, quoted);
                // The types are numbered 1 to 3, as these answers are 2 to 4.
                answers.count((bit<32>)problem + 1);
            }
        }
    }
}

control RouterEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

// Only of what the router itself says: what it forwards has no checksum that would cover its hop limit.
control RouterComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.neighbor.isValid() && hdr.first.type == NEIGHBOR_ADVERTISEMENT,
            {
                hdr.ipv6.source, hdr.ipv6.destination, 16w0, hdr.ipv6.payload_length, 24w0, hdr.ipv6.next_header,
                hdr.first.type, hdr.first.code, hdr.first.parameter, hdr.neighbor.target,
                hdr.option.type, hdr.option.length, hdr.option.value
            },
            hdr.first.checksum,
            HashAlgorithm.csum16);
        update_checksum(
            hdr.error_icmp.isValid() && hdr.first.isValid(),
            {
                hdr.error_ipv6.source, hdr.error_ipv6.destination, 16w0, hdr.error_ipv6.payload_length,
                24w0, hdr.error_ipv6.next_header,
                hdr.error_icmp.type, hdr.error_icmp.code, hdr.error_icmp.parameter,
                hdr.ipv6.version, hdr.ipv6.traffic_class, hdr.ipv6.flow_label, hdr.ipv6.payload_length,
                hdr.ipv6.next_header, hdr.ipv6.hop_limit, hdr.ipv6.source, hdr.ipv6.destination,
                hdr.first.type, hdr.first.code, hdr.first.checksum, hdr.first.parameter
            },
            hdr.error_icmp.checksum,
            HashAlgorithm.csum16);
        update_checksum(
            hdr.error_icmp.isValid() && !hdr.first.isValid(),
            {
                hdr.error_ipv6.source, hdr.error_ipv6.destination, 16w0, hdr.error_ipv6.payload_length,
                24w0, hdr.error_ipv6.next_header,
                hdr.error_icmp.type, hdr.error_icmp.code, hdr.error_icmp.parameter,
                hdr.ipv6.version, hdr.ipv6.traffic_class, hdr.ipv6.flow_label, hdr.ipv6.payload_length,
                hdr.ipv6.next_header, hdr.ipv6.hop_limit, hdr.ipv6.source, hdr.ipv6.destination
            },
            hdr.error_icmp.checksum,
            HashAlgorithm.csum16);
    }
}

control RouterDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.error_ipv6);
        packet.emit(hdr.error_icmp);
        packet.emit(hdr.ipv6);
        packet.emit(hdr.first);
        packet.emit(hdr.neighbor);
        packet.emit(hdr.option);
    }
}

V1Switch(
    RouterParser(),
    RouterVerifyChecksum(),
    RouterIngress(),
    RouterEgress(),
    RouterComputeChecksum(),
    RouterDeparser()
) main;
