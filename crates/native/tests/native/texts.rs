//! Small programs in IR text, for cases that random programs rarely reach.

use basis::Random;
use ir::interpret::Ending;
use ir::{ErrorId, VariableId};
use runtime::Bits;

use crate::pair::Pair;

/// Parses a program, replacing `ERRORS` by the errors of core.p4.
fn pair(text: &str) -> Pair {
    let errors = ir::CORE_ERRORS.join(", ");
    let text = text.replace("ERRORS", &format!("errors {errors}"));
    Pair::new(ir::parse::program("test.ir", &text).unwrap_or_else(|failure| panic!("{failure:?}\n{text}")), |_| ())
}

fn run(pair: &mut Pair, entrance: &str) -> Ending {
    let block = pair.entrance(entrance);
    pair.run(block).unwrap_or_else(|difference| panic!("{difference}\n{}", pair.program()))
}

#[test]
fn register_indices_wrap_around() {
    let mut random = Random::new(1);
    for length in [1, 2, 3, 10, 255, 256, 257, 1000] {
        for index in ["bit<1>", "bit<8>", "int<9>", "bit<64>", "bit<100>"] {
            for value in ["bit<7>", "bit<64>", "int<130>"] {
                let mut pair = pair(&format!(
                    "program registers\nlocal i: {index}\nlocal v: {value}\nlocal w: {value}\nlocal p: bool\n\
                     register r: {value}[{length}] = fill 1\nregister s: {value} = 5\n\
                     function f {{\n  w = @r[i]\n  @r[i] = v\n  @s = w if p\n  w = @s if p\n  @r[0u8] = w\n}}\n\
                     entrance f = function f\n"
                ));
                for _ in 0..12 {
                    pair.packet(&[]);
                    for variable in [0, 1, 3].map(VariableId) {
                        let width = pair.program().variable(variable).ty.width();
                        let limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| random.bits()).collect();
                        pair.set(variable, &Bits::from_limbs(&limbs, width));
                    }
                    assert_eq!(run(&mut pair, "f"), Ending::Done);
                }
            }
        }
    }
}

/// Many constants in a row become a search: the first of two equal ones wins, and later cases are tried after them.
#[test]
fn select_with_many_constants_takes_first_match() {
    let mut cases: String = (0..40).map(|value| format!("      {}u16 => s{}\n", value * 3, value % 3)).collect();
    cases +=
        "      3u16 => s2\n      0x7fu16 &&& 0xffu16 => s1\n      600u16 => s0\n      6u16 => s0\n      _ => reject\n";
    let states: String =
        (0..3).map(|state| format!("  state s{state} {{\n    n = {state}u16\n    transition accept\n  }}\n")).collect();
    let mut pair = pair(&format!(
        "program many\nlocal n: bit<16>\nlocal k: bit<16>\nERRORS\n\
         parser p {{\n  state start {{\n    lookahead k\n    select (k) {{\n{cases}    }}\n  }}\n{states}}}\nentrance p = parser p\n"
    ));
    for key in (0..130).chain([255, 0x17f, 600, 601, 0xffff]) {
        let bytes = u16::to_be_bytes(key);
        pair.packet(&bytes);
        let ending = run(&mut pair, "p");
        assert_eq!(ending == Ending::Done, key % 3 == 0 && key < 120 || key & 0xff == 0x7f || key == 600, "{key}");
    }
}

/// Functions with very many blocks are compiled with another allocator; the behaviour must not change.
#[test]
fn huge_functions_behave_the_same() {
    let ifs: String =
        (0..2500).map(|value| format!("  if k == {value}u16 {{\n    n = n + {value}u16\n  }}\n")).collect();
    let mut pair = pair(&format!(
        "program long\nlocal n: bit<16>\nlocal k: bit<16>\nfunction f {{\n{ifs}{}}}\nentrance f = function f\n",
        "  n = n ^ k\n"
    ));
    for key in [0, 1, 700, 2499, 2500, 65_535] {
        pair.packet(&[]);
        pair.set(VariableId(1), &Bits::from_u64(key, 16));
        assert_eq!(run(&mut pair, "f"), Ending::Done);
    }
}

#[test]
fn parser_times_out_only_without_progress() {
    let mut pair = pair(
        "program still\nlocal n: bit<16>\nlocal b: bit<8>\nERRORS\n\
         parser p {\n  state start {\n    n = n + 1u16\n    lookahead b\n    select (b) {\n\
         \x20     0u8 => skip\n      1u8 => start\n      _ => accept\n    }\n  }\n\
         \x20 state skip {\n    advance 8u8\n    transition start\n  }\n}\nentrance p = parser p\n",
    );
    let mut end_with = |bytes: &[u8]| {
        pair.packet(bytes);
        run(&mut pair, "p")
    };
    assert_eq!(end_with(&[1]), Ending::Rejected(ErrorId::PARSER_TIMEOUT));
    assert_eq!(end_with(&[0, 0, 1]), Ending::Rejected(ErrorId::PARSER_TIMEOUT));
    let mut long = vec![0; 9000];
    assert_eq!(end_with(&long), Ending::Rejected(ErrorId::PACKET_TOO_SHORT));
    long.push(2);
    assert_eq!(end_with(&long), Ending::Done);
}

