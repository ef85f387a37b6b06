//! Hostile input to the parser, which must be refused or read quickly and on a small stack.

mod common;

use common::{cases, round_trip, try_parse};
use proptest::prelude::*;

/// A constant with this value.
fn constant(value: &str) -> String {
    format!("typedef bit<8> T; const T x = {value};")
}

/// Reads a text on a thread with the least stack that the platform usually gives, prints and drops what comes out.
fn try_on_small_stack(text: String) -> Result<(), String> {
    let run = move || {
        let program = try_parse(&text)?;
        round_trip(&program);
        Ok(())
    };
    std::thread::Builder::new().stack_size(1 << 21).spawn(run).unwrap().join().expect("no panic, no stack overflow")
}

/// `before` and `behind` so often around a value.
fn around(before: &str, behind: &str, times: usize) -> String {
    constant(&format!("{}1{}", before.repeat(times), behind.repeat(times)))
}

#[test]
fn refuses_deep_nesting_with_one_error() {
    let wraps = [
        ("(", ")"),
        ("-", ""),
        ("(T)", ""),
        ("{", "}"),
        ("{a = ", "}"),
        ("f(", ")"),
        ("a[", "]"),
        ("(bit<(", ")>)1"),
        ("f<bit<(", ")>>(1)"),
        ("a ? b : ", ""),
        ("a ? ", " : b"),
        ("1 + (", ")"),
        ("", "+ 1"),
        ("1 ++ ", ""),
        ("", ".f"),
        ("", "[1]"),
        ("", "(1)"),
        ("", "[3:1]"),
        ("", " < a"),
        ("(T[1]", ")1"),
    ];
    for (before, behind) in wraps {
        let deep = around(before, behind, 20_000);
        let found = try_on_small_stack(deep).unwrap_err();
        assert!(found.matches("error").count() <= 2, "{before} {behind}: {found}");
        let fits = around(before, behind, 45);
        // `1(1)` and the like are no sense, but they are syntax.
        if !before.starts_with("(T[") {
            try_on_small_stack(fits).unwrap_or_else(|error| panic!("{before} {behind}: {error}"));
        }
    }
}

#[test]
fn angle_brackets_take_linear_time() {
    // Each could begin type arguments or compare: a parser that tries both takes twice as long for each of them.
    for first in ["a", "T", "bit", "f"] {
        for between in ["<a", "<T", "<bit", "<f<", "<T<", "<tuple<"] {
            let text = constant(&format!("{first}{}", between.repeat(10_000)));
            assert!(try_on_small_stack(text).is_err());
            let text = constant(&format!("{first}{}{}(1)", between.repeat(60), ">".repeat(60)));
            let _either = try_on_small_stack(text);
        }
    }
}

#[test]
fn bounds_blocks_types_and_conditions() {
    let control = |body: String| format!("control c() {{ apply {{ {body} }} }}");
    for (before, behind) in [
        ("{", "}"),
        ("if (a) ", "f();"),
        ("if (a) { } else ", "f();"),
        ("for (;a;) ", "f();"),
        ("switch (a) { 1: {", "}}"),
        ("bit<8>[2", ""),
        ("tuple<", ">"),
        ("list<list<", ">>"),
        ("@a ", ""),
        ("(", ")"),
        ("E() e = { E() f = {", "}; };"),
        ("control c() { apply { ", "}}"),
    ] {
        // Each on a line of its own, for errors show the whole line.
        let (before, behind) = (format!("{before}\n"), format!("{behind}\n"));
        for times in [40, 20_000] {
            let _either = try_on_small_stack(control(before.repeat(times) + &behind.repeat(times)));
            let _either = try_on_small_stack(before.repeat(times));
            let _either = try_on_small_stack(behind.repeat(times));
        }
    }
    assert!(try_on_small_stack(control("{".repeat(150) + &"}".repeat(150))).is_ok());
    assert!(try_on_small_stack(control("{".repeat(500) + &"}".repeat(500))).unwrap_err().contains("levels deep"));
}

