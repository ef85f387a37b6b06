//! `#include`, and the sources of files.

mod common;

use common::{Run, findings, good};
use preprocessor::{Disk, Files, Options, preprocess};

fn searching(folders: &[&str]) -> Options {
    Options { search_paths: folders.iter().map(|folder| folder.to_string()).collect(), ..Options::default() }
}

#[test]
fn searches_quoted_names_beside_the_including_file() {
    let files = [
        ("sub/a.h", "a #include\n#include \"deep/b.h\"\n#include <c.h>\n"),
        ("sub/deep/b.h", "b"),
        ("c.h", "wrong"),
        ("sub/c.h", "wrong"),
        ("one/c.h", "c1"),
        ("two/c.h", "c2"),
        ("two/d/e.h", "e"),
        ("library.h", "own"),
    ];
    let run = Run::new(
        "#include \"sub/a.h\"\n#include \"d/e.h\"\n#define E <d/e.h>\n#include E\n#include \"library.h\"\nend",
        &files,
        &searching(&["one", "two"]),
    );
    // The `#` in the first line of a.h is not a directive.
    assert_eq!(run.text(), "a include b c1 e e own end");
    assert_eq!(run.findings(), "");
}

#[test]
fn finds_headers_of_the_language_without_files() {
    for text in ["#include <library.h>\n", "#include \"library.h\"\n#include <library.h>\n#include \"any/library.h\"\n"]
    {
        let run = Run::new(text, &[("any/library.h", "#include <library.h>\n")], &Options::default());
        assert_eq!((run.text().as_str(), run.findings().as_str()), ("library", ""));
    }
    // A user's file takes precedence over a header text of the language, but not over a header that is part of it.
    let files = [("library.h", "own"), ("part.h", "own"), ("d/part.h", "own")];
    let run =
        Run::new("#include \"library.h\"\n#include <library.h>\n#include \"part.h\"", &files, &Options::default());
    assert_eq!((run.text().as_str(), run.findings().as_str()), ("own library", ""));
    // A header text of the language is not beside the user's files.
    assert_eq!(good("#include <part.h>\n#include \"part.h\"\n#include <library.h>"), "library");
}

#[test]
fn guards_and_pragma_once_end_mutual_includes() {
    let files = [
        ("a.h", "#ifndef A\n#define A\n#include \"b.h\"\na\n#endif\n"),
        ("b.h", "#pragma once\n#include \"a.h\"\n#include \"b.h\"\nb\n"),
    ];
    let run = Run::new("#include \"b.h\"\n#include \"a.h\"\n", &files, &Options::default());
    assert_eq!((run.text().as_str(), run.findings().as_str()), ("a b", ""));
    // Each text is kept, and its errors are reported, only once.
    assert_eq!(run.sources.iter().count(), 3);
}

#[test]
fn reports_includes_that_fail() {
    let found = findings(
        "#include \"no.h\"\n#include\n#include <no.h>\n#include <half\n#include 3\n#include <library.h> x\n#include \"half\n",
    );
    for part in [
        "`no.h` cannot be included: there is no such file",
        "it was in quotes",
        "without a file name",
        "write `#include <name>`",
        "it was in angle brackets",
        "main.c:4:10",
        "main.c:5:1",
        "is ignored",
        "main.c:7:1",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
}

#[test]
fn stops_at_include_cycles_with_one_error() {
    let twice = "#include \"a.h\"\n#include \"a.h\"\n";
    let run = Run::new(twice, &[("a.h", twice)], &Options::default());
    assert_eq!(run.findings().matches("error:").count(), 1, "{}", run.findings());
    assert!(run.findings().contains("includes itself") && !run.result.complete);
    // A binary tree of files stays below the depth limit but far exceeds the limit on their number.
    let names: Vec<(String, String)> =
        (0..30).map(|n| (format!("{n}.h"), format!("#include \"{}.h\"\n", n + 1).repeat(2))).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    files.push(("30.h", "x"));
    let run = Run::new("#include \"0.h\"\n", &files, &Options::default());
    assert!(run.findings().contains("in all") && !run.result.complete, "{}", run.findings());
}

#[test]
fn refuses_files_that_are_too_long() {
    let (one, long) = (" ".repeat(4 << 20), "/".repeat((4 << 20) + 1));
    let run = Run::new("#include \"a.h\"\nx", &[("a.h", &long)], &Options::default());
    assert!(run.findings().contains("it is longer than 4194304 bytes") && !run.result.complete);
    // Eight such files reach the limit, and the main file exceeds it.
    let includes: String = (0..8).map(|n| format!("#include \"{n}.h\"\n")).collect();
    let names: Vec<String> = (0..8).map(|n| format!("{n}.h")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), one.as_str())).collect();
    let run = Run::new(&includes, &files, &Options::default());
    assert!(run.findings().contains("the program would be longer than 33554432 bytes"), "{}", run.findings());
}

#[test]
fn a_function_provides_files_or_errors() {
    let files = |path: &str| match path {
        "a.h" => Ok("a".to_owned()),
        _ => Err("nobody wrote it".to_owned()),
    };
    let mut sources = diagnostics::Sources::new();
    let main = sources.add("main.c", "#include \"a.h\"\n#include \"b.h\"\n");
    let read = preprocess(&common::TYPED, &mut sources, main, &files, &Options::default());
    assert_eq!(read.pieces.len(), 1);
    let found = read.diagnostics.render(&sources, false);
    assert!(found.contains("`b.h` cannot be included: nobody wrote it"), "{found}");
}

#[test]
fn the_disk_provides_text_files_only() {
    let folder = std::env::temp_dir().join(format!("polyplane-preprocessor-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    std::fs::write(path("latin.h"), b"a // caf\xe9").unwrap();
    std::fs::write(path("bytes.h"), b"a\0b").unwrap();
    assert_eq!(Disk.read(&path("latin.h")), Ok(Some("a // caf\u{fffd}".to_owned())));
    assert_eq!(Disk.read(&path("bytes.h")), Err("it is not text: byte 1 is zero".to_owned()));
    // A missing file is `None` to `#include`, but an error as the program itself.
    for absent in [path("no.h"), path("latin.h/no.h"), path("")] {
        assert_eq!(Disk.read(&absent), Ok(None), "{absent}");
        assert!(Disk.text(absent.as_ref()).is_err());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
