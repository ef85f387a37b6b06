//! Texts that are refused: every error with its place, and a hint where one helps.

use ir::parse;

/// Each finding of a refused program as `line:column message | hint`.
fn findings(failure: &parse::Failure) -> Vec<String> {
    let show = |finding: &diagnostics::Diagnostic| {
        let (line, column) = finding.span.map_or((0, 0), |span| failure.sources.place(span));
        let hint = finding.hint.as_ref().map_or(String::new(), |hint| format!(" | {hint}"));
        format!("{line}:{column} {}{hint}", finding.message)
    };
    failure.diagnostics.iter().map(show).collect()
}

fn refused(text: &str) -> Vec<String> {
    findings(&parse::program("test.ir", text).expect_err("the text should be refused"))
}

#[test]
fn one_run_shows_what_is_wrong_on_every_line() {
    let text = "\
program broken
field sport: int<32>
field sport: int<8>
local t: bool
field late: int<32>
register count: int<32>[4] = fill 0
regster other: int<32>
packet {
  spork = 1i32
  t = sport + 1i32
  if sport {
    @count = 1i32
    t = sport > 5i8
  }
  sport = sport + 1i32 + 2i32
  sport = 5
  sport = # 5i32
  @cuont[0i32] = 7i32
  sport = hash2(sport)
  sport = 3000000000i32
  sport = t if t
}
export t = sport
";
    let expected = [
        "3:7 `sport` is declared twice",
        "5:7 the field `late` is declared after a local | declare all fields before the first local",
        "7:1 this line is not a declaration | did you mean `register`?",
        "9:3 `spork` is not declared | did you mean `sport`?",
        "10:7 `t` takes bool, not int<32>",
        "11:6 a condition is a bool, not int<32>",
        "12:5 `@count` is an array of 4 and needs an index",
        "13:15 `>` takes two values of one type, not int<32> and int<8>",
        "15:24 a second operator without parentheses | there are no precedences: write `(a + b) + c`",
        "16:11 a constant carries its type | `5i32` for int<32>, `5u8` for bit<8>",
        "17:11 `#` has no meaning here",
        "18:3 `@cuont` is not declared | did you mean `@count`?",
        "19:11 `hash2` takes 2 values, not 1",
        "20:11 3000000000 is not a number of type int<32> | -2147483648 to 2147483647",
        "21:11 only the read of a register has a predicate | a choice between two values is `condition ? this : that`",
        "23:8 `t` is a local: only fields leave with the packet",
        "23:12 `t` takes bool, not int<32>",
    ];
    assert_eq!(refused(text), expected);
}

#[test]
fn a_finding_underlines_its_place() {
    let text = "program p\nfield sport: int<32>\npacket {\n  sport = spork\n}\n";
    let failure = parse::program("test.ir", text).unwrap_err();
    let expected = "\
error: `spork` is not declared
 --> test.ir:4:11
  |
4 |   sport = spork
  |           ^^^^^ unknown name
  |
  = help: did you mean `sport`?";
    assert_eq!(failure.to_string().trim_end(), expected);
}

#[test]
fn types_lengths_and_first_values_have_their_ranges() {
    let text = "program p\nfield a: int<0>\nfield b: bit<65536>\nfield c: float\nregister d: int<8>[0] = fill 0\n\
                register e: int<8>[99999999] = fill 0\nregister f: int<8>[2] = [1, 2, 3]\n\
                register g: bit<8> = -1\nregister h: bool = 1\nregister i: int<8>[2] = 3\npacket {\n}\n";
    let expected = [
        "2:14 a value cannot be 0 bits wide | 1 to 65535 bits",
        "3:14 a value cannot be 65536 bits wide | 1 to 65535 bits",
        "4:10 expected a type: `int<N>`, `bit<N>` or `bool`, found `float`",
        "5:20 an array cannot have 0 values | 1 to 67108864 values",
        "6:20 an array cannot have 99999999 values | 1 to 67108864 values",
        "7:25 3 values for 2 places",
        "8:22 -1 is not a number of type bit<8> | 0 to 255",
        "9:20 expected `true` or `false`, found `1`",
        "10:25 expected `fill` and a number, or a list such as `[1, 2]`, found `3`",
    ];
    assert_eq!(refused(text), expected);
}

