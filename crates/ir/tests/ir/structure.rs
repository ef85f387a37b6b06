//! Programs of parsers, functions and tables that do not hold together: each finding with its place, and the same from
//! `verify` for those who make programs by code.

use ir::form::Form;
use ir::{FunctionId, HeaderId, Program, StackId, Statement, Type, VariableId, parse, verify};
use runtime::Bits;
use runtime::tables::Target;

const ROUTER: &str = include_str!("router.ir");

/// What is said of the router after these changes, as `line message`; the line's text is what it is about.
fn refused(changes: &[(&str, &str)]) -> Vec<String> {
    let mut text = ROUTER.to_owned();
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text = text.replace(from, to);
    }
    let failure = parse::program("router.ir", &text).expect_err("the text should be refused");
    let show = |finding: &diagnostics::Diagnostic| {
        let line = finding.span.map_or(0, |span| failure.sources.place(span).0);
        let hint = finding.hint.as_ref().map_or(String::new(), |hint| format!(" | {hint}"));
        format!("{}: {}{hint}", text.lines().nth(line - 1).unwrap_or_default().trim(), finding.message)
    };
    failure.diagnostics.iter().map(show).collect()
}

/// What `verify` says of the router after a change.
fn unsound(change: impl FnOnce(&mut Program)) -> Vec<String> {
    let mut program = parse::program("router.ir", ROUTER).unwrap();
    change(&mut program);
    verify::program(&program).expect_err("the change should be refused")
}

#[test]
fn names_are_looked_up_by_kind() {
    assert_eq!(
        refused(&[("emit hdr.ipv4\n", "emit hdr.ipv6\n"), ("apply ingress.ecmp", "apply ecmp")]),
        [
            "apply ecmp: the table `ecmp` is not declared",
            "emit hdr.ipv6: the header `hdr.ipv6` is not declared | did you mean `hdr.ipv4`?"
        ]
    );
    assert_eq!(
        refused(&[("      2048u16 => ipv4", "      2048u16 => ipv5")]),
        ["2048u16 => ipv5: there is no state `ipv5` | did you mean `ipv4`?"]
    );
    assert_eq!(
        refused(&[("entry _, _ => drop()", "entry _, _ => dorp()")]),
        [
            "entry _, _ => dorp() priority 1: the table has no action `dorp` | it has drop, forward; an `action` line comes before"
        ]
    );
    assert_eq!(
        refused(&[("control egress {", "control ingress {")]),
        ["control ingress {: the function `ingress` is declared twice"]
    );
    assert_eq!(
        refused(&[("  i = 0u32\n", "  @last[0] = 1u48\n")]),
        ["@last[0] = 1u48: `@last[0]` is not declared | the number of an index carries its type: `[0i32]`"]
    );
}

#[test]
fn statements_stand_where_they_mean_something() {
    for (place, statement, message) in [
        ("emit hdr.ethernet", "extract hdr.ethernet", "what takes a packet apart stands in parsers"),
        ("extract hdr.ethernet", "emit hdr.ethernet", "headers are emitted in functions"),
        ("    extract hdr.ethernet", "apply ingress.lpm", "tables are applied in functions"),
        ("  set_invalid hdr.vlan[0]", "break", "there is no loop here to end or to continue"),
        ("    i = 1u32\n", "exit\n", "`exit` stands in functions"),
        ("    i = 3u32", "return", "what follows a call is done to its end: nothing in it returns or exits"),
        ("    i = i |+| 1u32", "continue", "there is no loop here to end or to continue"),
        ("    lookahead hdr.ipv4.ihl", "return", "there is no function here to return from"),
        ("  truncate 128u32", "parse parse", "parsers are called in parsers"),
    ] {
        let found = refused(&[(place, statement)]);
        assert_eq!(found, [format!("{}: {message}", statement.trim())]);
    }
}

#[test]
fn headers_stacks_and_arrays_fit_together() {
    assert_eq!(
        refused(&[("  hdr.vlan[1].id: bit<16>", "  hdr.vlan[1].id: bit<8>")]),
        [
            "array hdr.vlan[].id: hdr.vlan[0].id, hdr.vlan[1].id: all variables of an array have one type, not bit<16> and bit<8>",
            "stack hdr.vlan: hdr.vlan[0], hdr.vlan[1] next hdr.vlan.$next: \
             the headers of a stack have the same fields, and `hdr.vlan[0]` and `hdr.vlan[1]` do not",
        ]
    );
    assert_eq!(
        refused(&[("  hdr.vlan[1].$valid: bool", "  hdr.vlan[1].$valid: bit<1>")]),
        ["header hdr.vlan[1] {: whether a header is valid is bool, and the variable bit<1>"]
    );
    assert_eq!(
        refused(&[("    extract hdr.ipv4, (bit<32>(hdr.ipv4.ihl[3:0]) - 5u32) << 5u8", "    extract hdr.ipv4")]),
        ["extract hdr.ipv4: the header `hdr.ipv4` has a variable-length field, whose length is given"]
    );
    assert_eq!(
        refused(&[("    extract hdr.ethernet", "    extract hdr.ethernet, 8u8")]),
        [
            "extract hdr.ethernet, 8u8: the header `hdr.ethernet` has no variable-length field, so that no length is given"
        ]
    );
    assert_eq!(
        unsound(|program| program.stacks[0].elements.clear()),
        ["stack `hdr.vlan`: a stack has at least one header"]
    );
    assert_eq!(
        unsound(|program| program.headers[0].fields[0].variable = VariableId(99)),
        ["header `hdr.ethernet`: variable 99 does not exist"]
    );
}

