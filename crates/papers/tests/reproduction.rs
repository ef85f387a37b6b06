//! Tests from a plan's text to its report, with a method that only does arithmetic and depends on no paper.

use std::num::NonZeroUsize;

use diagnostics::Failure;
use experiments::comparison::Verdict;
use experiments::plan::{Axis, Experiment, Method};
use experiments::reproduce::{Reproduction, Settings, Suite, Watcher, reproduce};
use experiments::sweep::{Finished, Job};
use plans::Record;

/// A method that measures `factor` times `x` plus a small term that depends on the seed.
struct Line;

impl Method for Line {
    fn name(&self) -> &str {
        "line"
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::integers("x", 0..=100), Axis::words("kind", ["plain", "double"])]
    }

    fn derived(&self) -> &[&str] {
        &["square"]
    }

    fn measures(&self) -> &[&str] {
        &["y"]
    }

    fn job<'j>(&'j self, point: &Record) -> Result<Job<'j>, String> {
        let x = point.integer("x").unwrap_or_default();
        let factor = if point.word("kind") == Some("double") { 2.0 } else { 1.0 };
        if x == 7 && factor > 1.0 {
            return Err("7 cannot be doubled".to_owned());
        }
        // -1, 0 and 1 for the seeds 1, 2 and 3.
        let noise = point.integer("seed").map_or(0.0, |seed| seed as f64 - 2.0);
        Ok(Job::new(point.clone().with("square", x * x), x, move || {
            Ok(Record::new().with("y", factor * x as f64 + noise))
        }))
    }
}

const PLAN: &str = r#"
title = "A line"
method = "line"
hypothesis = "It is straight."
differs = "Not < at all."

[source]
paper = "Elements"
place = "book 1"

[axes]
x = [1, 2, 4]
kind = "plain"
seed = [1, 2, 3]

[[sweep]]

[[sweep]]
kind = "*"
x = [2, 8]

[quick]
x = [2, 8]

[tolerance]
standard_errors = 1
repetitions = 1
why = "An error of 1 with the spread of the seeds, which is 1: sqrt(1/3 + 1)."

[[published]]
measure = "y"
axis = "x"
where = { kind = "plain" }
file = "numbers.json"
key = "lines.plain"

[[published]]
measure = "y"
axis = "square"
where = { kind = "double" }
values = { 4 = 5.2, 64 = 16 }
tolerance = 1

[[claim]]
says = "twice as much"
place = "book 2"
measure = "y"
where = { kind = "double" }
against = { kind = "plain" }
form = "ratio"
each = "mean"
range = [2, 2]
every = true

[[claim]]
says = "never less than one"
place = "book 2"
measure = "y"
range = [1, 100]
every = true

[[figure]]
title = "Lines"
x = "x"
y = "y"
series = ["kind"]
x_label = "x"
y_label = "y"

[[table]]
title = "Means"
rows = ["x"]
columns = ["kind"]
measures = ["y"]
"#;

