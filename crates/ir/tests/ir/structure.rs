//! Programs whose parsers, functions and tables are inconsistent: the parser reports each finding with its location,
//! and `verify` reports the same for programs that are made by code.

use ir::form::Form;
use ir::{FunctionId, HeaderId, Program, StackId, Statement, Type, VariableId, parse, verify};
use runtime::Bits;
use runtime::tables::Target;

const ROUTER: &str = include_str!("router.ir");

/// Returns the findings for the router after these changes, as `line: message`, where `line` is the text of the line.
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

/// Returns the findings of `verify` for the router after a change.
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
            "entry _, _ => dorp() priority 1: the table has no action `dorp` | its actions are drop, forward; an `action` line must come before its use"
        ]
    );
    assert_eq!(
        refused(&[("control egress {", "control ingress {")]),
        ["control ingress {: the function `ingress` is declared twice"]
    );
    assert_eq!(
        refused(&[("  i = 0u32\n", "  @last[0] = 1u48\n")]),
        ["@last[0] = 1u48: `@last[0]` is not declared | a number in an index needs a type: `[0i32]`"]
    );
}

#[test]
fn statements_are_refused_in_the_wrong_place() {
    for (place, statement, message) in [
        ("emit hdr.ethernet", "extract hdr.ethernet", "statements that read the packet are only allowed in parsers"),
        ("extract hdr.ethernet", "emit hdr.ethernet", "headers can only be emitted in functions"),
        ("    extract hdr.ethernet", "apply ingress.lpm", "tables can only be applied in functions"),
        ("  set_invalid hdr.vlan[0]", "break", "`break` and `continue` are only allowed in the body of a loop"),
        ("    i = 1u32\n", "exit\n", "`exit` is only allowed in functions"),
        ("    i = 3u32", "return", "`return` and `exit` are not allowed in the block that follows a call"),
        ("    i = i |+| 1u32", "continue", "`break` and `continue` are only allowed in the body of a loop"),
        ("    lookahead hdr.ipv4.ihl", "return", "`return` is only allowed in functions"),
        ("  truncate 128u32", "parse parse", "parsers can only be called in parsers"),
    ] {
        let found = refused(&[(place, statement)]);
        assert_eq!(found, [format!("{}: {message}", statement.trim())]);
    }
}

#[test]
fn headers_stacks_and_arrays_must_be_consistent() {
    assert_eq!(
        refused(&[("  hdr.vlan[1].id: bit<16>", "  hdr.vlan[1].id: bit<8>")]),
        [
            "array hdr.vlan[].id: hdr.vlan[0].id, hdr.vlan[1].id: all variables of an array must have the same type, not bit<16> and bit<8>",
            "stack hdr.vlan: hdr.vlan[0], hdr.vlan[1] next hdr.vlan.$next: \
             the headers of a stack must have the same fields, but `hdr.vlan[0]` and `hdr.vlan[1]` differ",
        ]
    );
    assert_eq!(
        refused(&[("  hdr.vlan[1].$valid: bool", "  hdr.vlan[1].$valid: bit<1>")]),
        ["header hdr.vlan[1] {: the validity of a header is of type bool, but the variable is of type bit<1>"]
    );
    assert_eq!(
        refused(&[("    extract hdr.ipv4, (bit<32>(hdr.ipv4.ihl[3:0]) - 5u32) << 5u8", "    extract hdr.ipv4")]),
        ["extract hdr.ipv4: the header `hdr.ipv4` has a variable-length field, so the extraction needs its length"]
    );
    assert_eq!(
        refused(&[("    extract hdr.ethernet", "    extract hdr.ethernet, 8u8")]),
        [
            "extract hdr.ethernet, 8u8: the header `hdr.ethernet` has no variable-length field, so the extraction takes no length"
        ]
    );
    assert_eq!(
        unsound(|program| program.stacks[0].elements.clear()),
        ["stack `hdr.vlan`: a stack must have at least one header"]
    );
    assert_eq!(
        unsound(|program| program.headers[0].fields[0].variable = VariableId(99)),
        ["header `hdr.ethernet`: variable 99 does not exist"]
    );
}

#[test]
fn parsers_need_states_and_cases_that_suit_the_keys() {
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
        ["value_set(tags) => reject: a field of `tags` is 8 bits wide, but the key is of type bit<16>"]
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
             the errors of a program with parsers must begin with NoError, PacketTooShort, NoMatch, StackOutOfBounds, HeaderTooShort, \
             ParserTimeout, ParserInvalidArgument"
        ]
    );
    assert_eq!(
        unsound(|program| program.parsers[0].states.clear()),
        ["parser `parse`: a parser must have at least one state"]
    );
}

