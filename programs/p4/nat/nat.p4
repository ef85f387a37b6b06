// A network address and port translator (RFC 3022): hosts inside share one address outside. The data plane makes the
// translations by itself, as RFC 4787 (UDP), RFC 5382 (TCP) and RFC 5508 (ICMP) require where they do not say
// otherwise in the README.
//
// A translation is a cell of two registers at the index of its outside port: who owns the port, and when the owner
// last sent. A packet from outside reads one cell. A packet from inside looks at the four cells at which its source may
// have its translation: that of its own port, and three that hashes of its address and port name.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;
typedef bit<48> microseconds_t;
// A port of TCP or UDP, or the identifier of an ICMP query.
typedef bit<16> endpoint_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
const bit<32> ETHERNET_LENGTH = 14;
const bit<8> PROTOCOL_ICMP = 1;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

const bit<8> ECHO_REPLY = 0;
const bit<8> DESTINATION_UNREACHABLE = 3;
const bit<8> ECHO_REQUEST = 8;
const bit<8> TIME_EXCEEDED = 11;
const bit<8> PARAMETER_PROBLEM = 12;

// Each protocol has 65,536 outside ports of its own.
enum bit<2> Space {
    TCP = 0,
    UDP = 1,
    ICMP = 2
}
const bit<32> CELLS = 3 * 65536;

// What becomes of a packet: an index of the counter `verdicts`.
enum bit<32> Verdict {
    OUTGOING = 0,       // its source was translated
    INCOMING = 1,       // its destination was translated
    HAIRPIN = 2,        // from inside to inside by the outside address: both were
    WITHIN = 3,         // from inside to inside, or between outside networks: neither was
    UNWIRED = 4,        // dropped, as all below: from a port that is neither inside nor outside
    MALFORMED = 5,      // cut short, or no header that can be
    NOT_IPV4 = 6,
    CHECKSUM = 7,
    TIME_TO_LIVE = 8,
    FRAGMENT = 9,       // without ports that would say whose it is
    NOT_TRANSLATED = 10,// a protocol or an ICMP message that has no port
    NO_MAPPING = 11,    // for a port outside that nobody inside owns, or in the middle of an unknown TCP connection
    NO_PORT = 12,       // all places for the translation are taken
    NO_ROUTE = 13,
    NO_ADDRESS = 14     // nobody has said what the outside address is
}
const bit<32> VERDICTS = 15;

error {
    Ipv4Header
}

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4> version;
    bit<4> header_length;
    bit<8> type_of_service;
    bit<16> total_length;
    bit<16> identification;
    bit<1> reserved;
    bit<1> do_not_fragment;
    bit<1> more_fragments;
    bit<13> fragment_offset;
    bit<8> time_to_live;
    bit<8> protocol;
    bit<16> header_checksum;
    ipv4_address_t source;
    ipv4_address_t destination;
}

// How headers of TCP and UDP begin.
header ports_t {
    endpoint_t source;
    endpoint_t destination;
}

// TCP behind the ports.
header tcp_t {
    bit<32> sequence_number;
    bit<32> acknowledgment_number;
    bit<13> offset_and_flags;
    bit<1> rst;
    bit<1> syn;
    bit<1> fin;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent_pointer;
}

// UDP behind the ports.
header udp_t {
    bit<16> length;
    bit<16> checksum;
}

// How ICMP begins; four bytes follow that depend on the type.
header icmp_t {
    bit<8> type;
    bit<8> code;
    bit<16> checksum;
}

header query_t {
    endpoint_t identifier;
    bit<16> sequence_number;
}

// What an error has in the place of a query's identifier: the MTU of the next hop, a pointer, or nothing.
header problem_t {
    bit<32> parameter;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    ports_t ports;
    tcp_t tcp;
    udp_t udp;
    icmp_t icmp;
    query_t query;
    problem_t problem;
    // The packet about which an ICMP error speaks, as far as the error quotes it.
    ipv4_t quoted_ipv4;
    ports_t quoted_ports;
    tcp_t quoted_tcp;
    udp_t quoted_udp;
    icmp_t quoted_icmp;
    query_t quoted_query;
}

