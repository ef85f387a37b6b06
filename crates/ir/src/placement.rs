//! Which statement may stand where: the parser asks with places at hand, [`crate::verify`] without.

use crate::{Flow, PacketStatement, Statement};

/// Where a statement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Context {
    code: Code,
    /// A loop's body is around it.
    in_loop: bool,
    /// It takes back what comes out of a call.
    after_call: bool,
}

/// What kind of code a statement is part of.
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
    /// What a table does before and after an action.
    pub const TABLE: Self = Self::of(Code::Table);

    const fn of(code: Code) -> Self {
        Self { code, in_loop: false, after_call: false }
    }

    /// The body of a loop here.
    pub const fn in_loop(self) -> Self {
        Self { in_loop: true, ..self }
    }

    /// What follows each turn of a loop here, which no `break` may cut short.
    pub const fn in_step(self) -> Self {
        Self { in_loop: false, ..self }
    }

    /// What takes back the results of a call here: it is done in any case, and so to its end.
    pub const fn after_call(self) -> Self {
        Self { in_loop: false, after_call: true, ..self }
    }

    /// Why a statement, without those inside it, may not stand here.
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
            Flow::Break | Flow::Continue if !self.in_loop => Some("there is no loop here to end or to continue"),
            Flow::Return | Flow::Exit if self.after_call => {
                Some("what follows a call is done to its end: nothing in it returns or exits")
            }
            Flow::Return if self.code != Code::Function => Some("there is no function here to return from"),
            // P4_16, 12.5: `exit` is for controls and actions.
            Flow::Exit if matches!(self.code, Code::Parser | Code::Table) => Some("`exit` stands in functions"),
            // Tables are applied in controls and actions.
            Flow::Apply { .. } if matches!(self.code, Code::Parser | Code::Table) => {
                Some("tables are applied in functions")
            }
            Flow::Parse { .. } if self.code != Code::Parser => Some("parsers are called in parsers"),
            _ => None,
        }
    }

    fn packet(self, step: &PacketStatement) -> Option<&'static str> {
        match step {
            PacketStatement::SetValid { .. } => None,
            PacketStatement::Emit { .. } if self.code == Code::Parser => Some("headers are emitted in functions"),
            PacketStatement::Emit { .. } => None,
            _ if self.code != Code::Parser => Some("what takes a packet apart stands in parsers"),
            _ => None,
        }
    }
}
