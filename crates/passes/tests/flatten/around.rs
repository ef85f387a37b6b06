//! Tests of what surrounds the blocks of a program: ports, and action profiles set by the control plane.

use basis::Random;
use control::{ActionCall, ActionNumber, ProfileNumber, ProfileRequest, Request, TableNumber, TableRequest, Target};
use machines::v1model::V1modelParameters;
use passes::flatten::{Options, flatten};
use runtime::Bits;
use runtime::tables::FieldMatch;

use crate::held::{Held, flattened};
use crate::language::{NOTHING, Parts, program};
use crate::load::load;

#[test]
fn drops_packets_for_the_drop_port_or_a_missing_port() {
    let parts = Parts {
        declarations: "register<bit<8>>(1) seen;",
        ingress: "std.egress_spec = (bit<9>)hdr.h.a;",
        // Packets that reach egress are counted even if egress drops them.
        egress: "bit<8> before; seen.read(before, 0); seen.write(0, before + 1);
            hdr.h.b = (bit<8>)std.egress_port; hdr.h.c = (bit<16>)std.egress_spec;
            if (hdr.h.d == 0) { std.egress_spec = 3; }",
        ..NOTHING
    };
    let (program, info) = load("test.p4", &program(&parts));
    for (drop_port, ports) in
        [(None, None), (Some(3), Some(6)), (Some(7), Some(6)), (Some(0), None), (Some(511), Some(512))]
    {
        let options = Options { drop_port, ports, ..Options::default() };
        let flattened = flatten(&program, &options).expect("a program for pipelines");
        let parameters = V1modelParameters { drop_port, ports, ..V1modelParameters::default() };
        let mut held = Held::with(&program, &info, flattened, parameters);
        let mut random = Random::new(13);
        for _ in 0..60 {
            let bytes: Vec<u8> = (0..8).map(|_| random.below(10) as u8 * u8::from(random.chance(0.6))).collect();
            held.packet(0, &bytes).unwrap_or_else(|difference| panic!("{drop_port:?}, {ports:?}: {difference}"));
        }
        assert!(held.transmitted > 10, "{drop_port:?}, {ports:?}: packets leave");
    }
}

#[test]
fn chooses_members_of_groups_as_the_switch_does() {
    let parts = Parts {
        locals: "action_selector(HashAlgorithm.crc16, 32w16, 32w8) members;
            action set(bit<8> to) { hdr.h.b = to; }
            action add(bit<16> more) { hdr.h.c = hdr.h.c + more; }
            table chosen {
                key = { hdr.h.a: exact; hdr.h.d: selector; hdr.h.c: selector; }
                actions = { set; add; }
                implementation = members;
            }",
        ingress: "if (chosen.apply().hit) { hdr.h.a = 77; }",
        ..NOTHING
    };
    let (program, info) = load("test.p4", &program(&parts));
    let mut held = Held::of(&program, &info, flattened(&program));
    let actions = |name: &str| {
        let listed = &program.tables[0].actions;
        let place = listed.iter().position(|own| program.functions[own.function.index()].name.ends_with(name));
        ActionNumber(place.expect("an action of the table") as u32)
    };
    let call =
        |name: &str, value: u64, width| ActionCall { action: actions(name), data: vec![Bits::from_u64(value, width)] };
    let profile = |request| Request::Profile(ProfileNumber(0), request);
    let insert = |key: u64, target| {
        let key = vec![FieldMatch::Exact(Bits::from_u64(key, 8))];
        Request::Table(TableNumber(0), TableRequest::insert(key, None, target))
    };
    for request in [
        profile(ProfileRequest::InsertMember(1, call("set", 5, 8))),
        profile(ProfileRequest::InsertMember(2, call("set", 6, 8))),
        profile(ProfileRequest::InsertMember(3, call("add", 700, 16))),
        profile(ProfileRequest::InsertGroup(control::Group::new(1, vec![1, 2, 3]))),
        // An entry with an empty group behaves as if it did not match.
        profile(ProfileRequest::InsertGroup(control::Group::new::<u32>(2, []))),
        insert(0, Target::Group(1)),
        insert(1, Target::Member(3)),
        insert(2, Target::Group(2)),
    ] {
        held.request(&request).unwrap_or_else(|error| panic!("{error}"));
    }
    let mut random = Random::new(14);
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..8).map(|_| random.below(4) as u8).collect();
        held.packet(0, &bytes).unwrap_or_else(|difference| panic!("{difference}"));
    }
}