struct metadata_t {
    bool from_inside;
    bool to_inside;
    ipv4_address_t outside_address;

    // Whose translation it is about. An error speaks about a packet of the other direction, whose ends are swapped
    // here, so that both are treated alike.
    Space space;
    ipv4_address_t source;
    endpoint_t source_port;
    ipv4_address_t destination;
    endpoint_t destination_port;

    microseconds_t idle_timeout;
    microseconds_t closing_timeout;

    // The search for the translation of a source.
    bit<48> owner;
    bool is_found;
    endpoint_t outside_port;
    bit<32> hash32;
    bit<16> hash16;
}

// The sum of two numbers in ones' complement, in which checksums are computed (RFC 1071).
bit<16> sum(in bit<16> a, in bit<16> b) {
    bit<17> wide = (bit<17>)a + (bit<17>)b;
    return wide[15:0] + (bit<16>)wide[16:16];
}

// By how much a sum grows when a value of it changes.
bit<16> change(in bit<16> before, in bit<16> after) {
    return sum(~before, after);
}

bit<16> change_of_address(in ipv4_address_t before, in ipv4_address_t after) {
    return sum(change(before[31:16], after[31:16]), change(before[15:0], after[15:0]));
}

// A checksum after what it covers has changed: RFC 1624, section 3, equation 3. A packet that came damaged stays so.
bit<16> corrected(in bit<16> checksum, in bit<16> by) {
    return ~sum(~checksum, by);
}

// The same for UDP (RFC 768): 0 says that there is none, and one that comes out as 0 is sent as its other form.
bit<16> corrected_udp(in bit<16> checksum, in bit<16> by) {
    bit<16> result = corrected(checksum, by);
    if (checksum == 0) {
        result = 0;
    } else if (result == 0) {
        result = 0xffff;
    }
    return result;
}

// A port by which a hash suggests to replace another one: of the same parity, and above 1,023 if the other one is
// (RFC 4787, REQ-3 and REQ-4).
endpoint_t like(in endpoint_t suggested, in endpoint_t port) {
    bit<6> high = 0;
    if (port[15:10] != 0) {
        high = suggested[15:10] == 0 ? 6w0b100000 : suggested[15:10];
    }
    return high ++ suggested[9:1] ++ port[0:0];
}

