//! Names for variables that have none of their own in the IR, where all variables share one space of names.

use std::collections::{BTreeMap, BTreeSet};

/// The names that are taken.
pub(super) struct Names {
    taken: BTreeSet<String>,
    /// For each name that was wanted again, the number that it got last.
    numbers: BTreeMap<String, u32>,
}

impl Names {
    pub fn new(taken: impl Iterator<Item = String>) -> Self {
        Self { taken: taken.collect(), numbers: BTreeMap::new() }
    }

    /// The name itself if it is free, else with a number.
    pub fn unique(&mut self, wanted: &str) -> String {
        if self.taken.insert(wanted.to_owned()) {
            return wanted.to_owned();
        }
        let number = self.numbers.entry(wanted.to_owned()).or_insert(0);
        loop {
            *number += 1;
            let name = format!("{wanted}.{number}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}
