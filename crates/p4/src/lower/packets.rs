//! The methods of `packet_in` (13.8) and `packet_out` (16.1), and `verify` (13.7).

use arch::IntrinsicValue;
use ir::{Expression, PacketStatement, VariableId};

use super::externs::no_implementation;
use super::l_values::Destination;
use super::layout::LENGTH;
use super::stacks::next_unchecked;
use super::tree::{HeaderName, LValue, Leaf, Tree, Value};
use super::{ExternCall, Writer};
use crate::ast::{self, ExpressionKind};
use crate::types::Type;

impl<'a> ExternCall<'_, 'a> {
    pub(super) fn packet_in_method(&mut self) -> Value {
        match &*self.arguments.callable.name {
            "extract" => self.extract(),
            "lookahead" => return self.lookahead(),
            "advance" => {
                let [bits] = self.argument_scalars([0]);
                self.lowering.writer().packet(PacketStatement::Advance { bits });
            }
            "length" => {
                // The switch stores the length of the whole packet in the intrinsic metadata.
                let length = self
                    .lowering
                    .switch
                    .provided_field(self.lowering.architecture, IntrinsicValue::Length)
                    .map(|leaf| leaf.read());
                let Some(length) = length else {
                    no_implementation(&mut self.lowering.found, self.arguments.span, "packet_in.length");
                    return Tree::Nothing;
                };
                return Tree::Scalar(self.lowering.output.cast(length, LENGTH));
            }
            other => no_implementation(&mut self.lowering.found, self.arguments.span, &format!("packet_in.{other}")),
        }
        Tree::Nothing
    }

    /// Writes `extract(header)` or `extract(header, bits of its variable-length field)`.
    fn extract(&mut self) {
        self.lowering.warn_of_residues();
        let Some(node) = self.arguments.node(0) else { return self.skip() };
        let mut stacks = Vec::new();
        let Some(target) = self.extracted(node, &mut stacks) else {
            return self.lowering.found.unsupported(node.span, "a header that is nowhere");
        };
        let Some(header) = header_name(&target.l_value).and_then(HeaderName::reference) else {
            return self.lowering.found.unsupported(node.span, "the extraction of something that is not a header");
        };
        let length = self.arguments.node(1).map(|node| self.lowering.scalar(node));
        self.lowering.writer().packet(PacketStatement::Extract { header, length });
        // At most one header of a header union is valid (8.19).
        target.siblings.iter().for_each(|sibling| self.lowering.writer().set_valid(sibling, false));
        stacks.iter().for_each(|stack| self.lowering.writer().advance_stack(stack));
    }

    /// Returns the target of an extraction, and collects the stacks whose `next` it names, which advances them (8.18).
    fn extracted(&mut self, node: &'a ast::Expression, stacks: &mut Vec<LValue>) -> Option<Destination> {
        if let ExpressionKind::Member(object, name) = &node.kind
            && &*name.text == "next"
            && let Some(stack @ Tree::Stack(_)) = self.lowering.target(object).map(|target| target.l_value)
        {
            // The extraction into an element beyond the end rejects the packet by itself.
            let next = next_unchecked(&stack);
            stacks.push(stack);
            return next.map(Destination::from);
        }
        self.collect_stacks(node, stacks);
        self.lowering.target(node)
    }

    fn collect_stacks(&mut self, node: &'a ast::Expression, stacks: &mut Vec<LValue>) {
        match &node.kind {
            ExpressionKind::Member(object, name) => {
                self.collect_stacks(object, stacks);
                if &*name.text == "next"
                    && let Some(stack @ Tree::Stack(_)) = self.lowering.target(object).map(|target| target.l_value)
                {
                    stacks.push(stack);
                }
            }
            ExpressionKind::Index(object, _) => self.collect_stacks(object, stacks),
            _ => {}
        }
    }

    /// Writes `extract<T>(_)`, which skips as many bits as the header has.
    fn skip(&mut self) {
        let Some(&of) = self.arguments.types.first() else { return };
        let shape = self.lowering.shapes().default_value(of);
        let mut scalars = Vec::new();
        super::arguments::wire_scalars(&shape, &mut scalars);
        let bits: u32 = scalars.iter().map(|(value, _)| self.lowering.output.program.type_of(value).width()).sum();
        self.lowering.writer().packet(PacketStatement::Advance { bits: Expression::number(LENGTH, i64::from(bits)) });
    }

    /// Writes `lookahead<T>()`, which returns the next bits as a value with valid headers.
    pub(super) fn lookahead(&mut self) -> Value {
        let Some(&of) = self.arguments.types.first() else { return Tree::Nothing };
        let l_value = self.temporary_l_value("$lookahead", of);
        self.lowering.writer().make_valid(&l_value);
        let mut wire: Vec<VariableId> = Vec::new();
        on_the_wire(&l_value, &mut wire);
        self.lowering.writer().packet(PacketStatement::Lookahead { variables: wire });
        l_value.read()
    }

    fn temporary_l_value(&mut self, hint: &str, of: Type) -> LValue {
        let name = format!("{}{hint}", self.lowering.scopes.prefix());
        self.lowering.storage().make_l_value(&name, of, self.arguments.span)
    }

    pub(super) fn packet_out_method(&mut self) -> Value {
        match (&*self.arguments.callable.name, self.arguments.node(0)) {
            ("emit", Some(node)) => {
                let l_value = self.lowering.readable_l_value(node).unwrap_or_else(|| {
                    let value = self.lowering.value(node);
                    let of = self.arguments.types.first().copied().unwrap_or(crate::types::Types::UNKNOWN);
                    let l_value = self.temporary_l_value("$emitted", of);
                    self.lowering.writer().assign_l_value(&l_value, value);
                    l_value
                });
                self.lowering.writer().emit_headers(&l_value);
            }
            (other, _) => {
                no_implementation(&mut self.lowering.found, self.arguments.span, &format!("packet_out.{other}"))
            }
        }
        Tree::Nothing
    }

    /// Writes `verify(check, error)`.
    pub(super) fn verify_call(&mut self) {
        let [condition, error] = self.argument_scalars([0, 1]);
        self.lowering.writer().packet(PacketStatement::Verify { condition, error });
    }
}

