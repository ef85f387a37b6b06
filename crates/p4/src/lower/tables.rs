//! Tables (14.2): keys, properties and applications.

use arch::Property;
use diagnostics::Diagnostic;
use ir::{Flow, Key, Statement, Table, TableId, VariableId};
use runtime::tables::{KeyField, MatchKind, Target};

use super::arguments::known_number;
use super::constants::known;
use super::frame::Made;
use super::info::documentation;
use super::names::written_name;
use super::selections::match_kind;
use super::tree::Tree;
use super::{Lowering, Output};
use crate::ast::{self, PropertyKind};

/// The match kind of a key that only selects a member of a group.
pub(super) const SELECTOR: &str = "selector";
/// The size of a table whose size is omitted or 0 (v1model; P4_16 leaves it to the target, 14.2.1.5).
const DEFAULT_SIZE: u32 = 1024;

impl Output {
    /// Returns the fields of a table's key with their types.
    pub(super) fn key_fields(&self, table: TableId) -> Vec<(KeyField, ir::Type)> {
        let field = |key: &ir::Key| {
            let ty = self.program.type_of(&key.value);
            (KeyField { kind: key.kind, width: ty.width() }, ty)
        };
        self.program.tables[table.index()].keys.iter().map(field).collect()
    }
}

impl<'a> Lowering<'a> {
    /// Writes a table of the instance that is being written.
    pub(super) fn lower_table(&mut self, node: &'a ast::Table, annotations: &'a [ast::Annotation]) -> TableId {
        let name = self.scopes.control_plane_name(annotations, &node.name);
        let table = TableId::from(self.output.program.tables.len());
        self.output.program.tables.push(Table {
            name: name.clone(),
            keys: vec![],
            actions: vec![],
            default: Target::Action { action: 0, data: vec![] },
            is_default_constant: false,
            entries: vec![],
            is_constant: false,
            size: None,
            profile: None,
            selector: vec![],
            counter: None,
            meter: None,
            has_idle_timeout: false,
            has_slots: false,
            registers: vec![],
            counts_when_called: false,
        });
        let identity = self.control_plane().identity(&name, annotations);
        self.info.tables.push(control::Table {
            identity,
            fields: vec![],
            actions: vec![],
            default: control::DefaultAction { action: 0, data: vec![] },
            is_default_constant: false,
            size: None,
            is_constant: false,
            initial_entries: vec![],
            profile: None,
            counter: None,
            meter: None,
            has_idle_timeout: false,
        });
        let keys: Vec<&'a ast::KeyElement> = keys(node).collect();
        let before = self.block_of(|lowering| TableWriter { lowering, node, table }.keys(&keys));
        self.switch.before_keys.push(before);
        let mut writer = TableWriter { lowering: self, node, table };
        let actions = writer.table_actions();
        writer.properties(&name);
        writer.lint_selector(&keys);
        writer.default_action(&actions);
        writer.entries(&keys, &actions);
        writer.describe_limits();
        table
    }

    /// Returns the variable that holds the slot of the entry that matched while its action runs. One is enough, since an
    /// action applies no table.
    pub(super) fn slot(&mut self) -> VariableId {
        *self.switch.slot.get_or_insert_with(|| self.output.variable("$slot", ir::Type::Bits(32)))
    }

    /// Writes the application of a table.
    pub(super) fn apply_table(&mut self, table: TableId, hit: Option<VariableId>, action: Option<VariableId>) {
        self.switch.applied.insert(table);
        let before = self.switch.before_keys.get(table.index()).cloned().unwrap_or_default();
        self.writer().emit_all(before);
        let entry = self.output.program.tables[table.index()].has_slots.then(|| self.slot());
        self.writer().emit(Statement::Flow(Flow::Apply { table, hit, action, entry }));
    }
}

