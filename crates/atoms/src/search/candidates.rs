//! The candidates of a template: all relational units with the samples on which they hold, and all updates with the
//! samples on which they are correct.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::bits::Bits;
use crate::Template;
use crate::configuration::{Relation, Source, Test, Update};
use crate::samples::Columns;
use crate::word::Word;

/// The number of the most common differences between the target and a sum that are tried as its constant.
const COMMON_DIFFERENCES: usize = 6;
/// The maximum number of constants that are combined with each other.
const MOST_COMBINED: usize = 12;

/// The constants to try, in order: those of the codelet, then others derived from them.
pub(crate) struct Constants {
    /// The constants for updates.
    pub updates: Vec<i64>,
    /// The constants for comparisons.
    pub compared: Vec<i64>,
}

impl Constants {
    /// Derives the constants to try from the codelet's own. `wide` adds sums and differences of two of them, for
    /// comparisons and updates that were rearranged.
    pub(crate) fn new(own: &BTreeSet<i64>, wide: bool, word: Word) -> Self {
        let near = |value: i64| [value, value.wrapping_add(1), value.wrapping_sub(1)];
        let mut updates = vec![0];
        updates.extend(own);
        updates.extend(own.iter().map(|value| value.wrapping_neg()));
        let mut compared = vec![0, 1, -1];
        compared.extend(own);
        compared.extend(own.iter().flat_map(|&value| near(value)));
        if wide {
            compared.extend(own.iter().flat_map(|&value| near(value.wrapping_neg())));
            // This is quadratic, so only a few are combined; a codelet with many constants fits no atom anyway.
            let few: Vec<i64> = own.iter().copied().take(MOST_COMBINED).collect();
            for (place, &a) in few.iter().enumerate() {
                for &b in &few[place..] {
                    let combined = [a.wrapping_sub(b), b.wrapping_sub(a), a.wrapping_add(b)];
                    updates.extend(combined.into_iter().chain([combined[2].wrapping_neg()]));
                    compared.extend(combined.into_iter().flat_map(near));
                    compared.extend(near(combined[2].wrapping_neg()));
                }
            }
        }
        for all in [&mut updates, &mut compared] {
            let mut seen = HashSet::new();
            all.iter_mut().for_each(|value| *value = word.wrap(*value));
            all.retain(|value| seen.insert(*value));
        }
        Self { updates, compared }
    }
}

/// Returns the test that always holds and the one that never holds.
pub(super) fn constant_tests(count: usize) -> Vec<(Test, Bits)> {
    let never = Test { state: None, plus: None, minus: None, exact: false, relation: Relation::NotEqual, with: ZERO };
    let always = Test { relation: Relation::Equal, ..never };
    vec![(always, Bits::where_(count, |_| true)), (never, Bits::where_(count, |_| false))]
}

/// Returns the relational units of a template, one for each set of samples that can be distinguished. The constant ones
/// come first.
pub(super) fn tests(template: Template, columns: &Columns, constants: &Constants) -> Vec<(Test, Bits)> {
    let count = columns.targets[0].len();
    let mut found = Found { seen: HashSet::new(), tests: Vec::new(), word: columns.word };
    for (test, holds) in constant_tests(count) {
        found.add(test, holds);
    }
    let states: Vec<Option<u8>> = (0..columns.states.len() as u8).map(Some).chain([None]).collect();
    for state in states {
        if template.compares_sums() {
            sums(&mut found, state, columns, constants);
        } else {
            plain(&mut found, state, columns, constants);
        }
    }
    found.tests
}

const ZERO: Source = Source::Constant(0);

struct Found {
    seen: HashSet<Bits>,
    tests: Vec<(Test, Bits)>,
    word: Word,
}

impl Found {
    fn add(&mut self, test: Test, holds: Bits) {
        if self.seen.insert(holds.clone()) {
            self.tests.push((test, holds));
        }
    }

    /// Adds all four comparisons of a column with another one or with a constant.
    fn relations(&mut self, test: Test, left: &[i64], right: &dyn Fn(usize) -> i64) {
        for relation in Relation::ALL {
            let word = self.word;
            let holds = Bits::where_(left.len(), |sample| {
                let (a, b) = (word.in_order(left[sample]), word.in_order(right(sample)));
                match relation {
                    Relation::Equal => a == b,
                    Relation::NotEqual => a != b,
                    Relation::Less => a < b,
                    Relation::Greater => a > b,
                }
            });
            self.add(Test { relation, ..test }, holds);
        }
    }
}