impl Writer<'_> {
    fn make_valid(&mut self, l_value: &LValue) {
        match l_value {
            Tree::Header(header) => self.set_valid(&header.name, true),
            Tree::Struct(parts) => parts.iter().for_each(|(_, part)| self.make_valid(part)),
            _ => {}
        }
    }

    /// Writes the emission of the headers in a value, in order.
    fn emit_headers(&mut self, l_value: &LValue) {
        match l_value {
            Tree::Header(header) => {
                if let Some(header) = header.name.reference() {
                    self.packet(PacketStatement::Emit { header });
                }
            }
            Tree::Struct(parts) | Tree::Union(parts) => parts.iter().for_each(|(_, part)| self.emit_headers(part)),
            Tree::Stack(stack) => stack.elements.iter().for_each(|element| self.emit_headers(element)),
            _ => {}
        }
    }
}

fn header_name(l_value: &LValue) -> Option<&HeaderName> {
    if let Tree::Header(header) = l_value { Some(&header.name) } else { None }
}

/// Collects the variables that the bits of a packet are read into, in order.
fn on_the_wire(l_value: &LValue, all: &mut Vec<VariableId>) {
    match l_value {
        Tree::Scalar(Leaf::Variable(variable)) => all.push(*variable),
        Tree::Struct(parts) => parts.iter().for_each(|(_, part)| on_the_wire(part, all)),
        Tree::Header(header) => header.fields.iter().for_each(|(_, part)| on_the_wire(part, all)),
        Tree::Stack(stack) => stack.elements.iter().for_each(|part| on_the_wire(part, all)),
        // A header union or a `varbit` has no fixed size.
        _ => {}
    }
}
