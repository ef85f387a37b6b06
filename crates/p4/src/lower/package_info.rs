//! The annotations of `main`, and the headers of packets to and from a controller (P4Runtime specification 1.4,
//! sections 6.2 and 6.4.6).

use control::{ControllerHeader, Parameter};
use diagnostics::Diagnostic;

use super::ControlPlane;
use super::info::{documentation, has_annotation};
use super::names::written_name;
use crate::ast::{self, Annotation, AnnotationBody, DeclarationKind, ExpressionKind};
use crate::token::{Token, TokenKind};
use crate::types::Sort;

/// The annotation of headers between controller and switch.
const CONTROLLER_HEADER: &str = "controller_header";
/// The annotation of the requirements on a platform.
const PLATFORM: &str = "platform_property";

impl<'a> ControlPlane<'_, 'a> {
    /// Describes the package by the annotations of `main`.
    pub(super) fn describe_package(&mut self, annotations: &'a [Annotation]) {
        let told = self.described_annotations(annotations, &["pkginfo", PLATFORM]);
        self.describe_platform(annotations);
        let package = &mut self.info.package;
        package.documentation = documentation(annotations);
        package.annotations = told;
        for own in annotations.iter().filter(|annotation| &*annotation.name.text == "pkginfo") {
            for (key, text) in pairs(own) {
                let place = match &*key {
                    "name" => &mut package.name,
                    "version" => &mut package.version,
                    "organization" => &mut package.organization,
                    "contact" => &mut package.contact,
                    "url" => &mut package.url,
                    "arch" => {
                        let warning = Diagnostic::warning(own.span, "`arch` of `@pkginfo` is passed over");
                        self.shapes.found.report(warning.hint("it is what `main` is an instance of"));
                        continue;
                    }
                    _ => {
                        let warning = Diagnostic::warning(own.span, format!("`@pkginfo` has no `{key}`"));
                        self.shapes
                            .found
                            .report(warning.hint("it has `name`, `version`, `organization`, `contact`, `url`"));
                        continue;
                    }
                };
                *place = text;
            }
        }
    }

    /// Describes the platform by `@platform_property(key = number, ...)`.
    fn describe_platform(&mut self, annotations: &'a [Annotation]) {
        for own in annotations.iter().filter(|annotation| &*annotation.name.text == PLATFORM) {
            let platform = self.info.package.platform.get_or_insert_default();
            for (key, value) in numbers(own) {
                let place = match &*key {
                    "multicast_group_table_size" => &mut platform.multicast_groups,
                    "multicast_group_table_total_replicas" => &mut platform.multicast_replicas,
                    "multicast_group_table_max_replicas_per_entry" => &mut platform.multicast_replicas_of_a_group,
                    _ => {
                        let warning = Diagnostic::warning(own.span, format!("`@{PLATFORM}` has no `{key}`"));
                        self.shapes.found.report(warning.hint(
                            "it has `multicast_group_table_size`, `multicast_group_table_total_replicas`, \
                             `multicast_group_table_max_replicas_per_entry`",
                        ));
                        continue;
                    }
                };
                *place = value;
            }
        }
    }

    /// Describes the headers of the top level that have an annotation such as `@controller_header("packet_in")`.
    pub(super) fn describe_controller_headers(&mut self, program: &'a ast::Program) {
        for declaration in &program.declarations {
            let DeclarationKind::Container(node) = &declaration.kind else { continue };
            let noted = declaration.annotations.iter().find(|own| &*own.name.text == CONTROLLER_HEADER);
            let Some(noted) = noted.filter(|_| node.kind == ast::ContainerKind::Header) else { continue };
            let Some(name) = noted.text() else {
                self.shapes.found.report(
                    Diagnostic::error(noted.span, "`@controller_header` says which header it is")
                        .hint("`@controller_header(\"packet_in\")` or `@controller_header(\"packet_out\")`"),
                );
                continue;
            };
            let identity = self.identity(name, &declaration.annotations);
            let type_name = written_name(&declaration.annotations).unwrap_or_else(|| node.name.text.to_string());
            let type_name = type_name.trim_start_matches('.').to_owned();
            let mut header = ControllerHeader { identity, type_name, fields: vec![], places: vec![], width: 0 };
            self.describe_controller_fields(node, &mut header);
            self.info.controller_headers.push(header);
        }
    }

    fn describe_controller_fields(&mut self, node: &'a ast::Container, header: &mut ControllerHeader) {
        let own = match self.nodes.definition(&node.name) {
            Some(definition) => match &self.shapes.types.definitions.get(definition).sort {
                Sort::Container(own) => std::rc::Rc::clone(own),
                _ => return,
            },
            None => return,
        };
        for (field, about) in node.fields.iter().zip(&own.fields) {
            // The control plane does not see them (P4_16 specification 1.2.5, section 18.3.2), but they are transmitted.
            if has_annotation(&field.annotations, "hidden") {
                header.width += self.data_type(about.of).leaves().iter().map(|leaf| leaf.width).sum::<u32>();
                continue;
            }
            let name = written_name(&field.annotations).unwrap_or_else(|| field.name.text.to_string());
            let type_name = self.new_type_name(about.of);
            self.note_enumeration(about.of);
            // Structs in headers are flattened, as on the wire.
            for leaf in self.data_type(about.of).leaves() {
                let name = if leaf.path.is_empty() { name.clone() } else { format!("{name}.{}", leaf.path) };
                let mut told = Parameter::new(name, leaf.width);
                told.id = self.written_id(&field.annotations).unwrap_or(0);
                told.annotations = self.described_annotations(&field.annotations, &[]);
                told.type_name.clone_from(&type_name);
                header.fields.push(told);
                header.places.push(header.width);
                header.width += leaf.width;
            }
        }
    }
}

/// Returns the pairs of `@name(key = number, ...)`.
fn numbers(annotation: &Annotation) -> Vec<(String, u32)> {
    let AnnotationBody::Unstructured(tokens) = &annotation.body else { return vec![] };
    let parts = tokens.split(|token| token.kind == TokenKind::Punctuator(","));
    let pair = |part: &[Token]| match part {
        [key, equals, Token { kind: TokenKind::Integer(number), .. }] if equals.kind == TokenKind::Punctuator("=") => {
            Some((key.kind.to_string(), u32::try_from(&number.value).ok()?))
        }
        _ => None,
    };
    parts.filter_map(pair).collect()
}

/// Returns the pairs of `@name(key = "text", ...)` or `@name[key = "text", ...]`.
fn pairs(annotation: &Annotation) -> Vec<(String, String)> {
    match &annotation.body {
        AnnotationBody::Unstructured(tokens) => {
            let parts = tokens.split(|token| token.kind == TokenKind::Punctuator(","));
            let pair = |part: &[Token]| match part {
                [key, equals, Token { kind: TokenKind::Text(text), .. }]
                    if equals.kind == TokenKind::Punctuator("=") =>
                {
                    Some((key.kind.to_string(), text.to_string()))
                }
                _ => None,
            };
            parts.filter_map(pair).collect()
        }
        AnnotationBody::Pairs(pairs) => {
            let pair = |own: &ast::NamedExpression| match &own.value.kind {
                ExpressionKind::String(text) => Some((own.name.text.to_string(), text.to_string())),
                _ => None,
            };
            pairs.iter().filter_map(pair).collect()
        }
        _ => vec![],
    }
}