/// Adds tests of the form `rel(state or 0, operand or constant)`.
fn plain(found: &mut Found, state: Option<u8>, columns: &Columns, constants: &Constants) {
    let count = columns.targets[0].len();
    let left: Vec<i64> = (0..count).map(|sample| old(state, columns, sample)).collect();
    let blank = Test { state, plus: None, minus: None, exact: false, relation: Relation::Equal, with: ZERO };
    for (number, operand) in columns.operands.iter().enumerate() {
        let test = Test { with: Source::Operand(number as u8), ..blank };
        found.relations(test, &left, &|sample| operand[sample]);
    }
    if state.is_some() {
        for &constant in &constants.compared {
            let test = Test { with: Source::Constant(constant), ..blank };
            found.relations(test, &left, &|_| constant);
        }
    }
}

/// Adds tests of the form `rel((state or 0) + (operand or 0) - (operand or 0), constant)`.
fn sums(found: &mut Found, state: Option<u8>, columns: &Columns, constants: &Constants) {
    let count = columns.targets[0].len();
    let choices: Vec<Option<u8>> = [None].into_iter().chain((0..columns.operands.len() as u8).map(Some)).collect();
    let operand =
        |choice: Option<u8>, sample: usize| choice.map_or(0, |number| columns.operands[usize::from(number)][sample]);
    for &plus in &choices {
        for &minus in &choices {
            let terms = [state, plus, minus].iter().flatten().count();
            // `a - a` is 0, which is already covered.
            if terms == 0 || (plus == minus && plus.is_some()) {
                continue;
            }
            let may_wrap = (terms > 1 || minus.is_some()) && columns.word.has_guard_bits();
            for exact in [false, true].into_iter().filter(|&exact| may_wrap || !exact) {
                let left: Vec<i64> = (0..count)
                    .map(|sample| {
                        let raised = old(state, columns, sample).wrapping_add(operand(plus, sample));
                        let sum = raised.wrapping_sub(operand(minus, sample));
                        if exact { sum } else { columns.word.wrap(sum) }
                    })
                    .collect();
                for &constant in &constants.compared {
                    let with = Source::Constant(constant);
                    let test = Test { state, plus, minus, exact, relation: Relation::Equal, with };
                    found.relations(test, &left, &|_| constant);
                }
            }
        }
    }
}

fn old(state: Option<u8>, columns: &Columns, sample: usize) -> i64 {
    state.map_or(0, |number| columns.states[usize::from(number)][sample])
}

/// Returns the updates of a template that are correct on some sample, with these samples, but none whose samples are
/// all among those of another update.
pub(super) fn updates(
    template: Template,
    number: usize,
    columns: &Columns,
    constants: &Constants,
) -> Vec<(Update, Bits)> {
    let mut all = Vec::new();
    let mut add = |update: Update| {
        let count = columns.targets[number].len();
        let matched =
            Bits::where_(count, |sample| apply(update, number, columns, sample) == columns.targets[number][sample]);
        // Without samples all candidates are equal, and any of them yields a first counterexample.
        if count == 0 || !matched.is_empty() {
            all.push((update, matched));
        }
    };
    let operands: Vec<u8> = (0..columns.operands.len() as u8).collect();
    for keep in [true, false].into_iter().filter(|&keep| !keep || template != Template::ReadWrite) {
        if template == Template::MultiplyAccumulate {
            for &addend in &operands {
                let factors = operands.iter().map(|&factor| Source::Operand(factor));
                for factor in factors.chain(constants.updates.iter().map(|&constant| Source::Constant(constant))) {
                    add(Update::MultiplyAdd { keep, factor, addend });
                }
            }
            continue;
        }
        for base in bases(template, keep, &operands) {
            match base {
                Base::Fixed(update) => add(update),
                Base::Constant(with) => {
                    for constant in tried(|constant| with(constant, keep), number, columns, constants) {
                        add(with(constant, keep));
                    }
                }
                Base::OperandAndConstant(with, operand) => {
                    for constant in tried(|constant| with(operand, constant, keep), number, columns, constants) {
                        add(with(operand, constant, keep));
                    }
                }
            }
        }
    }
    without_lesser(all)
}

