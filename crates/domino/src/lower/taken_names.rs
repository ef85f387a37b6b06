//! Unique names for variables. In the IR, all variables share one name space.

use std::collections::{BTreeMap, BTreeSet};

/// The set of names that are taken.
pub(super) struct TakenNames {
    taken: BTreeSet<String>,
    /// For each name requested more than once, the number it was given last.
    numbers: BTreeMap<String, u32>,
}

impl TakenNames {
    pub fn new(taken: impl Iterator<Item = String>) -> Self {
        Self { taken: taken.collect(), numbers: BTreeMap::new() }
    }

    /// Returns the name itself if it is free, or the name with a number.
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
