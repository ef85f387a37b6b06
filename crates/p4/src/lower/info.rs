//! What the control plane is told of a program: names, ids and types (P4Runtime specification 1.4, section 6).

use control::{DataType, Documentation, Identity, Member};
use num_bigint::BigInt;

use super::Lowering;
use super::layout::ORDINAL;
use super::names::inner_name;
use crate::ast::{Annotation, AnnotationBody, ContainerKind};
use crate::token::{Token, TokenKind};
use crate::types::{Kind, Sort, Type};

impl<'a> Lowering<'a> {
    /// What something is called, which has this name for the control plane.
    pub(super) fn identity(&mut self, name: &str, annotations: &'a [Annotation]) -> Identity {
        if let Some(here) = self.limits.here {
            self.limits.named.entry(name.to_owned()).or_default().push(here);
        }
        let told = Identity::new(name).with_annotations(self.told_annotations(annotations, &[]));
        let told = told.with_documentation(documentation(annotations));
        if is_noted(annotations, "hidden") {
            return told.hidden();
        }
        match self.written_id(annotations) {
            Some(id) => told.with_id(id),
            None => told,
        }
    }

    /// What `@id` says; none if there is none.
    pub(super) fn written_id(&mut self, annotations: &'a [Annotation]) -> Option<u32> {
        let own = annotations.iter().find(|annotation| &*annotation.name.text == "id")?;
        let number = self.annotation_number(own).and_then(|number| u32::try_from(number).ok());
        let id = number.filter(|&id| id > 0);
        if id.is_none() {
            self.error(own.span, "an id is one number from 1 to 4294967295");
        }
        id
    }

    /// A type as the control plane is told of it.
    pub(super) fn data_type(&mut self, of: Type) -> DataType {
        if let Some(name) = self.new_type_name(of) {
            let original = self.original(of);
            return DataType::New { name, original: Box::new(self.data_type(original)) };
        }
        let of = self.original(of);
        match self.checked.types.kind(of).clone() {
            Kind::Bool => DataType::Boolean,
            Kind::Bit(width) => DataType::Bits(width),
            Kind::Int(width) => DataType::Signed(width),
            Kind::Varbit(width) => DataType::Varying(width),
            Kind::Error => DataType::Error(ORDINAL.width()),
            Kind::Stack(element, size) => {
                let element = self.data_type(element);
                DataType::Tuple(vec![element; size.unwrap_or(0) as usize])
            }
            Kind::Named(..) => self.named_data_type(of),
            _ => {
                let parts = self.part_types(of);
                DataType::Tuple(parts.into_iter().map(|(_, part)| self.data_type(part)).collect())
            }
        }
    }

    /// Tells the control plane of an enumeration that a match field or a parameter has.
    pub(super) fn note_enumeration(&mut self, of: Type) {
        let data_type = self.data_type(of);
        let data_type = data_type.original();
        let is_noted = self.switch.info.enumerations.contains(data_type);
        if matches!(data_type, DataType::Enumeration { .. } | DataType::Error(_)) && !is_noted {
            self.switch.info.enumerations.push(data_type.clone());
        }
    }

    /// The number that an annotation says, if there is such an annotation.
    pub(super) fn noted_number(&mut self, annotations: &'a [Annotation], name: &str) -> Option<u32> {
        let own = annotations.iter().find(|annotation| &*annotation.name.text == name)?;
        let number = self.annotation_number(own).and_then(|number| u32::try_from(number).ok());
        if number.is_none() {
            self.error(own.span, format!("`@{name}` says one number from 0 to 4294967295"));
        }
        number
    }

    fn annotation_number(&mut self, own: &'a Annotation) -> Option<BigInt> {
        match &own.body {
            AnnotationBody::Unstructured(tokens) => match tokens.as_slice() {
                [Token { kind: TokenKind::Integer(number), .. }] => Some(number.value.clone().into()),
                _ => None,
            },
            AnnotationBody::Expressions(values) => match values.as_slice() {
                [value] => self.known(value).and_then(|value| value.integer().cloned()),
                _ => None,
            },
            _ => None,
        }
    }

    fn named_data_type(&mut self, of: Type) -> DataType {
        let Some((definition, _, sort)) = self.checked.types.named(of) else { return DataType::Tuple(vec![]) };
        let sort = sort.clone();
        let annotations = self.declarations.get(&definition).map_or(&[][..], |own| &own.annotations);
        let name = inner_name(annotations, &self.checked.types.definitions.get(definition).name);
        match sort {
            Sort::Enumeration(own) => {
                let width = self.scalar_type(of).unwrap_or(ORDINAL).width();
                let members = own.members.iter().map(|(member, value)| {
                    (member.to_string(), value.as_ref().and_then(|value| u64::try_from(value).ok()))
                });
                DataType::Enumeration { name, members: members.collect(), width }
            }
            Sort::Alias(original) => self.data_type(original),
            Sort::Container(own) => {
                let fields = self.fields(of);
                let member = |(field, of): (std::rc::Rc<str>, Type)| {
                    let annotations = self.field_annotations(definition, &field).unwrap_or(&[]);
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

/// What `@brief` and `@description` say.
pub(super) fn documentation(annotations: &[Annotation]) -> Documentation {
    let text = |name: &str| {
        let own = annotations.iter().find(|annotation| &*annotation.name.text == name);
        own.and_then(Annotation::text).unwrap_or_default().to_owned()
    };
    Documentation { brief: text("brief"), description: text("description") }
}

/// Whether something is noted.
pub(super) fn is_noted(annotations: &[Annotation], name: &str) -> bool {
    annotations.iter().any(|annotation| &*annotation.name.text == name)
}
