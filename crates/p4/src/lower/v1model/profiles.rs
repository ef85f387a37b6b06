//! Action profiles and selectors: actions with their data, which entries of tables name.

use diagnostics::Span;
use ir::{ProfileId, Selection, TableId};
use runtime::checksum::Algorithm;

use crate::ast;
use crate::lower::Lowering;
use crate::lower::arguments::{Arguments, Constructed};
use crate::lower::frame::Made;

impl<'a> Lowering<'a> {
    pub(super) fn make_profile(&mut self, kind: &str, constructed: &Constructed<'_, 'a>) -> Made {
        let (size, selection) = if kind == "action_selector" {
            let algorithm = self.constructed_number(constructed, 0);
            let algorithm = algorithm.and_then(|place| self.algorithm(place, constructed.span));
            let algorithm = algorithm.unwrap_or(Algorithm::Identity);
            (self.constructed_size(constructed, 1, u32::MAX), Some(Selection { algorithm }))
        } else {
            (self.constructed_size(constructed, 0, u32::MAX), None)
        };
        let identity = self.identity(constructed.name, constructed.annotations);
        let selector = selection.as_ref().map(|_| control::Selector::default());
        self.switch.info.profiles.push(control::Profile { identity, size, selector });
        self.program.profiles.push(ir::Profile { name: constructed.name.to_owned(), size, selection });
        Made::Profile(ProfileId::from(self.program.profiles.len() - 1))
    }

    /// A hash algorithm, which has to be known before the program runs.
    pub(super) fn algorithm_argument(&mut self, arguments: &Arguments<'a>, parameter: usize) -> Option<Algorithm> {
        let place = self.known_argument(arguments, parameter)?;
        self.algorithm(place, arguments.span)
    }

    fn algorithm(&mut self, place: u64, span: Span) -> Option<Algorithm> {
        let name = self.member_named("HashAlgorithm", place)?;
        let algorithm = Algorithm::from_name(&name);
        if algorithm.is_none() {
            self.unsupported(span, format!("the hash algorithm `{name}`"));
        }
        algorithm
    }

    /// The property `implementation` of a table.
    pub(in crate::lower) fn attach_profile(&mut self, node: &'a ast::Expression, made: &Made, table: TableId) {
        match made {
            Made::Profile(profile) => {
                self.program.tables[table.index()].profile = Some(*profile);
                let number = control::ProfileNumber::from(profile.index());
                self.switch.info.tables[table.index()].profile = Some(number);
            }
            _ => self.error(node.span, "a table takes an `action_profile` or an `action_selector` here"),
        }
    }
}
