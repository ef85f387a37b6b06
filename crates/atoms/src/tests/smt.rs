//! Tests of claims as SMT-LIB: the text, and the answer of an external solver if `SMT_SOLVER` names one.

use std::io::Write;
use std::process::{Command, Stdio};

use super::Example;
use crate::{Premise, Template, smt_lib};

const COUNTER: &str = "
    field valid: bool
    field size: int<32>
    local s: int<32>
    local n: int<32>
    register bytes: int<32> = 0
    packet {
      s = @bytes
      n = s + size
      @bytes = n if valid
    }";

#[test]
fn prints_a_claim_as_smt_lib() {
    let mapping =
        Example::new(COUNTER, &["bytes"]).map(Template::Subtract, Premise::NoOverflow).expect("pred_raw does");
    let expected = "\
; program example: an update as the atom sub, for all 32-bit inputs for which no sum of the program overflows.
; The atom's configuration:
;   if 0 == pkt_1 {
;     state_1 = state_1 + 0
;   } else {
;     state_1 = state_1 + pkt_2
;   }
; pkt_1 is valid.int
; pkt_2 is size
; The negated claim; `unsat` proves it.
(set-logic QF_BV)
(declare-const |@bytes| (_ BitVec 32))
(declare-const |valid.int| (_ BitVec 32))
(declare-const |size| (_ BitVec 32))
(define-fun |t0| () Bool (distinct |valid.int| (_ bv0 32)))
(define-fun |t1| () (_ BitVec 32) (bvadd |@bytes| |size|))
(define-fun |t2| () (_ BitVec 32) (ite |t0| |t1| |@bytes|))
; |t1| does not overflow
(assert (= ((_ sign_extend 32) |t1|) (bvadd ((_ sign_extend 32) |@bytes|) ((_ sign_extend 32) |size|))))
(assert (not (and true (= |t2| (ite (= (_ bv0 32) |valid.int|) |@bytes| (bvadd |@bytes| |size|))))))
(check-sat)
";
    assert_eq!(smt_lib(&mapping), expected);
    check_again(&mapping);
}

/// Returns the answer to a text of the solver that the environment variable `SMT_SOLVER` names, if it names one.
fn solve(text: &str) -> Option<String> {
    let solver = std::env::var("SMT_SOLVER").ok()?;
    let mut child = Command::new(solver)
        .arg("-in")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("SMT_SOLVER names a solver that reads SMT-LIB from its standard input with -in, as z3 does");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("the solver reads");
    let output = child.wait_with_output().expect("the solver ends");
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Checks a proven claim with an external solver, and that the claim's assumptions do not contradict each other.
pub(super) fn check_again(mapping: &crate::Mapping) {
    let text = smt_lib(mapping);
    let Some(answer) = solve(&text) else { return };
    assert_eq!(answer, "unsat", "{text}");
    // The claim is not vacuous: without the equalities the text is satisfiable.
    let start = text.find("(assert (not (and").expect("the claim");
    let assumptions = format!("{}(check-sat)\n", &text[..start]);
    assert_eq!(solve(&assumptions).as_deref(), Some("sat"), "the assumptions contradict each other: {assumptions}");
}

#[test]
fn external_solvers_agree_on_every_operator() {
    let text = "
        field a: int<32>
        field b: int<32>
        field wide: int<64>
        field narrow: bit<8>
        local q: int<32>
        local m: int<32>
        local h: int<32>
        local l: int<32>
        local r: int<32>
        local x: int<32>
        local w: int<32>
        local n: int<32>
        local z: int<32>
        local y: int<32>
        local v: bit<8>
        local u: bit<8>
        local p: bool
        local s: int<32>
        local t.1: int<32>
        local t.2: int<32>
        register state: int<32> = 0
        packet {
          s = @state
          q = a / b
          m = a % b
          h = hash2(a, b)
          v = narrow |-| 200u8
          u = v |+| v
          l = a << u
          r = a >> wide
          x = q ^ m
          w = x | h
          n = w & l
          y = n |+| r
          z = y |-| q
          p = z < 0i32
          t.1 = ~z
          t.2 = p ? t.1 : z
          @state = t.2
        }";
    // The whole program is the codelet, so that everything is in the claim and nothing is absorbed.
    let mut example = Example::new(text, &["state"]);
    example.body = example.program.packet.clone();
    let mapping = example.map(Template::ReadWrite, Premise::None);
    assert!(mapping.is_err(), "not one operand");
    // The update must be provable: a value is added and subtracted again, so that the state is unchanged.
    let text = text
        .replace("@state = t.2", "@state = t.4")
        .replace("t.2 = p ? t.1 : z", "t.2 = p ? t.1 : z\n t.3 = s + t.2\n t.4 = t.3 - t.2");
    let text = text.replace("register", "local t.3: int<32>\n local t.4: int<32>\n register");
    let mut example = Example::new(&text, &["state"]);
    example.body = example.program.packet.clone();
    let mapping = example.map(Template::ReadAddWrite, Premise::None).expect("adds nothing");
    assert!(smt_lib(&mapping).contains("(set-logic QF_UFBV)"));
    check_again(&mapping);
}

/// Compares the SMT-LIB text of saturating sums and differences with their values, for all operands of small types.
#[test]
fn external_solvers_agree_on_saturation() {
    use ir::{BinaryOperator::*, Constant, Expression, Program, Type, evaluate::evaluate};
    let program = Program::default();
    let mut differences = String::new();
    for ty in [Type::Bits(3), Type::Int(3), Type::Bits(1), Type::Int(1)] {
        let values = 0..1 << ty.width();
        for (operator, a, b) in values
            .clone()
            .flat_map(|a| values.clone().flat_map(move |b| [(AddSaturating, a, b), (SubtractSaturating, a, b)]))
        {
            let constant = |value| Expression::Constant(Constant { ty, value });
            let expression = Expression::binary(operator, constant(a), constant(b));
            let value = evaluate(&program, &expression, &mut (&[] as &[u64])).value;
            let term = crate::smt::term(&program, &expression);
            differences += &format!("(distinct {term} (_ bv{value} {}))\n", ty.width());
        }
    }
    let text = format!("(set-logic QF_BV)\n(assert (or {differences}))\n(check-sat)\n");
    assert!(text.contains("(bvsub ((_ sign_extend 2) (_ bv4 3)) ((_ sign_extend 2) (_ bv1 3)))"));
    if let Some(answer) = solve(&text) {
        assert_eq!(answer, "unsat", "{text}");
    }
}
