//! A fuzzer on stable Rust, with inputs of random bytes, random sequences of tokens, and valid programs in which a few
//! tokens are changed. On any input, the compiler must end without a panic. A program that it accepts must be valid,
//! print, parse back and run; for a program that it rejects, it must give a reason. Run `PROPTEST_CASES=1000000 cargo
//! test -p polyplane-microcode --test fuzz` for longer. Inputs that failed in the past are kept in `crashes/`.

mod common;

use std::fs;
use std::path::Path;

use common::running::Running;
use proptest::prelude::*;

/// Compiles a text and checks the properties above.
fn try_input(text: &str) {
    let files = [("a.h", "#include \"b.h\"\n#define A(x) x x\n"), ("b.h", "#include \"a.h\"\nregister : 8 b;\n")];
    match common::try_compile_with(text, &files) {
        Ok((program, _)) => {
            let printed = program.to_string();
            let read = ir::parse::program("test", &printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
            assert_eq!(read, program, "{printed}");
            let mut running = Running::new(program);
            running.code.limit = 1000;
            for bytes in [&[][..], &[0xff; 64], &[0x45; 300]] {
                if running.code.threads().entrance(ir::threads::Cause::Packet).is_some() {
                    running.packet(1, bytes);
                }
            }
        }
        Err(errors) => assert!(errors.contains("error"), "refused without a reason"),
    }
}

/// Fragments of programs, and of text that is not part of any.
const WORDS: [&str; 105] = [
    "é",
    "$x",
    "_",
    "bit",
    "f",
    "struct",
    "union",
    "register",
    "memory",
    "bus",
    "virtual",
    "const",
    "sram",
    "dram",
    "hash",
    "filter",
    "policer",
    "timer",
    "event",
    "reason",
    "digest",
    "flow",
    "on",
    "packet",
    "every",
    "key",
    "begin",
    "end",
    "goto",
    "if",
    "else",
    "switch",
    "case",
    "default",
    "break",
    "return",
    "exit",
    "void",
    "bool",
    "label",
    "int",
    "unsigned",
    "sizeof",
    "true",
    "sync",
    "async",
    "a",
    "b",
    "x",
    "p",
    "t",
    "start",
    "next",
    "f",
    "ir0",
    "r_work",
    "r_reply",
    "data",
    "pkt_len",
    "packet_start",
    "this_packet",
    "counter_t",
    "MemRead",
    "MemWrite",
    "MemAdd32",
    "CounterIncPhys",
    "HashLookup",
    "HashFields",
    "PacketSend",
    "XtxnWait",
    "0",
    "1",
    "7",
    "64",
    "0xffffffffffffffff",
    "\"s\"",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ":",
    ",",
    ".",
    "->",
    "=",
    "+=",
    "++",
    "==",
    "<",
    "&&",
    "||",
    "!",
    "~",
    "-",
    "+",
    "*",
    "/",
    "<<",
    "&",
    "?",
    "\n#define M(x)",
    "\n#include \"a.h\"\n",
];

const SEEDS: [&str; 3] = [
    "struct t { a : 8 ; : 4 ; b [ 2 ] : 2 ; union { x : 16 ; struct { y : 8 ; z : 8 ; } ; } ; } ;
     const t * p = packet_start ; register : 32 r ; memory t m = { 1 , { 2 , 3 } } ; sram counter_t c [ 2 ] ;
     on packet goto start ; start : begin const : v = p -> a + r * 2 ; r = v ; m . x = p -> x ;
     if ( v == 3 && ! ( p -> b [ 1 ] ) ) { goto next ; } else { m . a ++ ; } end
     begin CounterIncPhys ( & c [ r & 1 ] , r_work . pkt_len ) ; f ( ) ; goto next ; end
     next : begin switch ( r ) { case 1 : case 2 : goto start ; default : break ; } end
     begin PacketSend ( this_packet , 1 , 0 , packet_start , r_work . head_len ) ; exit ; end
     void f ( ) { begin ir0 = ( : 8 ) r ; return ; end }",
    "struct k { a : 32 ; b : 16 ; } ; dram hash : 64 h [ 16 ] key k ; memory k key_of ; register : 32 at ;
     reason gone ; timer t every 1000 ; event e ; digest k d ; on packet goto a ; on timer t goto s ; on event e goto s ;
     a : begin key_of . a = ir1 ; HashInsert ( h , 5 , & key_of ) ; end
     begin at = r_reply . paddr ; if ( r_reply . status == TABLE_FULL ) goto s ; end
     begin sync MemAdd32 ( at , 1 ) ; end
     begin bus k seen = key_of ; DigestSend ( d , seen . a , 7 ) ; end
     begin PacketDrop ( this_packet , gone ) ; exit ; end
     s : begin HashScan ( h , 0 , 16 ) ; end begin exit ; end",
    "register label where ; register int : 16 s ; memory : 8 bytes [ 8 ] ; flow ( * ( : 32 * ) packet_start ) ;
     on packet goto one ; one : begin where = two ; s = s < 0 ? - s : s >> 1 ; bytes [ ir2 & 7 ] = ir3 ; end
     begin TailRead ( this_packet , 0 , bytes , 8 ) ; end begin XtxnWait ( ) ; goto where ; end
     two : begin PacketMake ( ) ; end begin TailWrite ( r_reply . data , 0 , bytes , 8 ) ; exit ; end",
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
        let mut words: Vec<&str> = seed.split_whitespace().collect();
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
    #![proptest_config(ProptestConfig { cases: common::cases(400), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn survives_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        try_input(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn survives_sequences_of_tokens(text in soup()) {
        try_input(&text);
        try_input(&format!("register : 32 a; memory : 8 b[4]; on packet goto start; start: begin {text} exit; end"));
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
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "mc")) {
        try_input(&String::from_utf8_lossy(&fs::read(path).unwrap()));
    }
}
