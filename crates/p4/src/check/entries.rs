//! The entries of tables (section 14.2.1.4): their keys and their priorities.

use std::collections::HashMap;
use std::rc::Rc;

use diagnostics::Diagnostic;
use num_bigint::{BigInt, Sign};

use super::Tables;
use super::table_actions::Listed;
use crate::ast::{self, KeysetElementKind, PropertyKind};
use crate::types::{Type, Value};

/// The types of the fields of a key, with their match kinds.
pub(super) type Key = [(Type, Rc<str>)];

impl<'a> Tables<'_, 'a> {
    pub(super) fn entries(
        &mut self,
        table: &'a ast::Table,
        property: &'a ast::Property,
        all: &'a [ast::EntryDeclaration],
        key: &Key,
        actions: &[Listed<'a>],
    ) {
        for entry in all {
            self.values.annotations(&entry.annotations);
            self.entry(entry, key, actions);
        }
        self.priorities(table, property, all, key);
        if key.iter().all(|(_, kind)| &**kind == "exact") {
            self.refuse_equal_keys(all);
        }
    }

    fn entry(&mut self, own: &'a ast::EntryDeclaration, key: &Key, actions: &[Listed<'a>]) {
        let types: Vec<Type> = key.iter().map(|(of, _)| *of).collect();
        self.values.keyset(&own.keyset, &types, true);
        for (element, (of, kind)) in own.keyset.elements.iter().zip(key) {
            let word = match &element.kind {
                KeysetElementKind::Mask(..) => "mask",
                KeysetElementKind::Range(..) => "range",
                KeysetElementKind::Default | KeysetElementKind::Any => "value for all",
                KeysetElementKind::Value(_) => continue,
            };
            let fits = match &**kind {
                "exact" => word == "mask",
                "lpm" | "ternary" => word != "range",
                "range" | "optional" => word != "mask",
                _ => true,
            };
            if !fits {
                self.values.found.error(element.span, format!("a key that is matched `{kind}` takes no {word}"));
            }
            if let (KeysetElementKind::Mask(_, mask), "lpm") = (&element.kind, &**kind) {
                self.require_prefix(mask, *of);
            }
        }
        self.entry_action(&own.action, actions);
    }

    /// Reports a mask for a key that is matched `lpm` if its ones do not all come before its zeros.
    fn require_prefix(&mut self, mask: &'a ast::Expression, of: Type) {
        let known = self.values.nodes.expression(mask).and_then(|known| known.value.clone());
        let (Some(number), Some(width)) =
            (known.as_deref().and_then(Value::integer).cloned(), self.values.types.bits_of(of))
        else {
            return;
        };
        let ones: BigInt = (BigInt::from(1) << width) - 1;
        let zeros: BigInt = ones - &number;
        let above: BigInt = &zeros + 1;
        let is_prefix = zeros.sign() != Sign::Minus && (zeros & above) == BigInt::ZERO;
        if !is_prefix {
            self.values.found.hinted(
                mask.span,
                format!("{number} is not the mask of a prefix of {width} bits"),
                "its ones come before its zeros",
            );
        }
    }

    /// Reports a second entry for an exact key, which would never match.
    fn refuse_equal_keys(&mut self, all: &'a [ast::EntryDeclaration]) {
        let mut seen = HashMap::new();
        for entry in all {
            let mut key = Vec::new();
            for element in &entry.keyset.elements {
                let KeysetElementKind::Value(value) = &element.kind else { break };
                let Some(known) = self.values.nodes.expression(value).cloned() else { break };
                let Some(number) = known.value.filter(|value| value.is_simple()) else { break };
                let Some(shaped) =
                    self.values.conversions.convert_value(self.values.types, number, known.of, known.coerced)
                else {
                    break;
                };
                key.push(format!("{shaped:?}"));
            }
            if key.len() < entry.keyset.elements.len() {
                continue;
            }
            if let Some(first) = seen.insert(key, entry.keyset.span) {
                let error = Diagnostic::error(entry.keyset.span, "this key has an entry already");
                self.values.found.report(error.related(first, "the first one"));
            }
        }
    }

    /// Computes the priorities of entries where several may match. An omitted priority follows from that of the entry
    /// before (section 14.2.1.4).
    fn priorities(
        &mut self,
        table: &'a ast::Table,
        property: &'a ast::Property,
        all: &'a [ast::EntryDeclaration],
        key: &Key,
    ) {
        let mut written = Vec::new();
        for entry in all {
            written.push(match &entry.priority {
                Some(value) => self.values.known_number(value, "the priority of an entry"),
                None => None,
            });
        }
        let first = all.iter().find_map(|entry| entry.priority.as_ref());
        if property.is_constant {
            if let Some(first) = first {
                let message = "the entries of a table that are `const` have no priorities";
                self.values.found.hinted(first.span, message, "the first that matches is taken");
            }
            return;
        }
        if !key.iter().any(|(_, kind)| !matches!(&**kind, "exact" | "lpm")) {
            if let Some(first) = first {
                let mut error = Diagnostic::error(first.span, "this table needs no priorities, and has none");
                let own = table.properties.iter().find(|other| matches!(other.kind, PropertyKind::Key(_)));
                if let Some(own) = own {
                    error =
                        error.related(own.span, "at most one entry matches this key, or the longest prefix is taken");
                }
                self.values.found.report(error);
            }
            return;
        }
        if let (Some(_), Some(ast::EntryDeclaration { priority: None, span, .. })) = (first, all.first()) {
            self.values.found.hinted(
                *span,
                "the first entry has no priority, but others have",
                "`priority = number:` gives it one",
            );
            return;
        }
        let largest_wins = self.known_property(table, "largest_priority_wins") != Some(Value::Bool(false));
        let delta = match self.known_property(table, "priority_delta") {
            Some(Value::Integer(delta)) => delta,
            _ => BigInt::from(1),
        };
        let step = if largest_wins { -delta.clone() } else { delta.clone() };
        let last = BigInt::from(all.len().saturating_sub(1));
        let mut next = BigInt::from(1) + if largest_wins { last * delta } else { BigInt::ZERO };
        for (entry, written) in all.iter().zip(written) {
            if let Some(written) = written {
                next = written;
            }
            match u32::try_from(&next) {
                Ok(priority) => self.values.nodes.note_priority(entry, priority),
                Err(_) => {
                    let message = format!("the priority of this entry would be {next}");
                    let error = Diagnostic::error(entry.span, message).related(table.name.span, "in this table");
                    self.values.found.report(error.hint("priorities are from 0 to 4294967295"));
                    return;
                }
            }
            next += &step;
        }
    }

    /// Returns the known value of a property of a table.
    fn known_property(&self, table: &'a ast::Table, name: &str) -> Option<Value> {
        let property = table.properties.iter().find(|property| &*property.name.text == name)?;
        let PropertyKind::Value(value) = &property.kind else { return None };
        self.values.nodes.expression(value)?.value.as_deref().cloned()
    }
}
