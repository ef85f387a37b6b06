//! Which variables a type takes.

use std::rc::Rc;

use diagnostics::Span;
use ir::{Array, ArrayId, Header, HeaderField, HeaderId, Stack, StackId, VariableId};

use super::Lowering;
use super::tree::{HeaderName, HeaderTree, Leaf, Place, StackTree, Tree};
use crate::ast::ContainerKind;
use crate::types::{Kind, Sort, Type};

/// The type of lengths and indices: P4_16 has `bit<32>` for both (8.18, 13.8.2).
pub(super) const LENGTH: ir::Type = ir::Type::Bits(32);
/// Errors and members of enumerations without an underlying type, which have no width of their own (7.1.2, 7.2.1).
pub(super) const ORDINAL: ir::Type = ir::Type::Bits(32);

impl<'a> Lowering<'a> {
    /// The scalar type of the IR that a type becomes, if it is one.
    pub(super) fn scalar_type(&mut self, of: Type) -> Option<ir::Type> {
        let of = self.resolve(of);
        match *self.checked.types.kind(of) {
            Kind::Bool => Some(ir::Type::Bool),
            Kind::Bit(width) => u16::try_from(width).ok().filter(|&width| width > 0).map(ir::Type::Bits),
            Kind::Int(width) => u16::try_from(width).ok().filter(|&width| width > 0).map(ir::Type::Int),
            Kind::Error => Some(ORDINAL),
            Kind::Named(..) => match self.checked.types.named(of).map(|(_, _, sort)| sort.clone()) {
                Some(Sort::Enumeration(own)) => match own.underlying {
                    Some(underlying) => self.scalar_type(underlying),
                    None => Some(ORDINAL),
                },
                Some(Sort::NewType(original) | Sort::Alias(original)) => self.scalar_type(original),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a type made with `type` is made of; any other type is itself.
    pub(super) fn original(&mut self, of: Type) -> Type {
        let mut of = self.resolve(of);
        while let Some((_, _, Sort::NewType(original))) = self.checked.types.named(of) {
            of = *original;
        }
        of
    }

    /// The fields of a container, in order, with their types.
    pub(super) fn fields(&mut self, of: Type) -> Vec<(Rc<str>, Type)> {
        let Some((own, arguments)) = self.checked.types.container(of) else { return Vec::new() };
        let bindings = own.type_parameters.iter().copied().zip(arguments).collect();
        own.fields
            .iter()
            .map(|field| (Rc::clone(&field.name), self.checked.types.substitute(field.of, &bindings)))
            .collect()
    }

    /// New variables for a type.
    pub(super) fn make_place(&mut self, name: &str, of: Type, span: Span) -> Place {
        if !self.has_room(of) {
            return Tree::Nothing;
        }
        self.make_small_place(name, of, span)
    }

    fn make_small_place(&mut self, name: &str, of: Type, span: Span) -> Place {
        let of = self.original(of);
        if let Some(ty) = self.scalar_type(of) {
            return Tree::Scalar(Leaf::Variable(self.variable(name, ty)));
        }
        match self.checked.types.kind(of).clone() {
            Kind::Varbit(width) => self.make_varbit(name, width, span),
            Kind::Tuple(parts) => {
                let parts = parts.into_iter().enumerate().map(|(place, part)| (place.to_string().into(), part));
                Tree::Struct(self.make_parts(name, parts.collect(), span))
            }
            Kind::Record(fields, _) => Tree::Struct(self.make_parts(name, fields, span)),
            Kind::Stack(element, Some(size)) => self.make_stack(name, element, size, span),
            Kind::Named(..) => match self.checked.types.container_kind(of) {
                Some(ContainerKind::Struct) => {
                    let fields = self.fields(of);
                    Tree::Struct(self.make_parts(name, fields, span))
                }
                Some(ContainerKind::HeaderUnion) => {
                    let fields = self.fields(of);
                    Tree::Union(self.make_parts(name, fields, span))
                }
                Some(ContainerKind::Header) => self.make_header(name, of, span),
                // A parameter of such a type is bound to an instance.
                None => Tree::Nothing,
            },
            Kind::Bit(width) | Kind::Int(width) if width > u32::from(u16::MAX) => {
                self.unsupported(span, format!("values of {width} bits; the most is {}", u16::MAX));
                Tree::Nothing
            }
            _ => Tree::Nothing,
        }
    }

    fn make_parts(&mut self, name: &str, parts: Vec<(Rc<str>, Type)>, span: Span) -> Vec<(Rc<str>, Place)> {
        let mut make = |(part, of): (Rc<str>, Type)| {
            let place = self.make_small_place(&format!("{name}.{part}"), of, span);
            (part, place)
        };
        parts.into_iter().map(&mut make).collect()
    }

    fn make_varbit(&mut self, name: &str, width: u32, span: Span) -> Place {
        let Some(width) = u16::try_from(width).ok().filter(|&width| width > 0) else {
            self.unsupported(span, format!("a `varbit<{width}>`; it has 1 to {} bits", u16::MAX));
            return Tree::Nothing;
        };
        let value = Leaf::Variable(self.variable(name, ir::Type::Bits(width)));
        let length = Leaf::Variable(self.variable(&format!("{name}.$length"), LENGTH));
        Tree::Varbit { value, length }
    }

    fn make_header(&mut self, name: &str, of: Type, span: Span) -> Place {
        let name = self.names.header(name);
        let valid = self.variable(&format!("{name}.$valid"), ir::Type::Bool);
        let fields = self.fields(of);
        let fields = self.make_parts(&name, fields, span);
        let mut wire = Vec::new();
        fields.iter().for_each(|(_, field)| header_fields(field, &mut wire));
        self.program.headers.push(Header { name, valid, fields: wire });
        let header = HeaderId::from(self.program.headers.len() - 1);
        Tree::Header(Box::new(HeaderTree { name: HeaderName::Fixed(header), valid: Leaf::Variable(valid), fields }))
    }

    fn make_stack(&mut self, name: &str, element: Type, size: u32, span: Span) -> Place {
        let next = self.variable(&format!("{name}.$next"), LENGTH);
        let make = |place| self.make_small_place(&format!("{name}[{place}]"), element, span);
        let elements: Vec<Place> = (0..size).map(make).collect();
        let arrays = self.make_arrays(name, next, &elements.iter().collect::<Vec<_>>());
        Tree::Stack(Box::new(StackTree { next: Leaf::Variable(next), elements, arrays }))
    }

    /// Arrays over the scalars of elements of one type; none without elements.
    pub(super) fn make_arrays(
        &mut self,
        name: &str,
        next: VariableId,
        elements: &[&Place],
    ) -> Option<Rc<Tree<ArrayId>>> {
        let first = *elements.first()?;
        let leaves: Vec<Vec<&Leaf>> = elements.iter().map(|element| element.leaves()).collect();
        let mut place = 0;
        let mut tree = first.map(&mut |_| {
            let of_elements = leaves.iter().filter_map(|leaves| match leaves[place] {
                Leaf::Variable(variable) => Some(*variable),
                Leaf::Element(..) => None,
            });
            let elements: Vec<VariableId> = of_elements.collect();
            place += 1;
            let own = &self.program.variables[elements[0].index()].name;
            let array = format!("{name}[]{}", own.strip_prefix(&format!("{name}[0]")).unwrap_or_default());
            self.program.arrays.push(Array { name: array, elements });
            ArrayId::from(self.program.arrays.len() - 1)
        });
        let headers: Vec<Vec<HeaderId>> = elements.iter().map(|element| headers(element)).collect();
        let mut place = 0;
        name_stacks(&mut tree, &mut |first| {
            let elements: Vec<HeaderId> = headers.iter().map(|own| own[place]).collect();
            place += 1;
            let own = &self.program.headers[first.index()].name;
            let stack = format!("{name}{}", own.strip_prefix(&format!("{name}[0]")).unwrap_or_default());
            self.program.stacks.push(Stack { name: stack, elements, next });
            StackId::from(self.program.stacks.len() - 1)
        });
        Some(Rc::new(tree))
    }
}

/// The fields of a header in the order of the wire: structs in headers are their fields (7.2.2).
fn header_fields(field: &Place, all: &mut Vec<HeaderField>) {
    match field {
        Tree::Scalar(Leaf::Variable(variable)) => all.push(HeaderField { variable: *variable, length: None }),
        Tree::Varbit { value: Leaf::Variable(variable), length: Leaf::Variable(length) } => {
            all.push(HeaderField { variable: *variable, length: Some(*length) });
        }
        Tree::Struct(parts) => parts.iter().for_each(|(_, part)| header_fields(part, all)),
        Tree::Stack(stack) => stack.elements.iter().for_each(|part| header_fields(part, all)),
        _ => {}
    }
}

/// The headers in a place that has no stacks in it, in order.
fn headers(place: &Place) -> Vec<HeaderId> {
    match place {
        Tree::Header(header) => match header.name {
            HeaderName::Fixed(header) => vec![header],
            _ => vec![],
        },
        Tree::Struct(parts) | Tree::Union(parts) => parts.iter().flat_map(|(_, part)| headers(part)).collect(),
        _ => vec![],
    }
}

fn name_stacks(tree: &mut Tree<ArrayId>, name: &mut impl FnMut(HeaderId) -> StackId) {
    match tree {
        Tree::Header(header) => {
            if let HeaderName::Fixed(first) = header.name {
                header.name = HeaderName::Elements(name(first));
            }
        }
        Tree::Struct(parts) | Tree::Union(parts) => parts.iter_mut().for_each(|(_, part)| name_stacks(part, name)),
        _ => {}
    }
}
