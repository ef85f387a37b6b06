//! The manual shows commands and what they print. Each such block is run in a folder of its own, beside the files that
//! its page gives, and must print what the page says.
//!
//! In what is shown, `…` alone in a line stands for any number of lines, and within a line for any characters. What a
//! command says beside its result (warnings, progress) comes first where a page shows it, and may be left out as a whole.

mod guide;
mod pages;

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::common::{absent_folder, project, run_in};
use crate::on_all_cores::on_all_cores;
use pages::{Page, Part, Shown, commands, pages, shown};

#[test]
fn commands_print_what_the_manual_says() {
    let compared = on_all_cores(&pages(project()), compare);
    let wrong: String = compared.iter().map(|(_, wrong)| wrong.as_str()).collect();
    assert!(wrong.is_empty(), "{wrong}");
    let compared: usize = compared.iter().map(|(count, _)| count).sum();
    assert!(compared >= 20, "only {compared} commands of the manual were run");
}

/// Runs what a page shows. Returns the number of commands that were run, and what is printed otherwise.
fn compare(page: &Page) -> (usize, String) {
    let is_run = |part: &Part| matches!(part, Part::Block { lines, not_run: None, .. } if !shown(lines).is_empty());
    let (mut compared, mut wrong) = (0, String::new());
    if !page.parts.iter().any(is_run) {
        return (compared, wrong);
    }
    let folder = absent_folder();
    fs::create_dir_all(&*folder).expect("a folder can be made");
    for part in ["programs", "experiments", "crates"] {
        symlink(project().join(part), folder.join(part)).expect("a link can be made");
    }
    for part in &page.parts {
        match part {
            Part::File { name, text } => fs::write(folder.join(name), text).expect("a file can be written"),
            Part::Block { not_run: Some(_), .. } => {}
            Part::Block { line, lines, not_run: None } => {
                for shown in shown(lines) {
                    compared += 1;
                    if let Some(found) = difference(&folder, &shown) {
                        let command = shown.words.join(" ");
                        let _ = writeln!(wrong, "{}:{line}: `polyplane {command}` prints\n{found}", page.name);
                    }
                }
            }
        }
    }
    (compared, wrong)
}

/// What a command prints, if it is not what is shown.
fn difference(folder: &Path, shown: &Shown) -> Option<String> {
    let ran = run_in(folder, &shown.words);
    assert!((0..=4).contains(&ran.status), "{:?}: {ran:?}", shown.words);
    let all = format!("{}{}", ran.stderr, ran.stdout);
    let is_shown = [&all, &ran.stdout]
        .into_iter()
        .any(|text| matches(&trimmed(text.lines()), &trimmed(shown.output.iter().map(|line| &**line))));
    (!is_shown).then_some(all)
}

/// Lines without white space at their ends, and without empty lines at the end.
fn trimmed<'t>(lines: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut lines: Vec<&str> = lines.map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// Whether lines are what is shown, in which `…` stands for what is left out.
fn matches(lines: &[&str], shown: &[&str]) -> bool {
    elided(
        lines,
        shown,
        |shown| shown.trim() == "…",
        |line, shown| {
            let letters = |text: &str| text.chars().collect::<Vec<char>>();
            elided(&letters(line), &letters(shown), |&letter| letter == '…', |one, other| one == other)
        },
    )
}

/// Whether a sequence is what is shown, in which some elements stand for any number of others.
fn elided<T>(all: &[T], shown: &[T], is_gap: impl Fn(&T) -> bool, is_same: impl Fn(&T, &T) -> bool) -> bool {
    // Where in `all` what is shown so far may end.
    let mut ends: Vec<bool> = (0..=all.len()).map(|end| end == 0).collect();
    for element in shown {
        let mut next = vec![false; all.len() + 1];
        for end in 0..=all.len() {
            if is_gap(element) {
                next[end] = ends[end] || end > 0 && next[end - 1];
            } else if end > 0 && ends[end - 1] {
                next[end] = is_same(&all[end - 1], element);
            }
        }
        ends = next;
    }
    ends[all.len()]
}

/// Networks that manual and help describe by short forms are ones that can be run.
#[test]
fn short_forms_of_networks_are_plans() {
    let help = run_in(project(), &["sim", "--help"]).stdout;
    // What does not fit into a line of the help goes on in the next.
    let mut examples: Vec<String> = Vec::new();
    for line in help.lines() {
        match examples.last_mut() {
            Some(last) if last.starts_with("  polyplane ") && !line.is_empty() && !line.starts_with("  polyplane ") => {
                last.push(' ');
                last.push_str(line);
            }
            _ => examples.push(line.to_owned()),
        }
    }
    let mut lines = vec![examples];
    for page in pages(project()) {
        lines.extend(page.parts.into_iter().filter_map(|part| match part {
            Part::Block { lines, .. } => Some(lines),
            Part::File { .. } => None,
        }));
    }
    let commands = lines.iter().flat_map(|lines| commands(lines));
    let mut count = 0;
    for mut words in commands.filter(|words| words[0] == "sim" && words.iter().any(|word| word == "--topology")) {
        count += 1;
        words.retain(|word| word != "--print-plan");
        words.push("--print-plan".to_owned());
        let ran = run_in(project(), &words);
        assert_eq!(ran.status, 0, "{}: {ran:?}", words.join(" "));
    }
    assert!(count >= 7, "only {count} commands");
}

/// The table of topologies names each number with its default: `hosts` (16).
#[test]
fn topologies_have_the_defaults_that_the_manual_says() {
    let text = fs::read_to_string(project().join("docs/simulator/topologies.md")).expect("a page");
    let mut count = 0;
    for row in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let kind = cells[1].trim_matches('`');
        // Plans describe these, and give every number themselves.
        if kind == "graph" || kind == "lab" {
            continue;
        }
        let plan = run_in(project(), &["sim", "--topology", kind, "--workload", "permutation:2MB", "--print-plan"]);
        assert_eq!(plan.status, 0, "{kind}: {plan:?}");
        for number in cells[2].split(", ") {
            let name = number.split('`').nth(1).expect("a name");
            let default = number.split(['(', ')']).nth(1).expect("a default");
            let entry = format!("{name} = {default}");
            assert!(plan.stdout.lines().any(|line| line == entry), "{kind}: {entry}\n{}", plan.stdout);
            count += 1;
        }
    }
    assert_eq!(count, 11, "numbers of five kinds");
}

#[test]
fn an_ellipsis_matches_anything_and_other_text_only_itself() {
    let all = ["one", "two", "three 17", ""];
    for shown in [&["one", "…"][..], &["…"], &["one", "two", "three …", ""], &["…", "two", "…", "", "…"]] {
        assert!(matches(&all, shown), "{shown:?}");
    }
    for shown in [&["one"][..], &["two", "…"], &["one", "two", "three 1", ""], &["…", "two", "one", "…"], &[]] {
        assert!(!matches(&all, shown), "{shown:?}");
    }
}
