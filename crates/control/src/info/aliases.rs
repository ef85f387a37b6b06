//! Aliases: the shortest unique suffixes of names.

use std::collections::BTreeMap;

/// Returns, for each name, the shortest suffix that begins after a dot and is not a suffix of another name, or the
/// whole name if there is none. Duplicates of a name count once.
pub(super) fn shortest_suffixes<'n>(names: impl Iterator<Item = &'n str>) -> BTreeMap<&'n str, &'n str> {
    let mut all: BTreeMap<&str, &str> = names.map(|name| (name, name)).collect();
    let mut owners: BTreeMap<&str, u32> = BTreeMap::new();
    for name in all.keys() {
        for suffix in suffixes(name) {
            *owners.entry(suffix).or_default() += 1;
        }
    }
    for (name, alias) in &mut all {
        *alias = suffixes(name).find(|suffix| owners[suffix] == 1).unwrap_or(name);
    }
    all
}

/// Returns the suffixes of a name that begin after a dot, the shortest first, and finally the whole name.
fn suffixes(name: &str) -> impl Iterator<Item = &str> {
    name.rmatch_indices('.').map(|(at, _)| &name[at + 1..]).chain([name])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_is_the_shortest_unique_suffix() {
        let found = shortest_suffixes(["a.x.t", "a.y.t", "a.u", "t", "a.u"].into_iter());
        let expected = [("a.x.t", "x.t"), ("a.y.t", "y.t"), ("a.u", "u"), ("t", "t")];
        assert_eq!(found, expected.into_iter().collect());
    }
}
