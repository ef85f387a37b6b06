//! A program with a key of every kind, for the tests of this crate.
#![allow(dead_code)] // Each test file uses a part of it.

use constraints::{Constraints, Violation};
use control::{
    Action, ActionCall, ActionNumber, ActionReference, DefaultAction, Identity, Info, MatchField, Parameter, Table,
    TableNumber,
};
use runtime::Bits;
use runtime::tables::{FieldMatch, MatchKind};

/// The keys of the table `ingress.acl`: name, width and kind.
pub const KEYS: [(&str, u32, MatchKind); 8] = [
    ("port", 9, MatchKind::Exact),
    ("ether.type", 16, MatchKind::Ternary),
    ("dst", 32, MatchKind::Lpm),
    ("dst6", 128, MatchKind::Ternary),
    ("src6", 128, MatchKind::Lpm),
    ("l4", 16, MatchKind::Range),
    ("is_ip", 1, MatchKind::Optional),
    ("wide", 128, MatchKind::Exact),
];

/// The parameters of the action `ingress.set`: name and width.
pub const PARAMETERS: [(&str, u32); 2] = [("group", 16), ("mac", 48)];

pub const ACL: usize = 0;
pub const SET: usize = 0;

/// Returns a program whose table and action have these annotations.
pub fn program(of_table: &[&str], of_action: &[&str]) -> Info {
    let annotated = |name: &str, annotations: &[&str]| {
        Identity::new(name).with_annotations(annotations.iter().map(|&text| text.into()).collect())
    };
    let action = Action {
        identity: annotated("ingress.set", of_action),
        parameters: PARAMETERS.iter().map(|&(name, width)| Parameter::new(name, width)).collect(),
    };
    let table = Table {
        identity: annotated("ingress.acl", of_table),
        fields: KEYS.iter().map(|&(name, width, kind)| MatchField::new(name, width, kind)).collect(),
        actions: vec![ActionReference::new(ActionNumber::from(SET))],
        default: DefaultAction { action: 0, data: vec![Bits::zero(16), Bits::zero(48)] },
        is_default_constant: false,
        size: None,
        is_constant: false,
        initial_entries: Vec::new(),
        profile: None,
        counter: None,
        meter: None,
        has_idle_timeout: false,
    };
    Info { tables: vec![table], actions: vec![action], ..Info::default() }
}

/// Returns the constraints of the program whose table has this constraint.
pub fn restricted(constraint: &str) -> Constraints {
    let info = program(&[&format!("@entry_restriction(\"{constraint}\")")], &[]);
    Constraints::of(&info).unwrap_or_else(|(sources, found)| panic!("{constraint}\n{}", found.render(&sources, false)))
}

/// Returns the constraints of the program whose action has this constraint.
pub fn restricted_action(constraint: &str) -> Constraints {
    let info = program(&[], &[&format!("@action_restriction(\"{constraint}\")")]);
    Constraints::of(&info).unwrap_or_else(|(sources, found)| panic!("{constraint}\n{}", found.render(&sources, false)))
}

/// Returns the diagnostics of a table's constraint, as text.
pub fn refusal(constraint: &str) -> String {
    let info = program(&[&format!("@entry_restriction(\"{constraint}\")")], &[]);
    let (sources, found) = Constraints::of(&info).expect_err(constraint);
    found.render(&sources, false)
}

/// Returns the messages of what is wrong with a table's constraint.
pub fn messages(constraint: &str) -> Vec<String> {
    let info = program(&[&format!("@entry_restriction(\"{constraint}\")")], &[]);
    Constraints::read(&info).1.into_iter().map(|finding| finding.message).collect()
}

/// A key that matches anything where it can, and 0 elsewhere.
pub fn open_key() -> Vec<FieldMatch> {
    let open = |&(_, width, kind): &(&str, u32, MatchKind)| match kind {
        MatchKind::Exact => FieldMatch::Exact(Bits::zero(width)),
        _ => FieldMatch::Any,
    };
    KEYS.iter().map(open).collect()
}

/// An open key with some of its matches replaced.
pub fn key(parts: &[(&str, FieldMatch)]) -> Vec<FieldMatch> {
    let mut key = open_key();
    for (name, own) in parts {
        key[KEYS.iter().position(|(known, ..)| known == name).expect("a key of the table")] = own.clone();
    }
    key
}

pub fn exact(value: u64, width: u32) -> FieldMatch {
    FieldMatch::Exact(Bits::from_u64(value, width))
}

pub fn masked(value: u64, mask: u64, width: u32) -> FieldMatch {
    FieldMatch::Mask { value: Bits::from_u64(value, width), mask: Bits::from_u64(mask, width) }
}

pub fn prefix(value: u64, length: u32, width: u32) -> FieldMatch {
    FieldMatch::Prefix { value: Bits::from_u64(value, width), length }
}

pub fn range(low: u64, high: u64, width: u32) -> FieldMatch {
    FieldMatch::Range { low: Bits::from_u64(low, width), high: Bits::from_u64(high, width) }
}

/// Checks an entry of the table.
pub fn check(constraints: &Constraints, key: &[FieldMatch], priority: u32) -> Result<(), Box<Violation>> {
    constraints.check_entry(TableNumber::from(ACL), key, Some(priority))
}

/// Checks arguments of the action.
pub fn check_action(constraints: &Constraints, group: u64, mac: u64) -> Result<(), Box<Violation>> {
    let data = vec![Bits::from_u64(group, 16), Bits::from_u64(mac, 48)];
    constraints.check_action(&ActionCall { action: ActionNumber::from(SET), data })
}
