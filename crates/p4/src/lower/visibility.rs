//! Visibility of tables and actions in the control plane: as with the P4 compiler, only those that are used are
//! visible.

use std::collections::BTreeSet;

use control::{Action, ActionNumber};
use ir::TableId;

use super::Objects;
use super::names::control_plane_name;
use crate::ast::DeclarationKind;

impl<'a> Objects<'_, 'a> {
    /// Hides tables that are never applied, with the actions that only they list, and describes the actions that
    /// controls call directly, which have no parameters for a control plane.
    pub(super) fn hide_unused(&mut self) {
        self.rename_excluded();
        let mut used: BTreeSet<ActionNumber> = BTreeSet::new();
        for table in 0..self.info.tables.len() {
            let is_applied = self.switch.applied.contains(&TableId::from(table));
            let own = &mut self.info.tables[table];
            if is_applied {
                used.extend(own.actions.iter().map(|reference| reference.action));
            } else {
                own.identity.is_hidden = true;
            }
        }
        for (function, definition) in std::mem::take(&mut self.switch.called) {
            if let Some(&known) = self.switch.actions.get(&function) {
                used.insert(known);
                continue;
            }
            let declaration = self.declarations.actions.get(&definition).copied();
            let mut name = self.output.program.functions[function.index()].name.clone();
            if let Some(DeclarationKind::Action(node)) = declaration.map(|own| &own.kind)
                && self.declarations.top.contains_key(&definition)
            {
                name = control_plane_name("", declaration.map_or(&[][..], |own| &own.annotations), &node.name);
            }
            let number = self.info.actions.iter().position(|own| own.identity.name == name).unwrap_or_else(|| {
                let number = self.info.actions.len();
                let identity =
                    self.control_plane().identity(&name, declaration.map_or(&[][..], |own| &own.annotations));
                self.info.actions.push(Action { identity, parameters: vec![] });
                number
            });
            used.insert(ActionNumber::from(number));
        }
        for (number, action) in self.info.actions.iter_mut().enumerate() {
            action.identity.is_hidden |= !used.contains(&ActionNumber::from(number));
        }
    }

    /// Renames tables that are not applied and have the name of another, which an argument of a constructor chose instead.
    fn rename_excluded(&mut self) {
        for place in 0..self.output.program.tables.len() {
            let name = &self.output.program.tables[place].name;
            let is_shared = self.output.program.tables.iter().filter(|other| other.name == *name).count() > 1;
            if is_shared && !self.switch.applied.contains(&TableId::from(place)) {
                let name = format!("{name}.$excluded{place}");
                self.info.tables[place].identity.name.clone_from(&name);
                self.output.program.tables[place].name = name;
            }
        }
    }
}
