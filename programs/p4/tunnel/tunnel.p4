// Virtual private networks over IPv4: at the edge, packets of customers are wrapped into GRE with a key that says
// whose they are (RFC 2784, RFC 2890), and taken out again at the other edge. Customers may use the same addresses.
//
//     Ethernet | IPv4                                     on the customer's side
//     Ethernet | IPv4, outer | GRE | key | IPv4, inner     in the core
//
// One program does both ends, and plain forwarding between them. The outer header is made and taken off as RFC 2003
// (time to live), RFC 2983 (differentiated services) and RFC 6040 (congestion notification) say.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<32> customer_t;
typedef bit<9> port_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_GRE = 47;
// Only the key is present, the version is 0, and an IPv4 packet follows.
const bit<16> GRE_KEY_PRESENT = 0x2000;

const bit<32> ETHERNET_LENGTH = 14;     // bytes
const bit<16> IPV4_LENGTH = 20;
const bit<16> OUTER_LENGTH = IPV4_LENGTH + 8;
const bit<8> OUTER_TIME_TO_LIVE = 64;
// ECN field, RFC 3168.
const bit<2> NOT_ECN_CAPABLE = 0b00;
const bit<2> ECN_CAPABLE_1 = 0b01;
const bit<2> ECN_CAPABLE_0 = 0b10;
const bit<2> CONGESTION_EXPERIENCED = 0b11;

// Why a packet is dropped: an index of the counter `dropped`.
enum bit<32> Drop {
    MALFORMED = 0,
    NOT_IPV4 = 1,
    CHECKSUM = 2,
    LENGTH = 3,
    TIME_TO_LIVE = 4,
    NO_TUNNEL = 5,      // no other end is known for the customer's destination
    NO_ROUTE = 6,
    TOO_LARGE = 7,      // does not fit through the link, and this program makes no fragments
    NOT_GRE = 8,        // to this end of a tunnel, but nothing that can be taken out
    NO_CUSTOMER = 9,    // taken out, but nobody here has this key and destination
    CONGESTION = 10     // marked on the way, and the sender would not understand the mark
}
const bit<32> DROP_REASONS = 11;

error { Ipv4Header }

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4> version;
    bit<4> header_length;
    bit<6> differentiated_services;
    bit<2> congestion;
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

header gre_t {
    bit<16> flags_and_version;
    bit<16> protocol;
}

header gre_key_t {
    customer_t key;
}

struct headers_t {
    ethernet_t ethernet;
    // What this switch puts in front; never parsed.
    ipv4_t outer;
    gre_t outer_gre;
    gre_key_t outer_key;
    // What came.
    ipv4_t ipv4;
    // Of a packet to this end of a tunnel: what is to be taken off, and what comes out.
    gre_t gre;
    gre_key_t gre_key;
    ipv4_t inner;
}

struct metadata_t {
    // Whether it goes to an end of a tunnel that is this switch.
    bool is_to_end;
    customer_t customer;
    // Of the header that the core looks at.
    ipv4_address_t destination;
    bit<16> total_length;
    bit<16> mtu;
}

parser TunnelParser(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    inout standard_metadata_t standard_metadata)
{
    // The addresses of this switch that tunnels end at. A set of the parser, because only what goes there is parsed
    // further: GRE on its way between others is none of this switch's business.
    value_set<ipv4_address_t>(64) ends;

    state start {
        meta.is_to_end = false;
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_IPV4: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.version == 4 && hdr.ipv4.header_length == 5, error.Ipv4Header);
        transition select(hdr.ipv4.destination) {
            ends: to_end;
            default: accept;
        }
    }

    state to_end {
        meta.is_to_end = true;
        // A fragment cannot be taken out.
        transition select(hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (0, 0, PROTOCOL_GRE): gre;
            default: accept;
        }
    }

    state gre {
        packet.extract(hdr.gre);
        transition select(hdr.gre.flags_and_version, hdr.gre.protocol) {
            (GRE_KEY_PRESENT, ETHER_TYPE_IPV4): gre_key;
            default: accept;
        }
    }

    state gre_key {
        packet.extract(hdr.gre_key);
        packet.extract(hdr.inner);
        verify(hdr.inner.version == 4 && hdr.inner.header_length == 5, error.Ipv4Header);
        transition accept;
    }
}

