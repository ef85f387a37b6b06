//! What headers, unions and stacks can do without a declaration (sections 8.17 to 8.19), and sizes of types (9).

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use super::{Called, Checker, Target, Typed};
use crate::ast::{self, ArgumentValue, ContainerKind};
use crate::types::{Kind, Type, Types, Value};

/// The methods that tell how large a type is.
const SIZES: [&str; 4] = ["minSizeInBits", "minSizeInBytes", "maxSizeInBits", "maxSizeInBytes"];

impl<'a> Checker<'a> {
    /// A call of a built-in method; `None` if there is none of this name.
    pub(super) fn built_in(
        &mut self,
        node: &'a ast::Expression,
        receiver: &Typed,
        name: &'a ast::Name,
        arguments: &'a [ast::Argument],
    ) -> Option<Typed> {
        let text = &*name.text;
        let kind = self.checked.types.shared(receiver.of);
        let container = self.checked.types.container_kind(receiver.of);
        let (result, count) = match (&*kind, text) {
            (Kind::Named(..), "isValid")
                if matches!(container, Some(ContainerKind::Header | ContainerKind::HeaderUnion)) =>
            {
                (Typed::new(Types::BOOL), 0)
            }
            (Kind::Named(..), "setValid" | "setInvalid") if container == Some(ContainerKind::Header) => {
                self.require_writable(node.span, receiver);
                (Typed::new(Types::VOID), 0)
            }
            (Kind::Stack(..), "push_front" | "pop_front") => {
                self.require_writable(node.span, receiver);
                if let [ast::Argument { value: ArgumentValue::Given(count), .. }] = arguments
                    && let Some(number) = self.known_number(count, "how far a stack moves")
                    && number.sign() == num_bigint::Sign::Minus
                {
                    self.error(count.span, format!("a stack does not move by a negative number, this is {number}"));
                }
                (Typed::new(Types::VOID), 1)
            }
            (_, _) if SIZES.contains(&text) => {
                let (least, most) = self.sizes(receiver.of, &mut HashMap::new());
                let bits = if text.starts_with("min") { least } else { most };
                let number = if text.ends_with("Bytes") { bits.div_ceil(8) } else { bits };
                (Typed::known(Types::INTEGER, Value::Integer(BigInt::from(number))), 0)
            }
            _ => return None,
        };
        if arguments.len() != count {
            let given = arguments.len();
            let takes = super::arguments::count(count, "argument");
            let are = if given == 1 { "is" } else { "are" };
            self.error(node.span, format!("`{text}` takes {takes}, {given} {are} given"));
        }
        let target = Target::BuiltIn(Rc::clone(&name.text));
        let arguments = (0..arguments.len().min(count)).map(Some).collect();
        self.checked.note_call(node, Called { target, type_arguments: vec![], arguments });
        Some(result)
    }

    /// The fewest and the most bits of a type. `done`, for types may double with each declaration.
    pub(super) fn sizes(&mut self, of: Type, done: &mut HashMap<Type, (u64, u64)>) -> (u64, u64) {
        if let Some(&known) = done.get(&of) {
            return known;
        }
        let kind = self.checked.types.shared(of);
        let sizes = match &*kind {
            Kind::Bool => (1, 1),
            Kind::Bit(width) | Kind::Int(width) => (u64::from(*width), u64::from(*width)),
            Kind::Varbit(width) => (0, u64::from(*width)),
            Kind::Tuple(parts) | Kind::Listed(parts) => self.sum(parts, done),
            Kind::Stack(element, size) => {
                let count = u64::from(size.unwrap_or(0));
                let (least, most) = self.sizes(*element, done);
                (least.saturating_mul(count), most.saturating_mul(count))
            }
            Kind::Named(..) => match self.checked.types.container(of) {
                Some((own, arguments)) => {
                    let fields = self.field_types(&own, &arguments);
                    if own.kind == ContainerKind::HeaderUnion {
                        let all: Vec<_> = fields.iter().map(|&field| self.sizes(field, done)).collect();
                        let least = all.iter().map(|size| size.0).min().unwrap_or(0);
                        (least, all.iter().map(|size| size.1).max().unwrap_or(0))
                    } else {
                        self.sum(&fields, done)
                    }
                }
                None => {
                    let under = self.checked.types.underlying(of);
                    if under == of { (0, 0) } else { self.sizes(under, done) }
                }
            },
            _ => (0, 0),
        };
        done.insert(of, sizes);
        sizes
    }

    fn sum(&mut self, parts: &[Type], done: &mut HashMap<Type, (u64, u64)>) -> (u64, u64) {
        parts.iter().fold((0, 0), |(least, most): (u64, u64), &part| {
            let (a, b) = self.sizes(part, done);
            (least.saturating_add(a), most.saturating_add(b))
        })
    }
}
