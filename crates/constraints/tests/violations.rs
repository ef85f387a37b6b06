//! What is said of a violation: the smallest part that fails, where it stands, and the values that make it fail.

mod common;

use common::*;
use constraints::{Constraints, Place, Subject};
use control::{
    ActionCall, ActionNumber, EntrySelection, ProfileNumber, ProfileRequest, Request, TableNumber, TableRequest, Target,
};
use runtime::Bits;
use runtime::tables::EntryHandle;

fn said(constraint: &str, parts: &[(&str, runtime::tables::FieldMatch)]) -> String {
    check(&restricted(constraint), &key(parts), 3).expect_err(constraint).to_string()
}

#[test]
fn the_conjunct_that_fails_is_quoted_with_its_values() {
    let constraint = "
        // Ports are for IP alone.
        is_ip::mask == 0 || is_ip == 1;
        l4::low != 0 -> // no port
            (is_ip == 1 && ::priority > 5);
        dst::prefix_length >= 8";
    assert_eq!(
        said(constraint, &[("l4", range(80, 90, 16)), ("dst", prefix(0x0a00_0000, 8, 32))]),
        "table `ingress.acl` restricts its entries: `l4::low != 0 -> (is_ip == 1 && ::priority > 5)` does not hold, \
         where `l4` is 0x50->0x5a, `is_ip` is * and `::priority` is 3"
    );
    assert_eq!(
        said(constraint, &[]),
        "table `ingress.acl` restricts its entries: `dst::prefix_length >= 8` does not hold, where `dst` is *"
    );
    let violation = check(&restricted(constraint), &open_key(), 0).expect_err("no prefix");
    assert_eq!(violation.place, Place { line: 6, column: 9 });
    assert_eq!(violation.subject, Subject::Table(TableNumber::from(ACL)));
    assert_eq!(violation.values, [("dst".to_owned(), "*".to_owned())]);
}

#[test]
fn of_several_parts_that_fail_the_smallest_is_quoted_and_of_equals_the_first() {
    assert!(
        said("port == 1 || port == 2; port == 3", &[]).contains(": `port == 3` does not hold, where `port` is 0x0")
    );
    assert!(said("port == 1; port == 2", &[]).contains("`port == 1`"));
    assert!(said("true && (port == 1 && port == 2) && false", &[]).ends_with(": `false` does not hold"));
}

#[test]
fn a_part_under_a_negation_must_not_hold() {
    assert!(said("!(port == 0 || l4::low == 1)", &[]).contains(": `port == 0` holds and must not, where"));
    assert!(said("!(port == 0 -> true)", &[]).contains(": `true` holds and must not"));
    assert!(said("!(port == 1 -> false)", &[]).contains(": `port == 1` does not hold, where"));
    // Neither side alone makes a conjunction hold.
    assert!(said("!(port == 0 && l4::low == 0)", &[]).contains("`(port == 0 && l4::low == 0)` holds and must not"));
    assert!(said("port == 1 || l4::low == 1", &[]).contains("`port == 1 || l4::low == 1` does not hold"));
}

#[test]
fn an_argument_that_violates_a_constraint_is_named() {
    let violation = check_action(&restricted_action("group != 0"), 0, 7).expect_err("group 0");
    assert_eq!(
        violation.to_string(),
        "action `ingress.set` restricts its arguments: `group != 0` does not hold, where `group` is 0x0"
    );
    assert_eq!(violation.subject, Subject::Action(ActionNumber::from(SET)));
}

