//! Values and variables of any type.

use std::rc::Rc;

use diagnostics::Span;
use ir::{Header, HeaderId};

use super::layout::{LENGTH, header_fields};
use super::tree::{HeaderName, HeaderTree, LValue, Leaf, StackTree, Tree};
use super::{Output, Shapes};
use crate::ast::ContainerKind;
use crate::types::{Type, TypeForm};

/// Makes values of types, and variables for them.
pub(super) struct Storage<'c> {
    pub shapes: Shapes<'c>,
    pub output: &'c mut Output,
}

impl Storage<'_> {
    /// Makes variables for a type.
    pub(super) fn make_l_value(&mut self, name: &str, of: Type, span: Span) -> LValue {
        if !self.shapes.has_room(of) {
            return Tree::Nothing;
        }
        self.make_small_l_value(name, of, span)
    }

    fn make_small_l_value(&mut self, name: &str, of: Type, span: Span) -> LValue {
        let of = self.shapes.original(of);
        if let Some(ty) = self.shapes.scalar_type(of) {
            return Tree::Scalar(Leaf::Variable(self.output.variable(name, ty)));
        }
        match self.shapes.types.kind(of).clone() {
            TypeForm::Varbit(width) => self.make_varbit(name, width, span),
            TypeForm::Tuple(parts) => {
                let parts = parts.into_iter().enumerate().map(|(place, part)| (place.to_string().into(), part));
                Tree::Struct(self.make_parts(name, parts.collect(), span))
            }
            TypeForm::Record(fields, _) => Tree::Struct(self.make_parts(name, fields, span)),
            TypeForm::Stack(element, Some(size)) => self.make_stack(name, element, size, span),
            TypeForm::Named(..) => match self.shapes.types.container_kind(of) {
                Some(ContainerKind::Struct) => {
                    let fields = self.shapes.held_fields(of);
                    Tree::Struct(self.make_parts(name, fields, span))
                }
                Some(ContainerKind::HeaderUnion) => {
                    let fields = self.shapes.fields(of);
                    Tree::Union(self.make_parts(name, fields, span))
                }
                Some(ContainerKind::Header) => self.make_header(name, of, span),
                // A parameter of such a type is bound to an instance.
                None => Tree::Nothing,
            },
            TypeForm::Bit(width) | TypeForm::Int(width) if width > u32::from(u16::MAX) => {
                self.shapes.found.unsupported(span, format!("values of {width} bits; the most is {}", u16::MAX));
                Tree::Nothing
            }
            _ => Tree::Nothing,
        }
    }

    fn make_parts(&mut self, name: &str, parts: Vec<(Rc<str>, Type)>, span: Span) -> Vec<(Rc<str>, LValue)> {
        let mut make = |(part, of): (Rc<str>, Type)| {
            let l_value = self.make_small_l_value(&format!("{name}.{part}"), of, span);
            (part, l_value)
        };
        parts.into_iter().map(&mut make).collect()
    }

    fn make_varbit(&mut self, name: &str, width: u32, span: Span) -> LValue {
        let Some(width) = u16::try_from(width).ok().filter(|&width| width > 0) else {
            self.shapes.found.unsupported(span, format!("a `varbit<{width}>`; it has 1 to {} bits", u16::MAX));
            return Tree::Nothing;
        };
        let value = Leaf::Variable(self.output.variable(name, ir::Type::Bits(width)));
        let length = Leaf::Variable(self.output.variable(&format!("{name}.$length"), LENGTH));
        Tree::Varbit { value, length }
    }

    fn make_header(&mut self, name: &str, of: Type, span: Span) -> LValue {
        let name = self.output.names.header(name);
        let valid = self.output.variable(&format!("{name}.$valid"), ir::Type::Bool);
        let fields = self.shapes.fields(of);
        let fields = self.make_parts(&name, fields, span);
        let mut wire = Vec::new();
        fields.iter().for_each(|(_, field)| header_fields(field, &mut wire));
        let varies = wire.iter().any(|field| field.length.is_some());
        let bits: u32 = wire.iter().map(|field| self.output.program.variable(field.variable).ty.width()).sum();
        let padding = (8 - bits % 8) % 8;
        if self.output.pads_headers && !varies && padding > 0 {
            let variable = self.output.variable(&format!("{name}.$padding"), ir::Type::Bits(padding as u16));
            wire.push(ir::HeaderField { variable, length: None });
        }
        self.output.program.headers.push(Header { name, valid, fields: wire });
        let header = HeaderId::from(self.output.program.headers.len() - 1);
        Tree::Header(Box::new(HeaderTree { name: HeaderName::Fixed(header), valid: Leaf::Variable(valid), fields }))
    }

    fn make_stack(&mut self, name: &str, element: Type, size: u32, span: Span) -> LValue {
        let next = self.output.variable(&format!("{name}.$next"), LENGTH);
        let make = |place| self.make_small_l_value(&format!("{name}[{place}]"), element, span);
        let elements: Vec<LValue> = (0..size).map(make).collect();
        let arrays = self.output.make_arrays(name, next, &elements.iter().collect::<Vec<_>>());
        Tree::Stack(Box::new(StackTree { next: Leaf::Variable(next), elements, arrays }))
    }
}
