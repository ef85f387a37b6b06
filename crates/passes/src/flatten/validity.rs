//! Says by assignments what becoming valid and invalid does to the fields of a header.
//!
//! A header that becomes valid or invalid has undefined fields (P4_16, 8.17), which are 0 in whatever runs programs of
//! ours. Written out, each such place would assign every field of the header. But most programs assign the fields right
//! after, or never read them again: the deparser emits what is valid only. So this pass goes backwards, and knows of
//! each field whether it is read later, and whether it is only emitted if its header is valid.

use std::collections::BTreeSet;

use ir::{Expression, Header, HeaderPlace, PacketStatement, Program, Statement, UnaryOperator, VariableId};

use super::words::number;

/// What is read later.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    /// Variables that are read whatever is valid.
    pub(super) read: BTreeSet<VariableId>,
    /// Fields of headers, and their lengths, that are emitted if their header is valid.
    pub(super) emitted: BTreeSet<VariableId>,
}

/// Code without [`PacketStatement::SetValid`]; other statements about headers stay. `live` is what is read after the
/// code, and becomes what is read of what was there before it.
pub(super) fn written_out(program: &Program, code: &[Statement], live: &mut Live) -> Vec<Statement> {
    let mut reversed = Vec::with_capacity(code.len());
    for statement in code.iter().rev() {
        match statement {
            Statement::Packet(PacketStatement::SetValid { header: HeaderPlace::Fixed(header), valid }) => {
                let header = &program.headers[header.index()];
                reversed.extend(set(program, header, *valid, live).into_iter().rev());
            }
            Statement::Packet(PacketStatement::Emit { header: HeaderPlace::Fixed(header) }) => {
                let header = &program.headers[header.index()];
                live.read.insert(header.valid);
                live.emitted.extend(fields(header));
                reversed.push(statement.clone());
            }
            Statement::If { condition, then, otherwise } => {
                let mut also = live.clone();
                let then = written_out(program, then, live);
                let otherwise = written_out(program, otherwise, &mut also);
                live.read.extend(also.read);
                live.emitted.extend(also.emitted);
                live.read.extend(condition.variables());
                reversed.push(Statement::If { condition: condition.clone(), then, otherwise });
            }
            Statement::Assign { variable, value } => {
                live.read.remove(variable);
                live.emitted.remove(variable);
                if *value != Expression::bool(false) {
                    // A header that becomes valid in this way keeps the values of its fields.
                    let made_valid = program.headers.iter().filter(|header| header.valid == *variable);
                    let kept: Vec<VariableId> =
                        made_valid.flat_map(fields).filter(|field| live.emitted.contains(field)).collect();
                    live.read.extend(kept);
                }
                live.read.extend(value.variables());
                reversed.push(statement.clone());
            }
            other => {
                live.read.extend(other.expressions().into_iter().flat_map(|expression| expression.variables()));
                reversed.push(other.clone());
            }
        }
    }
    reversed.reverse();
    reversed
}

/// A header becomes valid or invalid.
fn set(program: &Program, header: &Header, valid: bool, live: &mut Live) -> Vec<Statement> {
    let is_read = |field: &VariableId| live.read.contains(field) || valid && live.emitted.contains(field);
    let zeroed: Vec<VariableId> = fields(header).filter(is_read).collect();
    if !valid {
        // Whoever emits the header later makes it valid before, which assigns its fields anew.
        fields(header).for_each(|field| {
            live.emitted.remove(&field);
        });
    }
    let zero = |variable| Statement::Assign { variable, value: number(program.variable(variable).ty, 0) };
    let is_new = match valid {
        true => Expression::unary(UnaryOperator::Not, Expression::Variable(header.valid)),
        false => Expression::Variable(header.valid),
    };
    live.read.remove(&header.valid);
    let mut code = Vec::new();
    if !zeroed.is_empty() {
        let then = zeroed.into_iter().map(zero).collect();
        code.push(Statement::If { condition: is_new, then, otherwise: Vec::new() });
        live.read.insert(header.valid);
    }
    code.push(Statement::Assign { variable: header.valid, value: Expression::bool(valid) });
    code
}

/// The variables of the fields of a header, and of their lengths.
pub(super) fn fields(header: &Header) -> impl Iterator<Item = VariableId> {
    header.fields.iter().flat_map(|field| [Some(field.variable), field.length]).flatten()
}
