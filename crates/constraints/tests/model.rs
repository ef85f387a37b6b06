//! Random constraints on random entries are decided as a plain reading of the language specification decides them, with
//! integers of any size.

mod common;

use std::cmp::Ordering;

use common::*;
use num_bigint::BigInt;
use proptest::prelude::*;
use runtime::Bits;
use runtime::tables::{FieldMatch, MatchKind};

/// A condition.
#[derive(Clone, Debug)]
enum Condition {
    Known(bool),
    Not(Box<Condition>),
    /// `&&`, `||`, `->` or `;`.
    Join(&'static str, Box<Condition>, Box<Condition>),
    /// `==` or `!=` of conditions.
    Same(&'static str, Box<Condition>, Box<Condition>),
    /// A relation of integers: numbers, `::priority` and lengths of prefixes, perhaps negated.
    Integers(Integer, &'static str, Integer),
    /// A relation of a field of a key with an integer.
    Field(usize, &'static str, &'static str, Integer),
    /// Whether a key is the match of one value; the second flag puts the value first.
    Key(usize, bool, bool, BigInt),
}

#[derive(Clone, Debug)]
enum Integer {
    Number(BigInt),
    Priority,
    PrefixLength(usize),
    Negative(Box<Integer>),
}

const RELATIONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];

fn integers() -> impl Strategy<Value = Integer> {
    let number = (any::<bool>(), prop_oneof![Just(0u32), 0u32..70, 0u32..140], any::<u128>()).prop_map(
        |(is_negative, bits, value)| {
            let number = BigInt::from(value) % (BigInt::from(1) << bits);
            Integer::Number(if is_negative { -number } else { number })
        },
    );
    let lengths = proptest::sample::select(vec![2usize, 4]).prop_map(Integer::PrefixLength);
    let leaf = prop_oneof![4 => number, 1 => Just(Integer::Priority), 1 => lengths];
    leaf.prop_recursive(2, 4, 1, |inside| inside.prop_map(|own| Integer::Negative(Box::new(own))))
}

/// The fields of the keys that are bits.
fn fields() -> Vec<(usize, &'static str)> {
    let of = |kind| match kind {
        MatchKind::Exact | MatchKind::Lpm => &["value"][..],
        MatchKind::Ternary | MatchKind::Optional => &["value", "mask"],
        MatchKind::Range => &["low", "high"],
    };
    KEYS.iter().enumerate().flat_map(|(at, (_, _, kind))| of(*kind).iter().map(move |field| (at, *field))).collect()
}

fn conditions() -> impl Strategy<Value = Condition> {
    let relation = || proptest::sample::select(&RELATIONS[..]);
    let leaf = prop_oneof![
        any::<bool>().prop_map(Condition::Known),
        (integers(), relation(), integers())
            .prop_map(|(left, relation, right)| Condition::Integers(left, relation, right)),
        (proptest::sample::select(fields()), relation(), integers())
            .prop_map(|((key, field), relation, right)| Condition::Field(key, field, relation, right)),
        (0..KEYS.len(), any::<bool>(), any::<bool>(), -3i64..4)
            .prop_map(|(key, is_equal, is_swapped, value)| Condition::Key(key, is_equal, is_swapped, value.into())),
    ];
    leaf.prop_recursive(5, 32, 2, |inside| {
        let joins = proptest::sample::select(&["&&", "||", "->", ";"][..]);
        let sames = proptest::sample::select(&["==", "!="][..]);
        prop_oneof![
            1 => inside.clone().prop_map(|own| Condition::Not(Box::new(own))),
            4 => (joins, inside.clone(), inside.clone())
                .prop_map(|(sign, left, right)| Condition::Join(sign, Box::new(left), Box::new(right))),
            1 => (sames, inside.clone(), inside)
                .prop_map(|(sign, left, right)| Condition::Same(sign, Box::new(left), Box::new(right))),
        ]
    })
}

/// Small values and ones near the ends, so that conditions hold and fail.
fn values(width: u32) -> impl Strategy<Value = Bits> {
    let any_value = any::<[u64; 2]>().prop_map(move |limbs| Bits::from_limbs(&limbs, width));
    let small = (0u64..4).prop_map(move |value| Bits::from_u64(value, width));
    let great = (0u64..4).prop_map(move |value| Bits::from_u64(value, width).complement(width));
    prop_oneof![small, great, any_value]
}

fn matches(width: u32, kind: MatchKind) -> BoxedStrategy<FieldMatch> {
    let exact = values(width).prop_map(FieldMatch::Exact);
    let given = match kind {
        MatchKind::Exact => return exact.boxed(),
        MatchKind::Optional => exact.boxed(),
        MatchKind::Lpm => (values(width), 1..=width)
            .prop_map(move |(value, length)| {
                let mask = Bits::ones(width).shift_left(&Bits::from_u64(u64::from(width - length), 64), width);
                FieldMatch::Prefix { value: value.and(&mask), length }
            })
            .boxed(),
        MatchKind::Ternary => (values(width), values(width))
            .prop_map(|(value, mask)| FieldMatch::Mask { value: value.and(&mask), mask })
            .boxed(),
        MatchKind::Range => (values(width), values(width))
            .prop_map(|(a, b)| FieldMatch::Range { low: a.clone().min(b.clone()), high: a.max(b) })
            .boxed(),
    };
    prop_oneof![1 => Just(FieldMatch::Any), 3 => given].boxed()
}

fn keys() -> impl Strategy<Value = Vec<FieldMatch>> {
    KEYS.iter().map(|&(_, width, kind)| matches(width, kind)).collect::<Vec<_>>()
}

impl Integer {
    fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Priority => "::priority".to_owned(),
            Self::PrefixLength(key) => format!("{}::prefix_length", KEYS[*key].0),
            Self::Negative(own) => format!("-{}", own.text()),
        }
    }

