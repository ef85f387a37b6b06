// What a program asks of the switch, and what it tells people.
#include <v1model.p4>

enum bit<8> List {
    first = 1,
    second = 2
}

const bit<8> THIRD = 3;

struct inner_t {
    bit<8> x;
    @field_list(THIRD)
    bit<8> y;
}

@name("learned")
struct learned_t {
    bit<16> key;
    bit<9> port;
    inner_t more;
}

header key_t {
    bit<16> key;
}

struct headers_t {
    key_t key;
}

struct metadata_t {
    @field_list(List.first, 8w2)
    bit<8> kept;
    @field_list(2)
    inner_t inner;
    bit<16> drawn;
    bit<32> hashed;
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    state start {
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply {
        clone_preserving_field_list(CloneType.I2E, 5, 2);
        clone(CloneType.I2E, (bit<32>)meta.kept);
        resubmit_preserving_field_list(List.first);
        digest<learned_t>(1, { hdr.key.key, standard_metadata.ingress_port, meta.inner });
        random(meta.drawn, 16w3, 16w9);
        hash(meta.hashed, HashAlgorithm.crc32, 32w10, { hdr.key.key, meta.inner }, 32w20);
        hash(meta.drawn[7:0], HashAlgorithm.xor16, 8w0, { hdr.key.key }, meta.kept);
        log_msg("key {} from {}", { hdr.key.key, standard_metadata.ingress_port });
        log_msg("done");
        assert(hdr.key.isValid());
        assume(meta.kept < 8);
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply {
        clone3(CloneType.E2E, 6, { meta.inner.x, meta.drawn });
        recirculate_preserving_field_list(THIRD);
        truncate(60);
        mark_to_drop();
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Write(packet_out packet, in headers_t hdr) {
    apply { }
}

V1Switch(Read(), Verify(), In(), Out(), Compute(), Write()) main;
