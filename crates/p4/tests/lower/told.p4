// What only the control plane is told: the program itself, its packets to and from a controller, types of their own,
// what things are for, what is hidden.
#include <v1model.p4>

@p4runtime_translation("example.org/port", bit<32>) type bit<9> port_t;
@p4runtime_translation("example.org/name", string) type bit<16> name_t;
@doc("A tag.") type bit<8> tag_t;
type tag_t label_t;
typedef port_t egress_t;

@controller_header("packet_in")
header to_controller_t {
    port_t ingress_port;
    @padding bit<7> _pad;
}

@controller_header("packet_out") @brief("What a controller sends.")
header from_controller_t {
    @id(7) egress_t egress_port;
    @name("reason") bit<6> why;
    @hidden bit<1> _pad;
}

header tagged_t {
    label_t label;
    bit<8> kind;
}

struct headers_t {
    to_controller_t to_controller;
    from_controller_t from_controller;
    tagged_t tagged;
}

struct metadata_t {
    port_t port;
    name_t name;
}

struct learned_t {
    port_t port;
    tag_t tag;
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.tagged);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    @hidden counter(4, CounterType.packets) secret;
    @brief("Everything that was seen.") counter(4, CounterType.packets) seen;

    @brief("Sends it on.") @description("To a port.\nNo more.")
    action forward(@brief("Where to.") port_t port, name_t name) {
        meta.port = port;
        meta.name = name;
    }

    @hidden action remember() {
        digest<learned_t>(1, { meta.port, (tag_t) hdr.tagged.label });
    }

    @brief("The first table.")
    table named {
        key = {
            meta.port: exact @brief("Where from.");
            meta.name: exact;
            hdr.tagged.label: ternary;
        }
        actions = { forward; remember; NoAction; }
        support_timeout = true;
    }

    table limited {
        key = { hdr.tagged.kind: exact; }
        actions = { NoAction; }
        support_timeout = false;
        size = 16;
        default_action = NoAction();
    }

    table begins_with_nothing {
        actions = { remember; NoAction; }
        default_action = remember();
        size = 0;
    }

    @hidden table internal {
        key = { hdr.tagged.kind: exact; }
        actions = { NoAction; }
        default_action = NoAction();
    }

    apply {
        named.apply();
        limited.apply();
        begins_with_nothing.apply();
        internal.apply();
        seen.count(0);
        secret.count(0);
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Write(packet_out packet, in headers_t hdr) {
    apply { }
}

@pkginfo(name = "told.p4", version = "1.0", organization = "example.org", url = "https://example.org")
@brief("Says of itself what it is.")
V1Switch(Read(), Verify(), In(), Out(), Compute(), Write()) main;
