//! Claims as SMT-LIB 2 text, so that any solver can prove them again.
//!
//! The text asserts the assumptions and the negation of the claim, so that a solver answers `unsat` if the claim holds.
//! The logic is QF_BV, or QF_UFBV if the codelet hashes, in which case the hash is an uninterpreted function.

use std::collections::BTreeSet;
use std::fmt::Write;

use ir::{BinaryOperator, Constant, Expression, Program, Type, UnaryOperator};
use runtime::hash::HashFunction;

use crate::{Claim, Mapping};

/// Returns the claim of a mapping as SMT-LIB 2 text, to which a solver should answer `unsat`.
pub fn smt_lib(mapping: &Mapping) -> String {
    let claim = &mapping.claim;
    let mut text = String::new();
    let mut hashes: BTreeSet<HashFunction> = BTreeSet::new();
    for (_, value) in &claim.definitions {
        value.walk(&mut |inner| {
            if let Expression::Hash(function, _) = inner {
                hashes.insert(*function);
            }
        });
    }
    // Writing to a string never fails.
    let _ = write_text(&mut text, mapping, claim, &hashes);
    text
}

fn write_text(
    text: &mut String,
    mapping: &Mapping,
    claim: &Claim,
    hashes: &BTreeSet<HashFunction>,
) -> std::fmt::Result {
    let scope = &claim.scope;
    writeln!(text, "; program {}: an update as the atom {}, {}.", scope.name, mapping.template, mapping.premise)?;
    writeln!(text, "; The atom's configuration:")?;
    for line in mapping.configuration.to_string().lines() {
        writeln!(text, ";   {line}")?;
    }
    for (number, name) in mapping.operands.iter().zip(operand_names(claim, mapping)).map(|(_, name)| name).enumerate() {
        writeln!(text, "; pkt_{} is {name}", number + 1)?;
    }
    writeln!(text, "; The negated claim; `unsat` proves it.")?;
    writeln!(text, "(set-logic {})", if hashes.is_empty() { "QF_BV" } else { "QF_UFBV" })?;
    for function in hashes {
        let arguments = vec!["(_ BitVec 32)"; function.arity()].join(" ");
        writeln!(text, "(declare-fun {} ({arguments}) (_ BitVec 32))", function.name())?;
    }
    for &id in &claim.free {
        writeln!(text, "(declare-const {} {})", name(scope, id.index()), sort(scope.variable(id).ty))?;
    }
    for (id, value) in &claim.definitions {
        let (name, sort) = (name(scope, id.index()), sort(scope.variable(*id).ty));
        writeln!(text, "(define-fun {name} () {sort} {})", term(scope, value))?;
    }
    for assumption in &claim.assumptions {
        writeln!(text, "; the packet accesses the register")?;
        writeln!(text, "(assert {})", term(scope, assumption))?;
    }
    for id in &claim.exact {
        let definition = claim.definitions.iter().find(|(defined, _)| defined == id);
        let Some((operator, a, b)) = definition.and_then(|(_, value)| Claim::exact_parts(value)) else { continue };
        let wide = |e: Expression| Expression::Cast(Type::Int(64), Box::new(e));
        let exact = Expression::binary(operator, wide(a), wide(b));
        let kept = Expression::binary(BinaryOperator::Equal, wide(Expression::Variable(*id)), exact);
        writeln!(text, "; {} does not overflow", name(scope, id.index()))?;
        writeln!(text, "(assert {})", term(scope, &kept))?;
    }
    let equal =
        |(codelet, atom): &(Expression, Expression)| format!("(= {} {})", term(scope, codelet), term(scope, atom));
    let all: Vec<String> = claim.equalities.iter().map(equal).collect();
    writeln!(text, "(assert (not (and true {})))", all.join(" "))?;
    writeln!(text, "(check-sat)")
}

/// Returns the names of the operands. The free variables of a claim are the old states, then the operands, then the
/// rest.
fn operand_names(claim: &Claim, mapping: &Mapping) -> Vec<String> {
    let operands = claim.free.iter().skip(claim.equalities.len()).take(mapping.operands.len());
    operands.map(|id| claim.scope.variable(*id).name.clone()).collect()
}

/// Returns the name of a variable as a quoted symbol. A number distinguishes variables of the same name.
fn name(scope: &Program, index: usize) -> String {
    let name = &scope.variables[index].name;
    let is_first = scope.variables.iter().position(|variable| variable.name == *name) == Some(index);
    if is_first { format!("|{name}|") } else { format!("|{name}#{index}|") }
}

fn sort(ty: Type) -> String {
    match ty {
        Type::Bool => "Bool".to_owned(),
        _ => format!("(_ BitVec {})", ty.width()),
    }
}

fn literal(constant: Constant) -> String {
    match constant.ty {
        Type::Bool => (constant.value != 0).to_string(),
        ty => format!("(_ bv{} {})", constant.value, ty.width()),
    }
}

