//! A test with an architecture that differs from v1model in all names, in its blocks, in the order of their parameters
//! and in what drops a packet. A single value describes it to the front end, the switch and flattening.

use std::collections::BTreeMap;

use arch::Parameter::{self, Headers, Metadata, Packet};
use arch::{
    Architecture, Block, Drop, Function, Group, Header, Instance, IntrinsicValue, MetadataAssignment, Object, Package,
    Points, Stage,
};
use basis::Random;
use diagnostics::Sources;
use passes::flatten::{Options, flatten};

use crate::held::{Held, keeps_its_form};
use crate::load::try_load;

/// The architecture: ports are 0 to 15, and a packet is dropped unless the program sends it.
static RIBBON: Architecture = Architecture {
    name: "ribbon",
    packages: &[Package { name: "Ribbon", pipeline: None }],
    header: Header { name: "ribbon.p4", text: HEADER, parts: &[], declares: &["ribbon_t"] },
    blocks: &[
        Block {
            name: "reader",
            gress: "",
            is_optional: false,
            stage: Stage::Parser,
            parameters: &[Packet, RIBBONS, Headers, Metadata],
        },
        Block {
            name: "chooser",
            gress: "",
            is_optional: false,
            stage: Stage::Ingress,
            parameters: &[RIBBONS, Headers, Metadata],
        },
        Block {
            name: "finisher",
            gress: "",
            is_optional: false,
            stage: Stage::Egress,
            parameters: &[RIBBONS, Headers, Metadata],
        },
        Block { name: "writer", gress: "", is_optional: false, stage: Stage::Deparser, parameters: &[Packet, Headers] },
    ],
    metadata: Points {
        before_parser: &[
            MetadataAssignment { field: "came", value: IntrinsicValue::ArrivalPort },
            MetadataAssignment { field: "size", value: IntrinsicValue::Length },
            MetadataAssignment { field: "lost", value: IntrinsicValue::Constant(1) },
        ],
        after_parser: &[MetadataAssignment { field: "trouble", value: IntrinsicValue::ParserError }],
        after_ingress: &[],
        after_egress_parser: &[],
        before_queue: &[],
        before_egress: &[
            MetadataAssignment { field: "lost", value: IntrinsicValue::Constant(0) },
            MetadataAssignment { field: "leaves", value: IntrinsicValue::DeparturePort },
            MetadataAssignment { field: "size", value: IntrinsicValue::LengthInEgress },
            MetadataAssignment { field: "now", value: IntrinsicValue::Time },
        ],
    },
    destination: "to",
    drop: Drop::Flag("lost"),
    group: None,
    copy: None,
    queue: None,
    checksum_error: None,
    counts_when_called: false,
    counters_have_widths: false,
    keeps_fields: false,
    colors: [0, 1, 2],
    instances: [0; Instance::COUNT],
    annotations: None,
    alias_annotation: None,
    selectors: &[],
    in_front: None,
    refused_fields: &[],
    traffic: None,
    functions: &[("send", Function::Assign(&[("lost", 0)])), ("lose", Function::Assign(&[("lost", 1)]))],
    objects: &[("memory", Object::Registers)],
    properties: &[],
};

const RIBBONS: Parameter = Parameter::Intrinsics(Group { name: "", of: "ribbon_t" });

const HEADER: &str = "
#include <core.p4>
struct ribbon_t {
    bit<4> came; bit<4> to; bit<1> lost; error trouble; bit<4> leaves; bit<32> size; bit<32> now;
}
extern void send(inout ribbon_t ribbon);
extern void lose();
extern memory<T> {
    memory(bit<32> size);
    void read(out T result, in bit<32> index);
    void write(in bit<32> index, in T value);
}
parser Reader<H, M>(packet_in packet, inout ribbon_t ribbon, out H headers, inout M metadata);
control Chooser<H, M>(inout ribbon_t ribbon, inout H headers, inout M metadata);
control Finisher<H, M>(inout ribbon_t ribbon, inout H headers, inout M metadata);
control Writer<H>(packet_out packet, in H headers);
package Ribbon<H, M>(Reader<H, M> reader, Chooser<H, M> chooser, Finisher<H, M> finisher, Writer<H> writer);
";

const PROGRAM: &str = "
#include \"ribbon.p4\"
header h_t { bit<8> kind; bit<8> port; bit<16> size; bit<8> moment; }
header more_t { bit<16> more; }
struct headers_t { h_t h; more_t more; }
struct metadata_t { bit<8> seen; }
parser Read(packet_in packet, inout ribbon_t ribbon, out headers_t headers, inout metadata_t metadata) {
    state start { packet.extract(headers.h); transition accept; }
}
control Choose(inout ribbon_t ribbon, inout headers_t headers, inout metadata_t metadata) {
    apply {
        ribbon.to = headers.h.port[3:0];
        if (headers.h.kind != 0 && ribbon.trouble == error.NoError) { send(ribbon); }
        if (headers.h.kind == 1) { headers.more.setValid(); headers.more.more = (bit<16>)ribbon.size; }
        metadata.seen = (bit<8>)ribbon.came;
    }
}
control Finish(inout ribbon_t ribbon, inout headers_t headers, inout metadata_t metadata) {
    memory<bit<8>>(16) left;
    apply {
        headers.h.port = (bit<8>)ribbon.leaves + metadata.seen;
        headers.h.size = (bit<16>)ribbon.size;
        headers.h.moment = (bit<8>)ribbon.now;
        if (headers.h.kind == 2) { lose(); }
        bit<8> before;
        left.read(before, (bit<32>)ribbon.leaves);
        left.write((bit<32>)ribbon.leaves, before + 1);
    }
}
control Write(packet_out packet, in headers_t headers) { apply { packet.emit(headers); } }
Ribbon(Read(), Choose(), Finish(), Write()) main;
";

#[test]
fn another_architecture_runs_on_switch_and_pipeline() {
    let mut sources = Sources::new();
    let main = sources.add("main.p4", PROGRAM);
    let files = BTreeMap::from([("ribbon.p4".to_owned(), HEADER.to_owned())]);
    let loaded = try_load(&[&RIBBON], &mut sources, main, &files, &p4::Options::default());
    let (program, info) = loaded.unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(info.architecture(), &RIBBON);
    let options = Options { architecture: &RIBBON, ..Options::default() };
    let flattened = flatten(&program, &options).unwrap_or_else(|findings| panic!("{findings:#?}\n{program}"));
    keeps_its_form(&flattened).unwrap_or_else(|errors| panic!("{errors}"));
    let mut held = Held::of(&program, &info, flattened);
    let mut random = Random::new(15);
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..random.below(9)).map(|_| random.below(4) as u8).collect();
        held.packet(random.below(16) as u16, &bytes).unwrap_or_else(|difference| panic!("{difference}\n{program}"));
    }
    // Packets of kind 0 are never sent, egress drops those of kind 2, and short packets have parser errors.
    assert!((20..80).contains(&held.transmitted), "{} leave", held.transmitted);
    let v1model = try_load(arch::ALL, &mut sources, main, &files, &p4::Options::default());
    assert!(v1model.is_err_and(|errors| errors.contains("the architecture of the package `Ribbon` is not known here")));
}
