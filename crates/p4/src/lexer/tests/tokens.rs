//! Each token has the place where its author wrote it, and invalid tokens are reported there.

use super::{Run, good};

#[test]
fn golden_dump() {
    let text = "const bit<8> é = 8w0xFF;\n@pragma a \"b\\\"c\"\n#define WIDTH 16\n#define SHR(a) a >> WIDTH\n\
                x = SHR(y+\\\n1)/* c\n*/;bit<bit<WIDTH>>>=z\n";
    let run = Run::new(text);
    // The `é` has no text, as an error; both lines of the macro call have their own place; what the macro itself adds
    // has the place of the call.
    assert!(run.findings().contains("main.p4:1:14"), "{}", run.findings());
    let expected = "\
1:1 keyword const \"const\" first
1:7 keyword bit \"bit\"
1:10 sign < \"<\" touches
1:11 number 8 \"8\" touches
1:12 sign > \">\" touches
1:14 unexpected  \"é\"
1:16 sign = \"=\"
1:18 number 8w0xff \"8w0xFF\"
1:24 sign ; \";\" touches
2:1 sign @ \"@\" first
2:2 keyword pragma \"pragma\" touches
2:9 name a \"a\"
2:11 string \"b\\\"c\" \"\\\"b\\\\\\\"c\\\"\"
5:1 name x \"x\" first
5:3 sign = \"=\"
5:9 name y \"y\"
5:10 sign + \"+\" touches
6:1 number 1 \"1\"
5:5 sign > \"SHR(y+\\\\\\n1)\"
5:5 sign > \"SHR(y+\\\\\\n1)\" touches
5:5 number 16 \"SHR(y+\\\\\\n1)\"
7:3 sign ; \";\"
7:4 keyword bit \"bit\" touches
7:7 sign < \"<\" touches
7:8 keyword bit \"bit\" touches
7:11 sign < \"<\" touches
7:12 number 16 \"WIDTH\"
7:17 sign > \">\"
7:18 sign > \">\" touches
7:19 sign >= \">=\" touches
7:21 name z \"z\" touches
8:1 end  \"\" first
";
    assert_eq!(run.dump(), expected);
}

/// `>>` would be wrong at the end of two types, and `1.` at the beginning of a range.
#[test]
fn the_longest_operator_wins_except_for_greater_than() {
    for text in [
        "a <<= b |+|= c |-| d &&& e .. f ... g",
        "bit < bit < 8 > > >= x >= y {#} a ++ b",
        "x [ 7 : 0 ] 1 .. 2 + 0x1f . y @ n { }",
    ] {
        assert_eq!(good(&text.replace(' ', "")), text);
    }
}

#[test]
fn replaces_invalid_tokens_by_values() {
    let run = Run::new("a = 0xZ; b = 'c; d = \"open\ne \\ f $");
    assert_eq!(run.text(), "a = 0 ; b = c ; d = \"open\" e f");
    for place in ["main.p4:1:5", "main.p4:1:14", "main.p4:1:22", "main.p4:2:3", "main.p4:2:7"] {
        assert!(run.findings().contains(place), "{place}: {}", run.findings());
    }
}

#[test]
fn refuses_a_hash_as_a_token() {
    let run = Run::new("bit # 8 a##b");
    assert_eq!(run.text(), "bit 8 a b");
    assert_eq!(run.findings().matches("a `#` here means nothing").count(), 2, "{}", run.findings());
}

/// Found by p4c's `free-form-annotation.p4`.
#[test]
fn only_free_form_annotations_hold_anything() {
    let text = "@note(that's (#5) 5th) @pragma it's 'so\n@x[é] @y ' ";
    let run = Run::new(text);
    assert_eq!(run.text(), "@ note ( that ' s ( # 5 ) 5th ) @ pragma it ' s ' so @ x [ ] @ y");
    assert_eq!(run.findings().matches("error:").count(), 2, "{}", run.findings());
    assert!(run.findings().contains("main.p4:2:4") && run.findings().contains("main.p4:2:10"));
    assert!(Run::new("@note(\"open)\n").findings().contains("never ends"));
}

/// Found by the fuzzer: the string that replaced `"\` was `"\"`, which is not a string.
#[test]
fn survives_an_open_string_ending_in_a_backslash() {
    let run = Run::new("a \"b\\\\\\");
    assert_eq!(run.text(), "a \"b\\\\\"");
}
