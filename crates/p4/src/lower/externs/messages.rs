//! Log messages and assertions.

use ir::{SharedStatement, Statement};

use crate::lower::ExternCall;
use crate::lower::arguments::wire_scalars;
use crate::lower::tree::Tree;
use crate::print_expression;

impl<'a> ExternCall<'_, 'a> {
    /// Writes `log_msg(text)` or `log_msg(text, data)`.
    pub(super) fn log_message(&mut self) {
        let [text, data] = self.argument_values([0, 1]);
        let Tree::Text(text) = text else {
            self.lowering
                .found
                .unsupported(self.arguments.span, "a message that is not known when the program is compiled");
            return;
        };
        let mut scalars = Vec::new();
        wire_scalars(&data, &mut scalars);
        let values = scalars.into_iter().map(|(value, _)| value).collect();
        self.lowering.writer().emit(Statement::Shared(SharedStatement::Log { text: text.to_string(), values }));
    }

    /// Writes `assert(check)` or `assume(check)`.
    pub(super) fn assertion(&mut self) {
        let [condition] = self.argument_scalars([0]);
        let written = self.arguments.node(0).map(print_expression).unwrap_or_default();
        let text = format!("{}({written})", self.arguments.callable.name);
        self.lowering.writer().emit(Statement::Shared(SharedStatement::Assert { condition, text }));
    }
}
