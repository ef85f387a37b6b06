//! What is wrong with a constraint is said at its place.

mod common;

use common::*;
use constraints::{Constraints, Subject};
use control::{ActionNumber, Annotation, AnnotationValue, Identity, TableNumber};

#[test]
fn every_error_is_shown_at_its_place() {
    let text = refusal("\n  ether.tpye == 1;\n  dst::mask < 8; port == l4;\n  is_ip");
    assert_eq!(
        text,
        "\
error: there is no key `ether.tpye`
 --> @entry_restriction of ingress.acl:2:3
  |
2 |   ether.tpye == 1;
  |   ^^^^^^^^^^
  |
  = help: did you mean `ether.type`?

error: a key of kind lpm has no field `mask`
 --> @entry_restriction of ingress.acl:3:3
  |
3 |   dst::mask < 8; port == l4;
  |   ^^^^^^^^^
  |
  = help: there are `value`, `prefix_length`

error: values of the types exact<9> and range<16> cannot be compared
 --> @entry_restriction of ingress.acl:3:18
  |
3 |   dst::mask < 8; port == l4;
  |                  ^^^^^^^^^^
  |
  = help: compare fields of the keys, such as `::value`

error: a condition is expected here, not a value of type optional<1>
 --> @entry_restriction of ingress.acl:4:3
  |
4 |   is_ip
  |   ^^^^^
  |
  = help: compare it, such as with `==`

"
    );
}

#[test]
fn after_an_error_of_syntax_the_next_conjunct_is_read() {
    assert_eq!(
        messages("port == ; (port == 1; == 2); port = 3"),
        ["`=` is no sign of the constraint language"],
        "without its signs a text is not read further"
    );
    assert_eq!(
        messages("port == ; (port == 1; == 2; (3)); prt == 3; 4)"),
        [
            "a key, a number, `true`, `false`, `::`, `!`, `-` or `(` is expected here, not `;`",
            "a key, a number, `true`, `false`, `::`, `!`, `-` or `(` is expected here, not `==`",
            "an operator or the end of the constraint is expected here, not `)`",
            "there is no key `prt`",
        ]
    );
}

#[test]
fn what_is_missing_is_said() {
    let value = "a key, a number, `true`, `false`, `::`, `!`, `-` or `(`";
    for (constraint, message) in [
        ("", format!("{value} is expected here, not the end of the constraint")),
        (" // nothing", format!("{value} is expected here, not the end of the constraint")),
        (";", format!("{value} is expected here, not `;`")),
        ("true;;", format!("{value} is expected here, not `;`")),
        ("true &&", format!("{value} is expected here, not the end of the constraint")),
        ("(true", "an operator or `)` is expected here, not the end of the constraint".to_owned()),
        ("true)", "an operator or the end of the constraint is expected here, not `)`".to_owned()),
        ("port port", "an operator or the end of the constraint is expected here, not `port`".to_owned()),
        ("port. == 1", "the next part of the name is expected here, not `==`".to_owned()),
        ("port:: == 1", "the name of a field is expected here, not `==`".to_owned()),
        ("::1 == 1", "the name of an attribute is expected here, not a number".to_owned()),
        ("ipv4(1) == 1", "an address in single quotes is expected here, not a number".to_owned()),
        ("ipv4('1.2.3.4' == 1", "`)` is expected here, not `==`".to_owned()),
        ("'text' == port", format!("{value} is expected here, not a text in single quotes")),
    ] {
        assert_eq!(messages(constraint), [message], "{constraint}");
    }
}

#[test]
fn what_does_not_associate_needs_parentheses() {
    for (constraint, sign) in [
        ("port == port == true", "=="),
        ("1 < 2 < 3", "<"),
        ("1 == 2 != true", "!="),
        ("true -> true -> true", "->"),
        ("true -> (true -> true) -> true", "->"),
    ] {
        assert_eq!(messages(constraint), [format!("it is not clear what `{sign}` belongs to")], "{constraint}");
    }
}

