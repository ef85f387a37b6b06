//! What came of a collection, as text, Markdown and JSON.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde::Serialize;

use super::case::{Case, Suite, Verdict};

/// What came of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The collections by name, with the commit of each, as whoever ran it says.
    pub commits: Vec<(&'static str, String)>,
    /// Every program, in order of suites and names.
    pub cases: Vec<Case>,
    /// By suite, how many programs with packet tests are for other architectures and are not counted.
    pub for_others: BTreeMap<Suite, u64>,
}

/// How many programs of something passed, failed and are excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// What must come of them came.
    pub passed: u64,
    /// It did not.
    pub failed: u64,
    /// They are not held to it.
    pub excluded: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} excluded", self.passed, self.failed, self.excluded)
    }
}

impl Report {
    /// The counts of some cases.
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

    /// The page `docs/p4/conformance.md`.
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

What Polyplane makes of the programs with which the P4 compiler (p4lang/p4c) tests itself, of the solutions of the P4
tutorials (p4lang/tutorials), and of programs that people have written for their own use: the models of SONiC's switches
and of its DASH pipeline, and the examples of p4-guide. All are unmodified, and none of them is part of this project.
This page is what the command prints; whoever has no checkout of a collection leaves it out:

```
make conformance P4C=<a checkout> TUTORIALS=<a checkout> SONIC_PINS=<a checkout> DASH=<a checkout> P4_GUIDE=<a checkout> REPORT=docs/p4/conformance.md
```

A program with a packet test passes if every packet that is expected leaves, no other packet does, and every counter that
is looked at is right. The compiler's own programs come with their tests (STF); those of the tutorials are ours
(`crates/conformance/tests/tutorials`), on the tables that the tutorials fill. A program that must be refused passes if it
is refused with an error at a line that the compiler's own answer names. Programs of people have no tests, and pass if they
compile; of p4-guide that is every file that makes a `V1Switch`, itself or in what it includes. What is excluded says why.

";

/// A text that stays in one cell of a table.
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
