//! Fuzzing of the parser: no text makes it panic, and what it accepts is well typed and reads back as printed.

use ir::form::Form;
use ir::interpret::Interpreter;
use ir::{Program, dot, parse, verify};
use proptest::prelude::*;

use crate::generate::{self, Choices, choices};
use crate::generate_damage;
use crate::generate_parts;
use crate::generate_pipeline;
use crate::generate_threads;

/// Pieces of the grammar, to be combined at random.
const PIECES: [&str; 140] = [
    "program p\n",
    "pipeline p\n",
    "field a: int<32>\n",
    "local t: bool\n",
    "register r: int<32>[4] = fill 0\n",
    "packet {\n",
    "}\n",
    "stage {\n",
    "atom {",
    "access @r stage 0 index a always sharded\n",
    "export a = a\n",
    "resolution 1\n",
    "if",
    "else",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "@r",
    "@",
    "a",
    "t",
    "`a`",
    "`",
    "\"",
    "=",
    "==",
    "+",
    "-",
    "?",
    ":",
    ",",
    "<",
    ">",
    "1i32",
    "-5i32",
    "0x",
    "99999999999999999999999999999999999999999i64",
    "true",
    "hash2(",
    "int<32>(",
    "\n",
    " ",
    "é//\n",
    "header h {\n valid: bool\n f: bit<8>\n}\n",
    "header v {\n v.valid: bool\n v.o: bit<80> length v.l: bit<32>\n}\n",
    "header ",
    "stack s: h, h next next\n",
    "local next: bit<32>\n",
    "array x: a, a\n",
    "x[a]",
    "x[0]",
    "[7:0]",
    "errors NoError, PacketTooShort, NoMatch, StackOutOfBounds, HeaderTooShort, ParserTimeout, ParserInvalidArgument\n",
    "value_set vs: exact bit<8> size 4\n",
    "counter c: packets size 4\n",
    "counter d: bytes direct\n",
    "meter m: bytes size 4\n",
    "profile q: size 4 selection crc16\n",
    "profile s: size 4 selection crc32 resilient bits @b places 2\n",
    "register b: bit<1>[4] = fill 0\n",
    "digest g(a: int<32>)\n",
    "field_list 1: a\n",
    "parser q {\n state start {\n transition accept\n }\n}\n",
    "parser p {\n",
    "state start {\n",
    "state b {\n transition start\n}\n",
    "transition b\n",
    "select (a) {\n",
    "_ => accept\n",
    "1i32 &&& 1i32 => reject\n",
    "1i32 .. 2i32 => start\n",
    "value_set(vs) => b\n",
    "action f(a) {\n}\n",
    "control i {\n",
    "table y {\n",
    "key a: lpm\n",
    "action f only_default\n",
    "action f {\n} then {\n}\n",
    "default f(1)\n",
    "entry 1 / 32 => f(2) priority 1\n",
    "entrance e = parser p\n",
    "entrance i = function i\n",
    "intrinsic port = a\n",
    "call f then {\n",
    "call i\n",
    "apply y -> t, next\n",
    "parse q\n",
    "while t {\n",
    "break\n",
    "extract h\n",
    "emit s[a]\n",
    "verify t, 1u8\n",
    "undefined<bit<8>>",
    "checksum(crc32, bit<32>, a: 8u8)",
    "->",
    "++",
    "local_memory 64 = fill 1\n",
    "head 0 size 8\n",
    "segment m: on_chip at 0 size 4096\n",
    "segment p: off_chip at 8192 size 256 policers m\n",
    "records e: key 4 size 8 in m\n",
    "timer z period 5\n",
    "event l\n",
    "reason w\n",
    "flow (a)\n",
    "instruction n {\n",
    "instruction s waits {\n end\n}\n",
    "entrance packet = instruction n\n",
    "entrance timer z = instruction s\n",
    "memory(a, 3, 9)",
    "memory(a, 0, 8) = 1u8\n",
    "a[7:0] = 1u8 if t\n",
    "goto s\n",
    "goto n if t\n",
    "jump a\n",
    "call s then n\n",
    "return\n",
    "end\n",
    "async ",
    "read a, 8 -> a\n",
    "write a, (a, a)\n",
    "count a, a\n",
    "police a, a before 1u8 -> _\n",
    "fetch_or a, a -> memory a\n",
    "write_masked a, a, a\n",
    "add a, memory a, 4\n",
    "find e, (a) -> _, a\n",
    "insert e, (a), (a)\n",
    "scan e, a, 64u8\n",
    "filter y, a -> t\n",
    "hash (a), 0u8 -> a\n",
    "write_tail 0u8, a, (t)\n",
    "make tail 0u8\n",
    "send 0u8 port a queue a head a, a\n",
    "drop 0u8 reason w\n",
    "start_timer z, a\n",
    "time -> a\n",
];

