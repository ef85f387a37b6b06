//! The programs that are excluded from the tests of their collections, and why.

use super::case::Suite;

/// Programs whose packet tests demand what no specification does, or which need not compile.
const PACKET_TESTS: &str = include_str!("exclusions.txt");
/// Programs that the front end accepts, or rejects at another place. The tests of the front end use the same list.
const REFUSALS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../p4/tests/not_refused.txt"));

/// Returns the reason why a program is excluded, if it is.
pub(super) fn reason(suite: Suite, name: &str) -> Option<String> {
    let list = if suite == Suite::Errors { REFUSALS } else { PACKET_TESTS };
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.map(|line| line.split(" | ").map(str::trim).collect::<Vec<_>>());
    let mut found = rows.filter(|row| row.len() == 3 && row[0] == name);
    found.find(|row| suite == Suite::Errors || row[1] == suite.name()).map(|row| match suite {
        Suite::Errors => format!("{}: {}", row[1], row[2]),
        _ => row[2].to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_three_columns() {
        for list in [PACKET_TESTS, REFUSALS] {
            for line in list.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
                assert_eq!(line.split(" | ").count(), 3, "{line}");
            }
        }
        assert_eq!(reason(Suite::Samples, "no such program.p4"), None);
    }
}