#[test]
fn types_must_fit() {
    for (constraint, expected) in [
        ("port", "a condition is expected here, not a value of type exact<9>"),
        ("!1", "a condition is expected here, not a value of type int"),
        ("true && port::value", "a condition is expected here, not a value of type bit<9>"),
        ("-true == 1", "`-` takes a value of type int, not bool"),
        ("-port == 1", "`-` takes a value of type int, not exact<9>"),
        ("-port::value == 1", "`-` takes a value of type int, not bit<9>"),
        ("true == 1", "values of the types bool and int cannot be compared"),
        ("port == (1 == 1)", "values of the types exact<9> and bool cannot be compared"),
        ("port::value == ether.type::value", "values of the types bit<9> and bit<16> cannot be compared"),
        ("port == ether.type::value", "values of the types exact<9> and bit<16> cannot be compared"),
        ("ether.type::value == dst", "values of the types bit<16> and lpm<32> cannot be compared"),
        ("dst6 == wide", "values of the types ternary<128> and exact<128> cannot be compared"),
        ("is_ip > 0", "values of the type optional<1> have no order"),
        ("1 <= ether.type", "values of the type ternary<16> have no order"),
        ("dst < dst", "values of the type lpm<32> have no order"),
        ("l4 >= l4::low", "values of the type range<16> have no order"),
        ("true < false", "values of the type bool have no order"),
        ("port::mask == 1", "a key of kind exact has no field `mask`"),
        ("l4::value == 1", "a key of kind range has no field `value`"),
        ("is_ip::vlaue == 1", "a key of kind optional has no field `vlaue`"),
        ("1::value == 1", "a value of type int has no field `value`"),
        ("::priority::value == 1", "a value of type int has no field `value`"),
        ("(port == 1)::value == 1", "a value of type bool has no field `value`"),
        ("port::value::value == 1", "a field of a key has no fields"),
        ("::timeout == 1", "entries have no attribute `timeout`"),
        ("ether == 1", "there is no key `ether`"),
        ("foo('1') == 1", "there is no kind of address `foo`"),
        ("ipv4('1.2.3.400') == 1", "`1.2.3.400` is no ipv4 address"),
    ] {
        assert_eq!(messages(constraint), [expected], "{constraint}");
    }
}

#[test]
fn actions_have_parameters_without_fields_and_no_attributes() {
    let wrong = "group::value == 1; ::priority == 1; port == 1; group == mac";
    let info = program(&[], &[&format!("@action_restriction(\"{wrong}\")")]);
    let (constraints, found) = Constraints::read(&info);
    let said: Vec<_> = found.iter().map(|finding| (finding.message.as_str(), finding.place.clone())).collect();
    assert_eq!(
        said,
        [
            ("a value of type bit<16> has no field `value`", Some(0..12)),
            ("actions have no attribute `priority`", Some(19..29)),
            ("there is no parameter `port`", Some(36..40)),
            ("values of the types bit<16> and bit<48> cannot be compared", Some(47..59)),
        ]
    );
    assert!(found.iter().all(|finding| finding.subject == Subject::Action(ActionNumber::from(SET))));
    assert!(constraints.is_empty());
}

#[test]
fn a_number_that_does_not_fit_is_warned_of_and_means_what_is_left_of_it() {
    assert_eq!(messages("port == 512"), ["512 does not fit bit<9>, and is taken as 0"]);
    assert_eq!(messages("-257 == port"), ["-257 does not fit bit<9>, and is taken as 255"]);
    assert_eq!(messages("is_ip == 2"), ["2 does not fit bit<1>, and is taken as 0"]);
    for right in ["port == 511", "port == -1", "port == -256", "is_ip::mask == -1", "is_ip::mask == 1", "1 == 512"] {
        assert_eq!(messages(right), [""; 0], "{right}");
    }
    // A warning refuses nothing.
    assert_eq!(check(&restricted("port == 512"), &open_key(), 0), Ok(()));
}

