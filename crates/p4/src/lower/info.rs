//! Types in the description for the control plane (P4Runtime specification 1.4, section 6).

use control::{DataType, Documentation, Member};

use super::ControlPlane;
use super::layout::ORDINAL;
use super::names::inner_name;
use crate::ast::{Annotation, ContainerKind};
use crate::types::{Sort, Type, TypeForm};

impl<'a> ControlPlane<'_, 'a> {
    /// Describes a type.
    pub(super) fn data_type(&mut self, of: Type) -> DataType {
        if let Some(name) = self.new_type_name(of) {
            let original = self.shapes.original(of);
            return DataType::New { name, original: Box::new(self.data_type(original)) };
        }
        let of = self.shapes.original(of);
        match self.shapes.types.kind(of).clone() {
            TypeForm::Bool => DataType::Boolean,
            TypeForm::Bit(width) => DataType::Bits(width),
            TypeForm::Int(width) => DataType::Signed(width),
            TypeForm::Varbit(width) => DataType::Varying(width),
            TypeForm::Error => DataType::Error(ORDINAL.width()),
            TypeForm::Stack(element, size) => {
                let element = self.data_type(element);
                DataType::Tuple(vec![element; size.unwrap_or(0) as usize])
            }
            TypeForm::Named(..) => self.named_data_type(of),
            _ => {
                let parts = self.shapes.part_types(of);
                DataType::Tuple(parts.into_iter().map(|(_, part)| self.data_type(part)).collect())
            }
        }
    }

    /// Describes the enumeration or the error type of a match field or a parameter.
    pub(super) fn note_enumeration(&mut self, of: Type) {
        let data_type = self.data_type(of);
        let data_type = data_type.original();
        let is_described = self.info.enumerations.contains(data_type);
        if matches!(data_type, DataType::Enumeration { .. } | DataType::Error(_)) && !is_described {
            self.info.enumerations.push(data_type.clone());
        }
    }

    fn named_data_type(&mut self, of: Type) -> DataType {
        let Some((definition, _, sort)) = self.shapes.types.named(of) else { return DataType::Tuple(vec![]) };
        let sort = sort.clone();
        let annotations = self.declarations.top.get(&definition).map_or(&[][..], |own| &own.annotations);
        let name = inner_name(annotations, &self.shapes.types.definitions.get(definition).name);
        match sort {
            Sort::Enumeration(own) => {
                let width = self.shapes.scalar_type(of).unwrap_or(ORDINAL).width();
                let members = own.members.iter().map(|(member, value)| {
                    (member.to_string(), value.as_ref().and_then(|value| u64::try_from(value).ok()))
                });
                DataType::Enumeration { name, members: members.collect(), width }
            }
            Sort::Alias(original) => self.data_type(original),
            Sort::Container(own) => {
                let fields = self.shapes.fields(of);
                let member = |(field, of): (std::rc::Rc<str>, Type)| {
                    let annotations = self.declarations.field_annotations(definition, &field).unwrap_or(&[]);
                    Member { name: inner_name(annotations, &field), data_type: self.data_type(of) }
                };
                let members = fields.into_iter().map(member).collect();
                match own.kind {
                    ContainerKind::Header => DataType::Header { name, members },
                    _ => DataType::Structure { name, members },
                }
            }
            _ => DataType::Tuple(vec![]),
        }
    }
}

/// Returns the texts of `@brief` and `@description`.
pub(super) fn documentation(annotations: &[Annotation]) -> Documentation {
    let text = |name: &str| {
        let own = annotations.iter().find(|annotation| &*annotation.name.text == name);
        own.and_then(Annotation::text).unwrap_or_default().to_owned()
    };
    Documentation { brief: text("brief"), description: text("description") }
}

/// Returns whether there is an annotation with this name.
pub(super) fn has_annotation(annotations: &[Annotation], name: &str) -> bool {
    annotations.iter().any(|annotation| &*annotation.name.text == name)
}