#[test]
fn a_text_that_ends_too_early_says_what_is_open() {
    let text = "program p\nfield a: bool\npacket {\n  if a {\n";
    assert_eq!(refused(text), ["5:1 the text ends inside a block | add `}`"]);
    assert_eq!(
        refused("field a: bool"),
        [
            "1:1 the text does not begin with `program` and a name | put `program some_name` into the first line",
            "1:14 the program has no `packet` block | add `packet {` and `}`, with what happens to a packet between them",
        ]
    );
}

#[test]
fn an_error_in_a_condition_does_not_hide_those_of_its_block() {
    let text = "program p\nfield a: bool\npacket {\n  if a == {\n    a = b\n  } else {\n    a = c\n  }\n  a = d\n}\n";
    let places: Vec<String> = refused(text).iter().map(|finding| finding[..4].to_owned()).collect();
    assert_eq!(places, ["4:11", "5:9 ", "7:9 ", "9:7 "]);
}

#[test]
fn words_of_the_language_are_names_in_backquotes_only() {
    let found = refused("program p\nfield if: bool\npacket {\n}\n");
    let hint = "a name that is a word of the language has backquotes: `` `if` ``";
    assert_eq!(found, [format!("2:7 expected a variable's name, found `if` | {hint}")]);
}

#[test]
fn nesting_is_bounded() {
    for (opening, inside, closing) in [("(", "1i32", ")"), ("-", "a", ""), ("@r[", "a", "]"), ("int<32>(", "a", ")")] {
        for (depth, accepted) in [(150, true), (100_000, false)] {
            let value = opening.repeat(depth) + inside + &closing.repeat(depth);
            let text =
                format!("program p\nfield a: int<32>\nregister r: int<32>[2] = fill 0\npacket {{\n  a = {value}\n}}\n");
            let read = parse::program("deep.ir", &text);
            assert_eq!(read.is_ok(), accepted, "{opening}");
            if let Err(failure) = read {
                assert_eq!(findings(&failure).len(), 1, "{opening}");
            }
        }
    }
    for block in ["if a {\n", "if a {\n} else "] {
        let text = format!("program p\nfield a: bool\npacket {{\n{}\n", block.repeat(50_000));
        assert!(refused(&text).iter().any(|finding| finding.contains("nested more than")));
    }
}

/// Parentheses beside each other are not inside each other.
#[test]
fn a_wide_expression_is_not_deep() {
    let leaf = ["a", "-a", "@r[a]", "int<32>(a)", "hash2(a, a)"];
    let mut level: Vec<String> = (0..1024).map(|number| leaf[number % leaf.len()].to_owned()).collect();
    while level.len() > 1 {
        level = level.chunks(2).map(|pair| format!("({} + {})", pair[0], pair[1])).collect();
    }
    let text = format!(
        "program p\nfield a: int<32>\nregister r: int<32>[2] = fill 0\npacket {{\n  a = {}\n}}\n",
        level.concat()
    );
    assert!(parse::program("wide.ir", &text).is_ok());
}

#[test]
fn after_a_hundred_errors_reading_stops() {
    let text = format!("program p\npacket {{\n{}}}\n", "x = 1i32\n".repeat(100_000));
    assert_eq!(refused(&text).len(), 100);
    assert_eq!(refused(&"#".repeat(1_000_000)).len(), 100);
}

#[test]
fn stages_and_accesses_are_read_with_the_same_care() {
    let text = "\
pipeline p
field a: int<32>
field c: bool
register r: int<32>[8] = fill 0
resolution many
stage {
  atom { a = b }
  atm { }
  atom raw { a = @r[c] }
}
access @r stage 0 index c always sharded
access @r stage 0 index a sometimes sharded
access @r stage 0 index a if a pinned
access @r stage 0 index a if-late c somewhere
";
    let failure = parse::pipeline("test.ir", text).unwrap_err();
    let expected = [
        "5:12 expected a number of stages, found `many`",
        "7:14 `b` is not declared | declare it before it is used: `local b: int<32>`",
        "8:3 expected `atom`, found `atm`",
        "9:21 an index is a number, not a bool",
        "11:25 an index is a number, not a bool",
        "12:27 expected `always`, `if` or `if-late`, found `sometimes`",
        "13:30 a predicate is a bool, not int<32>",
        "14:37 expected `sharded` or `pinned`, found `somewhere`",
    ];
    assert_eq!(findings(&failure), expected, "{failure}");
}
