//! Types as written become types with sizes.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::Checker;
use crate::limits::{MOST_BITS, MOST_TYPE_BITS};
use crate::predefined::COUNTER;
use crate::syntax::{self, Expression, TypeName, TypeNameKind};
use crate::types::{Field, Structure, Type};

impl Checker<'_> {
    /// Declares the types that exist without a declaration.
    pub(super) fn predefine(&mut self) {
        let names: [Rc<str>; 2] = [Rc::from("packets"), Rc::from("bytes")];
        let field = |place: u64| Field { ty: Type::unsigned(64), offset: place * 64 };
        let fields = names.iter().zip(0..).map(|(name, place)| (name.clone(), field(place))).collect();
        let name: Rc<str> = Rc::from(COUNTER);
        let counter = Structure {
            name: name.clone(),
            bits: 128,
            fields,
            order: names.to_vec(),
            is_incomplete: false,
            is_union: false,
        };
        self.structures.insert(name, Rc::new(counter));
    }

    /// Returns the type of this name, or `None` if it is malformed. A number without a width is a [`Type::Literal`].
    pub(super) fn type_of(&mut self, name: &TypeName) -> Option<Type> {
        Some(match &name.kind {
            TypeNameKind::Void => Type::Void,
            TypeNameKind::Bool => Type::Bool,
            TypeNameKind::Label => Type::Label,
            TypeNameKind::Number { width: None, .. } => Type::Literal,
            TypeNameKind::Number { signed, width: Some(width) } => {
                let width = self.count(width, "a width", 1, MOST_BITS.into())? as u32;
                Type::Number { width, signed: *signed }
            }
            TypeNameKind::Named(name) => Type::Structure(self.structures.get(&name.text)?.clone()),
            TypeNameKind::Defined(structure) => Type::Structure(self.structure(structure)?),
            TypeNameKind::Pointer(to) => {
                let ty = self.type_of(to)?;
                if ty == Type::Literal {
                    return self.refuse_without_width(name.span);
                }
                Type::Pointer(Rc::new(ty))
            }
            TypeNameKind::Array(element, length) => {
                let ty = self.type_of(element)?;
                let length = self.count(length, "the length of an array", 1, MOST_TYPE_BITS)?;
                match ty {
                    Type::Literal => return self.refuse_without_width(element.span),
                    Type::Void => return self.refuse_void(element.span),
                    _ => {}
                }
                if ty.bits().saturating_mul(length) > MOST_TYPE_BITS {
                    self.error(Diagnostic::error(name.span, "this array is too large").hint("make it shorter"));
                    return None;
                }
                Type::Array(Rc::new(ty), length)
            }
        })
    }

    fn refuse_without_width<T>(&mut self, span: Span) -> Option<T> {
        let error = Diagnostic::error(span, "an integer has no width here");
        self.error(error.hint("write the width in bits, as in `: 32`; only a `const` has the width of its value"));
        None
    }

    fn refuse_void<T>(&mut self, span: Span) -> Option<T> {
        self.error(Diagnostic::error(span, "only a pointer can be to `void`").hint("write `void *`"));
        None
    }

    /// Returns the type of something that takes room.
    pub(super) fn sized_type(&mut self, name: &TypeName) -> Option<Type> {
        match self.type_of(name)? {
            Type::Literal => self.refuse_without_width(name.span),
            Type::Void => self.refuse_void(name.span),
            ty => Some(ty),
        }
    }

    /// Returns the value of a constant expression within limits, both of which are included.
    pub(super) fn count(&mut self, expression: &Expression, what: &str, least: u64, most: u64) -> Option<u64> {
        let number = self.constant(expression)?;
        let found = u64::try_from(number).ok().filter(|number| (least..=most).contains(number));
        if found.is_none() {
            let error = Diagnostic::error(expression.span, format!("{what} cannot be {number}"));
            self.error(error.hint(format!("it is a number from {least} to {most}")));
        }
        found
    }

    /// Returns the value of a constant expression.
    pub(super) fn constant(&mut self, expression: &Expression) -> Option<i128> {
        let value = self.value(expression)?;
        let number = value.number();
        if number.is_none() {
            let error = Diagnostic::error(expression.span, "this is not a constant").label("known only at run time");
            self.error(error);
        }
        number
    }

    /// Lays a struct or union out, and declares its name.
    pub(super) fn structure(&mut self, written: &syntax::Structure) -> Option<Rc<Structure>> {
        let kind = if written.is_union { "union" } else { "struct" };
        let name = written.name.as_ref().map_or_else(|| Rc::from(kind), |name| name.text.clone());
        let mut layout = Layout::default();
        for field in &written.fields {
            self.lay_out(field, written.is_union, &mut layout);
        }
        if layout.bits > MOST_TYPE_BITS {
            self.error(Diagnostic::error(written.span, format!("this {kind} is too large")).hint("make it smaller"));
            layout.is_incomplete = true;
        }
        let structure = Rc::new(Structure {
            name: name.clone(),
            bits: layout.bits.min(MOST_TYPE_BITS),
            fields: layout.fields,
            order: layout.order,
            is_incomplete: layout.is_incomplete || written.is_incomplete,
            is_union: written.is_union,
        });
        if let Some(written) = &written.name {
            match self.structures.entry(name.clone()) {
                Entry::Vacant(free) => drop(free.insert(structure.clone())),
                Entry::Occupied(_) => {
                    let error = Diagnostic::error(written.span, format!("there are two types `{name}`"));
                    self.error(error.hint("choose another name"));
                }
            }
        }
        Some(structure)
    }

    fn lay_out(&mut self, field: &syntax::Field, is_union: bool, layout: &mut Layout) {
        let Some(ty) = self.sized_type(&field.ty) else {
            layout.is_incomplete = true;
            return;
        };
        let offset = if is_union { 0 } else { layout.bits };
        layout.bits = layout.bits.max(offset.saturating_add(ty.bits()));
        match (&field.name, &ty) {
            (Some(name), _) => {
                layout.order.push(name.text.clone());
                if layout.fields.insert(name.text.clone(), Field { ty, offset }).is_some() {
                    let error = Diagnostic::error(name.span, format!("there are two fields `{}`", name.text));
                    self.error(error.hint("a field without use has no name: `: 8;`"));
                }
            }
            // The fields of a struct without a name belong to the outer one (C11 6.7.2.1, 13).
            (None, Type::Structure(inner)) => {
                layout.is_incomplete |= inner.is_incomplete;
                for name in &inner.order {
                    let lent = &inner.fields[name];
                    layout.order.push(name.clone());
                    let lent = Field { ty: lent.ty.clone(), offset: offset + lent.offset };
                    if layout.fields.insert(name.clone(), lent).is_some() {
                        let error = Diagnostic::error(field.span, format!("there are two fields `{name}`"));
                        self.error(error.hint("give the inner struct a name"));
                    }
                }
            }
            (None, _) => {}
        }
    }
}

/// A struct or union as far as it is laid out.
#[derive(Default)]
struct Layout {
    bits: u64,
    fields: BTreeMap<Rc<str>, Field>,
    order: Vec<Rc<str>>,
    is_incomplete: bool,
}