#[test]
fn parsers_have_states_and_cases_of_their_keys() {
    assert_eq!(
        refused(&[("      0u16 &&& 65280u16 => accept", "      0u16, 1u16 => accept")]),
        ["0u16, 1u16 => accept: 2 sets for 1 keys"]
    );
    assert_eq!(
        refused(&[("      33024u16 => vlan", "      33024u32 => vlan")]),
        ["33024u32 => vlan: a key of type bit<16> is compared with bit<32>"]
    );
    assert_eq!(
        refused(&[("value_set tags: exact bit<16>", "value_set tags: exact bit<8>")]),
        ["value_set(tags) => reject: a value of `tags` is 8 bits wide, and the key is bit<16>"]
    );
    assert_eq!(
        refused(&[("    transition ipv4\n", "")]),
        [
            "state vlan {: the state `vlan` has no transition | its last line is `transition accept`, or `select (...) {` and cases"
        ]
    );
    assert_eq!(
        refused(&[("errors NoError, ", "errors ")]),
        [
            "errors PacketTooShort, NoMatch, StackOutOfBounds, HeaderTooShort, ParserTimeout, ParserInvalidArgument, BadTag: \
             a program with parsers begins with the errors NoError, PacketTooShort, NoMatch, StackOutOfBounds, HeaderTooShort, \
             ParserTimeout, ParserInvalidArgument"
        ]
    );
    assert_eq!(
        unsound(|program| program.parsers[0].states.clear()),
        ["parser `parse`: a parser has at least one state"]
    );
}

#[test]
fn entries_are_what_the_keys_and_actions_of_their_table_take() {
    let lpm = |entry: &str| refused(&[("entry 167772160 / 8, 1 &&& 1 => forward(3)", entry)]);
    let line = |entry: &str, message: &str| [format!("{entry} priority 10 constant: {message}")];
    for (entry, message) in [
        ("entry 167772160 / 8, 1 &&& 1 => forward()", "`forward` takes 1 values, not 0"),
        ("entry 167772160 / 8, 1 &&& 1 => forward(512)", "the number does not fit 9 bits"),
        (
            "entry 167772161 / 8, 1 &&& 1 => drop()",
            "the value for field 0 of the key has bits set that do not matter; they must be zero",
        ),
        ("entry 0 / 33, 1 &&& 1 => drop()", "a prefix of 33 bits is too long for field 0 of the key, which has 32"),
        ("entry 1, 1 &&& 1 => drop()", "field 0 of the key is matched as `lpm`, which takes a prefix or anything"),
        ("entry _ => drop()", "1 fields for 2 keys"),
        ("entry _, _ => group 1", "a table without a profile has entries of actions"),
    ] {
        assert_eq!(lpm(entry), line(entry, message));
    }
    assert_eq!(
        refused(&[("entry 167772160 / 8, 1 &&& 1 => forward(3) priority 10", "entry _, _ => forward(3) priority 1")]),
        ["entry _, _ => drop() priority 1: the table has an entry with this key already"]
    );
    assert_eq!(
        refused(&[("entry 1 => group 1", "entry 1 => forward(1)")]),
        ["entry 1 => forward(1): a table with a profile has entries of members and groups"]
    );
    assert_eq!(
        unsound(|program| program.tables[0].default = Target::Action { action: 1, data: vec![Bits::Narrow(512)] }),
        ["table `ingress.lpm`, default: `forward.port` takes bit<9>, not 512"]
    );
}

#[test]
fn tables_name_what_suits_them() {
    assert_eq!(
        refused(&[("counter ingress.hits: packets direct", "counter ingress.hits: packets size 4")]),
        ["table ingress.lpm {: the counter `ingress.hits` has 4 places, and does not belong to entries of a table"]
    );
    assert_eq!(
        refused(&[("  count ingress.per_port[port]", "  count ingress.hits[port]")]),
        ["count ingress.hits[port]: the counter `ingress.hits` belongs to the entries of a table, and has no index"]
    );
    assert_eq!(refused(&[(" selection crc16", "")]), ["table ingress.ecmp {: a selector, and no profile with groups"]);
    assert_eq!(
        refused(&[("  default drop() constant\n", "")]),
        [
            "table ingress.lpm {: the table `ingress.lpm` has no default | what happens on a miss: `default some_action()`"
        ]
    );
    assert_eq!(
        refused(&[("  action drop only_default\n", "  action drop only_entries\n")]),
        ["default drop(): `drop` is for entries only"]
    );
    assert_eq!(
        refused(&[("  key hit: exact", "  key hit: range"), ("  entry 1 => group 1\n  entry 0 => member 2\n", "")]),
        ["key hit: range: a key of kind `range` is a number, not a bool"]
    );
}

