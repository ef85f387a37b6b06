//! Texts that are refused: every error has a location, and a hint where one helps.

use ir::parse;

/// Returns each finding of a refused program as `line:column message | hint`.
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
fn one_run_reports_errors_on_every_line() {
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
        "11:6 a condition must be a bool, not int<32>",
        "12:5 `@count` is an array of 4 and needs an index",
        "13:15 `>` takes two values of one type, not int<32> and int<8>",
        "15:24 a second operator needs parentheses | operators have no precedence: write `(a + b) + c`",
        "16:11 a constant needs a type as a suffix | write `5i32` for int<32>, `5u8` for bit<8>",
        "17:11 unexpected character `#`",
        "18:3 `@cuont` is not declared | did you mean `@count`?",
        "19:11 `hash2` takes 2 values, not 1",
        "20:11 3000000000 is out of range for int<32> | the range is -2147483648 to 2147483647",
        "21:11 only the read of a register can have a predicate | to choose between two values, write `condition ? this : that`",
        "23:8 `t` is a local, but only fields can be exported",
        "23:12 `t` takes bool, not int<32>",
    ];
    assert_eq!(refused(text), expected);
}

#[test]
fn a_finding_underlines_its_location() {
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
fn widths_lengths_and_initial_values_have_ranges() {
    let text = "program p\nfield a: int<0>\nfield b: bit<65536>\nfield c: float\nregister d: int<8>[0] = fill 0\n\
                register e: int<8>[99999999] = fill 0\nregister f: int<8>[2] = [1, 2, 3]\n\
                register g: bit<8> = -1\nregister h: bool = 1\nregister i: int<8>[2] = 3\npacket {\n}\n";
    let expected = [
        "2:14 a value cannot be 0 bits wide | choose 1 to 65535 bits",
        "3:14 a value cannot be 65536 bits wide | choose 1 to 65535 bits",
        "4:10 expected a type: `int<N>`, `bit<N>` or `bool`, found `float`",
        "5:20 a register array cannot have 0 values | choose 1 to 67108864 values",
        "6:20 a register array cannot have 99999999 values | choose 1 to 67108864 values",
        "7:25 3 initial values for a register of length 2",
        "8:22 -1 is out of range for bit<8> | the range is 0 to 255",
        "9:20 expected `true` or `false`, found `1`",
        "10:25 expected `fill` and a number, or a list such as `[1, 2]`, found `3`",
    ];
    assert_eq!(refused(text), expected);
}

#[test]
fn a_truncated_text_reports_what_is_open() {
    let text = "program p\nfield a: bool\npacket {\n  if a {\n";
    assert_eq!(refused(text), ["5:1 the text ends inside a block | add `}`"]);
    assert_eq!(
        refused("field a: bool"),
        [
            "1:1 the text does not begin with `program` and a name | write `program some_name` on the first line",
            "1:14 the program has no `packet` block | add `packet {` and `}`, with the code that runs for each packet between them",
        ]
    );
}

#[test]
fn an_error_in_a_condition_does_not_hide_later_ones() {
    let text = "program p\nfield a: bool\npacket {\n  if a == {\n    a = b\n  } else {\n    a = c\n  }\n  a = d\n}\n";
    let places: Vec<String> = refused(text).iter().map(|finding| finding[..4].to_owned()).collect();
    assert_eq!(places, ["4:11", "5:9 ", "7:9 ", "9:7 "]);
}

#[test]
fn keywords_are_names_only_in_backquotes() {
    let found = refused("program p\nfield if: bool\npacket {\n}\n");
    let hint = "put a name that is a keyword into backquotes: `` `if` ``";
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

/// Adjacent parentheses do not add up to nested ones.
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
fn reading_stops_after_a_hundred_errors() {
    let text = format!("program p\npacket {{\n{}}}\n", "x = 1i32\n".repeat(100_000));
    assert_eq!(refused(&text).len(), 100);
    assert_eq!(refused(&"#".repeat(1_000_000)).len(), 100);
}

#[test]
fn errors_in_stages_and_accesses_are_located() {
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
        "9:21 an index must be a number, not a bool",
        "11:25 an index must be a number, not a bool",
        "12:27 expected `always`, `if` or `if-late`, found `sometimes`",
        "13:30 a predicate must be a bool, not int<32>",
        "14:37 expected `sharded` or `pinned`, found `somewhere`",
    ];
    assert_eq!(findings(&failure), expected, "{failure}");
}
