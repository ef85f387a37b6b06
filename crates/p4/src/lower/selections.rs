//! `select` (13.6), and value sets (13.11).

use ir::parser::{Case, Next, Set, Transition};
use ir::{Expression, ValueSet, ValueSetId};
use runtime::tables::{KeyField, MatchKind};

use super::arguments::{known_number, wire_scalars};
use super::info::documentation;
use super::names::inner_name;
use super::parsers::next;
use super::tree::Value;
use super::{Lowering, Objects, ParserWriter};
use crate::ast::{self, AnnotationBody, DeclarationKind, ExpressionKind, KeysetElementKind};
use crate::types::{Sort, Type};

/// The scalars of one value that is compared.
type Scalars = Vec<Expression>;

impl<'a> ParserWriter<'_, 'a> {
    pub(super) fn selection(&mut self, values: &'a [ast::Expression], cases: &'a [ast::SelectCase]) -> Transition {
        if values.is_empty() {
            // Nothing is compared, so the first case is taken.
            return cases
                .first()
                .map_or(Transition::To(Next::Reject), |case| Transition::To(next(&case.next, self.states)));
        }
        let nodes: Vec<&'a ast::Expression> = values.iter().collect();
        let keys: Vec<Scalars> = self.lowering.values(&nodes).iter().map(scalars).collect();
        if keys.iter().all(Vec::is_empty) {
            // Types without bits have one value, which every set except a value set contains.
            return cases
                .first()
                .map_or(Transition::To(Next::Reject), |case| Transition::To(next(&case.next, self.states)));
        }
        let case = |case: &'a ast::SelectCase| {
            let sets = self.sets(&case.keyset, &keys);
            Case { sets, next: next(&case.next, self.states) }
        };
        let cases = cases.iter().map(case).collect();
        Transition::Select { keys: keys.into_iter().flatten().collect(), cases }
    }

    /// Returns what one case compares with, as one set for each scalar.
    fn sets(&mut self, keyset: &'a ast::Keyset, keys: &[Scalars]) -> Vec<Set> {
        if let [only] = keyset.elements.as_slice()
            && keys.len() != 1
        {
            let all: Scalars = keys.iter().flatten().cloned().collect();
            return self.element_sets(&only.kind, &all);
        }
        let elements = keyset.elements.iter().zip(keys);
        elements.flat_map(|(element, key)| self.element_sets(&element.kind, key)).collect()
    }

    fn element_sets(&mut self, kind: &'a KeysetElementKind, key: &Scalars) -> Vec<Set> {
        let any = || vec![Set::Any; key.len()];
        match kind {
            KeysetElementKind::Default | KeysetElementKind::Any => any(),
            KeysetElementKind::Value(value) if value.kind == ExpressionKind::Default => any(),
            KeysetElementKind::Value(value) => {
                if let Some(set) = self.lowering.scopes.value_set_named(&self.lowering.nodes, value) {
                    return vec![Set::ValueSet(set)];
                }
                self.key_scalars(value, key).into_iter().map(Set::Value).collect()
            }
            KeysetElementKind::Mask(value, mask) => {
                let (value, mask) = (self.key_scalars(value, key), self.key_scalars(mask, key));
                value.into_iter().zip(mask).map(|(value, mask)| Set::Mask(value, mask)).collect()
            }
            KeysetElementKind::Range(low, high) => {
                let (low, high) = (self.key_scalars(low, key), self.key_scalars(high, key));
                low.into_iter().zip(high).map(|(low, high)| Set::Range(low, high)).collect()
            }
        }
    }

    /// Returns the scalars of a value that is compared with a key, in the types of the key.
    fn key_scalars(&mut self, node: &'a ast::Expression, key: &Scalars) -> Scalars {
        let value = scalars(&self.lowering.value(node));
        let types: Vec<ir::Type> = key.iter().map(|own| self.lowering.output.program.type_of(own)).collect();
        value.into_iter().zip(types).map(|(value, ty)| self.lowering.output.cast(value, ty)).collect()
    }
}

