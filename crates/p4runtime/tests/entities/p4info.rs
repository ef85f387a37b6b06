//! P4Info: section 6.

use p4runtime::message::p4::config::v1::P4Info;
use p4runtime::p4info;
use prost::Message;

use crate::bench::*;

#[test]
fn nothing_of_p4info_is_lost_on_the_way_to_the_message() {
    let bench = Bench::new();
    let bytes = control::p4info::to_bytes(bench.info());
    let message = P4Info::decode(&*bytes).expect("a message");
    // What this crate's structs did not know would be missing, and a number of another type would not be decoded. Fields
    // come in the order of their numbers both times.
    assert_eq!(message.encoded_len(), bytes.len());
    assert_eq!(P4Info::decode(&*message.encode_to_vec()), Ok(message.clone()));
    assert_eq!(message, p4info::of(bench.info()));
    let table = &message.tables[0];
    let names = |it: &p4runtime::message::p4::config::v1::MatchField| (it.id, it.name.clone(), it.bitwidth);
    assert_eq!(
        table.match_fields.iter().map(names).collect::<Vec<_>>(),
        [(1, "hdr.probe.wide".to_owned(), 128), (2, "port".to_owned(), 0)]
    );
    assert_eq!(table.size, 100_000);
}

#[test]
fn a_controller_may_know_less_but_nothing_else() {
    let bench = Bench::new();
    let ours = p4info::of(bench.info());
    assert_eq!(p4info::differences(&ours, &ours), [""; 0]);
    let mut less = ours.clone();
    less.tables.remove(0);
    less.digests.clear();
    less.tables[0].size = 7;
    less.tables[0].preamble.as_mut().unwrap().alias.clear();
    assert_eq!(p4info::differences(&less, &ours), [""; 0]);
    let differs = |change: &dyn Fn(&mut P4Info), expected: &str| {
        let mut theirs = ours.clone();
        change(&mut theirs);
        let found = p4info::differences(&theirs, &ours).join("\n");
        assert!(found.contains(expected), "{found}");
    };
    differs(&|it| it.tables[0].match_fields[0].bitwidth = 64, "field 1 is `hdr.probe.wide`, Exact of 128 bits and in");
    differs(&|it| _ = it.tables[0].match_fields.pop(), "the P4Info lacks field 2, `port`, Exact of strings and type");
    differs(&|it| _ = it.tables[0].action_refs.pop(), "the P4Info lacks action 0x0");
    differs(
        &|it| it.tables[0].preamble.as_mut().unwrap().id = 0x0200_0001,
        "the program has no table `Ingress.stations`",
    );
    differs(
        &|it| it.tables[0].preamble.as_mut().unwrap().name.push('x'),
        "is the table `Ingress.stationsx` in the P4Info",
    );
    differs(
        &|it| it.actions[1].params[0].bitwidth = 8,
        "parameter 1 is `port` of 9 bits and in the P4Info `port` of 8 bits",
    );
    differs(&|it| it.registers[0].type_spec = None, "the type is ");
}