#[test]
fn reads_long_programs() {
    let mut text = String::from("control c(inout bit<8> x) { apply {");
    for number in 0..20_000 {
        text += &format!("x = x + {number};\n");
    }
    text += "} }";
    assert!(try_parse(&text).is_ok());
    let many = "control c() { apply { x = ; } }\n".repeat(5000);
    assert!(try_parse(&many).is_err());
}

const SEEDS: [&str; 2] = [include_str!("syntax/declarations.p4"), include_str!("syntax/statements.p4")];

const WORDS: [&str; 60] = [
    "bit",
    "<",
    "8",
    ">",
    ">",
    ">=",
    "int",
    "T",
    "a",
    "b",
    "x",
    "f",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ";",
    ",",
    ".",
    "=",
    "+",
    "++",
    "+:",
    ":",
    "?",
    "&&&",
    "..",
    "...",
    "{#}",
    "_",
    "default",
    "@",
    "@name(\"x\")",
    "\n@pragma a b\n",
    "header",
    "struct",
    "control",
    "parser",
    "state",
    "transition",
    "select",
    "table",
    "key",
    "actions",
    "entries",
    "apply",
    "action",
    "const",
    "extern",
    "enum",
    "error",
    "typedef",
    "if",
    "else",
    "for",
    "switch",
    "return",
];

/// A right program in which some words are replaced, put in, taken out or exchanged.
fn changed_program() -> impl Strategy<Value = String> {
    let change =
        (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..5u8, prop::sample::select(WORDS.to_vec()));
    (prop::sample::select(SEEDS.to_vec()), prop::collection::vec(change, 1..6)).prop_map(|(seed, changes)| {
        let mut words = pieces(seed);
        for (at, other, how, word) in changes {
            let (at, other) = (at.index(words.len()), other.index(words.len()));
            match how {
                0 => words[at] = word,
                1 => words.insert(at, word),
                2 => drop(words.remove(at)),
                3 => words.insert(at, words[other]),
                _ => words.swap(at, other),
            }
        }
        words.concat()
    })
}

/// A text in words, signs and spaces.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'"';
    for at in 1..=text.len() {
        if at == text.len() || !(is_word(text.as_bytes()[at]) && is_word(text.as_bytes()[at - 1])) {
            pieces.push(&text[start..at]);
            start = at;
        }
    }
    pieces
}

/// Whatever comes in, the parser ends; what it accepts prints and reads back as the same tree; what it refuses it
/// says a reason for.
fn try_input(text: &str) {
    match try_parse(text) {
        Ok(program) => round_trip(&program),
        Err(errors) => assert!(errors.contains("error"), "refused without a reason"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(600), max_shrink_iters: 5000, ..ProptestConfig::default() })]

    #[test]
    fn soups_of_words_never_break_the_parser(words in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..120)) {
        let text = words.join(" ");
        try_input(&text);
        try_input(&format!("typedef bit<8> T; control c(inout T x) {{ action a() {{ {text} }} apply {{ }} }}"));
    }

    #[test]
    fn changed_programs_never_break_the_parser(text in changed_program()) {
        try_input(&text);
    }

    #[test]
    fn values_print_to_themselves(words in prop::collection::vec(prop::sample::select(VALUE_WORDS.to_vec()), 1..14)) {
        try_input(&constant(&words.join(" ")));
    }
}

/// What values are made of: so few that many rows of them are values.
const VALUE_WORDS: [&str; 30] = [
    "a", "b", "1", "T", "(", ")", "(T)", "(a)", "a[1]", ".f", "-", "+", "!", "*", "++", "==", "<", ">", "> >", ">>",
    "a ?", ": b", "{a, b}", "{x = a}", "f<T>(a)", "[a:b]", "[a+:b]", "&", "|", "...",
];
