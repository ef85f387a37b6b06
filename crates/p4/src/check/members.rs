//! Parts of values: fields, elements, bits; and members of types.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};
use num_bigint::{BigInt, Sign};

use super::{Expressions, Findings, Typed, Typing, Writable, constants, require_writable};
use crate::ast::{self, ExpressionKind, SliceKind};
use crate::types::{Sort, Type, TypeForm, Types, Value};

impl<'a> Expressions<'_, 'a> {
    pub(super) fn member(
        &mut self,
        node: &'a ast::Expression,
        object: &'a ast::Expression,
        name: &'a ast::Name,
    ) -> Typed {
        if object.kind == ExpressionKind::Error {
            if !self.names.errors.contains_key(&name.text) {
                let message = format!("the error `{}` is not declared", name.text);
                let error = Diagnostic::error(name.span, message).hint("`error { name }` declares one");
                let mut names: Vec<Rc<str>> = self.names.errors.keys().cloned().collect();
                names.sort_unstable();
                self.found.suggest(error, &name.text, names.iter().map(|name| &**name));
            }
            return Typed::known(Types::ERROR, Value::Error(Rc::clone(&name.text)));
        }
        if let Some(of) = self.type_named(object) {
            return self.typing().member_of_type(of, name);
        }
        let typed = self.value(object);
        if typed.of == Types::UNKNOWN {
            return Typed::unknown();
        }
        let kind = self.types.shared(typed.of);
        let text = &*name.text;
        match &*kind {
            TypeForm::Stack(element, size) => match text {
                "next" | "last" | "lastIndex" if !self.context.in_parser() => {
                    let message = format!("`{text}` of a stack is only known in a parser");
                    self.found.hinted(node.span, message, "elsewhere, elements are named by their index: `stack[0]`");
                    Typed::unknown()
                }
                "next" => Typed { writable: typed.writable, ..Typed::new(*element) },
                "last" => Typed { writable: typed.writable, ..Typed::new(*element) },
                "lastIndex" => {
                    let of = self.types.bit(32);
                    Typed::new(of)
                }
                "size" => {
                    let of = self.types.bit(32);
                    match size {
                        Some(size) => Typed::known(of, Value::Integer(BigInt::from(*size))),
                        None => Typed { known: true, ..Typed::new(of) },
                    }
                }
                _ => self.typing().no_member(typed.of, name),
            },
            TypeForm::Applied(table) => match text {
                "hit" | "miss" => Typed::new(Types::BOOL),
                "action_run" => {
                    let of = self.types.make(TypeForm::ActionRun(*table));
                    Typed::new(of)
                }
                _ => self.typing().no_member(typed.of, name),
            },
            TypeForm::Record(fields, _) => match fields.iter().find(|(field, _)| **field == *text) {
                Some((_, of)) => Typed { known: typed.known, ..Typed::new(*of) },
                None => self.typing().no_member(typed.of, name),
            },
            _ => self.typing().field(&typed, name),
        }
    }

    pub(super) fn index(&mut self, object: &'a ast::Expression, index: &'a ast::Expression) -> Typed {
        let typed = self.value(object);
        let at = self.value(index);
        if !self.types.is_numeric(self.types.underlying(at.of)) {
            let message = format!("an index is a number, this is of type {}", self.types.describe(at.of));
            self.found.error(index.span, message);
        }
        let number = at.value.as_deref().and_then(Value::integer).cloned();
        if let Some(number) = number.as_ref().filter(|number| number.sign() == Sign::Minus) {
            self.found.error(index.span, format!("an index is not negative, this is {number}"));
            return Typed::unknown();
        }
        let within = |number: &BigInt, count: usize| *number < BigInt::from(count);
        let kind = self.types.shared(typed.of);
        match &*kind {
            TypeForm::Unknown => Typed::unknown(),
            TypeForm::Stack(element, size) => {
                if let (Some(number), Some(size)) = (&number, size)
                    && *size > 0 // of none, only sizes can be asked
                    && !within(number, *size as usize)
                {
                    self.found
                        .error(index.span, format!("the index {number} is beyond the end: there are {size} elements"));
                }
                let value = match (typed.value.as_deref(), &number) {
                    (Some(Value::Parts(parts)), Some(at)) => {
                        usize::try_from(at).ok().and_then(|at| parts.get(at)).cloned()
                    }
                    _ => None,
                };
                Typed { value, known: typed.known && at.known, writable: typed.writable, ..Typed::new(*element) }
            }
            TypeForm::Tuple(parts) | TypeForm::Listed(parts) => {
                let Some(number) = number else {
                    if !at.known {
                        self.found.error(index.span, "the index of a tuple must be known when the program is compiled");
                    }
                    return Typed::unknown();
                };
                let place = usize::try_from(&number).ok().filter(|&place| place < parts.len());
                let Some(place) = place else {
                    let message = format!("the index {number} is beyond the end: there are {} elements", parts.len());
                    return Typed::refuse(self.found, index.span, message);
                };
                let value = match typed.value.as_deref() {
                    Some(Value::Parts(values)) => values.get(place).cloned(),
                    _ => None,
                };
                Typed { of: parts[place], value, known: typed.known, writable: typed.writable }
            }
            _ => {
                let message = format!("{} has no elements", self.types.describe(typed.of));
                Typed::refuse(self.found, object.span, message)
            }
        }
    }

    pub(super) fn slice(&mut self, slice: &'a ast::Slice) -> Typed {
        let typed = self.value(&slice.value);
        let under = self.types.underlying(typed.of);
        let is_sliced = matches!(
            self.types.kind(under),
            TypeForm::Bit(_) | TypeForm::Int(_) | TypeForm::Integer | TypeForm::Unknown
        );
        if !is_sliced {
            let message = format!("{} has no bits to take", self.types.describe(typed.of));
            self.found.error(slice.value.span, message);
        }
        let first = match slice.kind {
            SliceKind::Bounds => self.known_number(&slice.first, "the bound of a slice"),
            SliceKind::Width => {
                let at = self.value(&slice.first);
                at.value.as_deref().and_then(Value::integer).cloned()
            }
        };
        let second_name = if slice.kind == SliceKind::Bounds { "the bound of a slice" } else { "the width of a slice" };
        let second = self.known_number(&slice.second, second_name);
        if !is_sliced {
            return Typed::unknown();
        }
        let width = self.types.bits_of(typed.of);
        let bounds: Option<(Option<u32>, u32)> = match slice.kind {
            SliceKind::Bounds => match (first, second) {
                (Some(high), Some(low)) => {
                    bounds(self.found, slice, width, high, low).map(|(low, bits)| (Some(low), bits))
                }
                _ => None,
            },
            SliceKind::Width => match (first, second) {
                (Some(low), Some(bits)) if bits >= BigInt::from(1) => {
                    let high = &low + &bits - 1;
                    bounds(self.found, slice, width, high, low).map(|(low, bits)| (Some(low), bits))
                }
                (None, Some(bits))
                    if bits >= BigInt::from(1) && bits <= BigInt::from(width.unwrap_or(constants::MOST_WIDTH)) =>
                {
                    u32::try_from(&bits).ok().map(|bits| (None, bits))
                }
                (_, Some(bits)) => {
                    self.found.error(slice.second.span, format!("a slice cannot have {bits} bits"));
                    None
                }
                _ => None,
            },
        };
        let Some((low, bits)) = bounds else { return Typed::unknown() };
        let of = self.types.bit(bits);
        let value = match (typed.value.as_deref().and_then(Value::integer), low) {
            (Some(number), Some(low)) => constants::number(self.types, number >> low, of).value,
            _ => None,
        };
        Typed { of, value, known: typed.known, writable: typed.writable }
    }

    /// A value that an assignment may change.
    pub(super) fn target(&mut self, node: &'a ast::Expression) -> Typed {
        let typed = self.place_or_value(node);
        if !require_writable(self.found, node.span, &typed) {
            return Typed { writable: Writable::Yes, ..typed };
        }
        typed
    }
}

