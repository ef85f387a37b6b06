//! Searches for a configuration that computes what the codelet computes on all samples.
//!
//! A relational unit is represented by the set of samples on which it holds, and an update by the set of samples on
//! which it is correct. A tree of units fits if every sample leads to an update that is correct for it.

mod bits;
mod by_sample;
mod candidates;

use bits::Bits;
use by_sample::BySample;
pub(crate) use candidates::Constants;

use crate::Template;
use crate::configuration::{Configuration, Test, Update};
use crate::samples::Columns;

/// The maximum number of units examined in all attempts at one template: ten times what any public program takes to be
/// mapped or refused, and less than a second.
pub(crate) const MOST_STEPS: u64 = 16_000_000;

/// The reason why no configuration was found.
pub(crate) enum Nothing {
    /// No configuration fits the samples.
    Fits,
    /// The bound on steps was reached.
    StepBound,
}

struct Search<'a> {
    tests: Vec<(Test, Bits)>,
    tests_by_sample: BySample,
    /// Joint updates of all states, with the samples on which they are correct.
    updates: Vec<(Vec<Update>, Bits)>,
    right: Right,
    /// The samples on which all states keep their values.
    kept: Bits,
    all: Bits,
    states: usize,
    steps: &'a mut u64,
}

/// A table of which updates are correct on which samples.
struct Right {
    updates: BySample,
    /// The samples, beginning with those on which the fewest updates are correct.
    by_rarity: Vec<usize>,
}

impl Right {
    fn new(count: usize, updates: &[(Vec<Update>, Bits)]) -> Self {
        let updates = BySample::new(count, updates.iter().map(|(_, matched)| matched));
        let mut by_rarity: Vec<usize> = (0..count).collect();
        by_rarity.sort_by_cached_key(|&sample| updates.count_on(sample));
        Self { updates, by_rarity }
    }

    /// Returns the sample of a region on which the fewest updates are correct.
    fn first_in(&self, region: &Bits) -> Option<usize> {
        self.by_rarity.iter().copied().find(|&sample| region.contains(sample))
    }
}

/// Searches for a configuration of `template` that is correct on all samples, and adds the number of examined units to
/// `steps`.
pub(crate) fn search(
    template: Template,
    columns: &Columns,
    constants: &Constants,
    steps: &mut u64,
) -> Result<Configuration, Nothing> {
    let count = columns.targets[0].len();
    let mut updates: Vec<(Vec<Update>, Bits)> = vec![(Vec::new(), Bits::where_(count, |_| true))];
    for number in 0..columns.states.len() {
        let each = candidates::updates(template, number, columns, constants);
        *steps += each.len() as u64;
        let mut joint = Vec::new();
        for (before, both) in &updates {
            for (update, matched) in &each {
                let matched = both.and(matched);
                // An update that is correct on no sample is useful only if there are no samples at all.
                if count == 0 || !matched.is_empty() {
                    joint.push((before.iter().copied().chain([*update]).collect(), matched));
                }
            }
        }
        updates = candidates::without_lesser(joint);
    }
    let kept = Bits::where_(count, |sample| {
        (0..columns.states.len()).all(|number| columns.states[number][sample] == columns.targets[number][sample])
    });
    let all = Bits::where_(count, |_| true);
    let right = Right::new(count, &updates);
    let mut search = Search {
        tests: Vec::new(),
        tests_by_sample: BySample::new(count, [].iter()),
        updates,
        right,
        kept,
        all,
        states: columns.states.len(),
        steps,
    };
    search.offer(candidates::constant_tests(count));
    if let Some(update) = search.single(&search.all) {
        let whole = search.update(update);
        return Ok(search.filled(template, whole));
    }
    if matches!(template, Template::ReadWrite | Template::ReadAddWrite | Template::MultiplyAccumulate) {
        return Err(Nothing::Fits);
    }
    search.offer(candidates::tests(template, columns, constants));
    search.step(search.tests.len())?;
    match template {
        Template::PredicatedReadAddWrite => search.predicated(),
        Template::NestedIfs => search.nested(),
        Template::Pair => search.pair(),
        _ => {
            let all = search.all.clone();
            search.split(&all)?.ok_or(Nothing::Fits)
        }
    }
}

