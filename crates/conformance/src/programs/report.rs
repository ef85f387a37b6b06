//! The results of the programs, as text, Markdown and JSON.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde::Serialize;

use super::case::{Case, Suite, Verdict};

/// The results of the programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The commits of the collections, by name, as given by the user.
    pub commits: Vec<(&'static str, String)>,
    /// The verdicts on all programs, ordered by suite and name.
    pub cases: Vec<Case>,
    /// By suite, the number of programs for other architectures, which are not counted among the cases.
    pub for_others: BTreeMap<Suite, u64>,
}

/// The numbers of programs that passed, failed and are excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// The number of programs that passed.
    pub passed: u64,
    /// The number of programs that failed.
    pub failed: u64,
    /// The number of programs that failed but are excluded.
    pub excluded: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} excluded", self.passed, self.failed, self.excluded)
    }
}

impl Report {
    /// Counts the cases of a suite, or of all suites.
    pub fn tally(&self, suite: Option<Suite>) -> Tally {
        let mut tally = Tally::default();
        for case in self.cases.iter().filter(|case| suite.is_none_or(|suite| case.suite == suite)) {
            match case.verdict {
                Verdict::Passed => tally.passed += 1,
                Verdict::Failed(_) => tally.failed += 1,
                Verdict::Excluded(_) => tally.excluded += 1,
            }
        }
        tally
    }

    fn suites(&self) -> Vec<Suite> {
        Suite::ALL.into_iter().filter(|suite| self.cases.iter().any(|case| case.suite == *suite)).collect()
    }

    fn commits(&self) -> Vec<String> {
        self.commits.iter().map(|(name, commit)| format!("{name} {commit}")).collect()
    }

    /// Returns the report as Markdown, the page `docs/p4/conformance.md`.
    pub fn markdown(&self) -> String {
        let mut text = INTRODUCTION.to_owned();
        let commits = self.commits();
        if !commits.is_empty() {
            let _ = writeln!(text, "Commits: {}.\n", commits.join(", "));
        }
        text.push_str("| programs | passed | failed | excluded |\n|---|---|---|---|\n");
        for suite in self.suites() {
            let Tally { passed, failed, excluded } = self.tally(Some(suite));
            let _ = writeln!(text, "| {} | {passed} | {failed} | {excluded} |", suite.title());
        }
        let rows = |title: &str, reason: fn(&Verdict) -> Option<&String>| {
            let rows: Vec<String> = self
                .cases
                .iter()
                .filter_map(|case| Some(format!("| {} | {} |\n", case.name, cell(reason(&case.verdict)?))))
                .collect();
            match rows.is_empty() {
                true => format!("\n## {title}\n\nNone.\n"),
                false => format!("\n## {title}\n\n| program | why |\n|---|---|\n{}", rows.concat()),
            }
        };
        text.push_str(&rows("Failed", |verdict| match verdict {
            Verdict::Failed(reason) => Some(reason),
            _ => None,
        }));
        text.push_str(&rows("Excluded", |verdict| match verdict {
            Verdict::Excluded(reason) => Some(reason),
            _ => None,
        }));
        let _ = writeln!(text, "\n{}", self.tally(None));
        text
    }
}

const INTRODUCTION: &str = "\
# The public programs of P4

This page shows how Polyplane handles the programs with which the P4 compiler (p4lang/p4c) tests itself, the solutions
of the P4 tutorials (p4lang/tutorials), and programs that people have written for their own use: the models of SONiC's
switches and of its DASH pipeline, and the examples of p4-guide. All programs are unmodified, and none of them is part
of this project. The page is the output of this command, in which collections without a checkout can be left out:

```
make conformance P4C=<a checkout> TUTORIALS=<a checkout> SONIC_PINS=<a checkout> DASH=<a checkout> P4_GUIDE=<a checkout> REPORT=docs/p4/conformance.md
```

A program with a packet test passes if every expected packet leaves, no other packet does, and every counter that the
test checks is right. The compiler's own programs come with their tests (STF); the tests of the tutorials are ours
(`crates/conformance/tests/tutorials`) and use the table entries of the tutorials. A program that must be rejected
passes if it is rejected with an error at a line that the compiler's own error output names. The other programs have
no tests and pass if they compile; of p4-guide, these are all files that instantiate a `V1Switch`, themselves or in a
file that they include. Excluded programs are listed with the reason.

";

/// Escapes a text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ").replace('<', "&lt;")
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for commit in self.commits() {
            writeln!(f, "{commit}")?;
        }
        for suite in self.suites() {
            write!(f, "{}: {}: {}", suite.name(), suite.title(), self.tally(Some(suite)))?;
            match self.for_others.get(&suite) {
                Some(others) => writeln!(f, " ({others} for other architectures are not counted)")?,
                None => writeln!(f)?,
            }
            for case in self.cases.iter().filter(|case| case.suite == suite) {
                match &case.verdict {
                    Verdict::Passed => {}
                    Verdict::Failed(reason) => writeln!(f, "    FAILED   {}: {reason}", case.name)?,
                    Verdict::Excluded(reason) => writeln!(f, "    excluded {}: {reason}", case.name)?,
                }
            }
        }
        writeln!(f, "{}", self.tally(None))
    }
}
