//! The declarations of a program, by their definitions.

use std::collections::HashMap;
use std::rc::Rc;

use crate::ast::{self, DeclarationKind};
use crate::check::Nodes;
use crate::types::{Definition, Sort, Types};

/// The declarations of a program. They are only looked up.
#[derive(Default)]
pub(super) struct Declarations<'a> {
    /// The declarations of the top level.
    pub top: HashMap<Definition, &'a ast::Declaration>,
    /// Every action, wherever it is declared.
    pub actions: HashMap<Definition, &'a ast::Declaration>,
    /// `NoAction` of `core.p4`.
    pub no_action: Option<Definition>,
}

impl<'a> Declarations<'a> {
    /// Returns the name of a member of an enumeration of the architecture, by its index.
    pub(super) fn member_named(&self, types: &Types, enumeration: &str, place: u64) -> Option<Rc<str>> {
        let mut found = self.top.keys().filter_map(|&own| {
            let meaning = types.definitions.get(own);
            match &meaning.sort {
                Sort::Enumeration(all) if &*meaning.name == enumeration => Some(all),
                _ => None,
            }
        });
        found.next()?.members.get(usize::try_from(place).ok()?).map(|(name, _)| Rc::clone(name))
    }

    /// Iterates over the names that the top level declares.
    pub(super) fn sorts<'t>(&'t self, types: &'t Types) -> impl Iterator<Item = (&'t str, &'t Sort)> {
        // Names of the top level, except those of functions, are unique, so the order does not matter.
        self.top.keys().map(|&definition| {
            let meaning = types.definitions.get(definition);
            (&*meaning.name, &meaning.sort)
        })
    }

    /// Returns the annotations of a field of a struct, a header or a header union.
    pub(super) fn field_annotations(
        &self,
        definition: crate::types::Definition,
        field: &str,
    ) -> Option<&'a [ast::Annotation]> {
        let DeclarationKind::Container(node) = &self.top.get(&definition)?.kind else { return None };
        let own = node.fields.iter().find(|own| &*own.name.text == field)?;
        Some(&own.annotations)
    }

    /// Notes the definition of a declaration, and those of the actions in it.
    pub(super) fn index(&mut self, nodes: &Nodes<'a>, declaration: &'a ast::Declaration, is_top_level: bool) {
        if let Some(definition) = declaration.name().and_then(|name| nodes.definition(name)) {
            if is_top_level {
                self.top.insert(definition, declaration);
            }
            if let DeclarationKind::Action(action) = &declaration.kind {
                self.actions.insert(definition, declaration);
                if is_top_level && &*action.name.text == "NoAction" {
                    self.no_action = Some(definition);
                }
            }
        }
        match &declaration.kind {
            DeclarationKind::Control(own) => own.locals.iter().for_each(|inner| self.index(nodes, inner, false)),
            DeclarationKind::Parser(own) => own.locals.iter().for_each(|inner| self.index(nodes, inner, false)),
            DeclarationKind::TypedefOfDeclaration(inner, _) => self.index(nodes, inner, is_top_level),
            _ => {}
        }
    }
}
