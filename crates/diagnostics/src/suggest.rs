//! Suggestions for mistyped names: "did you mean …" and "there are …".

/// The maximum number of candidates compared, so that a hostile program with many names and many errors stays cheap.
const MOST_CANDIDATES: usize = 1000;
/// The maximum number of names listed in a hint.
const MOST_LISTED: usize = 8;
/// The maximum length in bytes of a name that is compared; longer names are not typed by hand.
const LONGEST: usize = 64;

/// Returns a hint that suggests the candidate closest to `name`, or `None` if none is close.
///
/// Only the first thousand candidates are considered, and only names of at most 64 bytes.
pub fn did_you_mean<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<String> {
    if name.len() > LONGEST {
        return None;
    }
    let near = candidates.into_iter().take(MOST_CANDIDATES).filter(|candidate| candidate.len() <= LONGEST);
    // Case is the most common mistake, so it is ignored at first; it then decides between `headers` and `Headers`.
    let lower = name.to_ascii_lowercase();
    let measured =
        near.map(|candidate| (distance(&lower, &candidate.to_ascii_lowercase()), distance(name, candidate), candidate));
    let (least, _, best) = measured.min()?;
    (least <= (name.len() / 3).max(1) && least < name.len()).then(|| format!("did you mean `{best}`?"))
}

/// Returns a hint that lists the valid names, those closest to `name` first: at most eight of them, followed by the
/// number of the others.
pub fn there_are<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> String {
    let mut candidates: Vec<&str> = candidates.into_iter().collect();
    let lower = name.to_ascii_lowercase();
    // Only a limited number is compared by distance: those that share the longest prefix with the name. The sort is
    // stable.
    if candidates.len() > MOST_CANDIDATES {
        let alike = |candidate: &str| name.bytes().zip(candidate.bytes()).take_while(|(a, b)| a == b).count();
        candidates.sort_by_cached_key(|candidate| std::cmp::Reverse(alike(candidate)));
    }
    let far = |candidate: &str| {
        let comparable = name.len() <= LONGEST && candidate.len() <= LONGEST;
        if comparable { distance(&lower, &candidate.to_ascii_lowercase()) } else { usize::MAX }
    };
    let compared = candidates.len().min(MOST_CANDIDATES);
    // Names at the same distance keep their order.
    candidates[..compared].sort_by_cached_key(|candidate| far(candidate));
    let listed: Vec<String> = candidates.iter().take(MOST_LISTED).map(|name| format!("`{name}`")).collect();
    match candidates.len() {
        0 => "there is none".to_owned(),
        1 => format!("there is only {}", listed.concat()),
        all if all > MOST_LISTED => format!("there are {} and {} more", listed.join(", "), all - MOST_LISTED),
        _ => format!("there are {}", listed.join(", ")),
    }
}

/// Returns the number of bytes to insert, remove, replace or swap with a neighbour to turn one name into the other
/// (Damerau-Levenshtein distance, optimal string alignment).
fn distance(from: &str, to: &str) -> usize {
    let (from, to) = (from.as_bytes(), to.as_bytes());
    let mut before_last = vec![0; to.len() + 1];
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for i in 1..=from.len() {
        let mut row = vec![i; to.len() + 1];
        for j in 1..=to.len() {
            let replaced = last[j - 1] + usize::from(from[i - 1] != to[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_names_that_are_close() {
        assert_eq!(did_you_mean("sprot", ["dport", "sport"]).as_deref(), Some("did you mean `sport`?"));
        assert_eq!(did_you_mean("Count", ["count"]).as_deref(), Some("did you mean `count`?"));
        assert_eq!(did_you_mean("haeders", ["Headers", "headers"]).as_deref(), Some("did you mean `headers`?"));
        assert_eq!(did_you_mean("x", ["y", "length"]), None);
        assert_eq!(did_you_mean("flow", []), None);
    }

    #[test]
    fn lists_at_most_eight_names_closest_first() {
        assert_eq!(there_are("x", []), "there is none");
        assert_eq!(there_are("x", ["switch"]), "there is only `switch`");
        assert_eq!(there_are("prt", ["length", "port", "time"]), "there are `port`, `time`, `length`");
        let hosts: Vec<String> = (0..5000).map(|host| format!("host-{host}")).collect();
        let hint = there_are("hots-7", hosts.iter().map(String::as_str));
        assert!(hint.starts_with("there are `host-7`, ") && hint.ends_with(" and 4992 more"), "{hint}");
    }
}
