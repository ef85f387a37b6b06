//! The initial entries of tables (14.2.1.4).

use std::collections::HashMap;

use diagnostics::{Diagnostic, Span};
use num_bigint::BigInt;
use runtime::Bits;
use runtime::tables::{FieldMatch, KeyField, MatchKind, TableEntry, Target};

use super::TableWriter;
use super::constants::known;
use super::table_actions::Listed;
use super::tables::SELECTOR;
use crate::ast::{self, AnnotationBody, ExpressionKind, KeysetElementKind, PropertyKind};
use crate::token::TokenKind;

impl<'a> TableWriter<'_, 'a> {
    pub(super) fn entries(&mut self, keys: &[&'a ast::KeyElement], listed: &Listed) {
        for property in &self.node.properties {
            let PropertyKind::Entries(entries) = &property.kind else { continue };
            self.table().0.is_constant = property.is_constant;
            if self.table().0.profile.is_some() && !entries.is_empty() {
                self.lowering.found.unsupported(property.name.span, "entries of a table with an `implementation`");
                continue;
            }
            if self.table().0.keys.is_empty() && !entries.is_empty() {
                self.lowering.found.unsupported(property.name.span, "entries of a table that compares nothing");
                continue;
            }
            let mut seen = HashMap::new();
            let has_priorities = self.table().0.keys.iter().any(|key| key.kind.has_priority());
            let priorities = if has_priorities { self.priorities(property, entries) } else { vec![0; entries.len()] };
            for (own, priority) in entries.iter().zip(priorities) {
                let is_constant = property.is_constant || own.is_constant;
                let Some(key) = self.entry_key(own, keys) else { continue };
                let Some(target) = self.entry_target(own, listed) else { continue };
                // An empty range is legal (8.15.4), and an entry with one matches nothing.
                if key.iter().any(is_nothing) || !self.is_first(&key, priority, own, &mut seen) {
                    continue;
                }
                let entry = TableEntry { key, priority, target, is_constant };
                self.table().0.entries.push(entry);
            }
        }
    }

    /// Returns whether an entry is the first with its key, and with its priority if the table has priorities, and
    /// reports any other, which would never match.
    fn is_first(
        &mut self,
        key: &[FieldMatch],
        priority: u32,
        own: &'a ast::EntryDeclaration,
        seen: &mut HashMap<(Vec<FieldMatch>, u32), Span>,
    ) -> bool {
        let fields = self.lowering.output.key_fields(self.table);
        let canonical = key.iter().zip(&fields).enumerate();
        let canonical: Result<Vec<FieldMatch>, _> =
            canonical.map(|(number, (asked, &(field, _)))| asked.canonical(field, number)).collect();
        let canonical = match canonical {
            Ok(canonical) => canonical,
            Err(error) => {
                self.lowering.found.error(own.keyset.span, error.to_string());
                return false;
            }
        };
        let Some(first) = seen.insert((canonical, priority), own.keyset.span) else { return true };
        let ranked = fields.iter().any(|(field, _)| field.kind.has_priority());
        let message =
            if ranked { "this key has an entry of this priority already" } else { "this key has an entry already" };
        self.lowering.found.report(Diagnostic::error(own.keyset.span, message).related(first, "the first one"));
        false
    }

    fn entry_target(&mut self, own: &'a ast::EntryDeclaration, listed: &Listed) -> Option<Target> {
        let called = self.lowering.nodes.action_reference(&own.action)?.clone();
        let given = own.action.arguments.as_deref().unwrap_or(&[]);
        self.table_target(listed, &called, given, own.action.span)
    }

    /// Returns the priorities of the entries, of which the largest wins, as everywhere in the IR.
    fn priorities(&mut self, property: &'a ast::Property, entries: &'a [ast::EntryDeclaration]) -> Vec<u32> {
        if let Some(noted) = priority_annotations(entries) {
            return noted;
        }
        if property.is_constant {
            // Among constant entries the first one wins.
            return (1..=entries.len() as u32).rev().collect();
        }
        let own = entries.iter().map(|entry| self.lowering.nodes.entry_priority(entry).unwrap_or(0)).collect();
        if self.largest_wins() { own } else { turned(own) }
    }

    fn largest_wins(&self) -> bool {
        let mut values = self.node.properties.iter().filter_map(|property| match &property.kind {
            PropertyKind::Value(value) if &*property.name.text == "largest_priority_wins" => {
                known(&self.lowering.nodes, value)
            }
            _ => None,
        });
        values.next().as_deref() != Some(&crate::types::Value::Bool(false))
    }

    /// Returns what an entry matches for each key, except keys that only select a member of a group.
    fn entry_key(&mut self, own: &'a ast::EntryDeclaration, keys: &[&'a ast::KeyElement]) -> Option<Vec<FieldMatch>> {
        let fields = self.lowering.output.key_fields(self.table);
        if let [only] = own.keyset.elements.as_slice()
            && keys.len() != 1
            && is_everything(&only.kind)
        {
            return fields.iter().map(|&(field, ty)| self.field_match(&only.kind, field, ty, only.span)).collect();
        }
        let elements = own.keyset.elements.iter().zip(keys);
        let compared: Vec<_> = elements.filter(|(_, key)| self.is_compared(key)).collect();
        compared
            .into_iter()
            .zip(&fields)
            .map(|((element, _), &(field, ty))| self.field_match(&element.kind, field, ty, element.span))
            .collect()
    }

    /// Returns whether a key is a field of the table. Selector keys and keys without bits are not.
    fn is_compared(&mut self, key: &'a ast::KeyElement) -> bool {
        let of = self.lowering.nodes.expression(&key.value).map(|own| own.of);
        &*key.match_kind.text != SELECTOR && of.is_some_and(|of| self.lowering.shapes().scalar_type(of).is_some())
    }

    fn field_match(
        &mut self,
        kind: &'a KeysetElementKind,
        field: KeyField,
        ty: ir::Type,
        span: Span,
    ) -> Option<FieldMatch> {
        if is_everything(kind) {
            if field.kind == MatchKind::Exact {
                self.lowering.found.unsupported(span, "any value of a key that is matched `exact`");
                return None;
            }
            return Some(FieldMatch::Any);
        }
        Some(match kind {
            KeysetElementKind::Value(value) => field.exactly(self.key_bits(value, ty)?),
            KeysetElementKind::Mask(value, mask) => {
                let (value, mask) = (self.key_bits(value, ty)?, self.key_bits(mask, ty)?);
                let value = value.and(&mask);
                match field.kind {
                    MatchKind::Lpm => FieldMatch::Prefix { value, length: mask.count_ones() },
                    MatchKind::Exact if mask.count_ones() == field.width => field.exactly(value),
                    MatchKind::Exact => {
                        self.refuse_mask(span);
                        return None;
                    }
                    _ => FieldMatch::Mask { value, mask },
                }
            }
            KeysetElementKind::Range(low, high) => {
                FieldMatch::Range { low: self.key_bits(low, ty)?, high: self.key_bits(high, ty)? }
            }
            KeysetElementKind::Default | KeysetElementKind::Any => FieldMatch::Any,
        })
    }

    /// Reports a mask for an `exact` key (14.2.1.1), which the checker allows, as the P4 compiler does.
    fn refuse_mask(&mut self, span: Span) {
        let error = Diagnostic::error(span, "a key that is matched `exact` takes one value and no mask");
        self.lowering.found.report(error.hint("a key that is matched `ternary` takes masks: `value &&& mask`"));
    }

    fn key_bits(&mut self, node: &'a ast::Expression, ty: ir::Type) -> Option<Bits> {
        let value = self.lowering.block_value(|lowering| lowering.value(node));
        let scalar = value.leaves().first().map(|&scalar| scalar.clone());
        let scalar = scalar.map(|scalar| self.lowering.output.cast(scalar, ty));
        let bits = scalar.as_ref().and_then(|scalar| self.lowering.output.known_bits(scalar));
        if bits.is_none() {
            self.lowering.found.error(node.span, "this must be known when the program is compiled");
        }
        bits
    }
}

