//! The meaning of programs, stated as packets.

use ir::interpret::Interpreter;
use ir::{Program, Type, VariableId, parse};
use runtime::hash::HashFunction;

fn program(declarations: &str, packet: &str) -> Program {
    parse::program("test.ir", &format!("program test\n{declarations}\npacket {{\n{packet}\n}}\n")).unwrap()
}

/// Runs a packet with the given field values; returns the final values of the fields as numbers.
fn run(interpreter: &mut Interpreter, fields: &[i64]) -> Vec<i128> {
    let program = interpreter.program().clone();
    let mut values = vec![0; program.variables.len()];
    for ((id, field), &number) in program.fields().zip(fields) {
        values[id.index()] = field.ty.value_of(number);
    }
    interpreter.packet(&mut values);
    program.fields().map(|(id, field)| field.ty.number(values[id.index()])).collect()
}

/// Evaluates an expression over the fields `a` and `b` of type `int<32>`.
fn value(ty: Type, expression: &str, a: i64, b: i64) -> i128 {
    let text = format!("field a: int<32>\nfield b: int<32>\nfield out: {ty}");
    let program = program(&text, &format!("out = {expression}"));
    run(&mut Interpreter::new(&program), &[a, b, 0])[2]
}

#[test]
fn arithmetic_wraps_and_is_defined_for_every_operand() {
    let int = Type::INT32;
    let least = i64::from(i32::MIN);
    for (expression, a, b, expected) in [
        ("a + b", i64::from(i32::MAX), 1, i128::from(i32::MIN)),
        ("a * b", 65536, 65536, 0),
        ("a / b", 7, 0, 0),
        ("a % b", 7, 0, 7),
        ("a / b", -7, 2, -3),
        ("a % b", -7, 2, -1),
        ("a / b", least, -1, i128::from(i32::MIN)),
        ("a % b", least, -1, 0),
        ("a << b", 1, 32, 0),
        ("a << b", 1, -1, 0),
        ("a >> b", -8, 1, -4),
        ("a >> b", -8, 99, -1),
        ("-a", least, 0, i128::from(i32::MIN)),
        ("~a", 0, 0, -1),
        ("int<32>(a < b)", -1, 1, 1),
        ("int<32>(bit<32>(a) < bit<32>(b))", -1, 1, 0),
        ("int<32>(bit<8>(a))", -1, 0, 255),
        ("int<32>(int<8>(a))", 200, 0, -56),
        ("int<32>(bool(a))", 256, 0, 1),
    ] {
        assert_eq!(value(int, expression, a, b), expected, "{expression} of {a} and {b}");
    }
    // Extension follows the signedness of the source type, not of the target.
    assert_eq!(value(Type::Bits(64), "bit<64>(a)", -1, 0), i128::from(u64::MAX));
    assert_eq!(value(Type::Bits(64), "bit<64>(bit<32>(a))", -1, 0), i128::from(u32::MAX));
}

#[test]
fn comparisons_respect_the_sign_of_signed_types() {
    let numbers = [i64::from(i32::MIN), -1, 0, 1, i64::from(i32::MAX)];
    for (a, b) in numbers.iter().flat_map(|&a| numbers.map(|b| (a, b))) {
        let unsigned = (a as u32, b as u32);
        for (sign, signed, unsigned) in [
            ("<", a < b, unsigned.0 < unsigned.1),
            ("<=", a <= b, unsigned.0 <= unsigned.1),
            (">", a > b, unsigned.0 > unsigned.1),
            (">=", a >= b, unsigned.0 >= unsigned.1),
            ("==", a == b, a == b),
            ("!=", a != b, a != b),
        ] {
            assert_eq!(value(Type::Bool, &format!("a {sign} b"), a, b), i128::from(signed), "{a} {sign} {b}");
            let cast = format!("bit<32>(a) {sign} bit<32>(b)");
            assert_eq!(value(Type::Bool, &cast, a, b), i128::from(unsigned), "{a} {sign} {b} unsigned");
        }
    }
}

#[test]
fn hashes_take_their_values_in_order() {
    for function in HashFunction::ALL {
        let third = if function.arity() == 3 { ", a + b" } else { "" };
        let words = [5, u64::from(u32::MAX), 4];
        let expected = i128::from(function.of(&words[..function.arity()]));
        assert_eq!(value(Type::INT32, &format!("{}(a, b{third})", function.name()), 5, -1), expected);
    }
}