impl Search<'_> {
    fn step(&mut self, count: usize) -> Result<(), Nothing> {
        *self.steps += count as u64;
        if *self.steps > MOST_STEPS { Err(Nothing::StepBound) } else { Ok(()) }
    }

    fn offer(&mut self, tests: Vec<(Test, Bits)>) {
        let count = self.right.by_rarity.len();
        self.tests_by_sample = BySample::new(count, tests.iter().map(|(_, holds)| holds));
        self.tests = tests;
    }

    /// Returns an update that is correct on a whole region, if there is one.
    fn single(&self, region: &Bits) -> Option<usize> {
        self.right.updates.first_on_all(region)
    }

    fn update(&self, number: usize) -> Configuration {
        Configuration::Update(self.updates[number].0.clone())
    }

    fn keep(&self) -> Configuration {
        Configuration::Update(vec![Update::Keep; self.states])
    }

    /// Returns a configuration with a test that always holds.
    fn either_way(&self, then: Configuration, otherwise: Configuration) -> Configuration {
        Configuration::If(self.tests[0].0, Box::new(then), Box::new(otherwise))
    }

    /// Extends a single update that is correct on all samples to the shape of the template.
    fn filled(&self, template: Template, whole: Configuration) -> Configuration {
        let both = |side: Configuration| self.either_way(side.clone(), side);
        match template {
            Template::ReadWrite | Template::ReadAddWrite | Template::MultiplyAccumulate => whole,
            Template::PredicatedReadAddWrite => self.either_way(whole, self.keep()),
            Template::IfElseReadAddWrite | Template::Subtract => both(whole),
            Template::NestedIfs => both(both(whole)),
            Template::Pair => {
                let inner = both(whole);
                self.either_way(inner.clone(), self.either_way(inner, self.keep()))
            }
        }
    }

    /// Returns pairs of updates such that on every sample of a region at least one of the two is correct.
    fn covers(&mut self, region: &Bits) -> Result<Vec<(usize, usize)>, Nothing> {
        let mut pairs = Vec::new();
        // One of the two must be correct on the sample on which the fewest updates are.
        let Some(rarest) = self.right.first_in(region) else { return Ok(pairs) };
        for first in self.right.updates.on(rarest) {
            let rest = region.without(&self.updates[first].1);
            self.step(1)?;
            let Some(rarest) = self.right.first_in(&rest) else { continue };
            self.step(self.right.updates.count_on(rarest))?;
            let others = self.right.updates.on_all(&rest).into_iter();
            pairs.extend(others.map(|other| (first.min(other), first.max(other))));
        }
        pairs.sort_unstable();
        pairs.dedup();
        Ok(pairs)
    }

    /// Searches for a relational unit with an update on either side that together are correct on a region.
    fn split(&mut self, region: &Bits) -> Result<Option<Configuration>, Nothing> {
        if let Some(update) = self.single(region) {
            let update = self.update(update);
            return Ok(Some(self.either_way(update.clone(), update)));
        }
        for (first, second) in self.covers(region)? {
            let only = |this: usize, other: usize| region.without(&self.updates[other].1).and(&self.updates[this].1);
            let (only_first, only_second) = (only(first, second), only(second, first));
            // The unit must hold where only the first update is correct, and must not where only the second is.
            let tests = &self.tests_by_sample;
            let as_they_are = tests.first_between(&only_first, &only_second).map(|test| (test, first, second));
            let exchanged = tests.first_between(&only_second, &only_first).map(|test| (test, second, first));
            let found = match (as_they_are, exchanged) {
                (Some(one), Some(other)) if other.0 < one.0 => Some(other),
                (one, other) => one.or(other),
            };
            self.step(found.map_or(self.tests.len(), |(number, ..)| number))?;
            if let Some((test, then, otherwise)) = found {
                let (then, otherwise) = (self.update(then), self.update(otherwise));
                return Ok(Some(Configuration::If(self.tests[test].0, Box::new(then), Box::new(otherwise))));
            }
        }
        Ok(None)
    }

    fn predicated(&mut self) -> Result<Configuration, Nothing> {
        let must = self.all.without(&self.kept);
        for number in 0..self.tests.len() {
            self.step(1)?;
            let (test, holds) = &self.tests[number];
            if must.is_in(holds)
                && let Some(update) = self.single(holds)
            {
                return Ok(Configuration::If(*test, Box::new(self.update(update)), Box::new(self.keep())));
            }
        }
        Err(Nothing::Fits)
    }

    /// Searches for two levels of tests: first with one test that is enough by itself, then with each as the outer one.
    fn nested(&mut self) -> Result<Configuration, Nothing> {
        let all = self.all.clone();
        if let Some(Configuration::If(test, then, otherwise)) = self.split(&all)? {
            let both = |side: &Configuration| self.either_way(side.clone(), side.clone());
            return Ok(Configuration::If(test, Box::new(both(&then)), Box::new(both(&otherwise))));
        }
        for number in 0..self.tests.len() {
            self.step(1)?;
            let (test, holds) = self.tests[number].clone();
            let outside = self.all.without(&holds);
            // First check what is cheaper: is there any update or pair of updates for the other side?
            if self.single(&outside).is_none() && self.covers(&outside)?.is_empty() {
                continue;
            }
            if let Some(then) = self.split(&holds)?
                && let Some(otherwise) = self.split(&outside)?
            {
                return Ok(Configuration::If(test, Box::new(then), Box::new(otherwise)));
            }
        }
        Err(Nothing::Fits)
    }

    fn pair(&mut self) -> Result<Configuration, Nothing> {
        let all = self.all.clone();
        if let Some(Configuration::If(test, then, otherwise)) = self.split(&all)? {
            let both = |side: &Configuration| self.either_way(side.clone(), side.clone());
            let otherwise = self.either_way(both(&otherwise), self.keep());
            return Ok(Configuration::If(test, Box::new(both(&then)), Box::new(otherwise)));
        }
        for number in 0..self.tests.len() {
            self.step(1)?;
            let (test, holds) = self.tests[number].clone();
            let Some(then) = self.split(&holds)? else { continue };
            let outside = self.all.without(&holds);
            let must = outside.without(&self.kept);
            for second in 0..self.tests.len() {
                self.step(1)?;
                if !must.is_in(&self.tests[second].1) {
                    continue;
                }
                let (second, holds) = self.tests[second].clone();
                if let Some(inner) = self.split(&outside.and(&holds))? {
                    let otherwise = Configuration::If(second, Box::new(inner), Box::new(self.keep()));
                    return Ok(Configuration::If(test, Box::new(then), Box::new(otherwise)));
                }
            }
        }
        Err(Nothing::Fits)
    }
}