impl<'a> Typing<'_, 'a> {
    fn field(&mut self, typed: &Typed, name: &'a ast::Name) -> Typed {
        let Some((own, arguments)) = self.types.container(typed.of) else {
            return self.no_member(typed.of, name);
        };
        let Some(place) = own.fields.iter().position(|field| field.name == name.text) else {
            return self.no_member(typed.of, name);
        };
        let bindings = own.type_parameters.iter().copied().zip(arguments).collect();
        let of = self.types.substitute(own.fields[place].of, &bindings);
        let value = match typed.value.as_deref() {
            Some(Value::Parts(parts)) => parts.get(place).cloned(),
            _ => None,
        };
        Typed { of, value, known: typed.known, writable: typed.writable }
    }

    fn no_member(&mut self, of: Type, name: &'a ast::Name) -> Typed {
        if has_method(self.types, of, &name.text) {
            let message = format!("`{}` is a method of {}", name.text, self.types.describe(of));
            self.found.hinted(name.span, message, format!("a call is written with parentheses: `{}()`", name.text));
            return Typed::unknown();
        }
        let mut error =
            Diagnostic::error(name.span, format!("{} has no member `{}`", self.types.describe(of), name.text));
        let mut names: Vec<Rc<str>> = Vec::new();
        if let Some((own, _)) = self.types.container(of) {
            names.extend(own.fields.iter().map(|field| Rc::clone(&field.name)));
            // A field that is declared twice was reported.
            let mut seen = std::collections::HashSet::new();
            names.retain(|name| seen.insert(Rc::clone(name)));
            let shown: Vec<&str> = names.iter().take(12).map(|name| &**name).collect();
            if !shown.is_empty() {
                error = error.hint(format!("its fields are {}", shown.join(", ")));
            }
        } else if let Some((_, _, Sort::Enumeration(own))) = self.types.named(of) {
            names.extend(own.members.iter().map(|(name, _)| Rc::clone(name)));
        }
        self.found.suggest(error, &name.text, names.iter().map(|name| &**name));
        Typed::unknown()
    }

    fn member_of_type(&mut self, of: Type, name: &'a ast::Name) -> Typed {
        if of == Types::UNKNOWN {
            return Typed::unknown();
        }
        let found = match self.types.named(of) {
            Some((definition, _, Sort::Enumeration(own))) => {
                own.members.iter().position(|(member, _)| *member == name.text).map(|place| {
                    let value = match (own.underlying, &own.members[place].1) {
                        (None, _) => Some(Value::Member(definition, place as u32)),
                        (Some(_), value) => value.clone().map(Value::Integer),
                    };
                    (own.definitions[place], value)
                })
            }
            _ => None,
        };
        if let Some((member, _)) = found {
            self.nodes.note_name(name, member);
        }
        match found {
            Some((_, Some(value))) => Typed::known(of, value),
            Some((_, None)) => Typed { known: true, ..Typed::new(of) },
            None => self.no_member(of, name),
        }
    }
}