#[test]
fn nobody_calls_itself_or_too_deeply() {
    assert_eq!(
        refused(&[
            ("action forward(forward.port) {\n", "action forward(forward.port) {\n  call egress\n"),
            ("  resubmit", "  apply ingress.lpm")
        ]),
        ["action forward(forward.port) {: calls itself through function `egress`, table `ingress.lpm`"]
    );
    assert_eq!(refused(&[("    advance 0u32", "    parse parse")]), ["parser parse {: calls itself"]);
    let chain: String = (0..1100).map(|n| format!("function f{n} {{\n  call f{}\n}}\n", n + 1)).collect();
    let text = format!("program p\n{chain}function f1100 {{\n}}\npacket {{\n  call f0\n}}\n");
    let found = parse::program("deep.ir", &text).unwrap_err().to_string();
    assert!(found.contains("is called more than 1000 blocks and calls deep"), "{found}");
}

#[test]
fn widths_are_bounded_by_what_a_type_can_say() {
    let slice = |bits: &str| refused(&[("hdr.ipv4.ihl[3:0]", bits)]);
    assert!(slice("hdr.ipv4.ihl[8:0]")[0].ends_with("there is no bit 8 in bit<8>"));
    assert!(slice("hdr.ipv4.ihl[0:3]")[0].ends_with("bits 0 to 3: the highest comes first"));
    assert!(slice("hit[0:0]")[0].ends_with("what bits are taken of is a number, not a bool"));
    let wide = |constant: &str| refused(&[("0x20010db8000000000000000000000001u128", constant)]);
    assert!(wide("0x1ffffffffffffffffffffffffffffffffu128")[0].ends_with("the number does not fit 128 bits"));
    assert!(wide("1u127")[0].ends_with("`next_hop` takes bit<128>, not bit<127>"));
    assert!(wide("-1u128")[0].ends_with("a number below 0 is none of bit<128>"));
    let longest = "undefined<bit<65535>> ++ 1u1";
    assert!(
        wide(longest)[0].ends_with("65536 bits one behind the other, and the most is 65535"),
        "{:?}",
        wide(longest)
    );
}

#[test]
fn ids_out_of_range_are_told_and_not_followed() {
    let call = |function| Statement::Flow(ir::Flow::Call { function: FunctionId(function), after: Vec::new() });
    assert_eq!(unsound(|program| program.packet.push(call(9))), ["`call <function 9>`: function 9 does not exist"]);
    let emit = ir::PacketStatement::Emit { header: ir::HeaderPlace::Fixed(HeaderId(9)) };
    assert_eq!(
        unsound(|program| program.functions[2].body.push(Statement::Packet(emit))),
        ["`emit <header 9>`: header 9 does not exist"]
    );
    let index = ir::Expression::number(Type::Bits(8), 0);
    let header = ir::HeaderPlace::Element(StackId(3), index);
    let set = ir::PacketStatement::SetValid { header, valid: true };
    assert_eq!(
        unsound(|program| program.packet.push(Statement::Packet(set))),
        ["`set_valid <stack 3>[0u8]`: stack 3 does not exist"]
    );
}

#[test]
fn only_flat_programs_are_flat() {
    let program = parse::program("router.ir", ROUTER).unwrap();
    let errors = Form::Flat.verify(&program).unwrap_err();
    for expected in [
        "an array is declared",
        "4 headers are declared",
        "the table `ingress.lpm` says what it looks up, not only how wide",
        "the variable `next_hop` is 128 bits wide, more than 64",
    ] {
        assert!(errors.iter().any(|error| error == expected), "{expected}: {errors:?}");
    }
    for (statement, found) in [
        ("a = a[3:0] ++ 0u4", Some("bits one behind the other")),
        ("a = bit<8>(bit<65>(a))", Some("a value of more than 64 bits")),
        ("a = undefined<bit<8>>", Some("an undefined value")),
        ("a = checksum(xor16, bit<8>, a)", None),
        ("a = checksum_with_payload(xor16, bit<8>, a)", Some("a checksum of the payload")),
        ("a = checksum(xor16, bit<8>, a: 3u8)", Some("a checksum of bits whose number varies")),
        ("while a < 3u8 {\n}", Some("a loop, a call or a table")),
        ("log \"a\"", Some("state that is no register, or an effect")),
        ("if a == 1u8 {\nexit\n}", Some("a loop, a call or a table")),
        ("a = (a |+| 1u8) |-| 3u8", None),
        ("if a == 1u8 {\na = 2u8\n}", None),
    ] {
        let text = format!("program p\nfield a: bit<8>\npacket {{\n{statement}\n}}\n");
        let errors = Form::Flat.verify(&parse::program("flat.ir", &text).unwrap()).err().unwrap_or_default();
        assert_eq!(errors.first().and_then(|error| error.rsplit(": ").next()), found, "{statement}");
    }
}