enum Base {
    Fixed(Update),
    Constant(fn(i64, bool) -> Update),
    OperandAndConstant(fn(u8, i64, bool) -> Update, u8),
}

/// Returns the sums that a template's update can compute, the simple ones first.
fn bases(template: Template, keep: bool, operands: &[u8]) -> Vec<Base> {
    let operand = Source::Operand;
    let constant = |constant, keep| Update::Add { keep, first: Source::Constant(constant), second: None };
    let mut bases = vec![Base::Constant(constant)];
    bases.extend(operands.iter().map(|&a| Base::Fixed(Update::Add { keep, first: operand(a), second: None })));
    if !template.adds_two_sources() {
        return bases;
    }
    for &a in operands {
        for &b in operands {
            let two = |subtract| Update::Add { keep, first: operand(a), second: Some((subtract, operand(b))) };
            bases.extend((a <= b).then(|| Base::Fixed(two(false))));
            bases.extend((a != b).then(|| Base::Fixed(two(true))));
        }
        bases.push(Base::OperandAndConstant(
            |a, constant, keep| {
                let second = Some((false, Source::Constant(constant)));
                Update::Add { keep, first: Source::Operand(a), second }
            },
            a,
        ));
        bases.push(Base::OperandAndConstant(
            |a, constant, keep| {
                let second = Some((true, Source::Operand(a)));
                Update::Add { keep, first: Source::Constant(constant), second }
            },
            a,
        ));
    }
    bases
}

/// Returns the constants to try in an update: the codelet's own, and those that make it correct on the most samples.
fn tried(with: impl Fn(i64) -> Update, number: usize, columns: &Columns, constants: &Constants) -> Vec<i64> {
    let mut tried = constants.updates.clone();
    let mut differences: BTreeMap<i64, usize> = BTreeMap::new();
    for sample in 0..columns.targets[number].len() {
        let without = apply(with(0), number, columns, sample);
        let difference = columns.word.wrap(columns.targets[number][sample].wrapping_sub(without));
        *differences.entry(difference).or_default() += 1;
    }
    let mut common: Vec<(i64, usize)> = differences.into_iter().filter(|&(_, times)| times > 1).collect();
    common.sort_by_key(|&(_, times)| std::cmp::Reverse(times));
    tried.extend(common.iter().take(COMMON_DIFFERENCES).map(|&(difference, _)| difference));
    let mut seen = HashSet::new();
    tried.retain(|value| seen.insert(*value));
    tried
}

fn apply(update: Update, number: usize, columns: &Columns, sample: usize) -> i64 {
    let state = columns.states[number][sample];
    let value = |source| match source {
        Source::Operand(operand) => columns.operands[usize::from(operand)][sample],
        Source::Constant(constant) => constant,
    };
    let wrap = |number| columns.word.wrap(number);
    match update {
        Update::Keep => state,
        Update::Add { keep, first, second } => {
            let addend = match second {
                None => value(first),
                Some((false, second)) => value(first).wrapping_add(value(second)),
                Some((true, second)) => value(first).wrapping_sub(value(second)),
            };
            wrap(if keep { state.wrapping_add(addend) } else { addend })
        }
        Update::MultiplyAdd { keep, factor, addend } => {
            let product = if keep { state.wrapping_mul(value(factor)) } else { 0 };
            wrap(product.wrapping_add(value(Source::Operand(addend))))
        }
    }
}

/// Removes every candidate whose samples are all among those of one that is kept. Of equal ones the first is kept.
pub(super) fn without_lesser<T>(all: Vec<(T, Bits)>) -> Vec<(T, Bits)> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    // The largest come first, so that each has to be compared only with those kept so far.
    order.sort_by_key(|&candidate| std::cmp::Reverse(all[candidate].1.count()));
    let mut kept: Vec<usize> = Vec::new();
    for candidate in order {
        if !kept.iter().any(|&greater| all[candidate].1.is_in(&all[greater].1)) {
            kept.push(candidate);
        }
    }
    let mut keeps = vec![false; all.len()];
    kept.into_iter().for_each(|candidate| keeps[candidate] = true);
    all.into_iter().zip(keeps).filter(|(_, keep)| *keep).map(|(candidate, _)| candidate).collect()
}
