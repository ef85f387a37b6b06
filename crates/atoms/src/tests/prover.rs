//! Tests of the prover alone: claims that hold, claims that do not, and claims that it gives up.

use ir::{Expression, Program, Statement};

use crate::claim::Claim;
use crate::prove::{Verdict, prove};

/// Returns the claim that two variables are equal after straight-line code, for all values of the fields.
fn claim(declarations: &str, code: &str, left: &str, right: &str) -> Claim {
    let text = format!("program claim\n{declarations}\npacket {{\n{code}\n}}");
    let program = ir::parse::program("claim", &text).unwrap_or_else(|failure| panic!("{failure}"));
    let definitions = program
        .packet
        .iter()
        .map(|statement| match statement {
            Statement::Assign { variable, value } => (*variable, value.clone()),
            _ => panic!("assignments only"),
        })
        .collect();
    let free = program.fields().map(|(id, _)| id).collect();
    let side = |name: &str| Expression::Variable(program.variable_named(name).expect("declared"));
    let equalities = vec![(side(left), side(right))];
    let scope = Program { packet: Vec::new(), ..program };
    Claim { scope, free, definitions, assumptions: Vec::new(), exact: Vec::new(), equalities }
}

const WORDS: &str = "
    field x: int<32>
    field y: int<32>
    field z: int<32>
    field c: bool
    local a: int<32>
    local b: int<32>
    local d: int<32>
    local e: int<32>
    local f: bool
    local g: bool
    local w: int<64>
    local v: int<64>
    local u: bit<32>
    local t: bit<32>";

fn holds(code: &str, left: &str, right: &str) -> bool {
    match prove(&claim(WORDS, code, left, right)) {
        Verdict::Proven => true,
        Verdict::Refuted(_) => false,
        Verdict::Unknown => panic!("given up: {code}"),
    }
}

#[test]
fn sums_are_equal_in_any_order() {
    assert!(holds("a = x - y\n b = a + z\n d = z - y\n e = d + x", "b", "e"));
    assert!(!holds("a = x - y\n b = a + z\n d = z + y\n e = d + x", "b", "e"));
    assert!(holds("a = x * 3i32\n b = a - x\n d = x << 1i32", "b", "d"));
    assert!(holds("a = ~x\n b = a + 1i32\n d = -x", "b", "d"));
}

#[test]
fn products_distribute_and_are_otherwise_unknown() {
    assert!(holds("a = x + y\n b = a * z\n d = x * z\n e = z * y\n e = e + d", "b", "e"));
    // The prover knows that x * 0 is 0, but not that a square is never 2 modulo 2^32.
    assert!(holds("a = y - y\n b = x * a\n d = 0i32 + 0i32", "b", "d"));
    let square = claim(WORDS, "a = x * x\n f = a == 2i32\n g = false & c", "f", "g");
    assert!(matches!(prove(&square), Verdict::Unknown));
}

#[test]
fn overflow_refutes_claims() {
    assert!(!holds("f = x < y\n a = x - y\n g = a < 0i32", "f", "g"));
    assert!(holds("f = x < y\n w = int<64>(x)\n v = int<64>(y)\n w = w - v\n g = w < 0i64", "f", "g"));
    assert!(!holds("a = x + 1i32\n f = a > x\n g = true | c", "f", "g"));
    assert!(holds("a = x + 1i32\n f = a > x\n g = x != 2147483647i32", "f", "g"));
}

#[test]
fn equivalent_comparisons_are_equal() {
    assert!(holds("f = x >= 5i32\n g = 4i32 < x", "f", "g"));
    assert!(holds("f = x <= y\n g = y < x\n g = !g", "f", "g"));
    assert!(!holds("f = x <= y\n g = x < y", "f", "g"));
    assert!(holds(
        "u = bit<32>(x)\n t = bit<32>(y)\n f = u < t\n a = x ^ -2147483648i32\n b = y ^ -2147483648i32\n g = a < b",
        "f",
        "g"
    ));
}

#[test]
fn choices_move_through_arithmetic() {
    assert!(holds("a = c ? x : y\n b = a - z\n d = x - z\n e = y - z\n d = c ? d : e", "b", "d"));
    assert!(holds("f = !c\n a = f ? x : y\n b = c ? y : x", "a", "b"));
    assert!(holds("f = x < y\n a = f ? y : x\n g = y < x\n b = g ? x : y", "a", "b"));
    assert!(holds("a = int<32>(c)\n b = a * z\n d = c ? z : 0i32", "b", "d"));
}

#[test]
fn bitwise_operations_and_shifts_are_exact() {
    assert!(holds("a = x & y\n b = x | y\n d = a + b\n e = x + y", "d", "e"));
    assert!(holds("a = x >> 31i32\n f = x < 0i32\n b = f ? -1i32 : 0i32", "a", "b"));
    assert!(holds("a = x >> 40i32\n b = x >> 31i32", "a", "b"));
    assert!(!holds("a = x >> 30i32\n b = x >> 31i32", "a", "b"));
    assert!(holds("a = x << 33i32\n b = x - x", "a", "b"));
    assert!(holds("u = bit<32>(x)\n u = u >> 31u32\n t = 1u32 - u\n f = t == 1u32\n g = x >= 0i32", "f", "g"));
}

#[test]
fn hashes_are_uninterpreted_functions() {
    assert!(holds("a = x + y\n b = y + x\n a = hash2(a, z)\n b = hash2(b, z)", "a", "b"));
    assert!(holds("a = x / y\n b = x / y\n b = b + 0i32", "a", "b"));
    // In fact a hash is never negative. The prover does not know this, but must not report that the claim is refuted.
    let never = claim(WORDS, "a = hash2(x, y)\n f = a < 0i32\n g = false & c", "f", "g");
    assert!(matches!(prove(&never), Verdict::Unknown));
}