/// Returns true for a range whose first end is greater than its last.
fn is_nothing(asked: &FieldMatch) -> bool {
    matches!(asked, FieldMatch::Range { low, high } if low > high)
}

fn is_everything(kind: &KeysetElementKind) -> bool {
    match kind {
        KeysetElementKind::Default | KeysetElementKind::Any => true,
        KeysetElementKind::Value(value) => value.kind == ExpressionKind::Default,
        _ => false,
    }
}

/// Returns the priorities that `@priority` gives, if any entry has it. In this older form of BMv2 the smallest wins,
/// and entries without the annotation get the next number.
fn priority_annotations(entries: &[ast::EntryDeclaration]) -> Option<Vec<u32>> {
    let noted: Vec<Option<u32>> = entries
        .iter()
        .map(|entry| {
            let own = entry.annotations.iter().find(|annotation| &*annotation.name.text == "priority")?;
            let AnnotationBody::Unstructured(tokens) = &own.body else { return None };
            match &tokens.first()?.kind {
                TokenKind::Integer(number) => u32::try_from(BigInt::from(number.value.clone())).ok(),
                _ => None,
            }
        })
        .collect();
    if noted.iter().all(Option::is_none) {
        return None;
    }
    Some(turned(noted.iter().enumerate().map(|(place, priority)| priority.unwrap_or(place as u32 + 1)).collect()))
}

/// Turns priorities of which the smallest wins into those of which the largest wins.
fn turned(smallest_wins: Vec<u32>) -> Vec<u32> {
    let most = smallest_wins.iter().copied().max().unwrap_or(0);
    smallest_wins.into_iter().map(|priority| most - priority + 1).collect()
}
