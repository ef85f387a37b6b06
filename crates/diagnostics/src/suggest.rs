//! "Did you mean": the nearest of the names that would have been right.

/// Names to compare with at most, so that a hostile program of many names and many errors stays cheap.
const MOST_CANDIDATES: usize = 1000;
/// Names longer than this are not typed by hand.
const LONGEST: usize = 64;

/// A hint that names the candidate most like `name`, if one is near.
pub fn did_you_mean<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<String> {
    if name.len() > LONGEST {
        return None;
    }
    let near = candidates.into_iter().take(MOST_CANDIDATES).filter(|candidate| candidate.len() <= LONGEST);
    // Letter case is what people get wrong most, and yet decides between `headers` and `Headers`.
    let lower = name.to_ascii_lowercase();
    let measured =
        near.map(|candidate| (distance(&lower, &candidate.to_ascii_lowercase()), distance(name, candidate), candidate));
    let (least, _, best) = measured.min()?;
    (least <= (name.len() / 3).max(1) && least < name.len()).then(|| format!("did you mean `{best}`?"))
}

/// How many letters to insert, remove, replace or swap with a neighbour to get from one name to the other
/// (Damerau-Levenshtein, optimal string alignment).
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
    fn near_names_are_suggested_and_far_ones_are_not() {
        assert_eq!(did_you_mean("sprot", ["dport", "sport"]).as_deref(), Some("did you mean `sport`?"));
        assert_eq!(did_you_mean("Count", ["count"]).as_deref(), Some("did you mean `count`?"));
        assert_eq!(did_you_mean("haeders", ["Headers", "headers"]).as_deref(), Some("did you mean `headers`?"));
        assert_eq!(did_you_mean("x", ["y", "length"]), None);
        assert_eq!(did_you_mean("flow", []), None);
    }
}