/// Writes one table: its keys, actions, properties and entries, for the switch and for the control plane.
pub(super) struct TableWriter<'c, 'a> {
    pub lowering: &'c mut Lowering<'a>,
    pub node: &'a ast::Table,
    pub table: TableId,
}

impl<'a> TableWriter<'_, 'a> {
    /// Returns the table in the program, and its description.
    pub(super) fn table(&mut self) -> (&mut Table, &mut control::Table) {
        (
            &mut self.lowering.output.program.tables[self.table.index()],
            &mut self.lowering.info.tables[self.table.index()],
        )
    }

    /// Warns of a `selector` key of a table without groups.
    fn lint_selector(&mut self, keys: &[&'a ast::KeyElement]) {
        let profile = self.table().0.profile;
        let has_groups =
            profile.is_some_and(|own| self.lowering.output.program.profiles[own.index()].selection.is_some());
        let selector = keys.iter().find(|key| &*key.match_kind.text == SELECTOR);
        if let (false, Some(key)) = (has_groups, selector) {
            let warning = Diagnostic::warning(key.span, "this key chooses a member of a group, and the table has none");
            self.lowering.found.report(warning.hint("`implementation = action_selector(...)` gives it groups"));
        }
    }

    /// Writes the keys, and the statements that compute them before each look-up.
    fn keys(&mut self, elements: &[&'a ast::KeyElement]) {
        let nodes: Vec<&'a ast::Expression> = elements.iter().map(|element| &element.value).collect();
        let values = self.lowering.values(&nodes);
        for (element, value) in elements.iter().zip(values) {
            // A key without bits has one value, which always matches.
            let Tree::Scalar(value) = value else { continue };
            let kind = &element.match_kind;
            if &*kind.text == SELECTOR {
                self.table().0.selector.push(value);
                continue;
            }
            let Some(kind) = match_kind(&kind.text) else {
                self.lowering.found.unsupported(kind.span, format!("keys that are matched `{}`", kind.text));
                continue;
            };
            if kind == MatchKind::Lpm && self.table().0.keys.iter().any(|key| key.kind == kind) {
                // With two prefixes, the longest is ambiguous.
                self.lowering.found.error(element.span, "a second key that is matched `lpm`");
                continue;
            }
            if kind == MatchKind::Range && self.lowering.output.program.type_of(&value).is_signed() {
                // In P4Runtime both ends of a range are raw bits, compared as unsigned numbers (specification 1.4,
                // section 9.1.1).
                self.lowering
                    .found
                    .unsupported(element.span, "a key with a sign that is matched `range`; a cast makes it `bit<N>`");
                continue;
            }
            // Masks and ranges apply to numbers.
            let is_flag = self.lowering.output.program.type_of(&value) == ir::Type::Bool && kind != MatchKind::Exact;
            let value = if is_flag { self.lowering.output.cast(value, ir::Type::Bits(1)) } else { value };
            let name = written_name(&element.annotations).unwrap_or_else(|| {
                self.lowering.declarations.key_name(&self.lowering.types, &self.lowering.nodes, &element.value)
            });
            let width = self.lowering.output.program.type_of(&value).width();
            let mut field = control::MatchField::new(name.clone(), width, kind);
            field.id = self.lowering.control_plane().written_id(&element.annotations).unwrap_or(0);
            field.annotations = self.lowering.control_plane().described_annotations(&element.annotations, &[]);
            field.documentation = documentation(&element.annotations);
            let of = self.lowering.nodes.expression(&element.value).map(|own| own.of);
            field.type_name = of.and_then(|of| self.lowering.control_plane().new_type_name(of));
            of.into_iter().for_each(|of| self.lowering.control_plane().note_enumeration(of));
            let (own, told) = self.table();
            own.keys.push(Key { name, value, kind });
            told.fields.push(field);
        }
    }

    /// Writes the properties other than key, actions, default action and entries.
    fn properties(&mut self, name: &str) {
        for property in &self.node.properties {
            let PropertyKind::Value(value) = &property.kind else { continue };
            match &*property.name.text {
                "size" => {
                    let size = self.lowering.block_value(|lowering| lowering.value(value));
                    let size =
                        known_number(&self.lowering.output, &mut self.lowering.found, &size, value.span).unwrap_or(0);
                    let size = u32::try_from(size).unwrap_or(u32::MAX);
                    self.table().0.size = Some(size).filter(|&size| size > 0);
                }
                _ => self.architecture_property(property, name, value),
            }
        }
    }

    fn architecture_property(&mut self, property: &'a ast::Property, table_name: &str, value: &'a ast::Expression) {
        let Some(known_property) = self.lowering.architecture.property(&property.name.text) else { return };
        if known_property == Property::Hint {
            return;
        }
        if known_property == Property::SupportTimeout {
            let has_idle_timeout = match known(&self.lowering.nodes, value).as_deref() {
                Some(known) => *known == crate::types::Value::Bool(true),
                None => {
                    let name = format!("{table_name}.{}", property.name.text);
                    let instance = self.lowering.instance_of(value, name, &property.annotations);
                    instance.is_some_and(|own| matches!(own.made, Made::IdleTimeout))
                }
            };
            let (table, told) = self.table();
            (table.has_idle_timeout, told.has_idle_timeout) = (has_idle_timeout, has_idle_timeout);
            return;
        }
        // An instance that is constructed here is named by `@name` alone, as the P4 compiler does it, or after the
        // table.
        let name = match written_name(&property.annotations) {
            Some(written) => written.trim_start_matches('.').to_owned(),
            None => format!("{table_name}.{}", property.name.text),
        };
        let Some(instance) = self.lowering.instance_of(value, name, &property.annotations) else {
            let message = format!("this as the property `{}`", property.name.text);
            return self.lowering.found.unsupported(value.span, message);
        };
        if matches!(instance.made, Made::Hint) {
            return;
        }
        let mut objects = self.lowering.objects();
        match known_property {
            Property::Implementation => objects.attach_profile(value, &instance.made, self.table),
            Property::Counters => objects.attach_counter(value, &instance.made, self.table),
            Property::Meters => objects.attach_meter(value, &instance.made, self.table),
            Property::Registers => objects.attach_registers(value, &instance.made, self.table),
            Property::Filters => objects.attach_filters(value, &instance.made, self.table),
            Property::SupportTimeout | Property::Hint => {}
        }
    }

    /// Completes the description with what follows from the other properties.
    fn describe_limits(&mut self) {
        let profile = self.table().0.profile;
        let has_groups =
            profile.is_some_and(|own| self.lowering.output.program.profiles[own.index()].selection.is_some());
        if !has_groups {
            // There is nothing to select from.
            self.table().0.selector.clear();
        }
        let (own, told) = self.table();
        // The default size is the one in P4Info of v1model programs and in BMv2, because controllers rely on it. A size
        // of 0, as in translated P4_14 programs, counts as omitted. A table holds at least its initial entries.
        own.size = Some(own.size.unwrap_or(DEFAULT_SIZE).max(own.entries.len() as u32));
        told.size = own.size;
        let (registers, size) = (own.registers.clone(), own.size);
        self.lowering.objects().size_registers(&registers, size.unwrap_or(1));
        self.lowering.objects().size_filters(self.table, size.unwrap_or(1));
        let (own, told) = self.table();
        told.is_constant = own.is_constant;
        told.is_default_constant = own.is_default_constant;
        told.initial_entries.clone_from(&own.entries);
        if let Target::Action { action, data } = &own.default {
            told.default = control::DefaultAction { action: *action, data: data.clone() };
        }
    }
}

/// Returns the keys of a table, in order.
fn keys(node: &ast::Table) -> impl Iterator<Item = &ast::KeyElement> {
    node.properties.iter().flat_map(|property| match &property.kind {
        PropertyKind::Key(elements) => elements.as_slice(),
        _ => &[],
    })
}