fn suite() -> Suite {
    Suite {
        name: "elements",
        title: "Elements, reproduced",
        introduction: &[],
        apart: Some("kind"),
        methods: vec![Box::new(Line)],
        plans: &[("line.toml", PLAN)],
        files: &[("numbers.json", r#"{"lines": {"plain": {"1": 1, "2": 3.5}}}"#)],
    }
}

struct Nobody;

impl Watcher for Nobody {
    fn begins(&mut self, _: &Experiment, _: usize, _: usize) {}
    fn finished(&mut self, _: Finished<'_>) {}
}

fn run(is_quick: bool, threads: usize) -> Result<Reproduction, Failure> {
    let suite = suite();
    let threads = NonZeroUsize::new(threads).expect("more than none");
    let settings = Settings { journals: None, threads, is_quick, begin_again: false, version: "1".to_owned() };
    reproduce(&suite, suite.experiments(is_quick)?, &settings, &mut Nobody)
}

#[test]
fn compares_published_numbers_with_means() {
    let reproduction = run(false, 2).expect("the plan is good");
    let [line] = &reproduction.experiments[..] else { panic!("one plan, one experiment") };
    // Three points, and of the second sweep plain 8 and double 2 and 8: plain 2 is there once.
    assert_eq!(line.rows.len(), 3 * (3 + 3));
    let found: Vec<(f64, f64, Verdict)> = line
        .comparisons
        .iter()
        .map(|comparison| (comparison.published, comparison.measured.mean, comparison.verdict))
        .collect();
    let expected = [
        (1.0, 1.0, Verdict::Reproduced),
        // 1.5 is more than sqrt(4/3).
        (3.5, 2.0, Verdict::Differs),
        // 1.2 is more than the 1 that these numbers allow.
        (5.2, 4.0, Verdict::Differs),
        (16.0, 16.0, Verdict::Reproduced),
    ];
    assert_eq!(found, expected);
    let claims: Vec<Verdict> = line.claims.iter().map(|claim| claim.verdict).collect();
    // x = 1 with seed 1 gives 0.
    assert_eq!(claims, [Verdict::Reproduced, Verdict::Differs]);
}

/// Published numbers without a point to run were once omitted from the comparison silently.
#[test]
fn refuses_published_numbers_without_a_point() {
    let suite = Suite { files: &[("numbers.json", r#"{"lines": {"plain": {"1": 1, "16": 16}}}"#)], ..suite() };
    let (threads, version) = (NonZeroUsize::MIN, String::new());
    let settings = Settings { journals: None, threads, is_quick: false, begin_again: false, version };
    let refused = reproduce(&suite, suite.experiments(false).expect("the plan is good"), &settings, &mut Nobody);
    let Err(failure) = refused else { panic!("16 is no x of the plan") };
    let text = format!("{failure:?}");
    assert!(text.contains("line: no point is run for the published y = 16 at x = 16"), "{text}");
}

#[test]
fn quick_keeps_only_the_named_values() {
    let reproduction = run(true, 1).expect("the plan is good");
    let line = &reproduction.experiments[0];
    assert_eq!(line.rows.len(), 3 * 4, "2 and 8, plain and double");
    assert_eq!(line.comparisons.len(), 3, "1 was not run");
}

#[test]
fn files_do_not_depend_on_the_number_of_threads() {
    let files = |threads| run(false, threads).expect("the plan is good").files();
    let one = files(1);
    assert_eq!(one, files(5));
    let names: Vec<&str> = one.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["index.html", "summary.csv", "manifest.txt", "line.csv", "figures/line.svg"]);
    let page = &one[0].1;
    assert!(
        page.contains("Not &lt; at all.")
            && page.contains("<svg")
            && page.contains("3 of 6")
            && page.contains("kind plain: 1 of 2"),
        "{page}"
    );
    let outside = ["<link", "<script", "src=", "url(", "@import"];
    assert!(outside.iter().all(|part| !page.contains(part)), "nothing outside of the page");
    assert!(one[3].1.starts_with("x,kind,seed,square,y\n1,plain,1,1,0\n"), "{}", one[3].1);
    let manifest = &one[2].1;
    for part in ["polyplane", "numbers.json fnv1a64:", "line.toml fnv1a64:", "line.csv fnv1a64:"] {
        assert!(manifest.contains(part), "{part}: {manifest}");
    }
}

#[test]
fn refuses_incompatible_values_at_their_place() {
    let text = PLAN.replace("x = [2, 8]\n\n[quick]", "x = [2, 7]\n\n[quick]");
    let Err(failure) = suite().read("line", "line.toml", &text, false) else { panic!("7 cannot be doubled") };
    let told = failure.render(false);
    assert!(told.contains("x = 7, kind = double") && told.contains("line.toml:18:1"), "{told}");
}