    fn value(&self, key: &[FieldMatch], priority: u32) -> BigInt {
        match self {
            Self::Number(number) => number.clone(),
            Self::Priority => priority.into(),
            Self::PrefixLength(at) => match key[*at] {
                FieldMatch::Prefix { length, .. } => length.into(),
                _ => 0.into(),
            },
            Self::Negative(own) => -own.value(key, priority),
        }
    }
}

impl Condition {
    fn text(&self) -> String {
        match self {
            Self::Known(answer) => answer.to_string(),
            Self::Not(own) => format!("!({})", own.text()),
            Self::Join(sign, left, right) => format!("({}) {sign} ({})", left.text(), right.text()),
            Self::Same(sign, left, right) => format!("({}) {sign} ({})", left.text(), right.text()),
            Self::Integers(left, relation, right) => format!("{} {relation} {}", left.text(), right.text()),
            Self::Field(key, field, relation, right) => {
                format!("{}::{field} {relation} {}", KEYS[*key].0, right.text())
            }
            Self::Key(key, is_equal, is_swapped, value) => {
                let (name, relation) = (KEYS[*key].0, if *is_equal { "==" } else { "!=" });
                if *is_swapped { format!("{value} {relation} {name}") } else { format!("{name} {relation} {value}") }
            }
        }
    }

