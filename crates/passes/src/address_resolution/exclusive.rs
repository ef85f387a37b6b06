//! Finds pairs of updates of state of which no packet needs both.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use ir::Program;

use crate::functions::Function;
use crate::predicates::Predicates;
use crate::resolvability::Resolvability;
use crate::units::{self, Unit};

/// The units whose predicates are known before any state is accessed, and which of these predicates exclude each other.
///
/// A pair is examined only on demand: of thousands of updates, few are ever candidates for the same stage.
pub(super) struct Exclusive {
    /// The predicate of each unit; `None` if it accesses no state, or if its predicate is not known early.
    predicate_of: Vec<Option<Function>>,
    /// For each unit, whether some other unit is known to exclude it.
    has_any: Vec<bool>,
    predicates: RefCell<Predicates>,
    /// The pairs examined so far, the lesser function first. Never iterated, so that its order decides nothing.
    known: RefCell<HashMap<(Function, Function), bool>>,
}

/// The number of predicates with the same subject, before and after each one, among which one that excludes it is
/// searched: the predicates of a branch are created one after the other. A predicate for which none is found counts as
/// excluded by nothing, which merely costs its unit a stage of its own.
const FURTHEST: usize = 128;

impl Exclusive {
    pub(super) fn of(program: &Program, units: &[Unit], known: &Resolvability) -> Self {
        let predicates = Predicates::of(&units::as_program(program, units));
        let early = |unit: &Unit| {
            let predicate = unit.predicate().filter(|predicate| known.is_known(predicate))?;
            Some(predicates.operand(predicate))
        };
        let predicate_of: Vec<Option<Function>> = units.iter().map(early).collect();
        let has_any = vec![false; units.len()];
        let mut exclusive =
            Self { predicate_of, has_any, predicates: RefCell::new(predicates), known: RefCell::default() };
        let partners = exclusive.partners();
        exclusive.has_any = exclusive
            .predicate_of
            .iter()
            .map(|predicate| predicate.is_some_and(|predicate| partners.get(&predicate) == Some(&true)))
            .collect();
        exclusive
    }

    /// Returns true if no packet needs both units.
    pub(super) fn exclude(&self, a: usize, b: usize) -> bool {
        match (self.predicate_of[a], self.predicate_of[b]) {
            (Some(in_a), Some(in_b)) => self.has_any[a] && self.has_any[b] && self.never_both(in_a, in_b),
            _ => false,
        }
    }

    /// Returns true if some other unit is known to exclude this one.
    pub(super) fn has_any(&self, unit: usize) -> bool {
        self.has_any[unit]
    }

    /// Returns, for each distinct predicate, whether another one excludes it. Only predicates with a subject in common
    /// can exclude each other.
    fn partners(&self) -> BTreeMap<Function, bool> {
        let mut found: BTreeMap<Function, bool> =
            self.predicate_of.iter().flatten().map(|&predicate| (predicate, false)).collect();
        let mut by_subject: BTreeMap<u32, Vec<Function>> = BTreeMap::new();
        let subjects = |predicate| self.predicates.borrow().subjects(predicate);
        for &predicate in found.keys() {
            for subject in subjects(predicate) {
                by_subject.entry(subject).or_default().push(predicate);
            }
        }
        for predicates in by_subject.values() {
            for (place, &predicate) in predicates.iter().enumerate() {
                if found[&predicate] {
                    continue;
                }
                let near = &predicates[place.saturating_sub(FURTHEST)..predicates.len().min(place + 1 + FURTHEST)];
                let excludes = |&&other: &&Function| self.predicates.borrow_mut().exclude(predicate, other);
                if let Some(&other) = near.iter().find(excludes) {
                    found.insert(predicate, true);
                    found.insert(other, true);
                }
            }
        }
        found
    }

    fn never_both(&self, a: Function, b: Function) -> bool {
        let pair = (a.min(b), a.max(b));
        if let Some(&known) = self.known.borrow().get(&pair) {
            return known;
        }
        let never = self.predicates.borrow_mut().exclude(pair.0, pair.1);
        self.known.borrow_mut().insert(pair, never);
        never
    }
}
