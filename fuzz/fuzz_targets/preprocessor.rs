//! The preprocessor: whatever comes in, it ends after bounded work, its pieces lie in the texts, its findings render; and
//! what comes out has no directives and no macros left, so that it goes in again unchanged.

#![no_main]

use std::collections::BTreeMap;

use diagnostics::Sources;
use libfuzzer_sys::fuzz_target;
use preprocessor::{
    Complaint, Header, Language, Limits, MOST_FILE_BYTES, Options, Piece, PieceKind, Preprocessed, preprocess,
};

/// Headers that include each other, end in the middle of something, or belong to the language.
const FILES: [(&str, &str); 4] = [
    ("a.h", "#include \"b.h\"\n#define A(x) x x\n"),
    ("b.h", "#include \"a.h\"\nint b;\n"),
    ("c.h", "'"),
    ("d/a.h", "#pragma once\n#include <a.h>\n#if N\nd\n"),
];

/// A language that has what these bits say.
fn language(bits: u8) -> Language {
    let has = |bit: u8| bits >> bit & 1 != 0;
    let value = |content: &str| content.parse::<char>().ok().map(|character| i64::from(u32::from(character)));
    Language {
        punctuators: if has(0) {
            &["...", ">>", "<<", "<", ">", "(", ")", ",", "."]
        } else {
            &["..", "<", ">", "(", ")"]
        },
        fractions: has(1),
        strings_of_lines: has(2),
        characters: has(3).then_some(value),
        plain_macros: has(4),
        header: |name| match name {
            "library.h" => Some(Header::Text("#define LIBRARY 1\nlibrary")),
            "part.h" => Some(Header::PartOfLanguage),
            _ => None,
        },
        no_such_file: |name, _| Complaint::new(format!("no {name}"), "include another"),
        how_to_include: "write `#include <name>`",
        limits: Limits { tokens: 1 << 14, includes: 100 },
    }
}

fn run(language: &Language, text: &str, options: &Options) -> Preprocessed {
    let mut sources = Sources::new();
    let main = sources.add("main.c", text);
    let files: BTreeMap<String, String> = FILES.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    let read = preprocess(language, &mut sources, main, &files, options);
    assert!(read.pieces.len() <= language.limits.tokens);
    for piece in &read.pieces {
        let (start, end) = (piece.span.start as usize, piece.span.end as usize);
        assert!(sources.text(piece.span.source).get(start..end).is_some(), "{piece:?}");
        assert_eq!(spelled(piece).len(), piece.spelled_bytes());
    }
    assert!(read.complete || read.diagnostics.has_errors(), "cut off without a reason");
    read.diagnostics.render(&sources, false);
    read
}

fn spelled(piece: &Piece) -> String {
    let mut text = String::new();
    piece.spell(&mut text);
    text
}

fuzz_target!(|data: &[u8]| {
    let (text, bits) = fuzz::parts(data);
    let language = language(bits.first().copied().unwrap_or_default());
    let definitions = vec![("N".to_owned(), "8".to_owned()), ("M(x)".to_owned(), "x + N".to_owned())];
    let options = Options { search_paths: vec!["d".to_owned()], definitions };
    let read = run(&language, &String::from_utf8_lossy(text), &options);
    let is_token = |piece: &&Piece| {
        let is_hash = piece.is("#") || piece.is("##");
        // What `__LINE__` and `__FILE__` stand for may be another thing the next time.
        let moves = piece.word().is_some_and(|word| word.starts_with("__"));
        !is_hash && !moves && !matches!(piece.kind, PieceKind::Invalid(_))
    };
    let tokens: Vec<String> = read.pieces.iter().filter(is_token).map(spelled).collect();
    let text = tokens.join(" ");
    if text.len() <= MOST_FILE_BYTES {
        let again = run(&language, &text, &Options::default());
        assert_eq!(again.pieces.iter().map(spelled).collect::<Vec<_>>(), tokens);
    }
});
