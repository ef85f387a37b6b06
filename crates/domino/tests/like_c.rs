//! Compares random functions, compiled and interpreted, with a small interpreter of C semantics.
//!
//! The model below shares no code with the compiler: it evaluates the tree from which the program text is generated,
//! and a `return` in it really ends the function.

mod common;

use common::Run;
use proptest::prelude::*;

/// An expression of the variables `a`, `b` and `c`, written with as many parentheses as necessary.
#[derive(Clone, Debug)]
enum Tree {
    Number(i32),
    Variable(usize),
    Unary(char, Box<Tree>),
    Binary(&'static str, Box<Tree>, Box<Tree>),
    Choice(Box<Tree>, Box<Tree>, Box<Tree>),
}

/// A statement of a function with the parameters `a`, `b` and `c`.
#[derive(Clone, Debug)]
enum Step {
    Assign(usize, &'static str, Tree),
    If(Tree, Vec<Step>, Vec<Step>),
    Return(Tree),
}

const OPERATORS: [&str; 18] =
    ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "==", "!=", "<", "<=", ">", ">="];
const NAMES: [&str; 3] = ["a", "b", "c"];

fn apply(operator: &str, a: i32, b: i32) -> i32 {
    let truth = i32::from;
    match operator {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a.checked_div(b).unwrap_or(if b == 0 { 0 } else { a }),
        "%" => a.checked_rem(b).unwrap_or(if b == 0 { a } else { 0 }),
        "<<" => a.checked_shl(b as u32).unwrap_or(0),
        ">>" => a.checked_shr(b as u32).unwrap_or(if a < 0 { -1 } else { 0 }),
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "&&" => truth(a != 0 && b != 0),
        "||" => truth(a != 0 || b != 0),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<" => truth(a < b),
        "<=" => truth(a <= b),
        ">" => truth(a > b),
        ">=" => truth(a >= b),
        _ => unreachable!("{operator}"),
    }
}

fn value(tree: &Tree, variables: &[i32; 3]) -> i32 {
    match tree {
        Tree::Number(number) => *number,
        Tree::Variable(name) => variables[*name],
        Tree::Unary('-', a) => value(a, variables).wrapping_neg(),
        Tree::Unary('~', a) => !value(a, variables),
        Tree::Unary(_, a) => i32::from(value(a, variables) == 0),
        Tree::Binary(operator, a, b) => apply(operator, value(a, variables), value(b, variables)),
        Tree::Choice(a, b, c) => value(if value(a, variables) != 0 { b } else { c }, variables),
    }
}

/// Runs the statements. Returns the value of the `return` that is reached, if any.
fn run(steps: &[Step], variables: &mut [i32; 3]) -> Option<i32> {
    for step in steps {
        match step {
            Step::Assign(name, "", tree) => variables[*name] = value(tree, variables),
            Step::Assign(name, operator, tree) => {
                variables[*name] = apply(operator, variables[*name], value(tree, variables));
            }
            Step::If(condition, then, otherwise) => {
                let side = if value(condition, variables) != 0 { then } else { otherwise };
                if let Some(result) = run(side, variables) {
                    return Some(result);
                }
            }
            Step::Return(tree) => return Some(value(tree, variables)),
        }
    }
    None
}

fn text(tree: &Tree) -> String {
    match tree {
        Tree::Number(number) => format!("{number}"),
        Tree::Variable(name) => NAMES[*name].to_owned(),
        Tree::Unary(sign, a) => format!("{sign} ({})", text(a)),
        Tree::Binary(operator, a, b) => format!("({} {operator} {})", text(a), text(b)),
        Tree::Choice(a, b, c) => format!("({} ? {} : {})", text(a), text(b), text(c)),
    }
}

fn steps_text(steps: &[Step]) -> String {
    let step_text = |step: &Step| match step {
        Step::Assign(name, operator, tree) => format!("{} {operator}= {};", NAMES[*name], text(tree)),
        Step::If(condition, then, otherwise) => {
            format!("if ({}) {{ {} }} else {{ {} }}", text(condition), steps_text(then), steps_text(otherwise))
        }
        Step::Return(tree) => format!("return {};", text(tree)),
    };
    steps.iter().map(step_text).collect::<Vec<_>>().join("\n")
}

/// Numbers near the limits, where operators are most likely to differ.
fn number() -> impl Strategy<Value = i32> {
    prop_oneof![-3..40i32, any::<i32>(), Just(i32::MIN), Just(i32::MAX)]
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![number().prop_map(Tree::Number), (0..3usize).prop_map(Tree::Variable)];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let boxed = inner.prop_map(Box::new);
        prop_oneof![
            1 => (prop::sample::select(vec!['-', '~', '!']), boxed.clone()).prop_map(|(o, a)| Tree::Unary(o, a)),
            4 => (prop::sample::select(OPERATORS.to_vec()), boxed.clone(), boxed.clone())
                .prop_map(|(o, a, b)| Tree::Binary(o, a, b)),
            1 => (boxed.clone(), boxed.clone(), boxed).prop_map(|(a, b, c)| Tree::Choice(a, b, c)),
        ]
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let operators = vec!["", "", "", "+", "*", "<<", "%"];
    let assign = (0..3usize, prop::sample::select(operators), tree()).prop_map(|(n, o, t)| Step::Assign(n, o, t));
    let leaf = prop_oneof![3 => assign, 1 => tree().prop_map(Step::Return)];
    let list = leaf.prop_recursive(4, 24, 4, |inner| {
        let list = prop::collection::vec(inner, 0..4);
        (tree(), list.clone(), list).prop_map(|(c, a, b)| Step::If(c, a, b))
    });
    prop::collection::vec(list, 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: common::cases(300), ..ProptestConfig::default() })]

    #[test]
    fn expressions_evaluate_as_in_c(tree in tree(), fields in prop::array::uniform3(number())) {
        let [a, b, c] = fields;
        prop_assert_eq!(common::value_of(&text(&tree), a, b, c), value(&tree, &fields), "{}", text(&tree));
    }

    #[test]
    fn functions_return_as_in_c(steps in steps(), fields in prop::array::uniform3(number())) {
        let body = steps_text(&steps);
        let program = format!(
            "struct Packet {{ int x; int y; int z; int r; int once; }};
             int g(int a, int b, int c) {{ {body}\n return 77; }}
             void f(struct Packet p) {{ p.once = 1; p.r = p.x == p.x ? g(p.x, p.y, p.z) : g(1, 2, 3); }}"
        );
        let expected = run(&steps, &mut fields.clone()).unwrap_or(77);
        let [x, y, z] = fields;
        prop_assert_eq!(Run::new(&program).packet(&fields), vec![x, y, z, expected, 1], "{}", body);
    }
}
