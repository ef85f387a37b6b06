// The ghost thread writes the depth of each queue where ingress reads it; packets ask for one of them.
#include <core.p4>
#include <t2na.p4>

header ask_h {
    bit<16> port;       // where the packet goes
    bit<8> queue;
    bit<16> index;      // the queue that it asks for
}
header answer_h {
    bit<32> depth;
    bit<32> updates;    // how often the ghost thread has written it
    bit<16> last_queue; // of what the thread heard last
    bit<8> last_pipe;
    bit<24> last_depth;
}
struct headers_t { answer_h answer; ask_h ask; }
struct metadata_t { }

Register<bit<32>, bit<16>>(2048) depths;
Register<bit<32>, bit<16>>(2048) updates;

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.ask);
        transition accept;
    }
}
control Ingress(
        inout headers_t hdr, inout metadata_t md, in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, inout ingress_intrinsic_metadata_for_tm_t ig_tm_md,
        in ghost_intrinsic_metadata_t ghost) {
    RegisterAction<bit<32>, bit<16>, bit<32>>(depths) read_depth = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };
    RegisterAction<bit<32>, bit<16>, bit<32>>(updates) read_updates = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; }
    };
    apply {
        ig_tm_md.ucast_egress_port = hdr.ask.port[8:0];
        ig_tm_md.qid = hdr.ask.queue[6:0];
        hdr.answer.setValid();
        hdr.answer.depth = read_depth.execute(hdr.ask.index);
        hdr.answer.updates = read_updates.execute(hdr.ask.index);
        hdr.answer.last_queue = (bit<16>)ghost.qid;
        hdr.answer.last_pipe = (bit<8>)ghost.pipe_id;
        hdr.answer.last_depth = (bit<24>)ghost.qlength;
    }
}
control IngressDeparser(
        packet_out pkt, inout headers_t hdr, in metadata_t md, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply { pkt.emit(hdr); }
}
parser EgressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { transition accept; }
}
control Egress(
        inout headers_t hdr, inout metadata_t md, in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply { }
}
control EgressDeparser(
        packet_out pkt, inout headers_t hdr, in metadata_t md, in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply { pkt.emit(hdr); }
}
control Ghost(in ghost_intrinsic_metadata_t ghost) {
    RegisterAction<bit<32>, bit<16>, bit<32>>(depths) write_depth = {
        void apply(inout bit<32> value) { value = (bit<32>)ghost.qlength; }
    };
    RegisterAction<bit<32>, bit<16>, bit<32>>(updates) count = {
        void apply(inout bit<32> value) { value = value + 1; }
    };
    apply {
        write_depth.execute((bit<16>)ghost.qid);
        count.execute((bit<16>)ghost.qid);
    }
}
Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser(), Ghost()) pipe;
Switch(pipe) main;