/// Deep nesting is refused before it can take the stack, and long chains are no nesting.
#[test]
fn nesting_has_a_bound_and_length_has_none() {
    for (text, level) in [("(", ")"), ("!", ""), ("-", "")] {
        let deep = |levels: usize| {
            let inside = if text == "-" { "1 == 1" } else { "true" };
            messages(&format!("{}{inside}{}", text.repeat(levels), level.repeat(levels)))
        };
        assert_eq!(deep(99), [""; 0], "{text}");
        let refused = ["a constraint has at most 100 levels of parentheses and signs"];
        assert_eq!(deep(100), refused, "{text}");
        assert_eq!(deep(100_000), refused, "{text}");
    }
    for sign in ["&&", "||", ";"] {
        assert_eq!(messages(&format!("true{}", format!(" {sign} true").repeat(100_000))), [""; 0], "{sign}");
    }
    assert_eq!(messages(&format!("port{}", "::value".repeat(100_000))), ["a field of a key has no fields"]);
    assert_eq!(messages(&format!("port{}", ".x".repeat(100_000))).len(), 1);
}

#[test]
fn the_annotation_holds_strings_and_nothing_else() {
    for body in ["", "()", "(port == 1)", "(\"port == 1)", "(\"port == 1\", \"true\")", "(\"a \\\" b\")"] {
        let info = program(&[&format!("@entry_restriction{body}")], &[]);
        let found = Constraints::read(&info).1;
        assert_eq!(found.len(), 1, "{body}: {found:?}");
        assert_eq!(found[0].message, "`@entry_restriction` takes strings and nothing else");
        assert_eq!(found[0].place, None);
        let (sources, found) = Constraints::of(&info).expect_err("an error");
        assert!(found.render(&sources, false).contains("--> @entry_restriction of ingress.acl:1:1"));
    }
    // Strings are joined, each on a line of its own.
    let info = program(&["@entry_restriction(\"port == 0 // \" \" && l4::low == 0\")"], &[]);
    let (constraints, found) = Constraints::read(&info);
    assert_eq!(found, []);
    let subject = Subject::Table(TableNumber::from(ACL));
    assert_eq!(constraints.text(subject), Some("port == 0 // \n && l4::low == 0"));
}

#[test]
fn other_annotations_are_left_alone() {
    let others = ["@entry_restrictions(\"1\")", "@my_entry_restriction(\"1\")", "@action_restriction(\"1\")", "@id(3)"];
    let (constraints, found) = Constraints::read(&program(&others, &["@entry_restriction(\"1\")"]));
    assert!(constraints.is_empty());
    assert_eq!(found, []);
}

#[test]
fn only_the_first_of_several_annotations_counts() {
    let info = program(&["@entry_restriction(\"port == 0\")", "@entry_restriction(\"false\")"], &[]);
    let (constraints, found) = Constraints::read(&info);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "`@entry_restriction` is given 2 times, and only the first one counts");
    assert_eq!(check(&constraints, &open_key(), 0), Ok(()));
    assert!(Constraints::of(&info).is_ok(), "a warning refuses nothing");
}

#[test]
fn the_structured_form_restricts_nothing_and_is_warned_of() {
    let mut info = program(&[], &[]);
    let structured = Annotation::Structured {
        name: "entry_restriction".to_owned(),
        values: vec![(String::new(), AnnotationValue::Text("false".to_owned()))],
    };
    info.tables[ACL].identity = Identity::new("ingress.acl").with_annotations(vec![structured]);
    let (constraints, found) = Constraints::read(&info);
    assert!(constraints.is_empty());
    assert_eq!(found.len(), 1);
    assert!(found[0].message.contains("restricts nothing"), "{found:?}");
}
