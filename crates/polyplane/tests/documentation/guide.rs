//! The diffs of the guide for extenders: what they take away is in the sources, and what they add is not.

use std::fs;

use crate::common::project;

/// A part of a diff, for one file.
#[derive(Default)]
struct Change {
    file: String,
    removed: Vec<String>,
    added: Vec<String>,
}

/// Returns the changes of all diffs of a page. A line ` // path`, with a remark behind a colon or without, begins a file.
fn changes(text: &str) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut is_diff = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(language) => is_diff = language == "diff",
            None if !is_diff => {}
            None => {
                if let Some(path) = line.strip_prefix(" // ") {
                    let file = path.split(':').next().unwrap_or(path).to_owned();
                    changes.push(Change { file, ..Change::default() });
                } else if let Some(change) = changes.last_mut() {
                    let line = line.to_owned();
                    match line.chars().next() {
                        Some('-') => change.removed.push(line[1..].to_owned()),
                        Some('+') => change.added.push(line[1..].to_owned()),
                        _ => {}
                    }
                }
            }
        }
    }
    changes
}

/// A regression: types were renamed, and the guide went on showing how they had been called.
#[test]
fn the_diffs_of_the_guide_apply() {
    let text = fs::read_to_string(project().join("docs/extending.md")).expect("the guide");
    let changes = changes(&text);
    assert!(changes.len() >= 10, "only {} files are changed", changes.len());
    for Change { file, removed, added } in changes {
        let Ok(source) = fs::read_to_string(project().join(&file)) else {
            assert!(removed.is_empty(), "{file} is new in the guide, and the guide takes lines out of it");
            continue;
        };
        let has = |line: &String| source.lines().filter(|own| own == line).count();
        for line in &removed {
            assert_eq!(has(line), 1, "{file} has no such line, or several: {line}");
        }
        assert!(!removed.is_empty() || !added.iter().all(|line| has(line) > 0), "{file} has all that the guide adds");
    }
}
