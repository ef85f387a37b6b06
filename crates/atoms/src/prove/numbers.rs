//! Values as integer polynomials in a normal form, so that equal sums are recognised without any search.
//!
//! A word stands for the number that its type assigns to its bits. Sums and constant multiples that cannot overflow
//! their type are plain polynomials; those that can are a `Wrapped` unknown around the polynomial, reduced modulo the
//! type's width. The results of all other operations are unknowns of their own.

use std::collections::{BTreeMap, HashMap};

use ir::{BinaryOperator, Type, VariableId};
use runtime::hash::HashFunction;

use super::trees::Tree;

/// A polynomial, by its index in [`Numbers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Number(u32);

/// An unknown of polynomials, by its index in [`Numbers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Unknown(u32);

/// The meaning of an unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Meaning {
    /// A free variable.
    Variable(VariableId),
    /// A polynomial modulo the type's width.
    Wrapped(Type, Number),
    /// A product of unknowns, about which nothing else is known.
    Product(Vec<Unknown>),
    /// A bitwise operation, or a right shift by a constant.
    Bitwise(BinaryOperator, Type, Tree, Tree),
    /// The result of an operation, of which only the operands are known.
    Result(Operation, Vec<Tree>),
    /// A value about which nothing is known, not even when it equals another.
    Fresh(usize),
}

/// An operation of which only one thing is known: equal operands give equal results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Hash(HashFunction),
    Binary(BinaryOperator, Type),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Polynomial {
    pub constant: i128,
    /// The unknowns, sorted, with their coefficients, none of which is zero.
    pub terms: Vec<(Unknown, i128)>,
}

/// The least and the greatest possible value.
pub(super) type Range = (i128, i128);

/// The maximum magnitude of a polynomial's value: far beyond every type, and far below the limits of `i128`.
const FAR: i128 = 1 << 100;
/// The maximum number of terms of a polynomial.
const MOST_TERMS: usize = 64;

#[derive(Default)]
pub(super) struct Numbers {
    polynomials: Vec<(Polynomial, Range)>,
    numbers: HashMap<Polynomial, Number>,
    unknowns: Vec<(Meaning, Range)>,
    meanings: HashMap<Meaning, Unknown>,
}