#[test]
fn entries_must_suit_the_keys_and_actions_of_their_table() {
    let lpm = |entry: &str| refused(&[("entry 167772160 / 8, 1 &&& 1 => forward(3)", entry)]);
    let line = |entry: &str, message: &str| [format!("{entry} priority 10 constant: {message}")];
    for (entry, message) in [
        ("entry 167772160 / 8, 1 &&& 1 => forward()", "`forward` takes 1 values, not 0"),
        ("entry 167772160 / 8, 1 &&& 1 => forward(512)", "the number does not fit 9 bits"),
        (
            "entry 167772161 / 8, 1 &&& 1 => drop()",
            "the value for field 0 of the key has bits outside of its mask or prefix; they must be zero",
        ),
        ("entry 0 / 33, 1 &&& 1 => drop()", "a prefix of 33 bits is too long for field 0 of the key, which has 32"),
        ("entry 1, 1 &&& 1 => drop()", "field 0 of the key is matched as `lpm`, which takes a prefix or anything"),
        ("entry _ => drop()", "the entry has 1 fields, but the table has 2 keys"),
        ("entry _, _ => group 1", "the entries of a table without a profile must name actions"),
    ] {
        assert_eq!(lpm(entry), line(entry, message));
    }
    assert_eq!(
        refused(&[("entry 167772160 / 8, 1 &&& 1 => forward(3) priority 10", "entry _, _ => forward(3) priority 1")]),
        ["entry _, _ => drop() priority 1: the table already has an entry with this key"]
    );
    assert_eq!(
        refused(&[("entry 1 => group 1", "entry 1 => forward(1)")]),
        ["entry 1 => forward(1): the entries of a table with a profile must name members or groups"]
    );
    assert_eq!(
        unsound(|program| program.tables[0].default = Target::Action { action: 1, data: vec![Bits::Narrow(512)] }),
        ["table `ingress.lpm`, default: `forward.port` takes bit<9>, not 512"]
    );
}

#[test]
fn tables_must_refer_to_suitable_parts() {
    assert_eq!(
        refused(&[("counter ingress.hits: packets direct", "counter ingress.hits: packets size 4")]),
        ["table ingress.lpm {: the counter `ingress.hits` is an array of 4; a table needs a direct one"]
    );
    assert_eq!(
        refused(&[("  count ingress.per_port[port]", "  count ingress.hits[port]")]),
        [
            "counter ingress.hits: packets direct: it is direct, so a statement can use it only if its table counts when it is called"
        ]
    );
    assert_eq!(
        refused(&[(" selection crc16", "")]),
        ["table ingress.ecmp {: a table with a selector needs a profile with groups"]
    );
    assert_eq!(
        refused(&[("  default drop() constant\n", "")]),
        [
            "table ingress.lpm {: the table `ingress.lpm` has no default | say what happens on a miss, such as `default some_action()`"
        ]
    );
    assert_eq!(
        refused(&[("  action drop only_default\n", "  action drop only_entries\n")]),
        ["default drop(): `drop` is only allowed in entries"]
    );
    assert_eq!(
        refused(&[("  key hit: exact", "  key hit: range"), ("  entry 1 => group 1\n  entry 0 => member 2\n", "")]),
        ["key hit: range: a key of kind `range` must be a number, not a bool"]
    );
}

#[test]
fn bits_of_members_are_in_an_array_of_bits_of_one_profile() {
    let selection = |register: &str| {
        let changed = format!(" selection crc16 bits @{register}");
        refused(&[
            (" selection crc16", changed.as_str()),
            (
                "\nprofile ",
                "\nregister bits: bit<1>[8] = fill 0\nregister wide: bit<2>[8] = fill 0\nregister single: bit<1> = 0\nprofile ",
            ),
        ])
    };
    let line = |register: &str, message: &str| {
        [format!("profile ingress.members: size 64 selection crc16 bits @{register}: {message}")]
    };
    for (register, message) in [
        ("wide places 4", "the bits of members are in a register of bit<1>, not of bit<2>"),
        ("single places 1", "the bits of members are in a register that is an array"),
        ("bits places 0", "groups have 0 places, and the register has 8 bits"),
        ("bits places 9", "groups have 9 places, and the register has 8 bits"),
    ] {
        assert_eq!(selection(register), line(register, message));
    }
}

