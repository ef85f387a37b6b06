//! What came of published P4Infos, as text, Markdown and JSON.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use serde::Serialize;

/// Where a published P4Info comes from.
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

/// What came of one P4Info.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Ours means the same.
    Equal,
    /// It differs, or the program is refused, for this reason of the list.
    Excepted(String),
    /// It differs, here.
    Differs(Vec<String>),
    /// The program is refused, with this error.
    Refused(String),
    /// The program is for this other architecture.
    ForAnother(String),
}

/// One P4Info.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// Where it comes from.
    pub collection: Collection,
    /// The program.
    pub name: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The commits of the collections, as whoever ran it says.
    pub commits: Vec<String>,
    /// Every P4Info, in order of collections and names.
    pub cases: Vec<Case>,
}

/// How many there are of each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Equal.
    pub equal: u64,
    /// Different for a reason of the list.
    pub excepted: u64,
    /// Different, or refused, without a reason.
    pub different: u64,
    /// For other architectures.
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
    /// The counts of some cases.
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

    /// How many programs are for which other architecture.
    fn others(&self) -> BTreeMap<&str, u64> {
        let mut others = BTreeMap::new();
        for case in &self.cases {
            if let Outcome::ForAnother(name) = &case.outcome {
                *others.entry(name.as_str()).or_default() += 1;
            }
        }
        others
    }

    /// The page `docs/p4/p4info-conformance.md`.
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
# P4Info against the P4 compiler's

The P4 compiler (p4lang/p4c) publishes the P4Info that it makes of its own programs, and SAI P4 that of its
instantiations. This page says which of them Polyplane makes, too. It is what the command prints:

```
make conformance-p4info P4C=<a checkout> SAI=<a checkout of sonic-net/sonic-pins> REPORT=docs/p4/p4info-conformance.md
```

Two P4Infos are equal if all their fields are, with these exceptions: the order of fields, and that of tables, actions
and all other lists whose elements have ids or names, says nothing (the order of the members of a type and of the values
of an annotation does); strings are compared without their escapes; an empty `type_info` is none; and where a published file has an
`initial_default_action` nowhere, it is from a compiler that did not know the field, which is then left out. Programs are
read with Polyplane's own `core.p4` and `v1model.p4`.

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