/// Returns a text with some of its characters, lines or pieces changed.
fn damaged(text: &str, choices: &mut Choices) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + choices.below(4) {
        let start = text.floor_char_boundary(choices.below(text.len() + 1));
        let end = text.floor_char_boundary(text.len().min(start + choices.below(20))).max(start);
        match choices.below(4) {
            0 => text.truncate(start),
            1 => text.replace_range(start..end, ""),
            2 => text.insert_str(start, choices.pick(&PIECES)),
            _ => {
                let copy = text[start..end].to_owned();
                text.insert_str(text.floor_char_boundary(choices.below(text.len() + 1)), &copy);
            }
        }
    }
    text
}

fn read_program(text: &str) {
    let program = match parse::program("hostile.ir", text) {
        Err(failure) => return assert!(failure.to_string().contains("error"), "a refusal must contain an error"),
        Ok(program) => program,
    };
    assert_eq!(verify::program(&program), Ok(()), "{text}");
    assert_eq!(parse::program("again.ir", &program.to_string()).unwrap(), program);
    let places: usize = program.registers.iter().map(ir::Register::size).sum();
    if places < 100_000 && Form::Flat.verify(&program).is_ok() {
        Interpreter::new(&program).packet(&mut vec![0; program.variables.len()]);
    }
}

fn read_pipeline(text: &str) {
    if let Ok(pipeline) = parse::pipeline("hostile.ir", text) {
        // Neither verifying an invalid pipeline nor drawing it panics.
        let _ = pipeline.verify();
        let _ = dot::pipeline(&pipeline);
        assert_eq!(parse::pipeline("again.ir", &pipeline.to_string()).unwrap(), pipeline);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_characters(text in "\\PC{0,200}") {
        read_program(&text);
        read_pipeline(&text);
    }

    #[test]
    fn pieces_of_the_grammar(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60)) {
        let text = pieces.concat();
        read_program(&format!("program p\nfield a: int<32>\nregister r: int<32>[4] = fill 0\npacket {{\n{text}\n}}\n"));
        read_program(&format!("program p\nlocal a: int<32>\nlocal t: bool\nlocal_memory 64\ninstruction n {{\n{text}\n end\n}}\n"));
        read_program(&text);
        read_pipeline(&text);
    }

    #[test]
    fn damaged_texts(first in choices(), second in choices()) {
        let program = generate::program(&mut Choices::new(first.clone()));
        let mut choices = Choices::new(second);
        read_program(&damaged(&program.to_string(), &mut choices));
        let pipeline = generate_pipeline::pipeline(&mut Choices::new(first));
        read_pipeline(&damaged(&pipeline.to_string(), &mut choices));
    }

    #[test]
    fn damaged_texts_with_everything(first in choices(), second in choices()) {
        let program = generate_parts::program(&mut Choices::new(first));
        read_program(&damaged(&program.to_string(), &mut Choices::new(second)));
    }

    #[test]
    fn damaged_texts_of_threads(first in choices(), second in choices()) {
        let program = generate_threads::program(&mut Choices::new(first));
        read_program(&damaged(&program.to_string(), &mut Choices::new(second)));
    }

    /// Neither verification nor parsing panics on programs of threads that no text gives.
    #[test]
    fn damaged_threads(first in choices(), second in choices()) {
        let mut program = generate_threads::program(&mut Choices::new(first));
        generate_damage::damage_threads(&mut program, &mut Choices::new(second));
        if verify::program(&program).is_ok() {
            let text = program.to_string();
            let read = parse::program("damaged.ir", &text);
            prop_assert!(read.is_ok(), "{}\n{}", text, read.unwrap_err());
            prop_assert_eq!(read.unwrap(), program, "{}", text);
        } else {
            let _ = parse::program("damaged.ir", &program.to_string());
        }
    }

    /// Neither verification nor parsing panics on programs that no text gives.
    #[test]
    fn damaged_programs(first in choices(), second in choices()) {
        let mut program = generate_parts::program(&mut Choices::new(first));
        generate_damage::damage(&mut program, &mut Choices::new(second));
        if verify::program(&program).is_ok() {
            let text = program.to_string();
            let read = parse::program("damaged.ir", &text);
            prop_assert!(read.is_ok(), "{}\n{}", text, read.unwrap_err());
            prop_assert_eq!(read.unwrap(), program, "{}", text);
        } else {
            // An invalid program can still be printed, and its text is read without a panic.
            let _ = parse::program("damaged.ir", &program.to_string());
        }
    }
}

/// Reading a register of the maximum length does not allocate its values.
#[test]
fn long_arrays_are_not_allocated_when_read() {
    let register = |number| format!("register r{number}: int<64>[67108864] = fill 1\n");
    let text = format!("program p\n{}packet {{\n}}\n", (0..1000).map(register).collect::<String>());
    let program: Program = parse::program("long.ir", &text).unwrap();
    assert_eq!(verify::program(&program), Ok(()));
}
