//! Keysets of transitions and entries (sections 8.15, 13.6, 14.2.1.4).

use super::{Expressions, Findings, Typing, lints};
use crate::ast::{self, ExpressionKind, KeysetElementKind};
use crate::types::{Type, TypeForm, Types};

impl<'a> Expressions<'_, 'a> {
    /// Checks a keyset against the types of the values that are compared.
    pub(super) fn keyset(&mut self, keyset: &'a ast::Keyset, types: &[Type], must_be_known: bool) {
        if let [only] = keyset.elements.as_slice()
            && types.len() != 1
        {
            match &only.kind {
                KeysetElementKind::Default | KeysetElementKind::Any => return,
                KeysetElementKind::Value(value) => {
                    let typed = self.value(value);
                    if let TypeForm::Set(members) = *self.types.kind(typed.of) {
                        self.typing().require_members(value, members, types);
                        return;
                    }
                    let all = self.types.make(TypeForm::Tuple(types.to_vec()));
                    if !self.conversions.converts(self.types, typed.of, all)
                        && !self.conversions.converts(self.types, all, typed.of)
                    {
                        wrong_count(self.found, keyset, types.len());
                    }
                    return;
                }
                _ => {}
            }
        }
        if keyset.elements.len() != types.len() {
            wrong_count(self.found, keyset, types.len());
            return;
        }
        for (element, &of) in keyset.elements.iter().zip(types) {
            self.keyset_element(element, of, must_be_known);
        }
    }

    pub(super) fn keyset_element(&mut self, element: &'a ast::KeysetElement, of: Type, must_be_known: bool) {
        match &element.kind {
            KeysetElementKind::Default | KeysetElementKind::Any => {}
            KeysetElementKind::Value(value) if value.kind == ExpressionKind::Default => {}
            KeysetElementKind::Value(value) => {
                let typed = self.value(value);
                if let TypeForm::Set(inner) = *self.types.kind(typed.of) {
                    if !self.conversions.converts(self.types, inner, of)
                        && !self.conversions.converts(self.types, of, inner)
                        && !self.typing().one_field(inner, of)
                    {
                        let (shown, wanted) = (self.types.show(inner), self.types.show(of));
                        let message = format!("a set of `{shown}` is compared with a value of type `{wanted}`");
                        self.found.error(value.span, message);
                    }
                    return;
                }
                self.typing().key(value, typed, of, must_be_known);
            }
            KeysetElementKind::Mask(one, other) | KeysetElementKind::Range(one, other) => {
                for value in [one, other] {
                    let typed = self.value(value);
                    if !typed.known && !must_be_known {
                        self.found.hinted(
                            value.span,
                            "the bounds of a mask or a range must be known when the program is compiled",
                            "a literal or a `const` is known",
                        );
                        continue;
                    }
                    let is_flag = self.types.underlying(typed.of) == Types::BOOL;
                    let is_number = self.types.is_numeric(self.types.underlying(typed.of));
                    if is_flag || !is_number && !self.conversions.converts(self.types, typed.of, of) {
                        let message = format!(
                            "a mask or a range is of numbers, this is of type {}",
                            self.types.describe(typed.of)
                        );
                        self.found.error(value.span, message);
                        continue;
                    }
                    self.typing().key(value, typed, of, must_be_known);
                }
                if matches!(element.kind, KeysetElementKind::Range(..)) {
                    lints::empty_range(self.nodes, self.found, one, other);
                }
            }
        }
    }
}

impl<'a> Typing<'_, 'a> {
    /// Checks that the members of a value set have one value for each value that is compared (section 13.11).
    fn require_members(&mut self, node: &'a ast::Expression, members: Type, types: &[Type]) {
        let parts = match &*self.types.shared(members) {
            TypeForm::Tuple(parts) => parts.clone(),
            TypeForm::Unknown => return,
            _ if self.types.container(members).is_some() => self.types.field_types(members),
            _ => vec![members],
        };
        let set = self.types.show(members);
        if parts.len() != types.len() {
            let (count, given) = (types.len(), parts.len());
            let message = format!("{count} values are compared, and a member of this set, `{set}`, has {given}");
            self.found.hinted(
                node.span,
                message,
                "a member has one value for each that is compared, in the same order",
            );
            return;
        }
        for (place, (&part, &of)) in parts.iter().zip(types).enumerate() {
            if !self.conversions.converts(self.types, part, of) && !self.conversions.converts(self.types, of, part) {
                let (shown, wanted) = (self.types.show(part), self.types.show(of));
                let message =
                    format!("value {} of a member of this set is `{shown}`, compared with `{wanted}`", place + 1);
                self.found.hinted(node.span, message, format!("the members of the set are of type `{set}`"));
            }
        }
    }

    /// Returns true for a value set of a struct of one field, which matches values of that field.
    fn one_field(&mut self, inner: Type, of: Type) -> bool {
        match self.types.container(inner) {
            Some((own, arguments)) => {
                let fields = self.types.fields_with(&own, &arguments);
                fields.len() == 1 && self.conversions.same(self.types, fields[0], of)
            }
            None => matches!(self.types.kind(inner), TypeForm::Tuple(parts) if parts.len() == 1),
        }
    }

    fn key(&mut self, value: &'a ast::Expression, typed: super::Typed, of: Type, must_be_known: bool) {
        let known = typed.known;
        if matches!(value.kind, ExpressionKind::Call { .. }) && !known && !must_be_known {
            self.found.error(value.span, "a keyset cannot contain a call");
            return;
        }
        // `{ value }` is also a keyset for one value.
        let is_list =
            matches!(self.types.kind(typed.of), TypeForm::Tuple(parts) | TypeForm::Listed(parts) if parts.len() == 1);
        let of = if is_list && !self.conversions.converts(self.types, typed.of, of) {
            self.types.make(TypeForm::Tuple(vec![of]))
        } else {
            of
        };
        // An enumeration with an underlying type may also be compared with values of that type.
        let under = self.types.underlying(of);
        let wanted = if !self.conversions.converts(self.types, typed.of, of)
            && self.conversions.converts(self.types, typed.of, under)
        {
            under
        } else {
            of
        };
        if wanted != Types::UNKNOWN {
            self.convert(value, typed, wanted, "what is compared");
        }
        if must_be_known && !known {
            self.found.error(value.span, "this must be known when the program is compiled");
        }
    }
}

fn wrong_count(found: &mut Findings, keyset: &ast::Keyset, count: usize) {
    let given = keyset.elements.len();
    let are = if count == 1 { "value is" } else { "values are" };
    found.error(keyset.span, format!("{count} {are} compared, here are sets for {given}"));
}