fn has_method(types: &Types, of: Type, name: &str) -> bool {
    match (types.kind(of), types.named(of)) {
        (TypeForm::Stack(..), _) => matches!(name, "push_front" | "pop_front"),
        (_, Some((_, _, Sort::Extern(own)))) => own.methods.iter().any(|method| &*method.name == name),
        (_, Some((_, _, Sort::Container(own)))) if own.kind != ast::ContainerKind::Struct => {
            matches!(name, "isValid" | "setValid" | "setInvalid")
        }
        (_, Some((_, _, Sort::Table(_) | Sort::Machine(_)))) => name == "apply",
        _ => false,
    }
}

fn bounds(
    found: &mut Findings,
    slice: &ast::Slice,
    width: Option<u32>,
    high: BigInt,
    low: BigInt,
) -> Option<(u32, u32)> {
    let mut wrong = |span: Span, message: String| {
        found.error(span, message);
        None
    };
    if low.sign() == Sign::Minus || high.sign() == Sign::Minus {
        return wrong(slice.first.span, "the bounds of a slice are not negative".to_owned());
    }
    if high < low {
        let message = format!("the higher bound comes first, and {high} is lower than {low}");
        return wrong(slice.first.span, message);
    }
    let limit = BigInt::from(width.unwrap_or(constants::MOST_WIDTH));
    if high >= limit {
        return wrong(slice.first.span, format!("bit {high} is beyond the highest: there are {limit} bits"));
    }
    let (high, low) = (u32::try_from(&high).ok()?, u32::try_from(&low).ok()?);
    Some((low, high - low + 1))
}