#[test]
fn endless_programs_stop_at_the_same_step() {
    // Each function calls the next one twice, which makes 2^22 calls without a loop.
    let mut text = String::from("program calls\nlocal n: bit<32>\nfunction f0 {\n  n = n + 1u32\n}\n");
    for number in 1..=22 {
        let below = number - 1;
        text.push_str(&format!("function f{number} {{\n  call f{below}\n  n = n + 1u32\n  call f{below} then {{\n    n = n ^ 5u32\n  }}\n}}\n"));
    }
    text.push_str("function loop {\n  while true {\n    n = n + 1u32\n    if n == 7u32 {\n      continue\n    }\n    call f2\n  }\n}\n");
    text.push_str("entrance calls = function f22\nentrance few = function f10\nentrance loop = function loop\n");
    let mut pair = pair(&text);
    for (entrance, ending) in [("calls", Ending::Unfinished), ("few", Ending::Done), ("loop", Ending::Unfinished)] {
        pair.packet(&[]);
        assert_eq!(run(&mut pair, entrance), ending, "{entrance}");
    }
}

#[test]
fn calls_nest_at_most_256_deep() {
    let mut text = String::from("program deep\nlocal n: bit<32>\nlocal m: bit<32>\nfunction f1 {\n  n = n + 1u32\n}\n");
    for number in 2..=300 {
        let below = number - 1;
        text.push_str(&format!(
            "function f{number} {{\n  n = n + 1u32\n  call f{below} then {{\n    m = m + 1u32\n  }}\n  call f1\n}}\n"
        ));
    }
    text.push_str("entrance f255 = function f255\nentrance f256 = function f256\nentrance f257 = function f257\n");
    text.push_str("entrance f300 = function f300\n");
    let mut pair = pair(&text);
    for (entrance, ending) in
        [("f255", Ending::Done), ("f256", Ending::Done), ("f257", Ending::Unfinished), ("f300", Ending::Unfinished)]
    {
        pair.packet(&[]);
        assert_eq!(run(&mut pair, entrance), ending, "{entrance}");
    }
}

#[test]
fn exit_unwinds_all_calls_with_copy_out() {
    let mut pair = pair(
        "program exits\nlocal n: bit<8>\nlocal out: bit<8>\nlocal hit: bool\nlocal which: bit<32>\nlocal v: bit<8>\n\
         ERRORS\n\
         action leave(v) {\n  out = v\n  if n == 1u8 {\n    exit\n  }\n  if n == 2u8 {\n    return\n  }\n\
         \x20 if n == 3u8 {\n    assert false, \"three\"\n  }\n  out = out + 100u8\n}\n\
         action other {\n  out = 50u8\n}\n\
         table t {\n  key n: ternary\n  action leave {\n    out = 1u8\n  } then {\n    out = out + 10u8\n  }\n\
         \x20 action other\n  default other()\n  entry 0 &&& 252 => leave(7) priority 1\n}\n\
         function inner {\n  apply t -> hit, which\n  out = out + 1u8\n}\n\
         control c {\n  call inner then {\n    out = out * 2u8\n  }\n  out = out ^ 128u8\n}\n\
         entrance c = function c\n",
    );
    let mut endings = Vec::new();
    for n in 0..6 {
        pair.packet(&[]);
        pair.set(VariableId(0), &Bits::from_u64(n, 8));
        endings.push(run(&mut pair, "c"));
    }
    let done = Ending::Done;
    assert_eq!(endings, [done, done, done, Ending::AssertionFailed, done, done]);
}

/// A rejection by the first block is told and the others run; a block that fails is told with its place, and none runs
/// after it.
#[test]
fn blocks_that_run_together_end_as_they_do_alone() {
    let mut pair = pair(
        "program each\nlocal n: bit<8>\nERRORS\nheader h {\n  h.$valid: bool\n  h.f: bit<8>\n}\n\
         parser p {\n  state start {\n    extract h\n    transition accept\n  }\n}\n\
         function a {\n  n = n + 1u8\n}\nfunction e {\n  exit\n}\nfunction nothing {\n}\n\
         function fails {\n  assert h.f != 7u8, \"not seven\"\n}\n\
         entrance p = parser p\nentrance a = function a\nentrance e = function e\nentrance nothing = function nothing\n\
         entrance fails = function fails\n",
    );
    let block = |name: &str| pair.entrance(name);
    let lists = [
        vec!["p", "a", "e", "a", "fails"],
        vec!["p", "fails", "a"],
        vec!["a", "p", "fails"],
        vec!["nothing", "p", "a", "fails", "a"],
        vec!["fails", "e", "p", "p", "p", "a"],
        vec![],
    ];
    let lists = lists.map(|names| names.into_iter().map(block).collect::<Vec<_>>());
    let mut seen = Vec::new();
    for blocks in &lists {
        for bytes in [&[][..], &[1, 2], &[7, 7, 7]] {
            pair.packet(bytes);
            seen.push(pair.run_each(blocks).unwrap_or_else(|difference| panic!("{blocks:?} {bytes:?}: {difference}")));
        }
    }
    let rejected = seen.iter().filter(|ran| ran.rejected != ErrorId::NO_ERROR).count();
    let places: Vec<usize> = seen.iter().filter_map(|ran| ran.failed).map(|(place, _)| place).collect();
    assert_eq!((rejected, places), (2, vec![4, 1, 2, 3]));
}
