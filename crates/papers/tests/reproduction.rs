//! Tests from a plan's text to its report, with a method that only does arithmetic and depends on no paper.

use std::num::NonZeroUsize;

use diagnostics::Failure;
use experiments::comparison::Verdict;
use experiments::plan::{Axis, Experiment, Method};
use experiments::reproduce::{Reproduction, Settings, Suite, Watcher, reproduce};
use experiments::sweep::{Course, Finished, Job, Measured, Timeline, TimelineInterval};
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

    fn states(&self) -> &[&str] {
        &["rising", "falling"]
    }

    fn courses(&self) -> &[&str] {
        &["height"]
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
            let measures = Record::new().with("y", factor * x as f64 + noise);
            Ok(Measured { measures, timeline: timeline(x) })
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

/// Two rows over 10 us, of which one rises from 1 us on for x us, and falls until the end.
fn timeline(x: u64) -> Timeline {
    let interval = |state, from, until| TimelineInterval { row: 1, state, from, until };
    Timeline {
        states: vec!["rising".into(), "falling".into()],
        rows: vec!["a".into(), "b".into()],
        end: 10_000_000,
        courses: vec![
            Course {
                of: "height".into(),
                name: "b".into(),
                are_marks: false,
                points: vec![(0, 0.5), (2_000_000, x as f64)],
            },
            Course { of: "height".into(), name: "peaks".into(), are_marks: true, points: vec![(5_000_000, 7.0)] },
        ],
        intervals: vec![interval(0, 1_000_000, 1_000_000 * (x + 1)), interval(1, 1_000_000 * (x + 1), 10_000_000)],
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

/// A figure of bars over time, appended to the plan.
fn with_bars(states: &str, more: &str) -> String {
    let figure = "\n[[figure]]\ntitle = \"Phases\"\nx_label = \"time\"\ny_label = \"row\"\n";
    let course = figure.replace("Phases", "Heights");
    format!(
        "{PLAN}{figure}intervals = {states}\n{more}\n{course}over_time = \"height\"\nwhere = {{ seed = 2, kind = \"plain\", x = 4 }}\n"
    )
}

fn read_bars(states: &str, more: &str) -> Result<Experiment, String> {
    let read = suite().read("line", "line.toml", &with_bars(states, more), false);
    read.map_err(|failure| failure.render(false))
}

#[test]
fn bars_over_time_are_of_one_named_run() {
    let plan = "where = { seed = 2, kind = \"plain\", x = [1, 4] }\npanels = [\"x\"]";
    let files = |journals: Option<std::path::PathBuf>, begin_again| {
        let (threads, version) = (NonZeroUsize::new(3).expect("some"), "1".to_owned());
        let settings = Settings { journals, threads, is_quick: false, begin_again, version };
        let experiment = read_bars("[\"falling\", \"rising\"]", plan).expect("a plan");
        let run = reproduce(&suite(), vec![experiment], &settings, &mut Nobody).expect("it runs");
        run.files()
    };
    let all = files(None, false);
    let find = |name: &str| &all.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no {name}")).1;
    let bars = find("figures/line-2-4.svg");
    assert!(bars.contains("<title>b\nfalling: 50.0 % of the time\nrising: 40.0 % of the time"), "{bars}");
    assert!(bars.contains("<title>b\nrising: 1 µs to 5 µs, 4 µs</title>") && bars.contains("<title>a\n"), "{bars}");
    assert!(find("figures/line-2-1.svg").contains("rising: 10.0 %"));
    assert!(find("index.html").contains("Phases: x = 4"));
    let course = find("figures/line-3.svg");
    assert!(course.contains("\nb: 4") && course.contains("\npeaks: 7 at 5 µs"), "{course}");
    // Only what is drawn is kept.
    let table = find("line-timeline.csv");
    let rows = "x,kind,seed,square,row,state,from_ps,until_ps,value\n1,plain,2,1,b,rising,1000000,2000000,\n\
                1,plain,2,1,b,falling,2000000,10000000,\n1,plain,2,1,height,b,0,,0.5\n1,plain,2,1,height,b,2000000,,1\n\
                1,plain,2,1,height,peaks,5000000,,7\n4,plain,2,16,b,rising,1000000,5000000,\n\
                4,plain,2,16,b,falling,5000000,10000000,\n4,plain,2,16,height,b,0,,0.5\n4,plain,2,16,height,b,2000000,,4\n\
                4,plain,2,16,height,peaks,5000000,,7\n";
    assert_eq!(table, rows);
    // What was so over time is in the journal, too.
    let journals = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bars-{}", std::process::id()));
    for begin_again in [true, false] {
        assert!(files(Some(journals.clone()), begin_again) == all, "resumed: {}", !begin_again);
    }
    std::fs::remove_dir_all(&journals).expect("journals");
}

#[test]
fn bars_of_several_runs_or_of_unknown_states_are_refused() {
    let refusal = |states: &str, more: &str| read_bars(states, more).expect_err("it is refused");
    let several = refusal("[\"rising\"]", "panels = [\"x\", \"kind\"]");
    assert!(several.contains("several in one picture") && several.contains("seed = 2"), "{several}");
    let unknown = refusal("[\"risen\"]", "panels = [\"x\", \"kind\", \"seed\"]");
    assert!(unknown.contains("there is no state `risen`") && unknown.contains("rising"), "{unknown}");
    let both = refusal("[\"rising\"]", "panels = [\"x\", \"kind\", \"seed\"]\nx = \"x\"\ny = \"y\"");
    assert!(both.contains("stands in the place of `x` and `y`"), "{both}");
    let both = refusal("[\"rising\"]", "panels = [\"x\", \"kind\", \"seed\"]\ndistribution = \"y\"");
    assert!(both.contains("exclude each other"), "{both}");
}

#[test]
fn refuses_incompatible_values_at_their_place() {
    let text = PLAN.replace("x = [2, 8]\n\n[quick]", "x = [2, 7]\n\n[quick]");
    let Err(failure) = suite().read("line", "line.toml", &text, false) else { panic!("7 cannot be doubled") };
    let told = failure.render(false);
    assert!(told.contains("x = 7, kind = double") && told.contains("line.toml:18:1"), "{told}");
}
