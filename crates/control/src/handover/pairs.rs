//! Pairs of entities with the same name.

use std::collections::HashMap;

use crate::Identity;

/// Returns the position in `new` of the entity that has the name of each entity in `old`. Hidden entities may share a
/// name: they are paired in order.
pub fn pair<'i>(
    old: impl Iterator<Item = &'i Identity>,
    new: impl Iterator<Item = &'i Identity>,
) -> Vec<Option<usize>> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, identity) in new.enumerate() {
        places.entry(&identity.name).or_default().push(at);
    }
    let mut used: HashMap<&str, usize> = HashMap::new();
    let of = |identity: &'i Identity| {
        let count = used.entry(&identity.name).or_default();
        let place = places.get(identity.name.as_str())?.get(*count).copied();
        *count += 1;
        place
    };
    old.map(of).collect()
}
