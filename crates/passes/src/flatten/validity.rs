//! Makes explicit, by assignments, what happens to the fields of a header that becomes valid or invalid.
//!
//! The fields of a header that becomes valid or invalid are undefined (P4_16, 8.17); here they are 0 on every machine.
//! Written out naively, each such statement would assign every field of the header. But most programs assign the fields
//! right afterwards, or never read them again, because the deparser emits only valid headers. Therefore this pass goes
//! backwards through the code, and tracks for each field whether it is read later, and whether it is only emitted if
//! its header is valid.

use std::collections::BTreeSet;

use ir::{Expression, Header, HeaderReference, PacketStatement, Program, Statement, UnaryOperator, VariableId};

use super::words::number;

/// The variables that are read later.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    /// The variables that are read whether or not their header is valid.
    pub(super) read: BTreeSet<VariableId>,
    /// The fields of headers, and their lengths, that are emitted if their header is valid.
    pub(super) emitted: BTreeSet<VariableId>,
}

/// Returns code without [`PacketStatement::SetValid`]; other statements about headers remain. `live` holds the
/// variables that are live after the code, and is updated to those that are live before it.
pub(super) fn written_out(program: &Program, code: &[Statement], live: &mut Live) -> Vec<Statement> {
    let mut reversed = Vec::with_capacity(code.len());
    for statement in code.iter().rev() {
        match statement {
            Statement::Packet(PacketStatement::SetValid { header: HeaderReference::Fixed(header), valid }) => {
                let header = &program.headers[header.index()];
                reversed.extend(set(program, header, *valid, live).into_iter().rev());
            }
            Statement::Packet(PacketStatement::Emit { header: HeaderReference::Fixed(header) }) => {
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

/// Returns the code for a header that becomes valid or invalid.
fn set(program: &Program, header: &Header, valid: bool, live: &mut Live) -> Vec<Statement> {
    let is_read = |field: &VariableId| live.read.contains(field) || valid && live.emitted.contains(field);
    let zeroed: Vec<VariableId> = fields(header).filter(is_read).collect();
    if !valid {
        // The header is emitted later only if it becomes valid again, which assigns its fields anew.
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

/// Returns the variables of the fields of a header and of their lengths.
pub(super) fn fields(header: &Header) -> impl Iterator<Item = VariableId> {
    header.fields.iter().flat_map(|field| [Some(field.variable), field.length]).flatten()
}