#[test]
fn reads_see_earlier_writes_and_state_persists() {
    let program = program(
        "field a: int<32>\nregister r: int<32>[4] = [10, 20]",
        "@r[a] = @r[a] + 1i32\n@r[a] = @r[a] * 2i32\na = @r[a]",
    );
    let mut interpreter = Interpreter::new(&program);
    assert_eq!(run(&mut interpreter, &[0]), [22]);
    assert_eq!(run(&mut interpreter, &[0]), [46]);
    assert_eq!(run(&mut interpreter, &[2]), [2]);
    assert_eq!(interpreter.registers().array(0), [46, 20, 2, 0]);
}

#[test]
fn indices_wrap_by_their_raw_bits() {
    let program = program("field a: int<32>\nregister r: int<32>[3] = [10, 20, 30]", "a = @r[a]");
    let mut interpreter = Interpreter::new(&program);
    assert_eq!(run(&mut interpreter, &[4]), [20]);
    // 2^32 - 1 is a multiple of 3.
    assert_eq!(run(&mut interpreter, &[-1]), [10]);
}

#[test]
fn a_false_predicate_reads_zero_and_writes_nothing() {
    let program =
        program("field a: int<32>\nfield c: bool\nregister r: int<32> = 5", "a = (@r if c) + 100i32\n@r = a if c");
    let mut interpreter = Interpreter::new(&program);
    assert_eq!(run(&mut interpreter, &[0, 0]), [100, 0]);
    assert_eq!(interpreter.registers().array(0), [5]);
    run(&mut interpreter, &[0, 1]);
    assert_eq!(interpreter.registers().array(0), [105]);
}

#[test]
fn locals_are_zero_at_the_start_of_every_packet() {
    let program = program("field a: int<32>\nlocal t: int<32>", "a = t\nt = 7i32");
    let mut interpreter = Interpreter::new(&program);
    for _ in 0..2 {
        assert_eq!(run(&mut interpreter, &[3]), [0]);
    }
}

/// Exports may name each other's fields, as single assignment makes them for `swap`.
#[test]
fn exports_are_applied_simultaneously() {
    let text = "program swap\nfield a: int<32>\nfield b: int<32>\npacket {\n}\nexport a = b\nexport b = a\n";
    let mut interpreter = Interpreter::new(&parse::program("swap.ir", text).unwrap());
    assert_eq!(run(&mut interpreter, &[1, 2]), [2, 1]);
}

#[test]
fn only_evaluated_reads_count_as_accesses() {
    let declarations = "field c: bool\nfield x: bool\nlocal i: int<32>\nlocal b: bool\n\
                        register r: int<32>[8] = fill 3\nregister s: bool = false";
    let accesses = |packet: &str, c: u64| {
        let mut interpreter = Interpreter::new(&program(declarations, packet));
        let mut values = [c, 0, 0, 0];
        let mut seen = Vec::new();
        interpreter.packet_observed(&mut values, &mut |register, place| seen.push((register.index(), place)));
        seen
    };
    // Only the chosen side of a `?:` is evaluated.
    assert_eq!(accesses("i = c ? @r[1i32] : @r[2i32]", 1), [(0, 1)]);
    assert_eq!(accesses("i = c ? @r[1i32] : @r[2i32]", 0), [(0, 2)]);
    // Both operands of an operator are evaluated, whatever the first one is.
    assert_eq!(accesses("b = c & @s", 0), [(1, 0)]);
    assert_eq!(accesses("b = c | @s", 1), [(1, 0)]);
    // If the predicate is false, nothing is evaluated, neither the index nor the value.
    assert_eq!(accesses("i = @r[@r[1i32]] if c", 0), []);
    assert_eq!(accesses("i = @r[@r[1i32]] if c", 1), [(0, 1), (0, 3)]);
    assert_eq!(accesses("@r[4i32] = @r[5i32] if c", 0), []);
    assert_eq!(accesses("@r[4i32] = @r[5i32] if c", 1), [(0, 5), (0, 4)]);
    assert_eq!(accesses("if c {\n @r[1i32] = 1i32\n} else {\n @r[2i32] = 1i32\n}", 0), [(0, 2)]);
}

#[test]
fn added_locals_take_the_first_free_number() {
    let mut program = program("field t: int<32>\nlocal t.2: int<32>\nlocal t.03: int<32>\nlocal t.x: int<32>", "");
    let mut names = || {
        let id: VariableId = program.add_local("t", Type::Bool);
        program.variable(id).name.clone()
    };
    assert_eq!([names(), names(), names()], ["t.1", "t.3", "t.4"].map(str::to_owned));
    assert_eq!(program.add_local("free", Type::Bool).index(), 7);
    assert_eq!(program.variable(VariableId(7)).name, "free");
}
