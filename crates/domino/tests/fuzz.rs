//! A fuzzer on stable Rust, with inputs of random bytes, random sequences of tokens, and valid programs in which a few
//! tokens are changed. On any input, the compiler must end without a panic. A program that it accepts must be valid,
//! print, parse back and run; for a program that it rejects, it must give a reason. Run `PROPTEST_CASES=1000000 cargo
//! test -p polyplane-domino --test fuzz` for longer. Inputs that failed in the past are kept in `crashes/`.

mod common;

use std::fs;
use std::path::Path;

use proptest::prelude::*;

/// Compiles a text and checks the properties above.
fn try_input(text: &str) {
    let files = [("a.h", "#include \"b.h\"\n#define A(x) x x\n"), ("b.h", "#include \"a.h\"\nint b;\n"), ("c.h", "'")];
    match common::try_compile_with(text, &files) {
        Ok((program, _)) => {
            let printed = program.to_string();
            let read = ir::parse::program("test", &printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
            assert_eq!(read, program, "{printed}");
            if program.registers.iter().map(|register| register.size()).sum::<usize>() < 1 << 16 {
                let mut interpreter = ir::interpret::Interpreter::new(&program);
                for number in [0, 1, 0xffff_ffff] {
                    let mut values = vec![number; program.variables.len()];
                    interpreter.packet(&mut values);
                }
            }
        }
        Err(errors) => assert!(errors.contains("error"), "refused without a reason"),
    }
}

/// Fragments of programs, and of text that is not part of any.
const WORDS: [&str; 74] = [
    "int",
    "void",
    "struct",
    "Packet",
    "p",
    "a",
    "b",
    "x",
    "f",
    "g",
    "if",
    "else",
    "return",
    "for",
    "while",
    "switch",
    "unsigned",
    "float",
    "hash2",
    "hash3",
    "0",
    "1",
    "7",
    "0x80000000",
    "4294967295",
    "1.5",
    "'a'",
    "\"s\"",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    ".",
    "=",
    "+=",
    "*=",
    "<<=",
    "==",
    "!=",
    "<",
    ">=",
    "&&",
    "||",
    "!",
    "~",
    "-",
    "+",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "&",
    "^",
    "?",
    ":",
    "++",
    "->",
    "\n#define",
    "\n#if",
    "\n#else",
    "\n#endif",
    "\n",
    "\n#include \"a.h\"\n",
    "\n#include \"c.h\"\n",
    "\\\n",
    "//",
    "/*",
    "*/",
    "M(",
];

const SEEDS: [&str; 3] = [
    "#define N 8\n#define M(x) ((x) % N)\nstruct Packet { int a ; int b ; } ;\nint s = 3 ; int t [ N ] = { 0 , 1 } ;
     int g ( int x , int y ) { if ( x > y ) { return x ; } else if ( x == 3 ) { y += 1 ; } return y ; }
     void f ( struct Packet p ) { int k = M( p . a ) ; t [ k ] += g ( p . a , s ) ; p . b = t [ k ] ? s : - p . b ; s ++ ; }",
    "struct Packet { int a ; int b ; } ; int s ; int n ( ) { s = s + 1 ; return s ; }
     void f ( struct Packet p ) { int x = n ( ) ; if ( ! p . a && x < 5 ) return ; p . b = hash2 ( x , p . a ) >> 3 ; n ( ) ; }",
    "struct Packet { int a ; } ; int t [ 4 ] ; int h ( int x ) { int v = t [ x ] ; if ( v ) { if ( x ) return 1 ; v -- ; } return v ; }
     void f ( struct Packet p ) { p . a = p . a ? h ( p . a ) : 7 ; if ( h ( 3 ) ) { t [ 2 ] = 9 ; } else t [ p . a ] <<= 1 ; }",
];

fn soup() -> impl Strategy<Value = String> {
    let words = prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..120);
    words.prop_map(|words| words.join(" "))
}

/// A valid program in which some tokens are replaced, removed, duplicated or exchanged.
fn changed_program() -> impl Strategy<Value = String> {
    let change =
        (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..5u8, prop::sample::select(WORDS.to_vec()));
    (prop::sample::select(SEEDS.to_vec()), prop::collection::vec(change, 1..6)).prop_map(|(seed, changes)| {
        let mut words: Vec<&str> = seed.split(' ').collect();
        for (at, other, how, word) in changes {
            let (at, other) = (at.index(words.len()), other.index(words.len()));
            match how {
                0 => words[at] = word,
                1 => words.insert(at, word),
                2 if words.len() > 1 => drop(words.remove(at)),
                3 => words.insert(at, words[other]),
                _ => words.swap(at, other),
            }
        }
        words.join(" ")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: common::cases(1500), max_shrink_iters: 5000, ..ProptestConfig::default() })]

    #[test]
    fn survives_arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        try_input(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn survives_arbitrary_sequences_of_tokens(text in soup()) {
        try_input(&text);
        try_input(&format!("int s; struct Packet {{ int a; }}; void f(struct Packet p) {{ {text} }}"));
    }

    #[test]
    fn survives_mutated_programs(text in changed_program()) {
        try_input(&text);
    }
}

#[test]
fn seeds_are_valid_programs() {
    SEEDS.iter().for_each(|seed| drop(common::compile(seed)));
}

#[test]
fn inputs_of_past_failures_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crashes");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "c")) {
        try_input(&String::from_utf8_lossy(&fs::read(path).unwrap()));
    }
}
