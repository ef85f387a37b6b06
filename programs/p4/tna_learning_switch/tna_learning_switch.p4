// A learning Ethernet switch for the Tofino Native Architecture. Addresses are learned by digests that the control plane
// answers with entries. A frame for an unknown address goes to a multicast group with all ports, and egress drops the copy
// for the port where the frame came from. Egress learns that port from a header that ingress puts in front of the frame,
// because only bytes cross from one gress to the other.
#include <core.p4>
#include <tna.p4>

typedef bit<48> mac_t;

// The group of all ports.
const MulticastGroupId_t ALL_PORTS = 1;
// The value of `digest_type` that selects the digest of a new station.
const DigestType_t NEW_STATION = 1;

// What happened to a frame: an index of the counter `frames`.
enum bit<8> Fate {
    FORWARDED = 0,
    FLOODED = 1,
    NOT_A_STATION = 2,      // a source that is a group address
    RESERVED = 3,           // a destination that no bridge forwards
    SAME_PORT = 4           // the destination is where the frame came from
}
const bit<32> FATES = 5;

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

// What ingress tells egress about a frame.
header bridge_t {
    @padding bit<7> padding;
    PortId_t from;
}

// The message to the control plane.
struct station_t {
    mac_t address;
    PortId_t port;
}

struct headers_t {
    bridge_t bridge;
    ethernet_t ethernet;
}

struct metadata_t { }

parser SwitchIngressParser(
    packet_in packet,
    out headers_t hdr,
    out metadata_t meta,
    out ingress_intrinsic_metadata_t intrinsic)
{
    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control SwitchIngress(
    inout headers_t hdr,
    inout metadata_t meta,
    in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
    inout ingress_intrinsic_metadata_for_tm_t for_manager)
{
    Counter<bit<64>, bit<8>>(FATES, CounterType_t.PACKETS) frames;
    Fate fate = Fate.FORWARDED;

    action learn() {
        for_deparser.digest_type = NEW_STATION;
    }

    // A station that moved is not where it was learned, and is learned again.
    table sources {
        key = {
            hdr.ethernet.source: exact;
            intrinsic.ingress_port: exact;
        }
        actions = {
            NoAction;
            @defaultonly learn;
        }
        const default_action = learn();
        size = 4096;
    }

    action forward(PortId_t port) {
        for_manager.ucast_egress_port = port;
    }

    action flood() {
        for_manager.mcast_grp_a = ALL_PORTS;
        fate = Fate.FLOODED;
    }

    table destinations {
        key = { hdr.ethernet.destination: exact; }
        actions = {
            forward;
            @defaultonly flood;
        }
        const default_action = flood();
        size = 4096;
    }

    apply {
        hdr.bridge.setValid();
        hdr.bridge.padding = 0;
        hdr.bridge.from = intrinsic.ingress_port;
        if (hdr.ethernet.source[40:40] == 1) {
            fate = Fate.NOT_A_STATION;
        } else {
            sources.apply();
            if (hdr.ethernet.destination[47:4] == 0x0180_C200_000) {
                // IEEE 802.1Q, section 8.6.3: frames for these addresses stay on their link.
                fate = Fate.RESERVED;
            } else {
                destinations.apply();
                if (for_manager.ucast_egress_port == intrinsic.ingress_port) {
                    fate = Fate.SAME_PORT;
                }
            }
        }
        if (fate != Fate.FORWARDED && fate != Fate.FLOODED) {
            for_deparser.drop_ctl = 1;
        }
        frames.count(fate);
    }
}

control SwitchIngressDeparser(
    packet_out packet,
    inout headers_t hdr,
    in metadata_t meta,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser,
    in ingress_intrinsic_metadata_t intrinsic)
{
    Digest<station_t>(NEW_STATION) new_station;

    apply {
        if (for_deparser.digest_type == NEW_STATION) {
            new_station.pack({ hdr.ethernet.source, intrinsic.ingress_port });
        }
        packet.emit(hdr);
    }
}

parser SwitchEgressParser(
    packet_in packet,
    out headers_t hdr,
    out metadata_t meta,
    out egress_intrinsic_metadata_t intrinsic)
{
    state start {
        packet.extract(intrinsic);
        packet.extract(hdr.bridge);
        transition accept;
    }
}

control SwitchEgress(
    inout headers_t hdr,
    inout metadata_t meta,
    in egress_intrinsic_metadata_t intrinsic,
    in egress_intrinsic_metadata_from_parser_t from_parser,
    inout egress_intrinsic_metadata_for_deparser_t for_deparser,
    inout egress_intrinsic_metadata_for_output_port_t for_port)
{
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) pruned;

    apply {
        if (intrinsic.egress_port == hdr.bridge.from) {
            for_deparser.drop_ctl = 1;
            pruned.count(intrinsic.egress_port);
        }
        hdr.bridge.setInvalid();
    }
}

control SwitchEgressDeparser(
    packet_out packet,
    inout headers_t hdr,
    in metadata_t meta,
    in egress_intrinsic_metadata_for_deparser_t for_deparser)
{
    apply {
        packet.emit(hdr);
    }
}

Pipeline(
    SwitchIngressParser(),
    SwitchIngress(),
    SwitchIngressDeparser(),
    SwitchEgressParser(),
    SwitchEgress(),
    SwitchEgressDeparser()
) pipe;

Switch(pipe) main;
