//! Messages for people, and what is held to be true.

use ir::{SharedStatement, Statement};

use crate::lower::Lowering;
use crate::lower::arguments::{Arguments, wire_scalars};
use crate::lower::tree::Tree;
use crate::print_expression;

impl<'a> Lowering<'a> {
    /// `log_msg(text)` and `log_msg(text, data)`.
    pub(super) fn log_message(&mut self, arguments: &Arguments<'a>) {
        let [text, data] = self.argument_values(arguments, [0, 1]);
        let Tree::Text(text) = text else {
            self.unsupported(arguments.span, "a message that is not known when the program is compiled");
            return;
        };
        let mut scalars = Vec::new();
        wire_scalars(&data, &mut scalars);
        let values = scalars.into_iter().map(|(value, _)| value).collect();
        self.emit(Statement::Shared(SharedStatement::Log { text: text.to_string(), values }));
    }

    /// `assert(check)` and `assume(check)`.
    pub(super) fn assertion(&mut self, arguments: &Arguments<'a>) {
        let [condition] = self.argument_scalars(arguments, [0]);
        let written = arguments.node(0).map(print_expression).unwrap_or_default();
        let text = format!("{}({written})", arguments.callable.name);
        self.emit(Statement::Shared(SharedStatement::Assert { condition, text }));
    }
}