impl<'a> Lowering<'a> {
    /// Writes a value set, which the control plane fills.
    pub(super) fn lower_value_set(
        &mut self,
        node: &'a ast::ValueSet,
        annotations: &'a [ast::Annotation],
    ) -> ValueSetId {
        let name = self.scopes.control_plane_name(annotations, &node.name);
        let of = self.written(&node.member_type);
        let fields = self.objects().value_set_fields(of);
        let size = self.block_value(|lowering| lowering.value(&node.size));
        let size = known_number(&self.output, &mut self.found, &size, node.size.span).unwrap_or(0);
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        let keys = fields.iter().map(|field| KeyField { kind: field.kind, width: field.width }).collect();
        let identity = self.control_plane().identity(&name, annotations);
        self.info.value_sets.push(control::ValueSet { identity, fields, size });
        self.output.program.value_sets.push(ValueSet { name, fields: keys, size });
        ValueSetId::from(self.output.program.value_sets.len() - 1)
    }

    /// Returns a value, and drops the statements that compute it.
    pub(super) fn block_value(&mut self, make: impl FnOnce(&mut Self) -> Value) -> Value {
        let mut value = Value::Nothing;
        self.block_of(|lowering| value = make(lowering));
        value
    }
}

impl<'a> Objects<'_, 'a> {
    /// Returns the fields of the members of a value set. `@match(kind)` gives the match kind of a field (v1model).
    pub(super) fn value_set_fields(&mut self, of: Type) -> Vec<control::MatchField> {
        let of = self.shapes.original(of);
        let names = self.shapes.part_types(of);
        let own = match self.shapes.types.named(of) {
            Some((definition, _, Sort::Container(_))) => self.declarations.top.get(&definition).copied(),
            _ => None,
        };
        let noted: Vec<&'a [ast::Annotation]> = match own.map(|own| &own.kind) {
            Some(DeclarationKind::Container(own)) => own.fields.iter().map(|field| &field.annotations[..]).collect(),
            _ => vec![],
        };
        if names.is_empty() {
            let width = self.shapes.scalar_type(of).map_or(0, ir::Type::width);
            return vec![control::MatchField::new("", width, MatchKind::Exact)];
        }
        let mut fields = Vec::new();
        for (place, (name, of)) in names.into_iter().enumerate() {
            let annotations = noted.get(place).copied().unwrap_or(&[]);
            let kind = match_annotation(annotations).unwrap_or(MatchKind::Exact);
            let shape = self.shapes.default_value(of);
            for value in scalars(&shape) {
                let name = inner_name(annotations, &name);
                let mut field = control::MatchField::new(name, self.output.program.type_of(&value).width(), kind);
                field.id = self.control_plane().written_id(annotations).unwrap_or(0);
                field.annotations = self.control_plane().described_annotations(annotations, &["match"]);
                field.documentation = documentation(annotations);
                fields.push(field);
            }
        }
        fields
    }
}

fn scalars(value: &Value) -> Scalars {
    let mut all = Vec::new();
    wire_scalars(value, &mut all);
    all.into_iter().map(|(value, _)| value).collect()
}

/// Returns the match kind in `@match`.
fn match_annotation(annotations: &[ast::Annotation]) -> Option<MatchKind> {
    let own = annotations.iter().find(|annotation| &*annotation.name.text == "match")?;
    match &own.body {
        AnnotationBody::Unstructured(tokens) => match_kind(&tokens.first()?.name()?),
        _ => None,
    }
}

/// Returns the match kind with this name.
pub(super) fn match_kind(name: &str) -> Option<MatchKind> {
    use MatchKind::{Exact, Lpm, Optional, Range, Ternary};
    // What a chip does with such keys is to look in one of several exact tables.
    let name = if matches!(name, "atcam_partition_index" | "dleft_hash") { Exact.name() } else { name };
    [Exact, Lpm, Ternary, Range, Optional].into_iter().find(|kind| kind.name() == name)
}
