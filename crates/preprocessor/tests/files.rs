//! `#include`.

mod common;

use common::{Run, findings, good};
use preprocessor::{Disk, Files, Options, preprocess};

fn searching(folders: &[&str]) -> Options {
    Options { search_paths: folders.iter().map(|folder| folder.to_string()).collect(), ..Options::default() }
}

#[test]
fn quoted_names_count_from_the_including_file_and_others_from_the_search_paths() {
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
    // The `#` in the first line of a.h is no directive.
    assert_eq!(run.text(), "a include b c1 e e own end");
    assert_eq!(run.findings(), "");
}

#[test]
fn headers_of_the_language_are_there_without_files() {
    for text in ["#include <library.h>\n", "#include \"library.h\"\n#include <library.h>\n#include \"any/library.h\"\n"]
    {
        let run = Run::new(text, &[("any/library.h", "#include <library.h>\n")], &Options::default());
        assert_eq!((run.text().as_str(), run.findings().as_str()), ("library", ""));
    }
    // A file of the user's wins over a text of the language, but not over what is part of the language.
    let files = [("library.h", "own"), ("part.h", "own"), ("d/part.h", "own")];
    let run =
        Run::new("#include \"library.h\"\n#include <library.h>\n#include \"part.h\"", &files, &Options::default());
    assert_eq!((run.text().as_str(), run.findings().as_str()), ("own library", ""));
    // A text of the language is no neighbour of the user's files.
    assert_eq!(good("#include <part.h>\n#include \"part.h\"\n#include <library.h>"), "library");
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

#[test]
fn files_that_are_too_long_are_not_read() {
    let (one, long) = (" ".repeat(4 << 20), "/".repeat((4 << 20) + 1));
    let run = Run::new("#include \"a.h\"\nx", &[("a.h", &long)], &Options::default());
    assert!(run.findings().contains("it is longer than 4194304 bytes") && !run.result.complete);
    // Eight of them are the most, and the main file is there too.
    let includes: String = (0..8).map(|n| format!("#include \"{n}.h\"\n")).collect();
    let names: Vec<String> = (0..8).map(|n| format!("{n}.h")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), one.as_str())).collect();
    let run = Run::new(&includes, &files, &Options::default());
    assert!(run.findings().contains("the program would be longer than 33554432 bytes"), "{}", run.findings());
}

#[test]
fn a_function_gives_files_or_says_why_it_does_not() {
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
fn the_disk_gives_texts_and_nothing_else() {
    let folder = std::env::temp_dir().join(format!("polyplane-preprocessor-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    std::fs::write(path("latin.h"), b"a // caf\xe9").unwrap();
    std::fs::write(path("bytes.h"), b"a\0b").unwrap();
    assert_eq!(Disk.read(&path("latin.h")), Ok(Some("a // caf\u{fffd}".to_owned())));
    assert_eq!(Disk.read(&path("bytes.h")), Err("it is no text (byte 1)".to_owned()));
    // A folder is no file of that name; as the program itself it is an error.
    for absent in [path("no.h"), path("latin.h/no.h"), path("")] {
        assert_eq!(Disk.read(&absent), Ok(None), "{absent}");
        assert!(Disk.text(absent.as_ref()).is_err());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
