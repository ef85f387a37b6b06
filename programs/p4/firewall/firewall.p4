// A stateful firewall, a bump in the wire between inside and outside: whoever is inside may open connections; packets
// from outside pass if they belong to one, or if they go to a service that is open to all.
//
// Connections are remembered in a Bloom filter (CACM 1970) that ages: instead of bits its two arrays hold the time of
// the last packet, so that a connection ends by itself when nobody has sent for a while, and nobody has to clean up.
// It may be wrong in one direction only: a packet from outside passes without a connection if both its cells were
// written lately for others.
#include <core.p4>
#include <v1model.p4>

typedef bit<9> port_t;
typedef bit<32> ipv4_address_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
const bit<16> ETHER_TYPE_ARP = 0x0806;
const bit<8> PROTOCOL_ICMP = 1;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

// Cells of each array. With n connections alive, a packet without one passes with a probability of about (n /
// CELLS)^2.
const bit<32> CELLS = 65536;

// What becomes of a packet: an index of the counter `verdicts`.
enum bit<32> Verdict {
    OUTBOUND = 0,           // from inside
    CONNECTION = 1,         // from outside, in a connection
    SERVICE = 2,            // from outside, to an open service
    ADDRESS_RESOLUTION = 3, // ARP, without which nobody finds anybody
    UNWIRED = 4,            // dropped: from a port that is neither inside nor outside
    MALFORMED = 5,          // dropped: cut short, or no header that can be
    OTHER_PROTOCOL = 6,     // dropped: neither IPv4 nor ARP
    FRAGMENT = 7,           // dropped: from outside, without ports that would say whose it is
    STRANGER = 8            // dropped: from outside, in no connection
}
const bit<32> VERDICTS = 9;

error {
    Ipv4Header
}

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4> version;
    bit<4> header_length;
    bit<8> type_of_service;
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

header tcp_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<32> sequence_number;
    bit<32> acknowledgment_number;
    bit<4> data_offset;
    bit<4> reserved;
    bit<1> cwr;
    bit<1> ece;
    bit<1> urg;
    bit<1> ack;
    bit<1> psh;
    bit<1> rst;
    bit<1> syn;
    bit<1> fin;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent_pointer;
}

header udp_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<16> length;
    bit<16> checksum;
}

// The messages that ask and answer (echo, timestamp) have an identifier here.
header icmp_t {
    bit<8> type;
    bit<8> code;
    bit<16> checksum;
    bit<16> identifier;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    tcp_t tcp;
    udp_t udp;
    icmp_t icmp;
}

struct metadata_t {
    bool from_outside;
    // The port on the other side of the wire.
    port_t other;
    bit<48> timeout;
    bit<16> source_port;
    bit<16> destination_port;
    // Both cells of the connection.
    bit<32> first;
    bit<32> second;
}

parser FirewallParser(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    inout standard_metadata_t standard_metadata)
{
    state start {
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
        // Packets with options are rare, and mostly ways round a filter (RFC 7126).
        verify(hdr.ipv4.version == 4 && hdr.ipv4.header_length == 5, error.Ipv4Header);
        // A fragment that is not the first has no ports; who reads them all the same reads what its sender put there.
        transition select(hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (0, PROTOCOL_TCP): tcp;
            (0, PROTOCOL_UDP): udp;
            (0, PROTOCOL_ICMP): icmp;
            default: accept;
        }
    }

    state tcp {
        packet.extract(hdr.tcp);
        meta.source_port = hdr.tcp.source_port;
        meta.destination_port = hdr.tcp.destination_port;
        transition accept;
    }

    state udp {
        packet.extract(hdr.udp);
        meta.source_port = hdr.udp.source_port;
        meta.destination_port = hdr.udp.destination_port;
        transition accept;
    }

    state icmp {
        packet.extract(hdr.icmp);
        // The same number in both directions is what two ports are to the others.
        meta.source_port = hdr.icmp.identifier;
        meta.destination_port = hdr.icmp.identifier;
        transition accept;
    }
}

control FirewallVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control FirewallIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(VERDICTS, CounterType.packets_and_bytes) verdicts;

    // When the last packet of a connection came, with 1 in front of it; 0 if none came.
    register<bit<49>>(CELLS) first_seen;
    register<bit<49>>(CELLS) second_seen;

    action pass(in Verdict verdict) {
        verdicts.count((bit<32>)verdict);
        standard_metadata.egress_spec = meta.other;
    }

    action drop(in Verdict verdict) {
        verdicts.count((bit<32>)verdict);
        mark_to_drop(standard_metadata);
    }

    action inside(port_t other) {
        meta.from_outside = false;
        meta.other = other;
    }

    action outside(port_t other) {
        meta.from_outside = true;
        meta.other = other;
    }

    action unwired() {
        drop(Verdict.UNWIRED);
    }

    // Which side a port is on, and which port is the other end of its wire.
    table wires {
        key = { standard_metadata.ingress_port: exact; }
        actions = {
            inside;
            outside;
            @defaultonly unwired;
        }
        default_action = unwired();
        size = 512;
    }

    action set_timeout(bit<48> microseconds) {
        meta.timeout = microseconds;
    }

    // How long a connection lives without a packet: five minutes, unless the control plane says otherwise.
    table idle_timeout {
        actions = { set_timeout; }
        default_action = set_timeout(300000000);
    }

    action open() {
        pass(Verdict.SERVICE);
    }

    action shut() {
        drop(Verdict.STRANGER);
    }

    // Services inside that anybody may use. The entry with the largest priority wins, so that one host or port can be
    // shut within a wide range that is open.
    table services {
        key = {
            hdr.ipv4.destination: ternary;
            hdr.ipv4.protocol: exact;
            meta.destination_port: range;
        }
        actions = {
            open;
            shut;
        }
        default_action = shut();
        size = 256;
    }

    // Both ends of a connection must find the same cells: the end that is inside always comes first.
    action find_cells(in ipv4_address_t inner, in ipv4_address_t outer, in bit<16> inner_port, in bit<16> outer_port) {
        hash(
            meta.first,
            HashAlgorithm.crc32,
            (bit<32>)0,
            { inner, outer, hdr.ipv4.protocol, inner_port, outer_port },
            CELLS);
        hash(
            meta.second,
            HashAlgorithm.crc16,
            (bit<32>)0,
            { inner, outer, hdr.ipv4.protocol, inner_port, outer_port },
            CELLS);
    }

    apply {
        bit<48> now = standard_metadata.ingress_global_timestamp;
        bool is_alive = false;

        if (!wires.apply().hit) {
            return;
        }
        if (standard_metadata.parser_error != error.NoError) {
            drop(Verdict.MALFORMED);
            return;
        }
        if (!hdr.ipv4.isValid()) {
            if (hdr.ethernet.ether_type == ETHER_TYPE_ARP) {
                pass(Verdict.ADDRESS_RESOLUTION);
            } else {
                drop(Verdict.OTHER_PROTOCOL);
            }
            return;
        }
        if (hdr.ipv4.fragment_offset != 0) {
            if (meta.from_outside) {
                drop(Verdict.FRAGMENT);
            } else {
                pass(Verdict.OUTBOUND);
            }
            return;
        }

        idle_timeout.apply();
        if (meta.from_outside) {
            find_cells(hdr.ipv4.destination, hdr.ipv4.source, meta.destination_port, meta.source_port);
        } else {
            find_cells(hdr.ipv4.source, hdr.ipv4.destination, meta.source_port, meta.destination_port);
        }

        // No packet may come between the reads and the writes.
        @atomic {
            bit<49> first;
            bit<49> second;
            first_seen.read(first, meta.first);
            second_seen.read(second, meta.second);
            // The older of both cells is the time of this connection, or later.
            is_alive = first[48:48] == 1 && second[48:48] == 1
                && now - first[47:0] <= meta.timeout && now - second[47:0] <= meta.timeout;

            // A connection begins with a packet from inside: for TCP with SYN, for what knows no connections with
            // any. From then on every packet keeps it alive.
            if (is_alive || (!meta.from_outside && (!hdr.tcp.isValid() || hdr.tcp.syn == 1))) {
                first_seen.write(meta.first, 1w1 ++ now);
                second_seen.write(meta.second, 1w1 ++ now);
            }
        }

        if (!meta.from_outside) {
            pass(Verdict.OUTBOUND);
        } else if (is_alive) {
            pass(Verdict.CONNECTION);
        } else {
            services.apply();
        }
    }
}

control FirewallEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control FirewallComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control FirewallDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.tcp);
        packet.emit(hdr.udp);
        packet.emit(hdr.icmp);
    }
}

V1Switch(
    FirewallParser(),
    FirewallVerifyChecksum(),
    FirewallIngress(),
    FirewallEgress(),
    FirewallComputeChecksum(),
    FirewallDeparser()
) main;
