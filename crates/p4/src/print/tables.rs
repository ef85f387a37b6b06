//! Printing of tables and keysets.

use super::Printer;
use crate::ast::{
    ActionReference, EntryDeclaration, Expression, ExpressionKind, KeyElement, Keyset, KeysetElement,
    KeysetElementKind, Property, PropertyKind, Table,
};

impl Printer {
    pub(super) fn table(&mut self, table: &Table) {
        self.push("table ");
        self.push(&table.name.text);
        self.push(" ");
        self.braces(&table.properties, Self::property);
    }

    fn property(&mut self, property: &Property) {
        self.line();
        self.annotations(&property.annotations);
        if property.is_constant {
            self.push("const ");
        }
        self.push(&property.name.text);
        self.push(" = ");
        match &property.kind {
            PropertyKind::Key(elements) => self.braces(elements, Self::key_element),
            PropertyKind::Actions(actions) => self.braces(actions, |printer, action| {
                printer.line();
                printer.action_reference(action);
                printer.push(";\n");
            }),
            PropertyKind::Entries(entries) => self.braces(entries, Self::entry),
            PropertyKind::Value(value) => {
                self.expression(value);
                self.push(";");
            }
        }
        self.push("\n");
    }

    fn key_element(&mut self, element: &KeyElement) {
        self.line();
        self.expression_before_colon(&element.value);
        self.push(": ");
        self.push(&element.match_kind.text);
        self.annotations_behind(&element.annotations);
        self.push(";\n");
    }

    fn action_reference(&mut self, action: &ActionReference) {
        self.annotations(&action.annotations);
        self.path(&action.path);
        if let Some(arguments) = &action.arguments {
            self.arguments(arguments);
        }
    }

    fn entry(&mut self, entry: &EntryDeclaration) {
        self.line();
        if entry.is_constant {
            self.push("const ");
        }
        if let Some(priority) = &entry.priority {
            self.push("priority = ");
            self.priority(priority);
            self.push(": ");
        }
        self.keyset(&entry.keyset);
        self.push(": ");
        self.action_reference(&entry.action);
        self.annotations_behind(&entry.annotations);
        self.push(";\n");
    }

    /// Prints a priority, in parentheses unless it is a number.
    fn priority(&mut self, priority: &Expression) {
        if matches!(priority.kind, ExpressionKind::Integer(_)) {
            return self.expression(priority);
        }
        self.push("(");
        self.expression(priority);
        self.push(")");
    }

    pub(super) fn keyset(&mut self, keyset: &Keyset) {
        if keyset.is_tuple {
            self.push("(");
        }
        self.joined(&keyset.elements, ", ", Self::keyset_element);
        if keyset.is_tuple {
            self.push(")");
        }
    }

    pub(super) fn keyset_element(&mut self, element: &KeysetElement) {
        match &element.kind {
            KeysetElementKind::Value(value) => self.expression_before_colon(value),
            KeysetElementKind::Mask(value, mask) => {
                self.expression_before_colon(value);
                self.push(" &&& ");
                self.expression_before_colon(mask);
            }
            KeysetElementKind::Range(first, last) => {
                self.expression_before_colon(first);
                self.push(" .. ");
                self.expression_before_colon(last);
            }
            KeysetElementKind::Default => self.push("default"),
            KeysetElementKind::Any => self.push("_"),
        }
    }
}