#[test]
fn recursion_and_deep_call_chains_are_refused() {
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
fn slices_and_widths_out_of_range_are_refused() {
    let slice = |bits: &str| refused(&[("hdr.ipv4.ihl[3:0]", bits)]);
    assert!(slice("hdr.ipv4.ihl[8:0]")[0].ends_with("bit 8 is outside of bit<8>"));
    assert!(slice("hdr.ipv4.ihl[0:3]")[0].ends_with("the slice [0:3] must name the higher bit first"));
    assert!(slice("hit[0:0]")[0].ends_with("the operand of a slice must be a number, not a bool"));
    let wide = |constant: &str| refused(&[("0x20010db8000000000000000000000001u128", constant)]);
    assert!(wide("0x1ffffffffffffffffffffffffffffffffu128")[0].ends_with("the number does not fit 128 bits"));
    assert!(wide("1u127")[0].ends_with("`next_hop` takes bit<128>, not bit<127>"));
    assert!(wide("-1u128")[0].ends_with("a negative number is out of range for bit<128>"));
    let longest = "undefined<bit<65535>> ++ 1u1";
    assert!(
        wide(longest)[0].ends_with("a concatenation has 65536 bits, more than the maximum of 65535"),
        "{:?}",
        wide(longest)
    );
}

#[test]
fn ids_out_of_range_are_reported() {
    let call = |function| Statement::Flow(ir::Flow::Call { function: FunctionId(function), after: Vec::new() });
    assert_eq!(unsound(|program| program.packet.push(call(9))), ["`call <function 9>`: function 9 does not exist"]);
    let emit = ir::PacketStatement::Emit { header: ir::HeaderReference::Fixed(HeaderId(9)) };
    assert_eq!(
        unsound(|program| program.functions[2].body.push(Statement::Packet(emit))),
        ["`emit <header 9>`: header 9 does not exist"]
    );
    let index = ir::Expression::number(Type::Bits(8), 0);
    let header = ir::HeaderReference::Element(StackId(3), index);
    let set = ir::PacketStatement::SetValid { header, valid: true };
    assert_eq!(
        unsound(|program| program.packet.push(Statement::Packet(set))),
        ["`set_valid <stack 3>[0u8]`: stack 3 does not exist"]
    );
}

#[test]
fn flatness_names_everything_that_violates_it() {
    let program = parse::program("router.ir", ROUTER).unwrap();
    let errors = Form::Flat.verify(&program).unwrap_err();
    for expected in [
        "an array is declared",
        "4 headers are declared",
        "the keys of the table `ingress.lpm` have expressions; in a flat program they only state widths",
        "the variable `next_hop` is 128 bits wide, more than 64",
    ] {
        assert!(errors.iter().any(|error| error == expected), "{expected}: {errors:?}");
    }
    for (statement, found) in [
        ("a = a[3:0] ++ 0u4", Some("a concatenation")),
        ("a = bit<8>(bit<65>(a))", Some("a value of more than 64 bits")),
        ("a = undefined<bit<8>>", Some("an undefined value")),
        ("a = checksum(xor16, bit<8>, a)", None),
        ("a = checksum_with_payload(xor16, bit<8>, a)", Some("a checksum of the payload")),
        ("a = checksum(xor16, bit<8>, a: 3u8)", Some("a checksum of a variable number of bits")),
        ("while a < 3u8 {\n}", Some("loops, calls and table applications are not allowed")),
        ("log \"a\"", Some("state other than registers, and effects, are not allowed")),
        ("if a == 1u8 {\nexit\n}", Some("loops, calls and table applications are not allowed")),
        ("a = (a |+| 1u8) |-| 3u8", None),
        ("if a == 1u8 {\na = 2u8\n}", None),
    ] {
        let text = format!("program p\nfield a: bit<8>\npacket {{\n{statement}\n}}\n");
        let errors = Form::Flat.verify(&parse::program("flat.ir", &text).unwrap()).err().unwrap_or_default();
        assert_eq!(errors.first().and_then(|error| error.rsplit(": ").next()), found, "{statement}");
    }
}

#[test]
fn slots_must_be_asked_of_tables_that_have_them() {
    let lpm = "table ingress.lpm {";
    let changed = |line: &str| {
        let found = refused(&[("  counter ingress.hits\n", &format!("  counter ingress.hits\n{line}\n"))]);
        found.iter().map(|found| found.strip_prefix(lpm).unwrap_or(found).to_owned()).collect::<Vec<_>>()
    };
    let needs_slots = ": a table that counts when it is called, or has registers, needs slots";
    assert_eq!(changed("  counts when called"), [needs_slots]);
    assert_eq!(
        unsound(|program| {
            program.tables[0].has_slots = true;
            program.tables[0].size = None;
        }),
        ["table `ingress.lpm`: a table whose entries have slots needs a size, which bounds them"]
    );
    let register = |length, initial| ir::Register { name: "own".into(), ty: Type::Bits(8), length, initial };
    let with = |register: ir::Register| {
        unsound(|program| {
            program.registers.push(register);
            let own = ir::RegisterId::from(program.registers.len() - 1);
            let table = &mut program.tables[0];
            (table.has_slots, table.size, table.registers) = (true, Some(1024), vec![own]);
        })
    };
    assert_eq!(
        with(register(Some(1023), ir::Initial::Fill(0))),
        ["table `ingress.lpm`: the register `@own` of its entries is not an array of the table's size"]
    );
    assert_eq!(
        with(register(Some(1024), ir::Initial::List(vec![1]))),
        ["table `ingress.lpm`: the register `@own` of its entries needs one initial value: `fill`"]
    );
}
