//! The printer of statements.

use std::fmt::{self, Display, Formatter};

use super::expressions::{write_index, write_list, write_operand, write_place, write_plain, write_predicated};
use super::names::{
    array, counter, digest, filter, function, header, list, meter, parser, stack, table, text, variable, wred,
};
use crate::{
    CloneKind, Effect, Expression, Flow, HeaderReference, PacketStatement, Program, SharedStatement, Statement,
    VariableId,
};

/// Writes statements, each on lines of its own.
pub(crate) fn write_block(f: &mut Formatter<'_>, program: &Program, block: &[Statement], indent: &str) -> fmt::Result {
    for statement in block {
        f.write_str(indent)?;
        write_statement(f, program, statement, indent)?;
        writeln!(f)?;
    }
    Ok(())
}

/// Writes a block in braces after the text that is on the line already.
pub(super) fn write_braces(f: &mut Formatter<'_>, program: &Program, block: &[Statement], indent: &str) -> fmt::Result {
    writeln!(f, " {{")?;
    write_block(f, program, block, &format!("{indent}  "))?;
    write!(f, "{indent}}}")
}

pub(super) fn write_statement(
    f: &mut Formatter<'_>,
    program: &Program,
    statement: &Statement,
    indent: &str,
) -> fmt::Result {
    match statement {
        Statement::Assign { variable: target, value } => {
            write!(f, "{} = ", variable(program, *target))?;
            write_predicated(f, program, value)
        }
        Statement::AssignElement { array: id, index, value } => {
            array(program, *id).fmt(f)?;
            write_index(f, program, index)?;
            f.write_str(" = ")?;
            write_plain(f, program, value)
        }
        Statement::Write { register: target, index, value, predicate } => {
            write_place(f, program, *target, index.as_ref())?;
            f.write_str(" = ")?;
            // A predicate after the value is that of the write; the predicate of a read is in parentheses here.
            write_plain(f, program, value)?;
            match predicate {
                Some(predicate) => {
                    f.write_str(" if ")?;
                    write_operand(f, program, predicate)
                }
                None => Ok(()),
            }
        }
        Statement::If { condition, then, otherwise } => {
            f.write_str("if ")?;
            write_plain(f, program, condition)?;
            write_braces(f, program, then, indent)?;
            match otherwise.as_slice() {
                [] => Ok(()),
                [chained @ Statement::If { .. }] => {
                    f.write_str(" else ")?;
                    write_statement(f, program, chained, indent)
                }
                _ => {
                    f.write_str(" else")?;
                    write_braces(f, program, otherwise, indent)
                }
            }
        }
        Statement::Flow(flow) => write_flow(f, program, flow, indent),
        Statement::Packet(step) => write_packet(f, program, step),
        Statement::Shared(step) => write_shared(f, program, step),
    }
}

fn write_flow(f: &mut Formatter<'_>, program: &Program, flow: &Flow, indent: &str) -> fmt::Result {
    match flow {
        Flow::Loop { condition, body, step } => {
            f.write_str("while ")?;
            write_plain(f, program, condition)?;
            write_braces(f, program, body, indent)?;
            write_optional(f, program, " next", step, indent)
        }
        Flow::Break => f.write_str("break"),
        Flow::Continue => f.write_str("continue"),
        Flow::Return => f.write_str("return"),
        Flow::Exit => f.write_str("exit"),
        Flow::Call { function: id, after } => {
            write!(f, "call {}", function(program, *id))?;
            write_optional(f, program, " then", after, indent)
        }
        Flow::Parse { parser: id, after } => {
            write!(f, "parse {}", parser(program, *id))?;
            write_optional(f, program, " then", after, indent)
        }
        Flow::Apply { table: id, hit, action, entry } => {
            write!(f, "apply {}", table(program, *id))?;
            let results = [hit, action, entry];
            let count = results.iter().rposition(|result| result.is_some()).map_or(0, |last| last + 1);
            for (place, result) in results[..count].iter().enumerate() {
                f.write_str(if place == 0 { " -> " } else { ", " })?;
                match result {
                    Some(result) => variable(program, *result).fmt(f)?,
                    None => f.write_str("_")?,
                }
            }
            Ok(())
        }
    }
}

/// Writes a keyword and a block; nothing if the block is empty.
pub(super) fn write_optional(
    f: &mut Formatter<'_>,
    program: &Program,
    word: &str,
    block: &[Statement],
    indent: &str,
) -> fmt::Result {
    if block.is_empty() {
        return Ok(());
    }
    f.write_str(word)?;
    write_braces(f, program, block, indent)
}

