// A program with every kind of entity that controllers write.
#include <core.p4>
#include <v1model.p4>

@p4runtime_translation("example.org/name", string)
@p4runtime_translation_mappings({{"", 0}, {"cpu", 510}})
type bit<9> port_id_t;

@p4runtime_translation("example.org/wide", 32)
type bit<12> vlan_id_t;

type bit<16> plain_t;

enum bit<8> Kind { Data = 3, Other = 7 }

header probe_t {
    bit<8>   tag;
    bit<16>  kind;
    bit<32>  address;
    bit<128> wide;
    bit<12>  vlan;
    bit<4>   rest;
}

header flow_t {
    bit<16> low;
    int<16> high;
}

struct pair_t {
    bit<48>  station;
    bit<9>   port;
    bool     known;
    int<12>  signed;
    plain_t  plain;
}

struct headers_t { probe_t probe; }
struct meta_t {
    port_id_t port;
    vlan_id_t vlan;
}

struct set_t {
    bit<16> kind;
    @match(ternary) bit<8> tag;
}

@controller_header("packet_in")
header in_t { bit<9> port; bit<7> pad; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard_metadata) {
    value_set<bit<16>>(4) kinds;
    value_set<set_t>(3) pairs;
    state start {
        packet.extract(hdr.probe);
        transition select(hdr.probe.kind) {
            kinds: accept;
            default: next;
        }
    }
    state next {
        transition select(hdr.probe.kind, hdr.probe.tag) {
            pairs: accept;
            default: accept;
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply { } }

control Ingress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard_metadata) {
    counter(16, CounterType.packets_and_bytes) hits;
    direct_counter(CounterType.packets) routes_hits;
    meter(8, MeterType.bytes) rates;
    direct_meter<bit<2>>(MeterType.packets) acl_rates;
    register<bit<72>>(4) cells;
    register<pair_t>(3) pairs_seen;
    action_selector(HashAlgorithm.crc16, 64, 14) selector;
    action_profile(8) profile;
    bit<2> colour = 0;

    action drop() { mark_to_drop(standard_metadata); }
    action forward(bit<9> port, bit<48> station) { standard_metadata.egress_spec = port; }
    action name(port_id_t port) { standard_metadata.egress_spec = (bit<9>)port; }
    action tag(vlan_id_t vlan, plain_t plain) { hdr.probe.vlan = (bit<12>)vlan; }
    action counted(bit<9> port) { standard_metadata.egress_spec = port; routes_hits.count(); }
    action metered(bit<9> port) { acl_rates.read(colour); standard_metadata.egress_spec = port; }
    action only_entries() { }
    action only_default() { }

    table stations {
        key = { hdr.probe.wide: exact; meta.port: exact @name("port"); }
        actions = { drop; forward; name; tag; @tableonly only_entries; @defaultonly only_default; }
        size = 100000;
        default_action = only_default;
        support_timeout = true;
    }
    table routes {
        key = { hdr.probe.address: lpm; hdr.probe.tag: exact; }
        actions = { drop; counted; NoAction; }
        counters = routes_hits;
        size = 512;
    }
    @entry_restriction("vlan != 13")
    table acl {
        key = {
            hdr.probe.address: ternary;
            hdr.probe.kind: range;
            meta.port: optional @name("port");
            meta.vlan: exact @name("vlan");
        }
        actions = { drop; metered; NoAction; }
        meters = acl_rates;
        size = 16;
    }
    table fixed {
        key = { hdr.probe.tag: exact; }
        actions = { drop; NoAction; }
        const entries = { 1: drop(); 2: NoAction(); }
        const default_action = drop();
    }
    table ecmp {
        key = { hdr.probe.address: lpm; hdr.probe.kind: selector; }
        actions = { drop; forward; name; }
        implementation = selector;
        size = 64;
    }
    table indirect {
        key = { hdr.probe.tag: exact; }
        actions = { drop; forward; }
        implementation = profile;
        size = 8;
    }
    table keyless {
        actions = { drop; forward; NoAction; }
    }
    apply {
        stations.apply();
        routes.apply();
        acl.apply();
        fixed.apply();
        ecmp.apply();
        indirect.apply();
        keyless.apply();
        hits.count((bit<32>)hdr.probe.tag);
        rates.execute_meter((bit<32>)hdr.probe.tag, colour);
        cells.write(0, (bit<72>)hdr.probe.address);
        pair_t pair = { 1, standard_metadata.ingress_port, true, -3, (plain_t)7 };
        pairs_seen.write(0, pair);
        digest<pair_t>(1, pair);
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard_metadata) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.probe); } }

V1Switch(P(), V(), Ingress(), E(), C(), D()) main;
