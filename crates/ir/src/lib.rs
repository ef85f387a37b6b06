//! The program: one meaning for every language, held by every machine.
//!
//! - [`Program`] is what front ends make and passes change. Its [`interpret::Interpreter`] is the definition of
//!   what a program means.
//! - [`form`] says which restricted forms a pass promises (predicated straight-line code, three-address code,
//!   single assignment), and verifies them.
//! - [`pipeline::Pipeline`] is a program fitted to the stages of a machine; [`dot`] draws it.
//! - [`mod@print`] and [`parse`] are its text, after every pass: what is printed parses back to the same thing.

pub mod dot;
mod effect;
pub mod evaluate;
mod expression;
mod flow;
pub mod form;
mod function;
mod header;
pub mod interpret;
pub mod lookup;
pub mod match_action;
mod packet_statement;
pub mod parse;
pub mod parser;
pub mod pipeline;
mod placement;
pub mod print;
mod print_pipeline;
mod program;
mod shared_statement;
mod state;
mod statement;
mod table;
mod types;
mod typing;
pub mod value;
pub mod verify;
mod verify_pipeline;

pub use effect::{CloneKind, Effect};
pub use expression::{BinaryOperator, Checksum, ChecksumPart, Constant, Expression, UnaryOperator, cast};
pub use flow::Flow;
pub use form::Flat;
pub use function::{Block, Entrance, Function, FunctionId, FunctionKind};
pub use header::{Array, ArrayId, Header, HeaderField, HeaderId, HeaderPlace, Stack, StackId};
pub use lookup::{Lookup, LookupResult};
pub use packet_statement::PacketStatement;
pub use parser::{CORE_ERRORS, ErrorId, Parser, ParserId, ValueSet, ValueSetId};
pub use program::{Export, Field, Initial, Program, Register, RegisterId, Variable, VariableId, VariableKind};
pub use shared_statement::SharedStatement;
pub use state::{
    Counter, CounterId, CounterUnit, Digest, DigestId, FieldList, Meter, MeterId, Profile, ProfileId, Selection,
};
pub use statement::Statement;
pub use table::{Key, Table, TableAction, TableId};
pub use types::Type;
