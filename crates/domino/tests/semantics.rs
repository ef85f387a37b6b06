//! The semantics of programs, stated as packets before and after.

mod common;

use common::{Run, compile, value_of};

const MIN: i32 = i32::MIN;
const MAX: i32 = i32::MAX;

#[test]
fn arithmetic_wraps_and_is_defined_for_every_operand() {
    let cases = [
        ("a + b", MAX, 1, MIN),
        ("a - b", MIN, 1, MAX),
        ("a * b", 0x10000, 0x10000, 0),
        ("-a", MIN, 0, MIN),
        ("~a", 0, 0, -1),
        ("a / b", -7, 2, -3),
        ("a % b", -7, 2, -1),
        ("a / b", 7, 0, 0),
        ("a % b", 7, 0, 7),
        ("a / b", MIN, -1, MIN),
        ("a % b", MIN, -1, 0),
        ("a << b", 1, 31, MIN),
        ("a << b", 1, 32, 0),
        ("a << b", 1, -1, 0),
        ("a >> b", MIN, 31, -1),
        ("a >> b", MIN, 99, -1),
        ("a >> b", MAX, 99, 0),
        ("a < b", -1, 0, 1),
        ("a >= b", MIN, MAX, 0),
        ("a & b | a ^ b", 6, 3, 7),
    ];
    for (expression, a, b, expected) in cases {
        assert_eq!(value_of(expression, a, b, 0), expected, "{expression} of {a}, {b}");
    }
}

#[test]
fn operators_bind_as_in_c() {
    let cases = [
        ("2 + 3 * 4", 14),
        ("20 - 5 - 3", 12),
        ("64 / 4 / 2", 8),
        ("1 << 2 + 1", 8),
        ("1 | 2 ^ 3 & 2", 1),
        ("7 & 3 == 3", 1),
        ("1 < 2 == 1", 1),
        ("0 || 1 && 0", 0),
        ("1 ? 2 : 0 ? 3 : 4", 2),
        ("0 ? 2 : 0 ? 3 : 4", 4),
        ("-2 % 3", -2),
        ("!0 + 1", 2),
        ("~1 + - -3 - +1", 0),
        ("- - 5 - -5", 10),
        ("'a' + '\\n' + 010 + 0x10", 97 + 10 + 8 + 16),
        ("-2147483648", i32::MIN),
        ("0xffffffff", -1),
        ("(int) 7 / 2", 3),
    ];
    for (expression, expected) in cases {
        assert_eq!(value_of(expression, 0, 0, 0), expected, "{expression}");
    }
}

#[test]
fn comparisons_yield_0_or_1_and_nonzero_is_true() {
    for (expression, a, b, expected) in [
        ("a && b", 2, 4, 1),
        ("a & b", 2, 4, 0),
        ("a || b", 0, -1, 1),
        ("!a", 5, 0, 0),
        ("!!a", 5, 0, 1),
        ("(a == b) + (a != b) * 2", 1, 1, 1),
        ("(a < b) == (b > a)", 1, 2, 1),
        ("((a < b) | (a == 5)) ^ 1", 1, 2, 0),
        ("a < b < 1", 3, 2, 1),
        ("-(a == b)", 1, 1, -1),
        ("~(a == b)", 1, 1, -2),
        ("(a ? a == b : 7) + 1", 1, 1, 2),
        ("(a == b) << 3", 4, 4, 8),
    ] {
        assert_eq!(value_of(expression, a, b, 0), expected, "{expression} of {a}, {b}");
    }
}

