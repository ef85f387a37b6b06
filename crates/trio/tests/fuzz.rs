//! TC on any instruction: it never panics, what fits uses no more than a word has, and what does not fit has a reason.
//! `PROPTEST_CASES=1000000 cargo test -p polyplane-trio --test fuzz` runs longer.

use std::collections::BTreeMap;

use diagnostics::{Diagnostics, Sources};
use proptest::prelude::*;
use trio::{Image, Listing, Parameters, Unit};

const TARGETS: [&str; 8] = ["p", "q", "w", "flag", "h->a", "h->d", "ptr->b", "m[p & 15]"];
const LEAVES: [&str; 16] = [
    "p",
    "q",
    "r",
    "w",
    "flag",
    "h->a",
    "h->c",
    "h->d",
    "ptr->b",
    "(ptr + 4)->c",
    "m[3]",
    "m[q & 15]",
    "0",
    "77",
    "0x123456789ab",
    "r_work.pkt_len",
];
const OPERATORS: [&str; 17] =
    ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", ">=", "&&", "||", "+ 4 *"];
const CALLS: [&str; 7] = [
    "",
    "MemRead(word + {});",
    "MemWrite(word, {});",
    "CounterIncPhys({}, p);",
    "HashFields({}, q);",
    "PacketSend(0, {}, 0, ptr, 64);",
    "HashLookup(table, {});",
];

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(LEAVES.to_vec()).prop_map(str::to_owned);
    leaf.prop_recursive(3, 10, 3, |inner| {
        let operator = prop::sample::select(OPERATORS.to_vec());
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(left, sign, right)| format!("({left} {sign} {right})")),
            (inner.clone(), 0..4_u8).prop_map(|(inner, sign)| match sign {
                0 => format!("(-{inner})"),
                1 => format!("(~{inner})"),
                2 => format!("(!{inner})"),
                _ => format!("((int : 16) {inner})"),
            }),
            (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
        ]
    })
}

fn statements() -> impl Strategy<Value = String> {
    let assignment =
        (prop::sample::select(TARGETS.to_vec()), expression()).prop_map(|(to, value)| format!("{to} = {value};"));
    let call =
        (prop::sample::select(CALLS.to_vec()), expression()).prop_map(|(call, value)| call.replace("{}", &value));
    let branch = prop_oneof![
        expression().prop_map(|condition| format!("if ({condition}) goto it;")),
        expression().prop_map(|condition| format!("if ({condition}) r = 1; else goto next;")),
        expression().prop_map(|value| format!("switch ({value}) {{ case 1: goto it; case 2: exit; default: r = 2; }}")),
        Just("goto l;".to_owned()),
        Just(String::new()),
    ];
    (call, prop::collection::vec(assignment, 0..3), branch)
        .prop_map(|(call, assignments, branch)| format!("{call} {} {branch}", assignments.join(" ")))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_instruction_fits_or_is_refused_with_a_reason(statements in statements()) {
        let text = format!(
            "struct h_t {{ a : 8; b : 24; c : 32; d : 64; }}; const h_t *h = packet_start;
             register : 32 p, q, r; register : 64 w; register h_t *ptr; register bool flag; register label l;
             memory : 32 m[16]; sram : 64 word; hash : 64 table[8] key : 32;
             on packet goto it; it: begin {statements} end next: begin exit; end"
        );
        let mut sources = Sources::new();
        let none: BTreeMap<String, String> = BTreeMap::new();
        // What the language refuses does not reach TC.
        let Ok(compiled) = microcode::compile(&mut sources, "test.mc", &text, &none) else { return Ok(()) };
        let parameters = Parameters::default();
        match Image::new(&compiled.program, &parameters, Vec::new()) {
            Ok(image) => {
                let listing = Listing::new(&image);
                for (line, unit) in listing.lines.iter().flat_map(|line| Unit::ALL.map(|unit| (line, unit))) {
                    prop_assert!(line.units.of(unit) <= parameters.of(unit), "{line:?}");
                }
                prop_assert_eq!(listing.text().lines().count(), listing.lines.len() + 2);
            }
            Err(misfits) => {
                let mut found = Diagnostics::new();
                found.extend(misfits.iter().map(|misfit| misfit.diagnostic(&compiled.places)));
                prop_assert!(found.has_errors());
                let text = found.render(&sources, false);
                prop_assert!(text.contains("test.mc"), "{}", text);
            }
        }
    }
}
