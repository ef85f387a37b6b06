// Checksums: of fields, of a variable-length field, with the payload.
#include <v1model.p4>

header ip_t {
    bit<8> kind;
    bit<16> checksum;
    varbit<32> options;
}

struct headers_t {
    ip_t ip;
}

struct metadata_t {
    bit<16> sum;
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    state start {
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ip.kind == 4, { hdr.ip.kind, hdr.ip.options }, hdr.ip.checksum, HashAlgorithm.csum16);
        verify_checksum_with_payload(true, { hdr.ip.kind }, meta.sum, HashAlgorithm.crc16);
    }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    Checksum16() old;
    apply {
        meta.sum = old.get({ hdr.ip.kind });
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(true, { hdr.ip }, hdr.ip.checksum, HashAlgorithm.csum16);
        update_checksum_with_payload(hdr.ip.isValid(), { hdr.ip.kind }, meta.sum, HashAlgorithm.csum16);
    }
}

control Write(packet_out packet, in headers_t hdr) {
    apply { }
}

V1Switch(Read(), Verify(), In(), Out(), Compute(), Write()) main;
