//! The methods that headers, unions and stacks have without a declaration (sections 8.17 to 8.19), and sizes of types
//! (9).

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use super::{Called, Expressions, Target, Typed, require_writable};
use crate::ast::{self, ArgumentValue, ContainerKind};
use crate::types::{TypeForm, Types, Value};

/// The methods that tell how large a type is.
const SIZES: [&str; 4] = ["minSizeInBits", "minSizeInBytes", "maxSizeInBits", "maxSizeInBytes"];

impl<'a> Expressions<'_, 'a> {
    /// A call of a built-in method; `None` if there is none of this name.
    pub(super) fn built_in(
        &mut self,
        node: &'a ast::Expression,
        receiver: &Typed,
        name: &'a ast::Name,
        arguments: &'a [ast::Argument],
    ) -> Option<Typed> {
        let text = &*name.text;
        let kind = self.types.shared(receiver.of);
        let container = self.types.container_kind(receiver.of);
        let (result, count) = match (&*kind, text) {
            (TypeForm::Named(..), "isValid")
                if matches!(container, Some(ContainerKind::Header | ContainerKind::HeaderUnion)) =>
            {
                (Typed::new(Types::BOOL), 0)
            }
            (TypeForm::Named(..), "setValid" | "setInvalid") if container == Some(ContainerKind::Header) => {
                require_writable(self.found, node.span, receiver);
                (Typed::new(Types::VOID), 0)
            }
            (TypeForm::Stack(..), "push_front" | "pop_front") => {
                require_writable(self.found, node.span, receiver);
                if let [ast::Argument { value: ArgumentValue::Given(count), .. }] = arguments
                    && let Some(number) = self.known_number(count, "how far a stack moves")
                    && number.sign() == num_bigint::Sign::Minus
                {
                    self.found
                        .error(count.span, format!("a stack does not move by a negative number, this is {number}"));
                }
                (Typed::new(Types::VOID), 1)
            }
            (_, _) if SIZES.contains(&text) => {
                let (least, most) = self.types.sizes(receiver.of, &mut HashMap::new());
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
            self.found.error(node.span, format!("`{text}` takes {takes}, {given} {are} given"));
        }
        let target = Target::BuiltIn(Rc::clone(&name.text));
        let arguments = (0..arguments.len().min(count)).map(Some).collect();
        self.nodes.note_call(node, Called { target, type_arguments: vec![], arguments });
        Some(result)
    }
}
