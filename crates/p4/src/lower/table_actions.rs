//! The actions of a table (14.2.1.2), and its default action (14.2.1.3).

use std::rc::Rc;

use control::{ActionNumber, ActionReference, Scope};
use diagnostics::Diagnostic;
use ir::TableAction;
use runtime::Bits;
use runtime::tables::Target;

use super::TableWriter;
use super::functions::Lowered;
use super::info::{documentation, has_annotation};
use super::names::inner_name;
use super::tree::Tree;
use crate::ast::{self, ArgumentValue, DeclarationKind, Direction, ExpressionKind, PropertyKind};
use crate::check::{Called, Target as Callee};
use crate::types::{Definition, Sort};

/// The actions of a table, in the order of its list.
pub(super) struct Listed {
    definitions: Vec<Definition>,
}

impl<'a> TableWriter<'_, 'a> {
    pub(super) fn table_actions(&mut self) -> Listed {
        let mut listed = Listed { definitions: vec![] };
        for property in &self.node.properties {
            let PropertyKind::Actions(actions) = &property.kind else { continue };
            for reference in actions {
                let Some(called) = self.lowering.nodes.action_reference(reference).cloned() else { continue };
                let Callee::Action(definition) = called.target else { continue };
                let Some(action) = self.lowering.lowered_action(definition) else { continue };
                let given = reference.arguments.as_deref().unwrap_or(&[]);
                let (before, after) = self.lowering.give_arguments(&action, &called, given);
                let only_default = has_annotation(&reference.annotations, "defaultonly");
                let only_entries = has_annotation(&reference.annotations, "tableonly");
                if only_default && only_entries {
                    let error = Diagnostic::error(reference.span, "nothing may run this action");
                    self.lowering
                        .found
                        .report(error.hint("`@defaultonly` keeps it from entries, `@tableonly` from the default"));
                    continue;
                }
                let entry = TableAction { function: action.function, before, after, only_default, only_entries };
                self.table().0.actions.push(entry);
                let scope = match (only_default, only_entries) {
                    (true, _) => Scope::Default,
                    (_, true) => Scope::Entries,
                    _ => Scope::EntriesAndDefault,
                };
                let number = self.described_action(definition, &action);
                let annotations = self.lowering.control_plane().described_annotations(&reference.annotations, &[]);
                let told = ActionReference { action: number, scope, annotations };
                self.table().1.actions.push(told);
                self.lowering.switch.action_spans.insert((self.table, listed.definitions.len()), reference.span);
                listed.definitions.push(definition);
            }
        }
        listed
    }

    /// Describes an action for the control plane, and returns its number.
    fn described_action(&mut self, definition: Definition, action: &Rc<Lowered>) -> ActionNumber {
        if let Some(&known) = self.lowering.switch.actions.get(&action.function) {
            return known;
        }
        let declaration = self.lowering.declarations.actions.get(&definition).copied();
        let nodes = match declaration.map(|own| &own.kind) {
            Some(DeclarationKind::Action(own)) => own.parameters.as_slice(),
            _ => &[],
        };
        let mut parameters = Vec::new();
        let given = action.parameters.iter().enumerate();
        for (place, own) in given.filter(|(_, own)| own.direction == Direction::None) {
            let annotations = nodes.get(place).map_or(&[][..], |node| &node.annotations);
            self.lowering.control_plane().note_enumeration(own.of);
            let mut leaves: Vec<(String, u32)> = Vec::new();
            collect_leaves(&own.l_value, &inner_name(annotations, &own.name), &mut |name, leaf| {
                leaves.push((name, self.lowering.output.leaf_type(leaf).width()));
            });
            for (name, width) in leaves {
                let mut parameter = control::Parameter::new(name, width);
                parameter.id = self.lowering.control_plane().written_id(annotations).unwrap_or(0);
                parameter.annotations = self.lowering.control_plane().described_annotations(annotations, &[]);
                parameter.documentation = documentation(annotations);
                parameter.type_name = self.lowering.control_plane().new_type_name(own.of);
                parameters.push(parameter);
            }
        }
        let number = self.action_named(definition, action, parameters);
        self.lowering.switch.actions.insert(action.function, number);
        number
    }

    /// Names an action for the control plane. Actions with the same name and the same parameters are one action:
    /// translated P4_14 programs have a copy of an action for each table. If the parameters differ, the second action
    /// gets the name that it is declared with.
    fn action_named(
        &mut self,
        definition: Definition,
        action: &Rc<Lowered>,
        parameters: Vec<control::Parameter>,
    ) -> ActionNumber {
        let declaration = self.lowering.declarations.actions.get(&definition).copied();
        let annotations = declaration.map_or(&[][..], |own| &own.annotations);
        let unique = self.lowering.output.program.functions[action.function.index()].name.clone();
        let mut name = match declaration.map(|own| &own.kind) {
            Some(DeclarationKind::Action(node)) if !self.lowering.declarations.top.contains_key(&definition) => {
                self.lowering.scopes.control_plane_name(annotations, &node.name)
            }
            _ => unique.clone(),
        };
        if let Some(same) = self.lowering.info.actions.iter().position(|own| own.identity.name == name) {
            if self.lowering.info.actions[same].parameters == parameters {
                return ActionNumber::from(same);
            }
            let taken = std::mem::replace(&mut name, unique);
            if let Some(DeclarationKind::Action(node)) = declaration.map(|own| &own.kind) {
                let declared = self.lowering.scopes.control_plane_name(&[], &node.name);
                if self.lowering.info.actions.iter().all(|own| own.identity.name != declared) {
                    name = declared;
                }
                let message = format!("the control plane knows this action as `{name}`");
                let words = format!("`{taken}` is another action for it, with other parameters");
                let warning = Diagnostic::warning(node.name.span, message).label(words);
                self.lowering.found.report(warning.hint("`@name(\"text\")` gives it a name that no other action has"));
            }
        }
        let identity = self.lowering.control_plane().identity(&name, annotations);
        self.lowering.info.actions.push(control::Action { identity, parameters });
        ActionNumber::from(self.lowering.info.actions.len() - 1)
    }

    /// Returns the action that an entry or the default runs, by its index in the list, with its data.
    pub(super) fn table_target(
        &mut self,
        listed: &Listed,
        called: &Called,
        given: &'a [ast::Argument],
        span: diagnostics::Span,
    ) -> Option<Target> {
        let Callee::Action(definition) = called.target else { return None };
        let place = listed.definitions.iter().position(|&own| own == definition)?;
        let action = self.lowering.lowered_action(definition)?;
        let defaults: Vec<_> = match &self.lowering.types.definitions.get(definition).sort {
            Sort::Action(own) => own.parameters.iter().map(|parameter| parameter.default.clone()).collect(),
            _ => vec![],
        };
        let mut data: Vec<Bits> = Vec::new();
        for (number, parameter) in action.parameters.iter().enumerate() {
            if parameter.direction != Direction::None {
                continue;
            }
            let argument = called.arguments.get(number).copied().flatten().and_then(|place| given.get(place));
            let value = self.lowering.block_value(|lowering| match argument.map(|argument| &argument.value) {
                Some(ArgumentValue::Given(node)) => lowering.value(node),
                _ => match defaults.get(number).cloned().flatten() {
                    Some(default) => lowering.storage().constant(&default, parameter.of),
                    None => Tree::Nothing,
                },
            });
            let value = self.lowering.storage().convert(value, parameter.of);
            let types = parameter
                .l_value
                .leaves()
                .into_iter()
                .map(|leaf| self.lowering.output.leaf_type(leaf))
                .collect::<Vec<_>>();
            for (scalar, ty) in value.leaves().into_iter().zip(types) {
                let scalar = self.lowering.output.cast(scalar.clone(), ty);
                let Some(bits) = self.lowering.output.known_bits(&scalar) else {
                    self.lowering
                        .found
                        .error(span, format!("`{}` must be known when the program is compiled", parameter.name));
                    return None;
                };
                data.push(bits);
            }
        }
        Some(Target::Action { action: place as u32, data })
    }

    /// Writes the default action, which is `NoAction` if there is no `default_action` (14.2).
    pub(super) fn default_action(&mut self, listed: &Listed) {
        let property = self.node.properties.iter().find(|property| &*property.name.text == "default_action");
        let Some(property) = property else { return self.default_to_no_action(listed) };
        self.table().0.is_default_constant = property.is_constant;
        let PropertyKind::Value(value) = &property.kind else { return };
        let given = match &value.kind {
            ExpressionKind::Call { arguments, .. } => arguments.as_slice(),
            _ => &[],
        };
        let Some(called) = self.lowering.nodes.call(value).cloned() else { return };
        if let Some(target) = self.table_target(listed, &called, given, value.span) {
            self.table().0.default = target;
        }
    }

    fn default_to_no_action(&mut self, listed: &Listed) {
        let definitions = &self.lowering.types.definitions;
        let is_no_action = |own: &Definition| &*definitions.get(*own).name == "NoAction";
        let place = listed.definitions.iter().position(is_no_action);
        let place = place.unwrap_or_else(|| self.add_no_action());
        if self.table().0.actions.get(place).is_some_and(|own| own.only_entries) {
            let error =
                Diagnostic::error(self.node.name.span, "only entries run `NoAction`, which is the default here");
            return self
                .lowering
                .found
                .report(error.hint("take `@tableonly` from it, or give the table a `default_action`"));
        }
        self.table().0.default = Target::Action { action: place as u32, data: vec![] };
    }

    /// Appends `NoAction` to the actions of a table, to run only by default.
    fn add_no_action(&mut self) -> usize {
        let known = self
            .lowering
            .declarations
            .no_action
            .and_then(|definition| Some((definition, self.lowering.lowered_action(definition)?)));
        let place = self.table().0.actions.len();
        let Some((definition, action)) = known else { return place };
        let function = action.function;
        let entry = TableAction { function, before: vec![], after: vec![], only_default: true, only_entries: false };
        self.table().0.actions.push(entry);
        let number = self.described_action(definition, &action);
        let annotations = vec!["@defaultonly".into()];
        let told = ActionReference { action: number, scope: Scope::Default, annotations };
        self.table().1.actions.push(told);
        place
    }
}

/// Visits the scalars that an entry gives for one parameter, with their names.
fn collect_leaves<L>(tree: &Tree<L>, name: &str, found: &mut impl FnMut(String, &L)) {
    match tree {
        Tree::Scalar(leaf) => found(name.to_owned(), leaf),
        Tree::Varbit { value, length } => {
            found(name.to_owned(), value);
            found(format!("{name}.$length"), length);
        }
        Tree::Struct(parts) | Tree::Union(parts) => {
            parts.iter().for_each(|(part, own)| collect_leaves(own, &format!("{name}.{part}"), found));
        }
        Tree::Header(header) => {
            found(format!("{name}.$valid"), &header.valid);
            header.fields.iter().for_each(|(part, own)| collect_leaves(own, &format!("{name}.{part}"), found));
        }
        Tree::Stack(stack) => {
            found(format!("{name}.$next"), &stack.next);
            let elements = stack.elements.iter().enumerate();
            elements.for_each(|(place, own)| collect_leaves(own, &format!("{name}[{place}]"), found));
        }
        Tree::Text(_) | Tree::Nothing => {}
    }
}