parser NatParser(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    inout standard_metadata_t standard_metadata)
{
    state start {
        meta.space = Space.TCP;
        meta.source_port = 0;
        meta.destination_port = 0;
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_IPV4: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.version == 4 && hdr.ipv4.header_length == 5, error.Ipv4Header);
        meta.source = hdr.ipv4.source;
        meta.destination = hdr.ipv4.destination;
        // Only the first fragment has ports.
        transition select(hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (0, 0, PROTOCOL_TCP): tcp;
            (0, 0, PROTOCOL_UDP): udp;
            (0, 0, PROTOCOL_ICMP): icmp;
            default: accept;
        }
    }

    state tcp {
        packet.extract(hdr.ports);
        packet.extract(hdr.tcp);
        meta.source_port = hdr.ports.source;
        meta.destination_port = hdr.ports.destination;
        transition accept;
    }

    state udp {
        packet.extract(hdr.ports);
        packet.extract(hdr.udp);
        meta.space = Space.UDP;
        meta.source_port = hdr.ports.source;
        meta.destination_port = hdr.ports.destination;
        transition accept;
    }

    state icmp {
        packet.extract(hdr.icmp);
        transition select(hdr.icmp.type) {
            ECHO_REQUEST: query;
            ECHO_REPLY: query;
            DESTINATION_UNREACHABLE: problem;
            TIME_EXCEEDED: problem;
            PARAMETER_PROBLEM: problem;
            default: accept;
        }
    }

    state query {
        packet.extract(hdr.query);
        meta.space = Space.ICMP;
        meta.source_port = hdr.query.identifier;
        meta.destination_port = hdr.query.identifier;
        transition accept;
    }

    // The header of the packet and at least eight bytes behind it (RFC 792); more if the sender likes (RFC 1812,
    // section 4.3.2.3).
    state problem {
        packet.extract(hdr.problem);
        packet.extract(hdr.quoted_ipv4);
        verify(hdr.quoted_ipv4.version == 4 && hdr.quoted_ipv4.header_length == 5, error.Ipv4Header);
        meta.source = hdr.quoted_ipv4.destination;
        meta.destination = hdr.quoted_ipv4.source;
        transition select(hdr.quoted_ipv4.fragment_offset, hdr.quoted_ipv4.protocol) {
            (0, PROTOCOL_TCP): quoted_tcp;
            (0, PROTOCOL_UDP): quoted_udp;
            (0, PROTOCOL_ICMP): quoted_icmp;
            default: accept;
        }
    }

    state quoted_tcp {
        packet.extract(hdr.quoted_ports);
        meta.source_port = hdr.quoted_ports.destination;
        meta.destination_port = hdr.quoted_ports.source;
        // The checksum of TCP lies behind the first eight bytes: 20 of IPv4, 8 of ICMP, 20 of IPv4, 20 of TCP.
        transition select(hdr.ipv4.total_length >= 68) {
            true: quoted_tcp_rest;
            false: accept;
        }
    }

    state quoted_tcp_rest {
        packet.extract(hdr.quoted_tcp);
        transition accept;
    }

    state quoted_udp {
        packet.extract(hdr.quoted_ports);
        packet.extract(hdr.quoted_udp);
        meta.space = Space.UDP;
        meta.source_port = hdr.quoted_ports.destination;
        meta.destination_port = hdr.quoted_ports.source;
        transition accept;
    }

    state quoted_icmp {
        packet.extract(hdr.quoted_icmp);
        packet.extract(hdr.quoted_query);
        meta.space = Space.ICMP;
        meta.source_port = hdr.quoted_query.identifier;
        meta.destination_port = hdr.quoted_query.identifier;
        transition accept;
    }
}

control NatVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.type_of_service, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.reserved, hdr.ipv4.do_not_fragment, hdr.ipv4.more_fragments,
                hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live, hdr.ipv4.protocol,
                hdr.ipv4.source, hdr.ipv4.destination
            },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control NatIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(VERDICTS, CounterType.packets_and_bytes) verdicts;

    // Of each outside port: the address and port inside that own it, or 0.
    register<bit<48>>(CELLS) owners;
    // When the owner last sent, in microseconds. The highest bit says that it has ended a TCP connection.
    register<bit<49>>(CELLS) sent;

    action pass(in Verdict verdict) {
        verdicts.count((bit<32>)verdict);
    }

    action drop(in Verdict verdict) {
        verdicts.count((bit<32>)verdict);
        mark_to_drop(standard_metadata);
    }

    action inside() {
        meta.from_inside = true;
    }

    action outside() {
        meta.from_inside = false;
    }

    action unwired() {
        drop(Verdict.UNWIRED);
    }

    table sides {
        key = { standard_metadata.ingress_port: exact; }
        actions = {
            inside;
            outside;
            @defaultonly unwired;
        }
        default_action = unwired();
        size = 512;
    }

    action set_address(ipv4_address_t address) {
        meta.outside_address = address;
    }

    // The one address outside, which the control plane sets as the default action.
    table address {
        actions = { set_address; }
        default_action = set_address(0);
    }

    action set_timeouts(microseconds_t idle, microseconds_t closing) {
        meta.idle_timeout = idle;
        meta.closing_timeout = closing;
    }

    // How long a translation lives after its owner last sent: the recommended or the least permitted times. What has
    // ended a TCP connection needs a port for four minutes more only.
    table timeouts {
        key = { meta.space: exact; }
        actions = { set_timeouts; }
        default_action = set_timeouts(0, 0);
        size = 4;
        entries = {
            Space.TCP: set_timeouts(7440000000, 240000000);   // RFC 5382, REQ-5: 2 hours 4 minutes; 4 minutes
            Space.UDP: set_timeouts(300000000, 300000000);    // RFC 4787, REQ-5: 5 minutes
            Space.ICMP: set_timeouts(60000000, 60000000);     // RFC 5508, REQ-2: 60 seconds
        }
    }

    action forward(port_t port, mac_t source, mac_t destination) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.source = source;
        hdr.ethernet.destination = destination;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }

    action to_inside(port_t port, mac_t source, mac_t destination) {
        meta.to_inside = true;
        forward(port, source, destination);
    }

    action to_outside(port_t port, mac_t source, mac_t destination) {
        meta.to_inside = false;
        forward(port, source, destination);
    }

    action no_route() {
        drop(Verdict.NO_ROUTE);
    }

    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = {
            to_inside;
            to_outside;
            no_route;
        }
        default_action = no_route();
        size = 1024;
    }

    // The checksum of a packet of which an address of the pseudo header and a port have changed. A query has no
    // pseudo header.
    action correct(in bit<16> by_address, in bit<16> by_port) {
        if (hdr.tcp.isValid()) {
            hdr.tcp.checksum = corrected(hdr.tcp.checksum, sum(by_address, by_port));
        }
        if (hdr.udp.isValid()) {
            hdr.udp.checksum = corrected_udp(hdr.udp.checksum, sum(by_address, by_port));
        }
        if (hdr.query.isValid()) {
            hdr.icmp.checksum = corrected(hdr.icmp.checksum, by_port);
        }
    }

    // The checksums of a quoted packet, and that of the error, which covers the quoted packet with its checksums.
    action correct_quoted(in bit<16> by_address, in bit<16> by_port) {
        bit<16> by = sum(by_address, by_port);
        bit<16> before = hdr.quoted_ipv4.header_checksum;
        hdr.quoted_ipv4.header_checksum = corrected(before, by_address);
        by = sum(by, change(before, hdr.quoted_ipv4.header_checksum));
        if (hdr.quoted_tcp.isValid()) {
            before = hdr.quoted_tcp.checksum;
            hdr.quoted_tcp.checksum = corrected(before, sum(by_address, by_port));
            by = sum(by, change(before, hdr.quoted_tcp.checksum));
        }
        if (hdr.quoted_udp.isValid()) {
            before = hdr.quoted_udp.checksum;
            hdr.quoted_udp.checksum = corrected_udp(before, sum(by_address, by_port));
            by = sum(by, change(before, hdr.quoted_udp.checksum));
        }
        if (hdr.quoted_icmp.isValid()) {
            before = hdr.quoted_icmp.checksum;
            hdr.quoted_icmp.checksum = corrected(before, by_port);
            by = sum(by, change(before, hdr.quoted_icmp.checksum));
        }
        hdr.icmp.checksum = corrected(hdr.icmp.checksum, by);
    }

    // What a packet says about its source: in its own headers, or, if it is an error, as the destination of the packet
    // that it quotes (RFC 5508, REQ-4 and REQ-5). Whoever inside sends an error speaks from the outside address.
    action translate_source() {
        bit<16> by_address = change_of_address(meta.source, meta.outside_address);
        bit<16> by_port = change(meta.source_port, meta.outside_port);
        hdr.ipv4.source = meta.outside_address;
        if (hdr.problem.isValid()) {
            hdr.quoted_ipv4.destination = meta.outside_address;
            if (hdr.quoted_ports.isValid()) {
                hdr.quoted_ports.destination = meta.outside_port;
            }
            if (hdr.quoted_query.isValid()) {
                hdr.quoted_query.identifier = meta.outside_port;
            }
            correct_quoted(by_address, by_port);
        } else {
            if (hdr.ports.isValid()) {
                hdr.ports.source = meta.outside_port;
            }
            if (hdr.query.isValid()) {
                hdr.query.identifier = meta.outside_port;
            }
            correct(by_address, by_port);
        }
    }

    // The same for the destination, which becomes the owner of its port.
    action translate_destination(in ipv4_address_t to, in endpoint_t port) {
        bit<16> by_address = change_of_address(meta.destination, to);
        bit<16> by_port = change(meta.destination_port, port);
        hdr.ipv4.destination = to;
        if (hdr.problem.isValid()) {
            hdr.quoted_ipv4.source = to;
            if (hdr.quoted_ports.isValid()) {
                hdr.quoted_ports.source = port;
            }
            if (hdr.quoted_query.isValid()) {
                hdr.quoted_query.identifier = port;
            }
            correct_quoted(by_address, by_port);
        } else {
            if (hdr.ports.isValid()) {
                hdr.ports.destination = port;
            }
            if (hdr.query.isValid()) {
                hdr.query.identifier = port;
            }
            correct(by_address, by_port);
        }
    }

    // Whether the translation of an outside port has ended.
    action look_whether_over(in endpoint_t port, out bool is_over) {
        bit<49> last;
        sent.read(last, (bit<32>)((bit<2>)meta.space ++ port));
        microseconds_t idle = standard_metadata.ingress_global_timestamp - last[47:0];
        is_over = idle > (last[48:48] == 1 ? meta.closing_timeout : meta.idle_timeout);
    }

    action look_for_own(in endpoint_t candidate) {
        bit<48> owner;
        owners.read(owner, (bit<32>)((bit<2>)meta.space ++ candidate));
        if (owner == meta.owner) {
            meta.is_found = true;
            meta.outside_port = candidate;
        }
    }

    action look_for_free(in endpoint_t candidate) {
        bit<48> owner;
        bool is_over;
        owners.read(owner, (bit<32>)((bit<2>)meta.space ++ candidate));
        look_whether_over(candidate, is_over);
        if (owner == 0 || is_over) {
            meta.is_found = true;
            meta.outside_port = candidate;
        }
    }

    // Keeps the port for its owner. The end of a TCP connection counts until the next one begins.
    action keep() {
        bit<32> cell = (bit<32>)((bit<2>)meta.space ++ meta.outside_port);
        bit<49> last;
        sent.read(last, cell);
        bit<1> is_closing = last[48:48];
        if (hdr.tcp.isValid()) {
            is_closing = hdr.tcp.syn == 1 ? 1w0 : is_closing | hdr.tcp.fin | hdr.tcp.rst;
        } else {
            is_closing = 0;
        }
        owners.write(cell, meta.owner);
        sent.write(cell, is_closing ++ standard_metadata.ingress_global_timestamp);
    }

    apply {
        if (!sides.apply().hit) {
            return;
        }
        if (standard_metadata.parser_error != error.NoError) {
            drop(Verdict.MALFORMED);
            return;
        }
        if (!hdr.ipv4.isValid()) {
            drop(Verdict.NOT_IPV4);
            return;
        }
        if (standard_metadata.checksum_error == 1) {
            drop(Verdict.CHECKSUM);
            return;
        }
        if ((bit<32>)hdr.ipv4.total_length > standard_metadata.packet_length - ETHERNET_LENGTH) {
            drop(Verdict.MALFORMED);
            return;
        }
        if (hdr.ipv4.time_to_live <= 1) {
            drop(Verdict.TIME_TO_LIVE);
            return;
        }
        if (hdr.ipv4.more_fragments == 1 || hdr.ipv4.fragment_offset != 0) {
            drop(Verdict.FRAGMENT);
            return;
        }
        bool is_problem = hdr.quoted_ports.isValid() || hdr.quoted_query.isValid();
        if (!hdr.ports.isValid() && !hdr.query.isValid() && !is_problem) {
            drop(Verdict.NOT_TRANSLATED);
            return;
        }

        address.apply();
        if (meta.outside_address == 0) {
            drop(Verdict.NO_ADDRESS);
            return;
        }
        timeouts.apply();
        bool is_mapped = hdr.ipv4.destination == meta.outside_address;
        if (is_mapped) {
            // A query comes from inside only, and only its answer from outside (RFC 5508, section 3).
            if (hdr.query.isValid() && hdr.icmp.type != ECHO_REPLY) {
                drop(Verdict.NOT_TRANSLATED);
                return;
            }
            bit<48> owner;
            bool is_over;
            owners.read(owner, (bit<32>)((bit<2>)meta.space ++ meta.destination_port));
            look_whether_over(meta.destination_port, is_over);
            // An error must quote a packet that came from here.
            if (owner == 0 || is_over || meta.destination != meta.outside_address) {
                drop(Verdict.NO_MAPPING);
                return;
            }
            translate_destination(owner[47:16], owner[15:0]);
        }

        if (!routes.apply().hit) {
            return;
        }
        if (!meta.from_inside) {
            if (is_mapped) {
                pass(Verdict.INCOMING);
            } else if (meta.to_inside) {
                // Nobody outside knows an address of the inside.
                drop(Verdict.NO_MAPPING);
            } else {
                pass(Verdict.WITHIN);
            }
            return;
        }
        if (meta.to_inside && !is_mapped) {
            pass(Verdict.WITHIN);
            return;
        }
        if (is_mapped && hdr.icmp.isValid()) {
            drop(Verdict.NOT_TRANSLATED);
            return;
        }

        // The source needs an outside port. Queries begin with a request, TCP connections with a SYN; an error needs
        // the translation that the packet had which it quotes.
        if (hdr.query.isValid() && hdr.icmp.type != ECHO_REQUEST) {
            drop(Verdict.NOT_TRANSLATED);
            return;
        }
        bool may_begin = !is_problem && (!hdr.tcp.isValid() || hdr.tcp.syn == 1);
        meta.owner = meta.source ++ meta.source_port;
        meta.is_found = false;
        meta.outside_port = 0;
        hash(meta.hash32, HashAlgorithm.crc32, (bit<32>)0, { meta.owner }, 33w0x100000000);
        hash(meta.hash16, HashAlgorithm.crc16, (bit<16>)0, { meta.owner }, 17w0x10000);
        endpoint_t second = like(meta.hash32[31:16], meta.source_port);
        endpoint_t third = like(meta.hash32[15:0], meta.source_port);
        endpoint_t fourth = like(meta.hash16, meta.source_port);
        // No packet may come between the reads and the writes.
        @atomic {
            look_for_own(meta.source_port);
            if (!meta.is_found) {
                look_for_own(second);
            }
            if (!meta.is_found) {
                look_for_own(third);
            }
            if (!meta.is_found) {
                look_for_own(fourth);
            }
            if (may_begin) {
                if (!meta.is_found) {
                    look_for_free(meta.source_port);
                }
                if (!meta.is_found) {
                    look_for_free(second);
                }
                if (!meta.is_found) {
                    look_for_free(third);
                }
                if (!meta.is_found) {
                    look_for_free(fourth);
                }
            }
            if (meta.is_found && !is_problem) {
                keep();
            }
        }
        if (!meta.is_found) {
            if (may_begin) {
                drop(Verdict.NO_PORT);
            } else {
                drop(Verdict.NO_MAPPING);
            }
            return;
        }
        translate_source();
        if (is_mapped) {
            pass(Verdict.HAIRPIN);
        } else {
            pass(Verdict.OUTGOING);
        }
    }
}

control NatEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control NatComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.type_of_service, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.reserved, hdr.ipv4.do_not_fragment, hdr.ipv4.more_fragments,
                hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live, hdr.ipv4.protocol,
                hdr.ipv4.source, hdr.ipv4.destination
            },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control NatDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
        packet.emit(hdr.tcp);
        packet.emit(hdr.udp);
        packet.emit(hdr.icmp);
        packet.emit(hdr.query);
        packet.emit(hdr.problem);
        packet.emit(hdr.quoted_ipv4);
        packet.emit(hdr.quoted_ports);
        packet.emit(hdr.quoted_tcp);
        packet.emit(hdr.quoted_udp);
        packet.emit(hdr.quoted_icmp);
        packet.emit(hdr.quoted_query);
    }
}

V1Switch(
    NatParser(),
    NatVerifyChecksum(),
    NatIngress(),
    NatEgress(),
    NatComputeChecksum(),
    NatDeparser()
) main;