fn write_packet(f: &mut Formatter<'_>, program: &Program, step: &PacketStatement) -> fmt::Result {
    match step {
        PacketStatement::Extract { header, length } => {
            f.write_str("extract ")?;
            write_header(f, program, header)?;
            match length {
                Some(length) => write_after(f, program, ", ", length),
                None => Ok(()),
            }
        }
        PacketStatement::Lookahead { variables } => {
            let space = if variables.is_empty() { "" } else { " " };
            write!(f, "lookahead{space}{}", variables_of(program, variables))
        }
        PacketStatement::Advance { bits } => write_after(f, program, "advance ", bits),
        PacketStatement::Verify { condition, error } => {
            write_after(f, program, "verify ", condition)?;
            write_after(f, program, ", ", error)
        }
        PacketStatement::SetValid { header, valid } => {
            f.write_str(if *valid { "set_valid " } else { "set_invalid " })?;
            write_header(f, program, header)
        }
        PacketStatement::Emit { header } => {
            f.write_str("emit ")?;
            write_header(f, program, header)
        }
    }
}

fn write_header(f: &mut Formatter<'_>, program: &Program, place: &HeaderReference) -> fmt::Result {
    match place {
        HeaderReference::Fixed(id) => header(program, *id).fmt(f),
        HeaderReference::Element(id, index) => {
            stack(program, *id).fmt(f)?;
            write_index(f, program, index)
        }
    }
}

fn write_shared(f: &mut Formatter<'_>, program: &Program, step: &SharedStatement) -> fmt::Result {
    match step {
        SharedStatement::Count { counter: id, index, adjust } => {
            write!(f, "count {}", counter(program, *id))?;
            write_index(f, program, index)?;
            adjust.as_ref().map_or(Ok(()), |adjust| write_after(f, program, " adjust ", adjust))
        }
        SharedStatement::Measure { meter: id, index, before, adjust, color } => {
            write!(f, "measure {}", meter(program, *id))?;
            write_index(f, program, index)?;
            if let Some(before) = before {
                write_after(f, program, " before ", before)?;
            }
            if let Some(adjust) = adjust {
                write_after(f, program, " adjust ", adjust)?;
            }
            write!(f, " -> {}", variable(program, *color))
        }
        SharedStatement::Filter { filter: id, index, value, result } => {
            write!(f, "filter {}", filter(program, *id))?;
            write_index(f, program, index)?;
            write_after(f, program, ", ", value)?;
            write!(f, " -> {}", variable(program, *result))
        }
        SharedStatement::Wred { wred: id, index, value, drops } => {
            write!(f, "wred {}", wred(program, *id))?;
            write_index(f, program, index)?;
            write_after(f, program, ", ", value)?;
            write!(f, " -> {}", variable(program, *drops))
        }
        SharedStatement::Random { variable: target, low, high } => {
            write!(f, "random {}", variable(program, *target))?;
            write_after(f, program, ", ", low)?;
            write_after(f, program, ", ", high)
        }
        SharedStatement::Effect(effect) => write_effect(f, program, effect),
        SharedStatement::Log { text: words, values } => {
            write!(f, "log {}", text(words))?;
            values.iter().try_for_each(|value| write_after(f, program, ", ", value))
        }
        SharedStatement::Assert { condition, text: words } => {
            write_after(f, program, "assert ", condition)?;
            write!(f, ", {}", text(words))
        }
    }
}

fn write_effect(f: &mut Formatter<'_>, program: &Program, effect: &Effect) -> fmt::Result {
    let kept = |f: &mut Formatter<'_>, keep: &Option<usize>| match keep {
        Some(place) => write!(f, " keep {place}"),
        None => Ok(()),
    };
    match effect {
        Effect::Clone { kind, session, keep } => {
            let kind = match kind {
                CloneKind::IngressToEgress => "ingress_to_egress",
                CloneKind::EgressToEgress => "egress_to_egress",
            };
            write!(f, "clone {kind}, ")?;
            write_plain(f, program, session)?;
            kept(f, keep)
        }
        Effect::Mirror { session, data } => {
            write_after(f, program, "mirror ", session)?;
            write_data(f, program, data)
        }
        Effect::Resubmit { keep, data } => {
            f.write_str("resubmit")?;
            kept(f, keep)?;
            write_data(f, program, data)
        }
        Effect::Recirculate { keep } => {
            f.write_str("recirculate")?;
            kept(f, keep)
        }
        Effect::Truncate { length } => write_after(f, program, "truncate ", length),
        Effect::Digest { digest: id, values } => {
            write!(f, "digest {}(", digest(program, *id))?;
            write_list(f, program, values)?;
            f.write_str(")")
        }
    }
}

/// Writes the data that lie in front of a packet.
fn write_data(f: &mut Formatter<'_>, program: &Program, data: &[Expression]) -> fmt::Result {
    if data.is_empty() {
        return Ok(());
    }
    f.write_str(" with (")?;
    write_list(f, program, data)?;
    f.write_str(")")
}

fn write_after(f: &mut Formatter<'_>, program: &Program, before: &str, expression: &Expression) -> fmt::Result {
    f.write_str(before)?;
    write_plain(f, program, expression)
}

/// Formats the names of variables, separated by commas.
pub(super) fn variables_of<'p>(program: &'p Program, variables: &'p [VariableId]) -> impl Display + 'p {
    list(variables.iter().map(|&id| variable(program, id)))
}
