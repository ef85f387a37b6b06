//! `#include`.

use super::{Run, findings, good};
use crate::preprocessor::Options;

fn searching(folders: &[&str]) -> Options {
    Options { search_paths: folders.iter().map(|folder| folder.to_string()).collect(), ..Options::default() }
}

#[test]
fn quoted_names_count_from_the_including_file_and_others_from_the_search_paths() {
    let files = [
        ("sub/a.p4", "a #include\n#include \"deep/b.p4\"\n#include <c.p4>\n"),
        ("sub/deep/b.p4", "b"),
        ("c.p4", "wrong"),
        ("sub/c.p4", "wrong"),
        ("one/c.p4", "c1"),
        ("two/c.p4", "c2"),
        ("two/d/e.p4", "e"),
        ("core.p4", "own"),
    ];
    let run = Run::new(
        "#include \"sub/a.p4\"\n#include \"d/e.p4\"\n#define E <d/e.p4>\n#include E\n#include \"core.p4\"\nend",
        &files,
        &searching(&["one", "two"]),
    );
    assert_eq!(run.text(), "a include b c1 e e own end");
    // The `#` in the first line of a.p4 is no directive.
    assert_eq!(run.findings().matches("error").count(), 1, "{}", run.findings());
    assert!(run.findings().contains("sub/a.p4:1:3"));
}

#[test]
fn the_core_library_and_v1model_are_there_without_files() {
    for text in ["#include <v1model.p4>\n", "#include <core.p4>\n#include \"v1model.p4\"\n#include <core.p4>\n"] {
        let tokens = good(text);
        assert_eq!(tokens.matches("extern packet_in {").count(), 1);
        assert_eq!(tokens.matches("package V1Switch").count(), 1);
        assert!(tokens.contains("extern register < T > {"));
    }
    let newer = good("#define V1MODEL_VERSION 20200408\n#include <v1model.p4>");
    assert!(newer.contains("extern register < T , I > {"));
}

#[test]
fn guards_and_pragma_once_let_files_include_one_another() {
    let files = [
        ("a.h", "#ifndef A\n#define A\n#include \"b.h\"\na\n#endif\n"),
        ("b.h", "#pragma once\n#include \"a.h\"\n#include \"b.h\"\nb\n"),
    ];
    let run = Run::new("#include \"b.h\"\n#include \"a.h\"\n", &files, &Options::default());
    assert_eq!((run.text().as_str(), run.findings().as_str()), ("a b", ""));
    // Each text is kept, and its errors told, once.
    assert_eq!(run.sources.iter().count(), 3);
}

#[test]
fn what_cannot_be_included_is_reported() {
    let found =
        findings("#include \"no.p4\"\n#include\n#include <tna.p4>\n#include <half\n#include 3\n#include <core.p4> x\n");
    for part in
        ["`no.p4` cannot", "without a file name", "`tna.p4` cannot", "main.p4:4:10", "main.p4:5:1", "is ignored"]
    {
        assert!(found.contains(part), "{part}: {found}");
    }
}

#[test]
fn cycles_of_files_end_soon_with_one_error() {
    let twice = "#include \"a.h\"\n#include \"a.h\"\n";
    let run = Run::new(twice, &[("a.h", twice)], &Options::default());
    assert_eq!(run.findings().matches("error:").count(), 1, "{}", run.findings());
    assert!(run.findings().contains("includes itself") && !run.result.complete);
    // A binary tree of files, below the bound of depth but far above that of their number.
    let names: Vec<(String, String)> =
        (0..30).map(|n| (format!("{n}.h"), format!("#include \"{}.h\"\n", n + 1).repeat(2))).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    files.push(("30.h", "x"));
    let run = Run::new("#include \"0.h\"\n", &files, &Options::default());
    assert!(run.findings().contains("in all") && !run.result.complete, "{}", run.findings());
}