/// Returns an expression as a term.
pub(crate) fn term(scope: &Program, expression: &Expression) -> String {
    let inner = |e: &Expression| term(scope, e);
    match expression {
        Expression::Constant(constant) => literal(*constant),
        Expression::Variable(id) => name(scope, id.index()),
        // A claim contains no reads.
        Expression::Read { .. } => "false".to_owned(),
        // Nor does it contain these, because it comes from flat code.
        Expression::Wide(..)
        | Expression::Slice { .. }
        | Expression::Concatenate(..)
        | Expression::Element { .. }
        | Expression::Undefined(_)
        | Expression::Checksum(_)
        | Expression::Lookup(_)
        | Expression::Memory(_) => "false".to_owned(),
        Expression::Unary(operator, a) => {
            let function = match operator {
                UnaryOperator::Not => "not",
                UnaryOperator::Complement => "bvnot",
                UnaryOperator::Negate => "bvneg",
            };
            format!("({function} {})", inner(a))
        }
        Expression::Binary(operator, a, b) => binary(scope, *operator, a, b),
        Expression::Select(c, a, b) => format!("(ite {} {} {})", inner(c), inner(a), inner(b)),
        Expression::Hash(function, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(inner).collect();
            format!("({} {})", function.name(), arguments.join(" "))
        }
        Expression::Cast(ty, a) => cast(scope.type_of(a), *ty, &inner(a)),
    }
}

fn cast(from: Type, to: Type, value: &str) -> String {
    let (width, wanted) = (from.width(), to.width());
    match (from, to) {
        (Type::Bool, Type::Bool) => value.to_owned(),
        (Type::Bool, _) => format!("(ite {value} (_ bv1 {wanted}) (_ bv0 {wanted}))"),
        (_, Type::Bool) => format!("(distinct {value} (_ bv0 {width}))"),
        _ if wanted < width => format!("((_ extract {} 0) {value})", wanted - 1),
        _ if wanted == width => value.to_owned(),
        _ => {
            let function = if from.is_signed() { "sign_extend" } else { "zero_extend" };
            format!("((_ {function} {}) {value})", wanted - width)
        }
    }
}

fn binary(scope: &Program, operator: BinaryOperator, a: &Expression, b: &Expression) -> String {
    let ty = scope.type_of(a);
    let (left, mut right) = (term(scope, a), term(scope, b));
    let is_bool = ty == Type::Bool;
    let signed = ty.is_signed();
    let choose = |when_signed: &'static str, unsigned: &'static str| if signed { when_signed } else { unsigned };
    let function = match operator {
        BinaryOperator::Add => "bvadd",
        BinaryOperator::Subtract => "bvsub",
        BinaryOperator::Multiply => "bvmul",
        BinaryOperator::AddSaturating => return saturating("bvadd", ty, &left, &right),
        BinaryOperator::SubtractSaturating => return saturating("bvsub", ty, &left, &right),
        BinaryOperator::And if is_bool => "and",
        BinaryOperator::Or if is_bool => "or",
        BinaryOperator::Xor if is_bool => "xor",
        BinaryOperator::And => "bvand",
        BinaryOperator::Or => "bvor",
        BinaryOperator::Xor => "bvxor",
        BinaryOperator::Equal => "=",
        BinaryOperator::NotEqual => "distinct",
        BinaryOperator::Less => choose("bvslt", "bvult"),
        BinaryOperator::LessEqual => choose("bvsle", "bvule"),
        BinaryOperator::Greater => choose("bvsgt", "bvugt"),
        BinaryOperator::GreaterEqual => choose("bvsge", "bvuge"),
        // x / 0 is 0 and x % 0 is x (runtime::arithmetic). In SMT-LIB the quotient would be all ones or 1.
        BinaryOperator::Divide => {
            let zero = format!("(_ bv0 {})", ty.width());
            return format!("(ite (= {right} {zero}) {zero} ({} {left} {right}))", choose("bvsdiv", "bvudiv"));
        }
        BinaryOperator::Remainder => choose("bvsrem", "bvurem"),
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => {
            right = shift_count(scope.type_of(b), ty, &right);
            if operator == BinaryOperator::ShiftLeft { "bvshl" } else { choose("bvashr", "bvlshr") }
        }
    };
    format!("({function} {left} {right})")
}

/// Returns a saturating sum or difference, computed with room for the carry and a sign.
fn saturating(function: &str, ty: Type, left: &str, right: &str) -> String {
    let width = ty.width();
    let extend = if ty.is_signed() { "sign_extend" } else { "zero_extend" };
    let exact = format!("({function} ((_ {extend} 2) {left}) ((_ {extend} 2) {right}))");
    let half = 1u128 << (width - 1);
    let (least, most) = if ty.is_signed() { (half, half - 1) } else { (0, 2 * half - 1) };
    let (below, above) = (format!("(_ bv{least} {width})"), format!("(_ bv{most} {width})"));
    let wide = |end: &str| format!("((_ {extend} 2) {end})");
    let cut = format!("((_ extract {} 0) {exact})", width - 1);
    let at_most = format!("(ite (bvsgt {exact} {}) {above} {cut})", wide(&above));
    format!("(ite (bvslt {exact} {}) {below} {at_most})", wide(&below))
}

/// Returns a shift count as a bit-vector of the width of the shifted value. In SMT-LIB, too, a count of at least the
/// width shifts all bits out.
fn shift_count(from: Type, to: Type, count: &str) -> String {
    let (raw, wanted) = (Type::Bits(from.width() as u16), Type::Bits(to.width() as u16));
    if from.width() <= to.width() {
        let count = if from == Type::Bool { cast(from, raw, count) } else { count.to_owned() };
        return cast(raw, wanted, &count);
    }
    // Truncation could make a large count small, so such a count becomes all ones instead. That exceeds every width
    // except 1, for which it is 1 and also shifts all bits out.
    let most = format!("(_ bv{} {})", runtime::arithmetic::mask(to.width()), from.width());
    format!("(ite (bvugt {count} {most}) (bvnot (_ bv0 {})) {})", to.width(), cast(raw, wanted, count))
}
