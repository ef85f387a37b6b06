//! Keys: section 9.1.1.

use p4runtime::message::google::rpc::Code;
use p4runtime::message::p4::v1::TableEntry;
use p4runtime::message::p4::v1::entity::Entity as Kind;

use crate::bench::*;

fn acl(bench: &Bench, key: Vec<p4runtime::message::p4::v1::FieldMatch>) -> TableEntry {
    TableEntry { priority: 7, ..bench.entry("acl", key, bench.call("metered", &[b"\x01"])) }
}

#[test]
fn a_key_is_read_back_in_the_shortest_form_and_without_fields_that_take_any_value() {
    let mut bench = Bench::new();
    let keys = [
        vec![
            ternary(1, b"\x0a\x00\x00\x00", b"\xff\x00\x00\x00"),
            range(2, b"\x05", b"\x01\x00"),
            optional(3, b"cpu"),
            exact(4, b"\x0f\xff"),
        ],
        vec![range(2, b"\x00", b"\xff\xfe"), exact(4, b"\x00")],
        vec![ternary(1, b"\x00", b"\x01"), exact(4, b"\x01")],
        vec![exact(4, b"\x02")],
    ];
    for key in keys {
        let entry = acl(&bench, key);
        assert_eq!(bench.insert(Kind::TableEntry(entry.clone())), Ok(()));
        let asked = Kind::TableEntry(TableEntry { action: None, ..entry.clone() });
        assert_eq!(bench.read(asked), Ok(vec![Kind::TableEntry(entry)]));
    }
}

#[test]
fn longer_numbers_and_another_order_of_fields_are_the_same_key() {
    let mut bench = Bench::new();
    let long = acl(&bench, vec![exact(4, b"\x00\x00\x07"), range(2, b"\x00\x00\x03", b"\x00\x09")]);
    let short = acl(&bench, vec![range(2, b"\x03", b"\x09"), exact(4, b"\x07")]);
    assert_eq!(bench.insert(Kind::TableEntry(long)), Ok(()));
    assert_eq!(bench.insert(Kind::TableEntry(short.clone())), Err(Code::AlreadyExists));
    let all = bench.read(Kind::TableEntry(TableEntry { table_id: bench.table("acl"), ..Default::default() }));
    assert_eq!(all, Ok(vec![Kind::TableEntry(short)]));
}

#[test]
fn a_malformed_key_is_refused() {
    let mut bench = Bench::new();
    let vlan = || exact(4, b"\x01");
    let cases = [
        ("an exact field is missing", vec![range(2, b"\x03", b"\x09")], Code::InvalidArgument),
        ("a field is unknown", vec![vlan(), exact(9, b"\x01")], Code::InvalidArgument),
        ("a field is given twice", vec![vlan(), vlan()], Code::InvalidArgument),
        ("a field is of another kind", vec![ternary(4, b"\x01", b"\x01")], Code::InvalidArgument),
        ("a mask of zeros must be left out", vec![vlan(), ternary(1, b"\x00", b"\x00")], Code::InvalidArgument),
        ("bits are outside the mask", vec![vlan(), ternary(1, b"\x03", b"\x01")], Code::InvalidArgument),
        ("a range is empty", vec![vlan(), range(2, b"\x03", b"\x02")], Code::InvalidArgument),
        ("a full range must be left out", vec![vlan(), range(2, b"\x00", b"\xff\xff")], Code::InvalidArgument),
        ("a number is empty", vec![exact(4, b"")], Code::OutOfRange),
        ("a number does not fit the program", vec![exact(4, b"\x10\x00")], Code::OutOfRange),
        ("a mask does not fit", vec![vlan(), ternary(1, b"\x00", b"\x01\x00\x00\x00\x00")], Code::OutOfRange),
        ("a string is not UTF-8", vec![vlan(), optional(3, b"\xff")], Code::InvalidArgument),
    ];
    for (why, key, code) in cases {
        let entry = acl(&bench, key);
        assert_eq!(bench.insert(Kind::TableEntry(entry)), Err(code), "{why}");
    }
    let route = |value: &[u8], length| vec![lpm(1, value, length), exact(2, b"\x01")];
    let cases = [
        ("a prefix of no bits must be left out", route(b"\x00", 0), Code::InvalidArgument),
        ("a prefix is negative", route(b"\x00", -1), Code::InvalidArgument),
        ("a prefix is longer than the field", route(b"\x0a\x00\x00\x00", 33), Code::InvalidArgument),
        ("bits are outside the prefix", route(b"\x0a\x00\x00\x01", 8), Code::InvalidArgument),
    ];
    for (why, key, code) in cases {
        let entry = bench.entry("routes", key, bench.call("drop", &[]));
        assert_eq!(bench.insert(Kind::TableEntry(entry)), Err(code), "{why}");
    }
    assert_eq!(
        bench.read(Kind::TableEntry(TableEntry { table_id: bench.table("acl"), ..Default::default() })),
        Ok(vec![])
    );
}

#[test]
fn strings_stand_for_values_that_the_program_fixes_or_the_server_chooses() {
    let mut bench = Bench::new();
    let names: [&[u8]; 6] = [b"", b"cpu", b"Ethernet0", b"7", b"Ethernet1", "Anschlu\u{df}".as_bytes()];
    for (at, name) in names.iter().enumerate() {
        let entry = bench.entry(
            "stations",
            vec![exact(1, &[at as u8 + 1]), exact(2, name)],
            bench.call("Ingress.name", &[name]),
        );
        assert_eq!(bench.insert(Kind::TableEntry(entry.clone())), Ok(()));
        let asked = Kind::TableEntry(TableEntry { action: None, ..entry.clone() });
        assert_eq!(bench.read(asked), Ok(vec![Kind::TableEntry(entry)]));
    }
    // What the program sees.
    let table = bench.info().table_named("stations").unwrap();
    let request = control::Request::Table(table, control::TableRequest::read_all());
    let response = machines::Device::execute(&mut bench.device.switch, &request).unwrap();
    let control::Response::Entries(entries) = response else { panic!("entries") };
    let values = entries.iter().map(|entry| match &entry.key[1] {
        runtime::tables::FieldMatch::Exact(value) => value.low(),
        other => panic!("{other}"),
    });
    assert_eq!(values.collect::<Vec<_>>(), [0, 510, 1, 7, 2, 3]);
}
