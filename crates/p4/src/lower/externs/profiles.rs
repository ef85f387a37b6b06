//! Action profiles and action selectors.

use std::rc::Rc;

use control::{Selector, SelectorSize};
use diagnostics::{Diagnostic, Span};
use ir::{ProfileId, Selection, TableId};
use runtime::checksum::Algorithm;

use crate::ast;
use crate::lower::arguments::Constructed;
use crate::lower::frame::{Argument, Made};
use crate::lower::{ExternCall, Objects};

const MAXIMUM_SIZE: &str = "max_group_size";
const MAXIMUM_WEIGHT: &str = "max_member_weight";
const SEMANTICS: &str = "selector_size_semantics";
/// The annotations of action selectors that the description has fields of their own for.
const LIMITS: [&str; 3] = [MAXIMUM_SIZE, MAXIMUM_WEIGHT, SEMANTICS];

impl<'a> Objects<'_, 'a> {
    pub(super) fn make_profile(&mut self, has_groups: bool, constructed: &Constructed<'_, 'a>) -> Made {
        if has_groups && let Some(Some(Argument::Instance(hash))) = constructed.given.get(1) {
            return self.make_selector(constructed, &Rc::clone(hash));
        }
        let (size, selection) = if has_groups {
            let algorithm = self.constructed_number(constructed, 0);
            let algorithm = algorithm.and_then(|place| self.algorithm(place, constructed.span));
            let algorithm = algorithm.unwrap_or(Algorithm::Identity);
            (self.constructed_size(constructed, 1, u32::MAX), Some(Selection::from(algorithm)))
        } else {
            (self.constructed_size(constructed, 0, u32::MAX), None)
        };
        let mut identity = self.control_plane().identity(constructed.name, constructed.annotations);
        identity.annotations = self.control_plane().described_annotations(constructed.annotations, &LIMITS);
        let limits = self.selector_limits(constructed.annotations);
        let selector = selection.as_ref().map(|_| limits);
        if selector.is_none() {
            for own in constructed.annotations.iter().filter(|own| LIMITS.contains(&&*own.name.text)) {
                let message = format!("`@{}` says nothing of an `action_profile`", own.name.text);
                self.shapes
                    .found
                    .report(Diagnostic::warning(own.span, message).hint("an `action_selector` has groups"));
            }
        }
        self.info.profiles.push(control::Profile { identity, size, selector });
        self.output.program.profiles.push(ir::Profile { name: constructed.name.to_owned(), size, selection });
        Made::Profile(ProfileId::from(self.output.program.profiles.len() - 1))
    }

    /// Describes the limits of groups (P4Runtime specification 1.4, section 6.4.3).
    fn selector_limits(&mut self, annotations: &'a [ast::Annotation]) -> Selector {
        let maximum_group_size = self.control_plane().number_annotation(annotations, MAXIMUM_SIZE).unwrap_or(0);
        let maximum_weight = self.control_plane().number_annotation(annotations, MAXIMUM_WEIGHT);
        let semantics = annotations.iter().find(|own| &*own.name.text == SEMANTICS);
        let counts = semantics.and_then(|own| match own.text().map(str::to_ascii_lowercase).as_deref() {
            Some("sum_of_weights") => Some(SelectorSize::Weights),
            Some("sum_of_members") => Some(SelectorSize::Members { maximum_weight: maximum_weight.unwrap_or(0) }),
            _ => {
                let message = format!("`@{SEMANTICS}` is `\"sum_of_weights\"` or `\"sum_of_members\"`");
                self.shapes.found.error(own.span, message);
                None
            }
        });
        Selector { maximum_group_size, counts, bits: None }
    }

    fn algorithm(&mut self, place: u64, span: Span) -> Option<Algorithm> {
        let name = self.declarations.member_named(self.shapes.types, "HashAlgorithm", place)?;
        let algorithm = Algorithm::from_name(&name);
        if algorithm.is_none() {
            self.shapes.found.unsupported(span, format!("the hash algorithm `{name}`"));
        }
        algorithm
    }

    /// Attaches an action profile or selector to a table, for the property `implementation`.
    pub(in crate::lower) fn attach_profile(&mut self, node: &'a ast::Expression, made: &Made, table: TableId) {
        match made {
            Made::Profile(profile) => {
                self.output.program.tables[table.index()].profile = Some(*profile);
                let number = control::ProfileNumber::from(profile.index());
                self.info.tables[table.index()].profile = Some(number);
            }
            _ => self.shapes.found.error(node.span, "a table takes an `action_profile` or an `action_selector` here"),
        }
    }
}

impl<'a> ExternCall<'_, 'a> {
    /// Returns a hash algorithm, which must be known at compile time.
    pub(super) fn algorithm_argument(&mut self, parameter: usize) -> Option<Algorithm> {
        let place = self.known_argument(parameter)?;
        self.lowering.objects().algorithm(place, self.arguments.span)
    }
}