#[test]
fn initial_values_of_arrays() {
    let run = Run::new(
        "#define N 2\nint one[N * 2] = {100}; int two[4] = {-1, 'b'}; int none[N]; int empty[2] = {}; int own[] = {1, 2, 3};
         int single[1] = {9}; int scalar = N + 1; int braced = {5}; int bare; struct Packet { int a; };
         void f(struct Packet p) { }",
    );
    let expected: [(&str, &[i32]); 9] = [
        ("one", &[100, 100, 100, 100]),
        ("two", &[-1, 98, 0, 0]),
        ("none", &[0, 0]),
        ("empty", &[0, 0]),
        ("own", &[1, 2, 3]),
        ("single", &[9]),
        ("scalar", &[3]),
        ("braced", &[5]),
        ("bare", &[0]),
    ];
    for (name, values) in expected {
        assert_eq!(run.register(name), values, "{name}");
    }
}

#[test]
fn an_index_wraps_as_an_unsigned_number() {
    let mut run = Run::new("int t[3]; struct Packet { int i; }; void f(struct Packet p) { t[p.i] += 1; }");
    for index in [0, 4, -1, -2] {
        run.packet(&[index]);
    }
    // 2^32 - 1 is a multiple of 3, and 2^32 - 2 is one less.
    assert_eq!(run.register("t"), [2, 1, 1]);
}

/// Regression test for a bug of the public compiler, which read `x *= a + b` as `x = x * a + b`.
#[test]
fn a_compound_assignment_uses_its_whole_right_side() {
    for (sign, expected) in [
        ("*", 100 * 5),
        ("-", 100 - 5),
        ("/", 100 / 5),
        ("%", 100 % 5),
        ("<<", 100 << 5),
        (">>", 100 >> 5),
        ("&", 100 & 5),
        ("|", 100 | 5),
        ("^", 100 ^ 5),
        ("+", 100 + 5),
    ] {
        let text = format!(
            "int s = 100; int t[2] = {{100}}; struct Packet {{ int a; int b; int f; }};
             void f(struct Packet p) {{
               int l = 100;
               s {sign}= p.a + p.b; t[1] {sign}= p.a + p.b; p.f {sign}= p.a + p.b; l {sign}= p.a + p.b; p.a = l;
             }}"
        );
        let mut run = Run::new(&text);
        assert_eq!(run.packet(&[2, 3, 100]), [expected, 3, expected], "{sign}=");
        assert_eq!((run.register("s"), run.register("t")), (vec![expected], vec![100, expected]), "{sign}=");
    }
}

/// Regression test for a bug of the public compiler, which removed assignments that nothing depends on.
#[test]
fn keeps_assignments_that_nothing_depends_on() {
    let text = "int last; struct Packet { int a; int b; };
                void f(struct Packet p) { p.b = 7; p.a = p.a; last = p.a; last = 9; }";
    let mut run = Run::new(text);
    assert_eq!(run.packet(&[1, 1]), [1, 7]);
    assert_eq!(run.register("last"), [9]);
    assert_eq!(compile(text).packet.len(), 4, "each statement is there, even one that another one overwrites");
}

/// Regression test for a bug of the public compiler, which rejected every implicit conversion between numbers and truth
/// values.
#[test]
fn numbers_and_truth_values_convert_as_in_c() {
    let mut run = Run::new(
        "int seen; int t[2]; struct Packet { int a; int b; int r; };
         int is_small(int x) { return x < 10; }
         void f(struct Packet p) {
           p.r = (p.a == p.b);
           if (p.a) seen += p.a != p.b;
           if (!seen && is_small(p.a)) p.r += is_small(p.b);
           t[p.a > 5] = 1;
           int both = p.a && p.b;
           p.b = both ? p.a > 1 : 5;
         }",
    );
    assert_eq!(run.packet(&[3, 3, 0]), [3, 1, 2]);
    assert_eq!(run.packet(&[6, 0, 0]), [6, 5, 0]);
    assert_eq!((run.register("seen"), run.register("t")), (vec![1], vec![1, 1]));
}

#[test]
fn increments_and_decrements_by_one() {
    let mut run = Run::new(
        "int n; int t[2]; struct Packet { int a; int b; };
         void f(struct Packet p) { n++; ++n; t[1]--; --p.a; p.b++; }",
    );
    assert_eq!(run.packet(&[0, 5]), [-1, 6]);
    assert_eq!((run.register("n"), run.register("t")), (vec![2], vec![0, -1]));
}