/// Returns the range of values of a type.
pub(super) fn range_of(ty: Type) -> Range {
    let width = ty.width();
    if ty.is_signed() { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}

fn within(inner: Range, outer: Range) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

impl Numbers {
    pub(super) fn polynomial(&self, number: Number) -> &Polynomial {
        &self.polynomials[number.0 as usize].0
    }

    pub(super) fn range(&self, number: Number) -> Range {
        self.polynomials[number.0 as usize].1
    }

    pub(super) fn meaning(&self, unknown: Unknown) -> (&Meaning, Range) {
        let (meaning, range) = &self.unknowns[unknown.0 as usize];
        (meaning, *range)
    }

    fn intern(&mut self, polynomial: Polynomial) -> Option<Number> {
        if let Some(&number) = self.numbers.get(&polynomial) {
            return Some(number);
        }
        if polynomial.terms.len() > MOST_TERMS {
            return None;
        }
        let (mut low, mut high) = (polynomial.constant, polynomial.constant);
        for &(unknown, factor) in &polynomial.terms {
            let (least, greatest) = self.unknowns[unknown.0 as usize].1;
            let (a, b) = (least.checked_mul(factor)?, greatest.checked_mul(factor)?);
            low = low.checked_add(a.min(b))?;
            high = high.checked_add(a.max(b))?;
        }
        if !within((low, high), (-FAR, FAR)) {
            return None;
        }
        let number = Number(self.polynomials.len() as u32);
        self.polynomials.push((polynomial.clone(), (low, high)));
        self.numbers.insert(polynomial, number);
        Some(number)
    }

    /// Returns the polynomial of a constant of at most 64 bits.
    pub(super) fn constant(&mut self, constant: i128) -> Number {
        self.intern(Polynomial { constant, terms: Vec::new() }).expect("a constant of 64 bits is not far")
    }

    /// Returns the polynomial that is a single unknown, which is the same for the same meaning.
    pub(super) fn unknown(&mut self, meaning: Meaning, range: Range) -> Number {
        let unknown = match self.meanings.get(&meaning) {
            Some(&unknown) => unknown,
            None => {
                let unknown = Unknown(self.unknowns.len() as u32);
                self.unknowns.push((meaning.clone(), range));
                self.meanings.insert(meaning, unknown);
                unknown
            }
        };
        let alone = Polynomial { constant: 0, terms: vec![(unknown, 1)] };
        self.intern(alone).expect("an unknown has 64 bits, or a product's range was looked at")
    }

    /// Returns a new unknown value in a range.
    pub(super) fn fresh(&mut self, range: Range) -> Number {
        self.unknown(Meaning::Fresh(self.unknowns.len()), range)
    }

    /// Returns true if all possible values of a number are in the range of a type.
    pub(super) fn fits(&self, number: Number, ty: Type) -> bool {
        within(self.range(number), range_of(ty))
    }

    /// Returns `a * factor_a + b * factor_b + constant`, if it can be represented.
    pub(super) fn combine(
        &mut self,
        (a, factor_a): (Number, i128),
        (b, factor_b): (Number, i128),
        constant: i128,
    ) -> Option<Number> {
        let (a, b) = (self.polynomial(a), self.polynomial(b));
        let mut terms: BTreeMap<Unknown, i128> = BTreeMap::new();
        for (polynomial, by) in [(a, factor_a), (b, factor_b)] {
            for &(unknown, factor) in &polynomial.terms {
                let sum = terms.entry(unknown).or_default();
                *sum = sum.checked_add(factor.checked_mul(by)?)?;
            }
        }
        let constant =
            a.constant.checked_mul(factor_a)?.checked_add(b.constant.checked_mul(factor_b)?)?.checked_add(constant)?;
        self.intern(Polynomial { constant, terms: terms.into_iter().filter(|&(_, factor)| factor != 0).collect() })
    }

    /// Returns `a * b`, if it can be represented.
    pub(super) fn multiply(&mut self, a: Number, b: Number) -> Option<Number> {
        let (a, b) = (self.polynomial(a).clone(), self.polynomial(b).clone());
        let mut result = self.constant(0);
        let factors = |polynomial: &Polynomial| {
            let terms = polynomial.terms.iter().map(|&(unknown, factor)| (Some(unknown), factor));
            terms.chain([(None, polynomial.constant)]).collect::<Vec<_>>()
        };
        for (left, factor_a) in factors(&a) {
            for (right, factor_b) in factors(&b) {
                let factor = factor_a.checked_mul(factor_b)?;
                let product = match (left, right) {
                    (None, None) => self.constant(1),
                    (Some(unknown), None) | (None, Some(unknown)) => self.product(vec![unknown])?,
                    (Some(left), Some(right)) => self.product(vec![left, right])?,
                };
                result = self.combine((result, 1), (product, factor), 0)?;
            }
        }
        Some(result)
    }

    fn product(&mut self, factors: Vec<Unknown>) -> Option<Number> {
        let mut all = Vec::new();
        for factor in factors {
            match self.meaning(factor).0 {
                Meaning::Product(inner) => all.extend(inner),
                _ => all.push(factor),
            }
        }
        all.sort();
        if let [alone] = all[..] {
            return self.intern(Polynomial { constant: 0, terms: vec![(alone, 1)] });
        }
        let mut range: Range = (1, 1);
        for &factor in &all {
            let (low, high) = self.meaning(factor).1;
            let mut corners = [0; 4];
            for (corner, (a, b)) in
                corners.iter_mut().zip([(range.0, low), (range.0, high), (range.1, low), (range.1, high)])
            {
                *corner = a.checked_mul(b)?;
            }
            let [a, b, c, d] = corners;
            range = (a.min(b).min(c).min(d), a.max(b).max(c).max(d));
        }
        within(range, (-FAR, FAR)).then(|| self.unknown(Meaning::Product(all), range))
    }

    /// Returns a polynomial that is equal modulo 2 to the power `width`, with wrapped unknowns expanded and
    /// coefficients reduced.
    pub(super) fn reduce(&mut self, number: Number, width: u32) -> Number {
        let modulus = 1i128 << width;
        let cut = |value: i128| {
            let low = value.rem_euclid(modulus);
            if low >= modulus / 2 { low - modulus } else { low }
        };
        let mut terms: BTreeMap<Unknown, i128> = BTreeMap::new();
        let mut constant = 0;
        let mut waiting = vec![(number, 1i128)];
        while let Some((number, by)) = waiting.pop() {
            let polynomial = self.polynomial(number);
            // Both factors are at most 2^63 in magnitude after `cut`, so the product does not overflow.
            constant = cut(constant + cut(cut(polynomial.constant) * by));
            for &(unknown, factor) in &polynomial.terms {
                let factor = cut(cut(factor) * by);
                match *self.meaning(unknown).0 {
                    Meaning::Wrapped(ty, inner) if ty.width() >= width => waiting.push((inner, factor)),
                    _ => {
                        let sum = terms.entry(unknown).or_default();
                        *sum = cut(*sum + factor);
                    }
                }
            }
        }
        let reduced = Polynomial { constant, terms: terms.into_iter().filter(|&(_, factor)| factor != 0).collect() };
        self.intern(reduced).unwrap_or(number)
    }

    /// Truncates a number to a type.
    pub(super) fn wrap(&mut self, number: Number, ty: Type) -> Number {
        if self.fits(number, ty) {
            return number;
        }
        let reduced = self.reduce(number, ty.width());
        let Polynomial { constant, terms } = self.polynomial(reduced);
        if terms.is_empty() {
            let value = ty.number(ty.value_of(*constant as i64));
            return self.constant(value);
        }
        if self.fits(reduced, ty) {
            return reduced;
        }
        self.unknown(Meaning::Wrapped(ty, reduced), range_of(ty))
    }
}