    fn holds(&self, key: &[FieldMatch], priority: u32) -> bool {
        match self {
            Self::Known(answer) => *answer,
            Self::Not(own) => !own.holds(key, priority),
            Self::Join(sign, left, right) => {
                let (left, right) = (left.holds(key, priority), right.holds(key, priority));
                match *sign {
                    "||" => left || right,
                    "->" => !left || right,
                    _ => left && right,
                }
            }
            Self::Same(sign, left, right) => {
                (left.holds(key, priority) == right.holds(key, priority)) == (*sign == "==")
            }
            Self::Integers(left, relation, right) => {
                is_in(relation, left.value(key, priority).cmp(&right.value(key, priority)))
            }
            Self::Field(at, field, relation, right) => {
                let width = KEYS[*at].1;
                is_in(relation, part(&key[*at], field, width).cmp(&cut(right.value(key, priority), width)))
            }
            Self::Key(at, is_equal, _, value) => {
                let (_, width, kind) = KEYS[*at];
                let (value, own) = (cut(value.clone(), width), &key[*at]);
                let is_this = match kind {
                    MatchKind::Exact => part(own, "value", width) == value,
                    MatchKind::Ternary | MatchKind::Optional => {
                        part(own, "value", width) == value && part(own, "mask", width) == cut(BigInt::from(-1), width)
                    }
                    MatchKind::Lpm => {
                        let length = Integer::PrefixLength(*at).value(key, priority);
                        part(own, "value", width) == value && length == width.into()
                    }
                    MatchKind::Range => part(own, "low", width) == value && part(own, "high", width) == value,
                };
                is_this == *is_equal
            }
        }
    }
}

fn is_in(relation: &str, order: Ordering) -> bool {
    match relation {
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        _ => order.is_ge(),
    }
}

/// An integer modulo 2 to the power of the width.
fn cut(value: BigInt, width: u32) -> BigInt {
    let modulus = BigInt::from(1) << width;
    ((value % &modulus) + &modulus) % &modulus
}

fn big(bits: &Bits) -> BigInt {
    bits.limbs().iter().rev().fold(BigInt::from(0), |number, limb| (number << 64u32) + BigInt::from(*limb))
}

/// A field of a key's match.
fn part(own: &FieldMatch, field: &str, width: u32) -> BigInt {
    let ones = cut(BigInt::from(-1), width);
    match (own, field) {
        (FieldMatch::Exact(value), "value") => big(value),
        (FieldMatch::Exact(_), "mask") => ones,
        (FieldMatch::Prefix { value, .. } | FieldMatch::Mask { value, .. }, "value") => big(value),
        (FieldMatch::Mask { mask, .. }, "mask") => big(mask),
        (FieldMatch::Range { low, .. }, "low") => big(low),
        (FieldMatch::Range { high, .. }, "high") => big(high),
        (FieldMatch::Any, "high") => ones,
        (FieldMatch::Any, _) => BigInt::from(0),
        _ => panic!("{own} has no field {field}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// A constraint holds exactly if the specification says so, and a violation names a place inside of its text.
    #[test]
    fn constraints_mean_what_the_specification_says(
        condition in conditions(),
        key in keys(),
        priority in prop_oneof![0u32..4, any::<u32>()],
    ) {
        let text = condition.text();
        let constraints = restricted(&text);
        let answer = check(&constraints, &key, priority);
        prop_assert_eq!(answer.is_ok(), condition.holds(&key, priority), "{}", text);
        if let Err(violation) = answer {
            prop_assert!(text.contains(&violation.part), "{} in {}", violation.part, text);
        }
    }

    /// No text makes the reader panic, and what it finds lies in the text.
    #[test]
    fn any_text_is_read_or_refused(text in "[a-z0-9:;.()&|<>=!\\-'/* \n\u{e9}]{0,40}|(port|is_ip|::|mask|==|->|&&|;|!|-|1|true|\\(|\\)| ){0,24}") {
        let info = program(&[&format!("@entry_restriction(\"{text}\")")], &[]);
        let (constraints, found) = constraints::Constraints::read(&info);
        let has_errors = found.iter().any(|own| own.severity == diagnostics::Severity::Error);
        prop_assert_eq!(constraints.is_empty(), has_errors);
        for finding in found {
            let place = finding.place.expect("the annotation is right");
            prop_assert!(text.get(place).is_some());
        }
        let _ = check(&constraints, &open_key(), 0);
    }
}
