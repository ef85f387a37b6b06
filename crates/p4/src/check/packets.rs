//! What the packet of a parser can give (section 13.8).

use diagnostics::Diagnostic;

use super::{Called, Checker, Target};
use crate::ast;
use crate::types::{Kind, Type, Types};

impl<'a> Checker<'a> {
    /// What `packet_in.extract` fills (section 13.8.1): a header, of fixed size unless a size is given.
    pub(super) fn check_extraction(
        &mut self,
        node: &'a ast::Expression,
        receiver: Type,
        arguments: &'a [ast::Argument],
    ) {
        let is_extract = match (self.checked.call(node), self.checked.types.named(receiver)) {
            (Some(Called { target: Target::Method(own), .. }), Some((packet, ..))) => {
                &*own.name == "extract" && &*self.checked.types.definitions.get(packet).name == "packet_in"
            }
            _ => false,
        };
        let Some(ast::ArgumentValue::Given(value)) = arguments.first().map(|argument| &argument.value) else { return };
        let Some(of) = self.checked.expression(value).map(|known| known.of) else { return };
        if !is_extract || self.is_unknown(of) || self.checked.types.is_parameter(of) {
            return;
        }
        match self.checked.types.container(of) {
            Some((own, _)) if own.kind == ast::ContainerKind::Header => {
                let varying: Vec<_> = own.fields.iter().filter(|field| self.varies(field.of)).collect();
                if let [_, second, ..] = varying.as_slice() {
                    let error = Diagnostic::error(value.span, "more than one field of this header varies in length");
                    let hint = "`extract` has one length to give";
                    self.report(error.related(varying[0].span, "this").related(second.span, "and this").hint(hint));
                } else if own.is_varying && arguments.len() == 1 {
                    self.hinted(
                        value.span,
                        "this header has a field of varying length",
                        "its bits are the second argument",
                    );
                } else if !own.is_varying && arguments.len() > 1 {
                    self.error(value.span, "this header has no field of varying length");
                }
            }
            _ => {
                let message = format!("only headers are extracted, this is {}", self.checked.types.describe(of));
                self.error(value.span, message);
            }
        }
    }

    /// What `packet_out.emit` writes (section 16.1): headers, and what is made of them.
    pub(super) fn check_emission(&mut self, node: &'a ast::Expression, receiver: Type, arguments: &'a [ast::Argument]) {
        let is_emit = match (self.checked.call(node), self.checked.types.named(receiver)) {
            (Some(Called { target: Target::Method(own), .. }), Some((packet, ..))) => {
                &*own.name == "emit" && &*self.checked.types.definitions.get(packet).name == "packet_out"
            }
            _ => false,
        };
        let Some(ast::ArgumentValue::Given(value)) = arguments.first().map(|argument| &argument.value) else { return };
        let Some(of) = self.checked.expression(value).map(|known| known.coerced) else { return };
        if !is_emit || self.is_emitted(of) {
            return;
        }
        let message = format!("only headers are emitted, this is {}", self.checked.types.describe(of));
        match &value.kind {
            ast::ExpressionKind::Member(object, _) if self.is_header(object) => {
                self.hinted(value.span, message, "emit the whole header that it is a field of");
            }
            _ => {
                self.hinted(value.span, message, "headers, unions, stacks of them, and structs of these can be emitted")
            }
        }
    }

    fn is_header(&self, node: &'a ast::Expression) -> bool {
        let of = self.checked.expression(node).map(|known| known.of);
        of.is_some_and(|of| self.checked.types.container_kind(of) == Some(ast::ContainerKind::Header))
    }

    /// Structs are only looked at from above: what is in them may double with each declaration.
    fn is_emitted(&self, of: Type) -> bool {
        let kind = self.checked.types.kind(of);
        matches!(kind, Kind::Unknown | Kind::Stack(..) | Kind::Tuple(_) | Kind::Listed(_) | Kind::Record(..))
            || self.checked.types.container(of).is_some()
            || self.checked.types.is_parameter(of)
    }

    /// What `packet_in.lookahead` gives is of fixed size (section 13.8.3).
    pub(super) fn check_lookahead(&mut self, node: &'a ast::Expression, receiver: Type, of: Type) {
        let is_lookahead = match (self.checked.call(node), self.checked.types.named(receiver)) {
            (Some(Called { target: Target::Method(own), .. }), Some((packet, ..))) => {
                &*own.name == "lookahead" && &*self.checked.types.definitions.get(packet).name == "packet_in"
            }
            _ => false,
        };
        let varies = matches!(self.checked.types.kind(of), Kind::Varbit(_))
            || self.checked.types.container(of).is_some_and(|(own, _)| own.is_varying);
        if is_lookahead && (varies || of == Types::VOID) {
            self.error(node.span, format!("{} has no fixed size", self.checked.types.describe(of)));
        }
    }
}