#[test]
fn an_inner_name_shadows_an_outer_one() {
    let mut run = Run::new(
        "int x = 1; struct Packet { int x; int r; };
         int own(int x) { x = x * 2; { int x = 50; x++; } return x; }
         void f(struct Packet p) {
           p.r = x;
           int x = x + 10;
           if (p.x) { int x = 100; p.r += x; }
           p.r += own(x) + x;
         }",
    );
    assert_eq!(run.packet(&[1, 0])[1], 1 + 100 + 22 + 11);
    assert_eq!(run.packet(&[0, 0])[1], 1 + 22 + 11);
}

#[test]
fn a_function_returns_at_the_first_return_reached() {
    let mut run = Run::new(
        "int calls; struct Packet { int a; int r; };
         int grade(int x) {
           if (x < 0) return -1;
           int g = 1;
           if (x > 10) { g = 2; if (x > 20) { if (x > 30) return 4; g = 3; } }
           if (x == 5) { } else if (x == 6) return 60; else g += 100;
           return g;
         }
         void f(struct Packet p) {
           p.r = grade(p.a);
           if (p.r == 60) return;
           calls++;
         }",
    );
    for (x, expected) in [(-5, -1), (5, 1), (6, 60), (7, 101), (11, 102), (21, 103), (31, 4)] {
        assert_eq!(run.packet(&[x, 0])[1], expected, "grade({x})");
    }
    assert_eq!(run.register("calls"), [6]);
}

#[test]
fn a_function_that_reaches_no_return_returns_0() {
    let mut run = Run::new(
        "struct Packet { int a; int r; }; int g(int x) { if (x) return 5; } void f(struct Packet p) { p.r = g(p.a); }",
    );
    assert_eq!((run.packet(&[1, 9])[1], run.packet(&[0, 9])[1]), (5, 0));
}

#[test]
fn functions_change_state_when_their_statement_runs() {
    let mut run = Run::new(
        "int n; int t[4]; struct Packet { int a; int r; };
         int next() { n = n + 1; return n; }
         void add(int to, int what) { t[to] += what; }
         void f(struct Packet p) {
           int first = next();
           p.r = next();
           t[n] = next();
           add(first - 1, p.r * 10);
           add(0, n);
           next();
         }",
    );
    assert_eq!(run.packet(&[0, 0])[1], 2);
    // `t[n] = next()`: the right side runs first, so that the index is 3.
    assert_eq!((run.register("n"), run.register("t")), (vec![4], vec![23, 0, 0, 3]));
}

#[test]
fn only_the_chosen_operand_calls_its_function() {
    let program = compile(
        "int t[8]; int u[8]; struct Packet { int a; int r; };
         int twice(int i) { int v = t[i]; return v + v; }
         void f(struct Packet p) { p.r = p.a ? twice(p.a) : u[2]; }",
    );
    let accesses = |a: u64| {
        let mut interpreter = ir::interpret::Interpreter::new(&program);
        let mut values = vec![0; program.variables.len()];
        values[0] = a;
        let mut seen = Vec::new();
        interpreter.packet_observed(&mut values, &mut |register, index| seen.push((register.0, index)));
        seen
    };
    assert_eq!(accesses(3), [(0, 3)]);
    assert_eq!(accesses(0), [(1, 2)]);
}

#[test]
fn hashes_match_those_of_the_runtime() {
    use runtime::hash::HashFunction;
    for function in HashFunction::ALL {
        let arguments = if function.arity() == 3 { "a, b, c" } else { "a, b" };
        let words: &[u64] = if function.arity() == 3 { &[80, 0xffff_ffff, 7] } else { &[80, 0xffff_ffff] };
        let value = value_of(&format!("{}({arguments})", function.name()), 80, -1, 7);
        assert_eq!(value as u32 as u64, function.of(words), "{}", function.name());
    }
}
