//! Unresolved names: names that are declared later, in another control, around the use (which would be recursion), or
//! that belong to another language.

use diagnostics::{Diagnostic, Span};

use super::{Findings, SymbolTable};
use crate::ast::{self, DeclarationKind};
use crate::lexer::libraries::include_of;
use crate::types::Types;

impl<'a> SymbolTable<'a> {
    /// Reports a name that is not declared here, with the best explanation that there is.
    pub(super) fn report_unresolved(&self, types: &Types, found: &mut Findings, path: &ast::Path) {
        let name = &path.name.text;
        if found.is_full() {
            return;
        }
        if let Some(own) = self.being_declared.iter().rev().find(|own| own.text == *name) {
            let error = Diagnostic::error(path.span, format!("`{name}` is used inside of itself"));
            found.report(error.related(own.span, "this is not complete yet").hint("P4 has no recursion"));
            return;
        }
        let error = Diagnostic::error(path.span, format!("`{name}` is not declared"));
        if let Some((place, words)) = self.declared_elsewhere(path) {
            let hint = match words {
                Some(_) => "what is declared in a parser or a control is only known in it",
                None => "a name is declared before it is used",
            };
            let words = words.unwrap_or_else(|| "declared here, later".to_owned());
            found.report(error.related(place, words).hint(hint));
            return;
        }
        if let Some(hint) = include_of(name).or_else(|| of_another_language(name).map(str::to_owned)) {
            found.report(error.hint(hint));
            return;
        }
        let names = self.visible(types);
        let error = error.hint("a name is declared before it is used");
        found.suggest(error, name, names.iter().map(|name| &**name));
    }

    /// Returns where else a name is declared: later, or, as the text says, within a parser or a control.
    fn declared_elsewhere(&self, path: &ast::Path) -> Option<(Span, Option<String>)> {
        let mut inside = None;
        for declaration in &self.program.declarations {
            let (what, signature, locals) = match &declaration.kind {
                DeclarationKind::Control(own) => ("control", &own.signature, &own.locals),
                DeclarationKind::Parser(own) => ("parser", &own.signature, &own.locals),
                _ => {
                    if let Some(own) = declared_name(declaration).filter(|own| own.text == path.name.text) {
                        return Some((own.span, None));
                    }
                    continue;
                }
            };
            if signature.name.text == path.name.text {
                return Some((signature.name.span, None));
            }
            let is_here = declaration.span.source == path.span.source
                && (declaration.span.start..declaration.span.end).contains(&path.span.start);
            let mut names = locals.iter().filter_map(declared_name);
            let Some(own) = names.find(|own| own.text == path.name.text) else { continue };
            if is_here {
                return Some((own.span, None));
            }
            inside
                .get_or_insert_with(|| (own.span, Some(format!("declared here, in {what} `{}`", signature.name.text))));
        }
        inside
    }
}

/// Returns the name of a declaration other than a type, a parser or a control.
fn declared_name(declaration: &ast::Declaration) -> Option<&ast::Name> {
    let is_no_type = matches!(
        declaration.kind,
        DeclarationKind::Constant(_)
            | DeclarationKind::Variable(_)
            | DeclarationKind::Instantiation(_)
            | DeclarationKind::Action(_)
            | DeclarationKind::Function(_)
            | DeclarationKind::ExternFunction(_)
            | DeclarationKind::Table(_)
            | DeclarationKind::ValueSet(_)
    );
    declaration.name().filter(|_| is_no_type)
}

/// Returns a hint for a name of P4_14 or C.
fn of_another_language(name: &str) -> Option<&'static str> {
    Some(match name {
        "apply" => "a table is applied by `table.apply();`",
        "valid" => "`header.isValid()` tells whether a header is there",
        "add_header" => "`header.setValid();` adds a header",
        "remove_header" => "`header.setInvalid();` removes a header",
        "modify_field" | "set_metadata" => "`field = value;` changes a field",
        "sizeof" => "`minSizeInBytes()` of a value tells its size",
        "printf" | "print" => "v1model has `log_msg(\"text {}\", { value });`",
        "NULL" | "null" | "nullptr" => "P4 has no pointers",
        _ => return None,
    })
}