// What the checksum of an IPv4 header covers: all of it but itself.
#define IPV4_FIELDS(ipv4) { \
    ipv4.version, ipv4.header_length, ipv4.differentiated_services, ipv4.congestion, ipv4.total_length, \
    ipv4.identification, ipv4.reserved, ipv4.do_not_fragment, ipv4.more_fragments, ipv4.fragment_offset, \
    ipv4.time_to_live, ipv4.protocol, ipv4.source, ipv4.destination }

control TunnelVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid(), IPV4_FIELDS(hdr.ipv4), hdr.ipv4.header_checksum, HashAlgorithm.csum16);
        // The inner header as well: after this switch nobody would see that it came damaged, for its checksum is made
        // anew.
        verify_checksum(
            hdr.inner.isValid(), IPV4_FIELDS(hdr.inner), hdr.inner.header_checksum, HashAlgorithm.csum16);
    }
}

control TunnelIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(DROP_REASONS, CounterType.packets_and_bytes) dropped;
    direct_counter(CounterType.packets_and_bytes) wrapped;
    direct_counter(CounterType.packets_and_bytes) unwrapped;

    action drop(in Drop reason) {
        dropped.count((bit<32>)reason);
        mark_to_drop(standard_metadata);
    }

    action of_customer(customer_t key) {
        meta.customer = key;
    }

    // The ports with customers behind them. All others lead into the core.
    table customers {
        key = { standard_metadata.ingress_port: exact; }
        actions = {
            of_customer;
            @defaultonly NoAction;
        }
        default_action = NoAction();
        size = 512;
    }

    action wrap(ipv4_address_t source, ipv4_address_t destination) {
        // Differentiated services as inside (RFC 2983, section 3, the uniform model), and the ECN field, too (RFC
        // 6040, section 4.1, the normal mode).
        hdr.outer = hdr.ipv4;
        hdr.outer.total_length = hdr.ipv4.total_length + OUTER_LENGTH;
        // RFC 6864: what is never cut into fragments needs no identification.
        hdr.outer.identification = 0;
        hdr.outer.reserved = 0;
        hdr.outer.do_not_fragment = 1;
        hdr.outer.more_fragments = 0;
        hdr.outer.fragment_offset = 0;
        hdr.outer.time_to_live = OUTER_TIME_TO_LIVE;
        hdr.outer.protocol = PROTOCOL_GRE;
        hdr.outer.source = source;
        hdr.outer.destination = destination;

        hdr.outer_gre.setValid();
        hdr.outer_gre.flags_and_version = GRE_KEY_PRESENT;
        hdr.outer_gre.protocol = ETHER_TYPE_IPV4;
        hdr.outer_key.setValid();
        hdr.outer_key.key = meta.customer;

        // RFC 2003, section 3.1: who wraps a packet forwards it, and takes one off its time to live.
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
        meta.destination = destination;
        meta.total_length = hdr.outer.total_length;
    }

    action no_tunnel() {
        drop(Drop.NO_TUNNEL);
    }

    // Behind which other end of a tunnel a customer's destination is.
    table tunnels {
        key = {
            meta.customer: exact;
            hdr.ipv4.destination: lpm;
        }
        actions = {
            wrap;
            no_tunnel;
        }
        default_action = no_tunnel();
        counters = wrapped;
        size = 1024;
    }

    action unwrap(port_t port, mac_t source, mac_t destination) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.source = source;
        hdr.ethernet.destination = destination;
        // RFC 6040, section 4.2: a mark that the packet got on the way stays with it, and so does an ECT(1) that was
        // written over an ECT(0).
        if (
            hdr.ipv4.congestion == CONGESTION_EXPERIENCED
            || (hdr.ipv4.congestion == ECN_CAPABLE_1 && hdr.inner.congestion == ECN_CAPABLE_0)
        ) {
            hdr.inner.congestion = hdr.ipv4.congestion;
        }
        // RFC 2784, section 3.1: so does the end that forwards what it took out.
        hdr.inner.time_to_live = hdr.inner.time_to_live - 1;
        hdr.ipv4.setInvalid();
        hdr.gre.setInvalid();
        hdr.gre_key.setInvalid();
    }

    action no_customer() {
        drop(Drop.NO_CUSTOMER);
    }

    // Where a customer's destinations are on this side.
    table sites {
        key = {
            hdr.gre_key.key: exact;
            hdr.inner.destination: lpm;
        }
        actions = {
            unwrap;
            no_customer;
        }
        default_action = no_customer();
        counters = unwrapped;
        size = 1024;
    }

    action forward(port_t port, mac_t source, mac_t destination, bit<16> mtu) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.source = source;
        hdr.ethernet.destination = destination;
        meta.mtu = mtu;
    }

    action no_route() {
        drop(Drop.NO_ROUTE);
    }

    // The core: for wrapped packets, and for those that only pass through.
    table routes {
        key = { meta.destination: lpm; }
        actions = {
            forward;
            no_route;
        }
        default_action = no_route();
        size = 4096;
    }

    apply {
        bool goes_to_core = false;

        if (standard_metadata.parser_error != error.NoError) {
            drop(Drop.MALFORMED);
        } else if (!hdr.ipv4.isValid()) {
            drop(Drop.NOT_IPV4);
        } else if (standard_metadata.checksum_error == 1) {
            drop(Drop.CHECKSUM);
        } else if (
            // A frame may be longer than its packet, for short ones are padded.
            hdr.ipv4.total_length < IPV4_LENGTH
            || (bit<32>)hdr.ipv4.total_length > standard_metadata.packet_length - ETHERNET_LENGTH
        ) {
            drop(Drop.LENGTH);
        } else if (customers.apply().hit) {
            // Whatever a customer sends is wrapped, even if it is GRE itself: nobody gets into another customer's
            // network by writing its key.
            if (hdr.ipv4.time_to_live <= 1) {
                drop(Drop.TIME_TO_LIVE);
            } else {
                switch (tunnels.apply().action_run) {
                    wrap: { goes_to_core = true; }
                }
            }
        } else if (meta.is_to_end) {
            if (!hdr.inner.isValid()) {
                drop(Drop.NOT_GRE);
            } else if (
                hdr.inner.total_length < IPV4_LENGTH
                || (bit<32>)hdr.inner.total_length + (bit<32>)OUTER_LENGTH > (bit<32>)hdr.ipv4.total_length
            ) {
                drop(Drop.LENGTH);
            } else if (hdr.ipv4.congestion == CONGESTION_EXPERIENCED && hdr.inner.congestion == NOT_ECN_CAPABLE) {
                drop(Drop.CONGESTION);
            } else if (hdr.inner.time_to_live <= 1) {
                drop(Drop.TIME_TO_LIVE);
            } else {
                sites.apply();
            }
        } else if (hdr.ipv4.time_to_live <= 1) {
            drop(Drop.TIME_TO_LIVE);
        } else {
            hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
            meta.destination = hdr.ipv4.destination;
            meta.total_length = hdr.ipv4.total_length;
            goes_to_core = true;
        }

        if (goes_to_core) {
            switch (routes.apply().action_run) {
                forward: {
                    if (meta.total_length > meta.mtu) {
                        drop(Drop.TOO_LARGE);
                    }
                }
            }
        }
    }
}

control TunnelEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control TunnelComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.outer.isValid(), IPV4_FIELDS(hdr.outer), hdr.outer.header_checksum, HashAlgorithm.csum16);
        update_checksum(
            hdr.ipv4.isValid(), IPV4_FIELDS(hdr.ipv4), hdr.ipv4.header_checksum, HashAlgorithm.csum16);
        update_checksum(
            hdr.inner.isValid(), IPV4_FIELDS(hdr.inner), hdr.inner.header_checksum, HashAlgorithm.csum16);
    }
}

control TunnelDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.outer);
        packet.emit(hdr.outer_gre);
        packet.emit(hdr.outer_key);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.gre);
        packet.emit(hdr.gre_key);
        packet.emit(hdr.inner);
    }
}

V1Switch(
    TunnelParser(), TunnelVerifyChecksum(), TunnelIngress(), TunnelEgress(), TunnelComputeChecksum(), TunnelDeparser()
) main;