/// The constraints of the table and of the action are those of the requests that write entries, defaults and members.
#[test]
fn requests_are_checked_by_what_they_write() {
    let info =
        program(&["@entry_restriction(\"port != 0; ::priority > 1\")"], &["@action_restriction(\"group != 0\")"]);
    let constraints = Constraints::of(&info).expect("the constraints are right");
    let call =
        |group| ActionCall { action: ActionNumber::from(SET), data: vec![Bits::from_u64(group, 16), Bits::zero(48)] };
    let target = |group| Target::Action(call(group));
    let (table, profile) = (TableNumber::from(ACL), ProfileNumber::from(0usize));
    let insert = |port, priority, target| {
        Request::Table(table, TableRequest::insert(key(&[("port", exact(port, 9))]), priority, target))
    };
    let modify = |entry: EntrySelection, target| Request::Table(table, TableRequest::modify(entry, target));
    let selected = |port| EntrySelection::Key { key: key(&[("port", exact(port, 9))]), priority: Some(2) };
    let handle = || EntrySelection::Handle(EntryHandle(0));
    let refused = [
        insert(0, Some(2), target(1)),
        insert(1, Some(1), target(1)),
        insert(1, None, target(1)),
        insert(1, Some(2), target(0)),
        insert(0, Some(2), Target::Member(1)),
        modify(selected(0), target(1)),
        modify(selected(1), target(0)),
        modify(handle(), target(0)),
        Request::Table(table, TableRequest::set_default(target(0))),
        Request::Profile(profile, ProfileRequest::InsertMember(1, call(0))),
        Request::Profile(profile, ProfileRequest::ModifyMember(1, call(0))),
    ];
    for request in refused {
        assert!(constraints.check(&request).is_err(), "{request:?}");
    }
    let admitted = [
        insert(1, Some(2), target(1)),
        insert(1, Some(2), Target::Group(1)),
        modify(selected(1), target(1)),
        modify(handle(), target(1)),
        Request::Table(table, TableRequest::set_default(target(1))),
        Request::Profile(profile, ProfileRequest::InsertMember(1, call(1))),
        // What is deleted or read need not satisfy a constraint.
        Request::Table(table, TableRequest::Delete(selected(0))),
        Request::Table(table, TableRequest::read(selected(0))),
        Request::Table(table, TableRequest::ResetDefault),
        Request::ReadCloneSessions,
    ];
    for request in admitted {
        assert_eq!(constraints.check(&request), Ok(()), "{request:?}");
    }
}

/// The control plane refuses what does not suit the program, with errors of its own.
#[test]
fn a_request_that_does_not_suit_the_program_is_not_judged() {
    let info = program(&["@entry_restriction(\"false\")"], &["@action_restriction(\"false\")"]);
    let constraints = Constraints::of(&info).expect("the constraints are right");
    let check_entry = |table: usize, key: &[_]| constraints.check_entry(TableNumber::from(table), key, None);
    assert!(check_entry(ACL, &open_key()).is_err());
    assert_eq!(check_entry(ACL, &[]), Ok(()));
    assert_eq!(check_entry(7, &open_key()), Ok(()));
    assert_eq!(check_entry(ACL, &key(&[("port", masked(1, 1, 9))])), Ok(()));
    assert_eq!(check_entry(ACL, &key(&[("l4", exact(1, 16))])), Ok(()));
    let call = |action: usize, data| constraints.check_action(&ActionCall { action: ActionNumber::from(action), data });
    assert!(call(SET, vec![Bits::zero(16), Bits::zero(48)]).is_err());
    assert_eq!(call(SET, vec![]), Ok(()));
    assert_eq!(call(7, vec![]), Ok(()));
}

/// A number may be as short or as long as its form makes it: the control plane takes any form that holds it.
#[test]
fn the_form_of_a_number_makes_no_difference() {
    let constraints = restricted("wide == 5; port == 5");
    for form in [Bits::Narrow(5), Bits::from_u64(5, 128), Bits::from_u64(5, 1024)] {
        let matches = [
            ("wide", runtime::tables::FieldMatch::Exact(form.clone())),
            ("port", runtime::tables::FieldMatch::Exact(form)),
        ];
        assert_eq!(check(&constraints, &key(&matches), 0), Ok(()));
    }
}
