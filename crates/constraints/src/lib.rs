//! Constraints on the entries of tables: the language of `@entry_restriction` and `@action_restriction`
//! (p4lang/p4-constraints, language specification), with which a program says which entries its control plane may write.
//!
//! [`Constraints::of`] reads the annotations of a program, checks their types against its keys and parameters, and
//! compiles them; [`Constraints::check`] tells of a request which constraint it violates. A constraint speaks of the
//! values that the program sees: those of a translated type (`@p4runtime_translation`) after the translation.
//!
//! ```
//! use constraints::Constraints;
//! use control::{ActionCall, ActionNumber, Identity, Info, MatchField, Request, TableNumber, TableRequest, Target};
//! use runtime::Bits;
//! use runtime::tables::{FieldMatch, MatchKind};
//! # use control::{Action, ActionReference, DefaultAction, Table};
//!
//! # let action = Action { identity: Identity::new("drop"), parameters: vec![] };
//! # let default = DefaultAction { action: 0, data: vec![] };
//! let restriction = "@entry_restriction(\"dst::mask != 0 -> is_ipv4 == 1\")";
//! let table = Table {
//!     identity: Identity::new("ingress.acl").with_annotations(vec![restriction.into()]),
//!     fields: vec![
//!         MatchField::new("dst", 32, MatchKind::Ternary),
//!         MatchField::new("is_ipv4", 1, MatchKind::Optional),
//!     ],
//! #   actions: vec![ActionReference::new(ActionNumber::from(0usize))],
//! #   default,
//! #   is_default_constant: false,
//! #   size: None,
//! #   is_constant: false,
//! #   initial_entries: vec![],
//! #   profile: None,
//! #   counter: None,
//! #   meter: None,
//! #   has_idle_timeout: false,
//!     // …
//! };
//! let info = Info { tables: vec![table], actions: vec![action], ..Info::default() };
//! let constraints = Constraints::of(&info).expect("the constraint is right");
//!
//! let dst = FieldMatch::Mask { value: Bits::from_u64(0x0a00_0000, 32), mask: Bits::from_u64(0xff00_0000, 32) };
//! let target = Target::Action(ActionCall { action: ActionNumber::from(0usize), data: vec![] });
//! let insert = TableRequest::insert(vec![dst, FieldMatch::Any], Some(1), target);
//! let violation = constraints.check(&Request::Table(TableNumber::from(0usize), insert)).expect_err("is_ipv4 is open");
//! assert_eq!(
//!     violation.to_string(),
//!     "table `ingress.acl` restricts its entries: `dst::mask != 0 -> is_ipv4 == 1` does not hold, \
//!      where `dst` is 0xa000000&&&0xff000000 and `is_ipv4` is *"
//! );
//! ```

mod address;
mod annotation;
mod compile;
mod condition;
mod constraint;
mod constraints;
mod evaluate;
mod explain;
mod expression;
mod finding;
mod lexer;
mod parser;
mod token;
mod types;
mod violation;

pub use annotation::{ACTION_RESTRICTION, ENTRY_RESTRICTION};
pub use constraints::Constraints;
pub use finding::{Finding, Subject};
pub use violation::{Place, Violation};
