// Operations that words of 64 bits cannot do.
#include <core.p4>
#include <v1model.p4>

header wide_t {
    bit<128> x;
    bit<128> y;
    varbit<64> rest;
}

struct headers_t {
    wide_t wide;
}

struct metadata_t {
    bit<32> hash;
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.wide, 32);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum_with_payload(true, { hdr.wide.x }, meta.hash[15:0], HashAlgorithm.csum16);
    }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply {
        hdr.wide.x = hdr.wide.x + hdr.wide.y;
        if ((int<128>)hdr.wide.x < (int<128>)hdr.wide.y) {
            hdr.wide.x = hdr.wide.x << hdr.wide.y[7:0];
        }
        hash(meta.hash, HashAlgorithm.crc32, 32w0, { hdr.wide.rest }, 32w16);
        hash(meta.hash, HashAlgorithm.random, 32w0, { hdr.wide.x }, 32w16);
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Write(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.wide);
    }
}

V1Switch(Read(), Verify(), In(), Out(), Compute(), Write()) main;
