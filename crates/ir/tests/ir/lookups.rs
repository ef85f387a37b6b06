//! Table look-ups as expressions.

use ir::form::Form;
use ir::interpret::Interpreter;
use ir::{Expression, LookupResult, Statement, parse};
use runtime::Bits;
use runtime::tables::{FieldMatch, TableEntry, Target};

/// A table that maps prefixes of 128 bits and a port to a next hop of 100 bits, or to an action without data.
const ROUTER: &str = r#"program router

field port: bit<9>
field high: bit<64>
field low: bit<64>
field hit: bool
field drops: bool
field top: bit<36>
field bottom: bit<64>
local hop: bit<100>

action drop() {
}

action forward(hop) {
}

table routes {
  key undefined<bit<128>>: lpm named "address"
  key undefined<bit<9>>: exact named "port"
  action drop
  action forward
  default drop()
  size 16
  entry 0x20010db8000000000000000000000000 / 32, 5 => forward(0x123456789abcdef0123456789)
}

packet {
  hit = lookup(routes, hit, low, high, port)
  drops = lookup(routes, runs 0, low, high, port)
  top = lookup(routes, data 1 0 64 bit<36>, low, high, port)
  bottom = lookup(routes, data 1 0 0 bit<64>, low, high, port)
}
"#;

fn run(interpreter: &mut Interpreter, port: u64, high: u64) -> [u64; 4] {
    let mut values = vec![0; interpreter.program().variables.len()];
    (values[0], values[1], values[2]) = (port, high, 0xFFFF);
    interpreter.packet(&mut values);
    [values[3], values[4], values[5], values[6]]
}

#[test]
fn look_ups_are_flat_and_read_back() {
    let program = parse::program("router.ir", ROUTER).unwrap();
    assert_eq!(Form::Flat.verify(&program), Ok(()));
    assert_eq!(program.to_string(), ROUTER);
}

#[test]
fn look_ups_return_the_hit_the_action_and_its_data() {
    let mut interpreter = Interpreter::new(&parse::program("router.ir", ROUTER).unwrap());
    let address = 0x2001_0db8_0000_0001;
    assert_eq!(run(&mut interpreter, 5, address), [1, 0, 0x1_2345_6789, 0xabcd_ef01_2345_6789]);
    assert_eq!(run(&mut interpreter, 6, address), [0, 1, 0, 0]);
    // The next packet sees what the control plane changes.
    let key = vec![FieldMatch::Prefix { value: Bits::zero(128), length: 0 }, FieldMatch::Exact(Bits::from_u64(6, 9))];
    let target = Target::Action { action: 0, data: vec![] };
    let tables = &mut interpreter.state_mut().tables;
    tables[0].insert(TableEntry { key, priority: 0, target, is_constant: false }).unwrap();
    assert_eq!(run(&mut interpreter, 6, address), [1, 1, 0, 0]);
}

#[test]
fn look_ups_must_suit_their_table() {
    for (from, to, reason) in [
        ("hit, low, high, port", "hit, low, port", "the table takes 3 key words, not 2"),
        ("runs 0", "runs 2", "there is no action 2: the table has 2, counted from 0"),
        ("data 1 0 0", "data 0 0 0", "there is no parameter 0: `drop` has 0, counted from 0"),
        ("data 1 0 64 bit<36>", "data 1 0 65 bit<36>", "36 bits from bit 65 on are outside of bit<100>"),
        ("hit, low", "hits, low", "`hits`"),
        ("lookup(routes, hit", "lookup(router, hit", "the table `router` is not declared"),
    ] {
        assert!(ROUTER.contains(from), "{from}");
        let failure = parse::program("router.ir", &ROUTER.replacen(from, to, 1)).expect_err(reason).to_string();
        assert!(failure.contains(reason), "{failure}");
    }
    let mut program = parse::program("router.ir", ROUTER).unwrap();
    let Statement::Assign { value: Expression::Lookup(lookup), .. } = &mut program.packet[0] else { panic!() };
    lookup.result = LookupResult::Runs(7);
    let errors = ir::verify::program(&program).expect_err("there is no such action");
    assert!(errors[0].contains("there is no action 7: the table has 2, counted from 0"), "{errors:?}");
}

#[test]
fn a_look_up_does_not_depend_on_what_packets_write() {
    let with_bits = ROUTER
        .replace("\naction drop()", "\nregister there: bit<1>[8] = fill 1\nprofile hops: size 8 selection crc16 bits @there places 4\naction drop()")
        .replace("  default drop()", "  default drop()\n  profile hops\n  selector undefined<bit<9>>");
    let errors = parse::program("router.ir", &with_bits).expect_err("the look-up is refused").to_string();
    assert!(errors.contains("a look-up cannot depend on bits of members, which packets write"), "{errors}");
}

#[test]
fn tables_with_key_expressions_or_bodies_are_not_flat() {
    for (from, to, reason) in [
        ("key undefined<bit<9>>: exact", "key port: exact", "have expressions"),
        ("action drop() {\n", "action drop() {\n  port = 1u9\n", "has a body"),
    ] {
        let program = parse::program("router.ir", &ROUTER.replacen(from, to, 1)).unwrap();
        let errors = Form::Flat.verify(&program).expect_err(reason);
        assert!(errors.iter().any(|error| error.contains(reason)), "{errors:?}");
    }
}
