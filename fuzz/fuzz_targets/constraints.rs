//! Constraints on entries. Any text is refused at places inside of it or decides about every entry; its negation decides
//! the opposite, and what is quoted of it stands in it.

#![no_main]

use constraints::{Constraints, Subject};
use control::TableNumber;
use diagnostics::Severity;
use fuzz::Cursor;
use libfuzzer_sys::fuzz_target;
use runtime::Bits;
use runtime::tables::{FieldMatch, KeyField, MatchKind};

// The program that the tests of the constraints have, with a key of every kind.
#[path = "../../crates/constraints/tests/common/mod.rs"]
mod common;

fn read(text: &str) -> (Constraints, bool) {
    let info = common::program(&[&format!("@entry_restriction(\"{text}\")")], &[]);
    let (constraints, found) = Constraints::read(&info);
    let has_errors = found.iter().any(|finding| finding.severity == Severity::Error);
    assert_eq!(constraints.is_empty(), has_errors);
    for place in found.iter().filter_map(|finding| finding.place.clone()) {
        assert!(text.get(place).is_some());
    }
    if let Err((sources, found)) = Constraints::of(&info) {
        assert!(has_errors);
        found.render(&sources, true);
    }
    (constraints, has_errors)
}

fuzz_target!(|data: &[u8]| {
    let (text, rest) = data.split_at(data.iter().position(|&byte| byte == 0).unwrap_or(data.len()));
    let text = String::from_utf8_lossy(text).replace('"', "'");
    let mut cursor = Cursor::new(rest);
    let (constraints, is_refused) = read(&text);
    if is_refused {
        return;
    }
    // The negation is nested more deeply, and may be refused for that.
    let (opposite, is_too_deep) = read(&format!("!(\n{text}\n)"));
    while !cursor.is_empty() {
        let key: Vec<FieldMatch> =
            common::KEYS.iter().map(|&(_, width, kind)| a_match(&mut cursor, width, kind)).collect();
        let priority = cursor.number() as u32;
        let answer = common::check(&constraints, &key, priority);
        if !is_too_deep {
            assert_ne!(answer.is_ok(), common::check(&opposite, &key, priority).is_ok(), "{text}");
        }
        if let Err(violation) = answer {
            assert!(!violation.part.is_empty() && !violation.to_string().is_empty());
            assert_eq!(violation.subject, Subject::Table(TableNumber::from(common::ACL)));
            assert!(violation.place.line <= text.lines().count());
        }
    }
});

/// A match that suits a key, in canonical form where there is one.
fn a_match(cursor: &mut Cursor, width: u32, kind: MatchKind) -> FieldMatch {
    let drawn = |cursor: &mut Cursor| Bits::from_limbs(cursor.bits(width).limbs(), width);
    let value = drawn(cursor);
    let own = match kind {
        MatchKind::Exact => return FieldMatch::Exact(value),
        _ if cursor.once_in(4) => FieldMatch::Any,
        MatchKind::Optional => FieldMatch::Exact(value),
        MatchKind::Lpm => FieldMatch::Prefix { value, length: cursor.below(width as usize + 1) as u32 },
        MatchKind::Ternary => {
            let mask = drawn(cursor);
            FieldMatch::Mask { value: value.and(&mask), mask }
        }
        MatchKind::Range => {
            let other = drawn(cursor);
            FieldMatch::Range { low: value.clone().min(other.clone()), high: value.max(other) }
        }
    };
    own.canonical(KeyField { kind, width }, 0).unwrap_or(FieldMatch::Any)
}
