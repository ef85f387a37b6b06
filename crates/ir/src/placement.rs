//! The rules on which statement may occur where, stated once for two callers: the parser, which adds source locations,
//! and [`crate::verify`], which has none.

use crate::{Flow, PacketStatement, Statement};

/// The surroundings of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    code: Code,
    /// Whether the statement is inside a loop's body.
    in_loop: bool,
    /// Whether the statement is part of what follows a call.
    after_call: bool,
}

/// The kind of code that a statement is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    Packet,
    Parser,
    Function,
    Table,
}

impl Context {
    /// The `packet` block of a program, and the atoms of a pipeline.
    pub const PACKET: Self = Self::of(Code::Packet);
    /// A state of a parser.
    pub const PARSER: Self = Self::of(Code::Parser);
    /// The body of a function.
    pub const FUNCTION: Self = Self::of(Code::Function);
    /// The blocks that a table runs before and after an action.
    pub const TABLE: Self = Self::of(Code::Table);

    const fn of(code: Code) -> Self {
        Self { code, in_loop: false, after_call: false }
    }

    /// The body of a loop in this context.
    pub const fn in_loop(self) -> Self {
        Self { in_loop: true, ..self }
    }

    /// The step of a loop in this context, which runs after each iteration and may not contain `break`.
    pub const fn in_step(self) -> Self {
        Self { in_loop: false, ..self }
    }

    /// The block that copies out the results of a call in this context. It always runs to its end.
    pub const fn after_call(self) -> Self {
        Self { in_loop: false, after_call: true, ..self }
    }

    /// Refuses a statement that may not occur here; the statements nested in it are not considered.
    ///
    /// # Errors
    /// Says where such a statement may occur.
    pub fn refuse(self, statement: &Statement) -> Result<(), String> {
        let refusal = match statement {
            Statement::Flow(flow) => self.flow(flow),
            Statement::Packet(step) => self.packet(step),
            _ => None,
        };
        refusal.map_or(Ok(()), |refusal| Err(refusal.to_owned()))
    }

    fn flow(self, flow: &Flow) -> Option<&'static str> {
        match flow {
            Flow::Break | Flow::Continue if !self.in_loop => {
                Some("`break` and `continue` are only allowed in the body of a loop")
            }
            Flow::Return | Flow::Exit if self.after_call => {
                Some("`return` and `exit` are not allowed in the block that follows a call")
            }
            Flow::Return if self.code != Code::Function => Some("`return` is only allowed in functions"),
            // P4_16, 12.5: `exit` is only allowed in controls and actions.
            Flow::Exit if matches!(self.code, Code::Parser | Code::Table) => {
                Some("`exit` is only allowed in functions")
            }
            // Controls and actions, in which tables are applied, are both functions here.
            Flow::Apply { .. } if matches!(self.code, Code::Parser | Code::Table) => {
                Some("tables can only be applied in functions")
            }
            Flow::Parse { .. } if self.code != Code::Parser => Some("parsers can only be called in parsers"),
            _ => None,
        }
    }

    fn packet(self, step: &PacketStatement) -> Option<&'static str> {
        match step {
            PacketStatement::SetValid { .. } => None,
            PacketStatement::Emit { .. } if self.code == Code::Parser => {
                Some("headers can only be emitted in functions")
            }
            PacketStatement::Emit { .. } => None,
            _ if self.code != Code::Parser => Some("statements that read the packet are only allowed in parsers"),
            _ => None,
        }
    }
}
