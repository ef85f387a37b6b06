//! The results of comparing P4Infos, as text, Markdown and JSON.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde::Serialize;

/// The collection from which a published P4Info comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Collection {
    /// The P4 compiler's own programs.
    Compiler,
    /// The instantiations of SAI P4.
    Sai,
}

impl Collection {
    const ALL: [Self; 2] = [Self::Compiler, Self::Sai];

    const fn title(self) -> &'static str {
        match self {
            Self::Compiler => "p4_16_samples_outputs of p4lang/p4c",
            Self::Sai => "sai_p4 of sonic-net/sonic-pins",
        }
    }
}

/// The result of comparing one P4Info.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Ours has the same meaning.
    Equal,
    /// Ours differs, or the program is rejected, for this reason in `reasons.txt`.
    Excepted(String),
    /// Ours differs, in these places.
    Differs(Vec<String>),
    /// The program is rejected with this error.
    Refused(String),
    /// The program is written for another architecture, with this name.
    ForAnother(String),
}

/// One published P4Info and the result of comparing it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// The collection from which it comes.
    pub collection: Collection,
    /// The name of the program.
    pub name: String,
    /// The result.
    pub outcome: Outcome,
}

/// The results of all comparisons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The commits of the collections, as given by the user.
    pub commits: Vec<String>,
    /// All published P4Infos, ordered by collection and name.
    pub cases: Vec<Case>,
}

/// The number of P4Infos with each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// The number that are equal.
    pub equal: u64,
    /// The number that are different for a reason in `reasons.txt`.
    pub excepted: u64,
    /// The number that are different, or whose program is rejected, without such a reason.
    pub different: u64,
    /// The number of programs for other architectures.
    pub for_others: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { equal, excepted, different, for_others } = self;
        let all = equal + excepted + different + for_others;
        write!(f, "{all} P4Infos: {equal} equal, {excepted} different for a reason, {different} different, ")?;
        write!(f, "{for_others} for other architectures")
    }
}

impl Report {
    /// Counts the cases of a collection, or of all collections.
    pub fn tally(&self, collection: Option<Collection>) -> Tally {
        let mut tally = Tally::default();
        for case in self.cases.iter().filter(|case| collection.is_none_or(|own| case.collection == own)) {
            match case.outcome {
                Outcome::Equal => tally.equal += 1,
                Outcome::Excepted(_) => tally.excepted += 1,
                Outcome::Differs(_) | Outcome::Refused(_) => tally.different += 1,
                Outcome::ForAnother(_) => tally.for_others += 1,
            }
        }
        tally
    }

    /// Returns the number of programs for each of the other architectures.
    fn others(&self) -> BTreeMap<&str, u64> {
        let mut others = BTreeMap::new();
        for case in &self.cases {
            if let Outcome::ForAnother(name) = &case.outcome {
                *others.entry(name.as_str()).or_default() += 1;
            }
        }
        others
    }

    /// Returns the report as Markdown, the page `docs/p4/p4info-conformance.md`.
    pub fn markdown(&self) -> String {
        let mut text = INTRODUCTION.to_owned();
        if !self.commits.is_empty() {
            _ = writeln!(text, "Commits: {}.\n", self.commits.join(", "));
        }
        text.push_str("| programs | equal | different for a reason | different | for other architectures |\n");
        text.push_str("|---|---|---|---|---|\n");
        for collection in Collection::ALL.into_iter().filter(|own| self.cases.iter().any(|it| it.collection == *own)) {
            let Tally { equal, excepted, different, for_others } = self.tally(Some(collection));
            let title = collection.title();
            _ = writeln!(text, "| {title} | {equal} | {excepted} | {different} | {for_others} |");
        }
        text.push_str(&rows(
            "Different",
            "what differs",
            self.cases.iter().filter_map(|case| match &case.outcome {
                Outcome::Differs(what) => Some((case.name.as_str(), what.join("; "))),
                Outcome::Refused(why) => Some((case.name.as_str(), format!("refused: {why}"))),
                _ => None,
            }),
        ));
        text.push_str(&rows(
            "Different for a reason",
            "why",
            self.cases.iter().filter_map(|case| match &case.outcome {
                Outcome::Excepted(why) => Some((case.name.as_str(), why.clone())),
                _ => None,
            }),
        ));
        let others = self.others().into_iter().map(|(name, count)| (name, count.to_string()));
        text.push_str(&rows("For other architectures", "how many", others));
        _ = writeln!(text, "\n{}", self.tally(None));
        text
    }
}

fn rows<'r>(title: &str, column: &str, rows: impl Iterator<Item = (&'r str, String)>) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ").replace('<', "&lt;");
    let rows: String = rows.map(|(name, text)| format!("| {name} | {} |\n", cell(&text))).collect();
    match rows.is_empty() {
        true => format!("\n## {title}\n\nNone.\n"),
        false => format!("\n## {title}\n\n| | {column} |\n|---|---|\n{rows}"),
    }
}

const INTRODUCTION: &str = "\
# P4Info compared with that of the P4 compiler

The P4 compiler (p4lang/p4c) publishes the P4Info that it generates for its own test programs, and SAI P4 that of its
instantiations. This page shows for which of them Polyplane generates the same P4Info. It is the output of this
command:

```
make conformance-p4info P4C=<a checkout> SAI=<a checkout of sonic-net/sonic-pins> REPORT=docs/p4/p4info-conformance.md
```

Two P4Infos are equal if all their fields are equal, with these exceptions. The order of fields does not matter, nor
does that of tables, actions and all other lists whose elements have ids or names; the order of the members of a type
and of the values of an annotation does. Strings are compared after resolving escapes. An empty `type_info` counts as
missing. A published file without any `initial_default_action` was written by a compiler that did not know this field,
and the field is then left out of the comparison. Programs are read with Polyplane's own `core.p4` and `v1model.p4`.

";

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for commit in &self.commits {
            writeln!(f, "{commit}")?;
        }
        for case in &self.cases {
            match &case.outcome {
                Outcome::Equal => {}
                Outcome::ForAnother(name) => writeln!(f, "other     {}: {name}", case.name)?,
                Outcome::Excepted(why) => writeln!(f, "excepted  {}: {why}", case.name)?,
                Outcome::Refused(why) => writeln!(f, "DIFFERENT {}: refused: {why}", case.name)?,
                Outcome::Differs(what) => {
                    writeln!(f, "DIFFERENT {}:", case.name)?;
                    what.iter().try_for_each(|line| writeln!(f, "    {line}"))?;
                }
            }
        }
        writeln!(f, "{}", self.tally(None))
    }
}
