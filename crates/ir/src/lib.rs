//! The intermediate representation: every front end lowers to it, and every machine is held against its meaning.
//!
//! This crate knows types, expressions, statements, tables and parsers, their text form, their verification and the
//! interpreters that define what a program means. It knows nothing of source languages and nothing of clock cycles.
//!
//! Where to begin:
//!
//! - [`Program`] is what front ends produce and what passes transform. [`interpret::PacketInterpreter`] runs programs
//!   with parsers; [`interpret::Interpreter`] runs flat ones.
//! - [`threads`] are programs that run to completion over shared memory; [`interpret::threads`] steps them.
//! - [`mod@print`] and [`parse`] are the text form: whatever is printed, after any pass, parses back to an equal value.
//! - [`mod@verify`] checks the invariants that all other code relies on.
//! - [`form`] defines the restricted forms that passes establish (flat, straight-line, three-address and
//!   single-assignment code) and verifies them.
//! - [`pipeline::Pipeline`] is a program fitted to the stages of a machine; [`dot`] draws it.
//!
//! ```
//! let text = "
//! program count_by_port
//! field port: bit<8>
//! field seen: int<32>
//! register count: int<32>[4] = fill 0
//! packet {
//!   @count[port] = @count[port] + 1i32
//!   seen = @count[port]
//! }
//! ";
//! let program = ir::parse::program("count.ir", text)?;
//! let mut interpreter = ir::interpret::Interpreter::new(&program);
//! // One value for each variable, in the order of declaration: `port`, then `seen`.
//! let mut packet = [2, 0];
//! interpreter.packet(&mut packet);
//! interpreter.packet(&mut packet);
//! assert_eq!(packet, [2, 2]);
//! # Ok::<(), ir::parse::Failure>(())
//! ```

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
pub mod threads;
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
pub use header::{Array, ArrayId, Header, HeaderField, HeaderId, HeaderReference, Stack, StackId};
pub use lookup::{Lookup, LookupResult};
pub use packet_statement::PacketStatement;
pub use parser::{CORE_ERRORS, ErrorId, Parser, ParserId, ValueSet, ValueSetId};
pub use program::{Export, Field, Initial, Program, Register, RegisterId, Variable, VariableId, VariableKind};
pub use shared_statement::SharedStatement;
pub use state::{
    Counter, CounterId, CounterUnit, Digest, DigestId, FieldList, Filter, FilterId, Meter, MeterId, Profile, ProfileId,
    Selection, SelectionBits, Wred, WredId,
};
pub use statement::Statement;
pub use table::{Key, Table, TableAction, TableId};
pub use threads::Threads;
pub use types::Type;
