//! The arguments of `packet_in` and `packet_out` (sections 13.8 and 16.1).

use diagnostics::Diagnostic;

use super::{Called, Findings, Nodes, Target};
use crate::ast;
use crate::types::{Type, TypeForm, Types};

/// Checks the argument of `packet_in.extract` (section 13.8.1): a header, of fixed size unless a size is given.
pub(super) fn check_extraction<'a>(
    types: &Types,
    nodes: &Nodes<'a>,
    found: &mut Findings,
    node: &'a ast::Expression,
    receiver: Type,
    arguments: &'a [ast::Argument],
) {
    let is_extract = match (nodes.call(node), types.named(receiver)) {
        (Some(Called { target: Target::Method(own), .. }), Some((packet, ..))) => {
            &*own.name == "extract" && &*types.definitions.get(packet).name == "packet_in"
        }
        _ => false,
    };
    let Some(ast::ArgumentValue::Given(value)) = arguments.first().map(|argument| &argument.value) else { return };
    let Some(of) = nodes.expression(value).map(|known| known.of) else { return };
    if !is_extract || of == Types::UNKNOWN || types.is_parameter(of) {
        return;
    }
    match types.container(of) {
        Some((own, _)) if own.kind == ast::ContainerKind::Header => {
            let varying: Vec<_> = own.fields.iter().filter(|field| types.varies(field.of)).collect();
            if let [_, second, ..] = varying.as_slice() {
                let error = Diagnostic::error(value.span, "more than one field of this header varies in length");
                let hint = "`extract` has one length to give";
                found.report(error.related(varying[0].span, "this").related(second.span, "and this").hint(hint));
            } else if own.is_varying && arguments.len() == 1 {
                found.hinted(
                    value.span,
                    "this header has a field of varying length",
                    "its bits are the second argument",
                );
            } else if !own.is_varying && arguments.len() > 1 {
                found.error(value.span, "this header has no field of varying length");
            }
        }
        _ => {
            let message = format!("only headers are extracted, this is {}", types.describe(of));
            found.error(value.span, message);
        }
    }
}

/// Checks the argument of `packet_out.emit` (section 16.1): headers, and types made of headers.
pub(super) fn check_emission<'a>(
    types: &Types,
    nodes: &Nodes<'a>,
    found: &mut Findings,
    node: &'a ast::Expression,
    receiver: Type,
    arguments: &'a [ast::Argument],
) {
    let is_emit = match (nodes.call(node), types.named(receiver)) {
        (Some(Called { target: Target::Method(own), .. }), Some((packet, ..))) => {
            &*own.name == "emit" && &*types.definitions.get(packet).name == "packet_out"
        }
        _ => false,
    };
    let Some(ast::ArgumentValue::Given(value)) = arguments.first().map(|argument| &argument.value) else { return };
    let Some(of) = nodes.expression(value).map(|known| known.coerced) else { return };
    if !is_emit || is_emitted(types, of) {
        return;
    }
    let message = format!("only headers are emitted, this is {}", types.describe(of));
    match &value.kind {
        ast::ExpressionKind::Member(object, _) if is_header(types, nodes, object) => {
            found.hinted(value.span, message, "emit the whole header that it is a field of");
        }
        _ => found.hinted(value.span, message, "headers, unions, stacks of them, and structs of these can be emitted"),
    }
}

fn is_header<'a>(types: &Types, nodes: &Nodes<'a>, node: &'a ast::Expression) -> bool {
    let of = nodes.expression(node).map(|known| known.of);
    of.is_some_and(|of| types.container_kind(of) == Some(ast::ContainerKind::Header))
}

/// Returns true for types that may contain headers. The parts of structs are not examined, because they may double with
/// each declaration.
fn is_emitted(types: &Types, of: Type) -> bool {
    let kind = types.kind(of);
    matches!(
        kind,
        TypeForm::Unknown | TypeForm::Stack(..) | TypeForm::Tuple(_) | TypeForm::Listed(_) | TypeForm::Record(..)
    ) || types.container(of).is_some()
        || types.is_parameter(of)
}

/// Checks that the result of `packet_in.lookahead` has a fixed size (section 13.8.3).
pub(super) fn check_lookahead<'a>(
    types: &Types,
    nodes: &Nodes<'a>,
    found: &mut Findings,
    node: &'a ast::Expression,
    receiver: Type,
    of: Type,
) {
    let is_lookahead = match (nodes.call(node), types.named(receiver)) {
        (Some(Called { target: Target::Method(own), .. }), Some((packet, ..))) => {
            &*own.name == "lookahead" && &*types.definitions.get(packet).name == "packet_in"
        }
        _ => false,
    };
    let varies =
        matches!(types.kind(of), TypeForm::Varbit(_)) || types.container(of).is_some_and(|(own, _)| own.is_varying);
    if is_lookahead && (varies || of == Types::VOID) {
        found.error(node.span, format!("{} has no fixed size", types.describe(of)));
    }
}
