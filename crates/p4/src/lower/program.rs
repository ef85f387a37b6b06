//! A whole program: from `main` to the blocks of the switch.

use std::collections::{HashMap, HashSet};

use arch::Architecture;
use diagnostics::{Diagnostic, Diagnostics};
use ir::Program;

use super::frame::Frame;
use super::{Lowering, limits, names, switch};
use crate::ast::{self, DeclarationKind};
use crate::check::{Called, Checked, Target};

/// What the instance of the package is called.
const MAIN: &str = "main";

/// A program in the IR, and what the control plane may know of it.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// Names, ids and types for the control plane.
    pub info: control::Info,
    /// What its author may not have meant.
    pub warnings: Diagnostics,
}

/// Writes a checked program down in the IR, as the switch of its architecture runs it.
///
/// # Errors
/// Everything that this front end cannot do, or that only shows when the program is put together, each with its place.
pub fn lower<'a>(program: &'a ast::Program, checked: Checked<'a>) -> Result<Lowered, Diagnostics> {
    lower_for(arch::ALL, program, checked)
}

/// Writes a checked program down in the IR, as the switch of its architecture runs it, which is one of these.
///
/// # Errors
/// As those of [`lower`].
pub fn lower_for<'a>(
    architectures: &[&'static Architecture],
    program: &'a ast::Program,
    checked: Checked<'a>,
) -> Result<Lowered, Diagnostics> {
    let mut checked = checked;
    let mut applied_again = HashSet::new();
    let package = main_of(program).and_then(|main| package_name(&checked, checked.nodes.instantiation(main)?));
    let known = architectures.iter().find(|known| package.as_deref() == Some(known.package));
    // A program for none of them is read as one for v1model, for its other mistakes are worth telling.
    let architecture = known.copied().unwrap_or(arch::USUAL);
    loop {
        let mut lowering = Lowering::new(architecture, checked, applied_again.clone());
        program.declarations.iter().for_each(|declaration| lowering.index(declaration, true));
        lowering.collect_errors(program);
        lowering.whole_program(program);
        // That an instance is applied a second time shows after the first application was written.
        if lowering.applied_again.is_subset(&applied_again) {
            return lowering.finish();
        }
        applied_again.extend(std::mem::take(&mut lowering.applied_again));
        checked = lowering.checked;
    }
}

impl<'a> Lowering<'a> {
    fn new(architecture: &'static Architecture, checked: Checked<'a>, known_applied_again: HashSet<String>) -> Self {
        Self {
            checked,
            found: Diagnostics::new(),
            program: Program { name: "main".to_owned(), ..Program::default() },
            declarations: HashMap::new(),
            actions: HashMap::new(),
            no_action: None,
            frames: vec![Frame::default()],
            blocks: vec![Vec::new()],
            names: names::Names::default(),
            functions: HashMap::new(),
            architecture,
            switch: switch::Switch::default(),
            limits: limits::Limits::unused(),
            known_applied_again,
            applied_again: HashSet::new(),
        }
    }

    /// Notes what a declaration defines, and the actions in it.
    fn index(&mut self, declaration: &'a ast::Declaration, is_top_level: bool) {
        if let Some(definition) = declaration.name().and_then(|name| self.checked.nodes.definition(name)) {
            if is_top_level {
                self.declarations.insert(definition, declaration);
            }
            if let DeclarationKind::Action(action) = &declaration.kind {
                self.actions.insert(definition, declaration);
                if is_top_level && &*action.name.text == "NoAction" {
                    self.no_action = Some(definition);
                }
            }
        }
        match &declaration.kind {
            DeclarationKind::Control(own) => own.locals.iter().for_each(|inner| self.index(inner, false)),
            DeclarationKind::Parser(own) => own.locals.iter().for_each(|inner| self.index(inner, false)),
            DeclarationKind::TypedefOfDeclaration(inner, _) => self.index(inner, is_top_level),
            _ => {}
        }
    }

    /// The errors that `core.p4` declares, by the numbers that executors know them by, then those of the program in
    /// their order (7.1.2).
    fn collect_errors(&mut self, program: &ast::Program) {
        let mut errors: Vec<String> = ir::CORE_ERRORS.iter().map(|&name| name.to_owned()).collect();
        for declaration in &program.declarations {
            if let DeclarationKind::Errors(names) = &declaration.kind {
                for name in names.iter().filter(|name| !ir::CORE_ERRORS.contains(&&*name.text)) {
                    errors.push(name.text.to_string());
                }
            }
        }
        self.program.errors = errors;
    }

    fn whole_program(&mut self, program: &'a ast::Program) {
        for declaration in &program.declarations {
            match &declaration.kind {
                DeclarationKind::Instantiation(node) if &*node.name.text == MAIN => {
                    self.describe_package(&declaration.annotations);
                }
                DeclarationKind::Instantiation(_) | DeclarationKind::Constant(_) => {
                    self.declaration_in_block(declaration);
                }
                _ => {}
            }
        }
        let architecture = self.architecture;
        let Some(main) = main_of(program) else {
            let message = "the program has no `main`";
            let error = match program.end {
                Some(end) => Diagnostic::error(end, message).label("it ends here"),
                None => Diagnostic::without_place(message),
            };
            let example = format!("`{}(...) main;`", architecture.package);
            self.found
                .push(error.hint(format!("it ends in an instance of the package of its architecture: {example}")));
            return;
        };
        self.describe_controller_headers(program);
        let Some(called) = self.checked.nodes.instantiation(main).cloned() else { return };
        match package_name(&self.checked, &called).as_deref() {
            Some(package) if package == architecture.package => {
                self.package(&called, &main.arguments, main.name.span);
            }
            Some(other) => {
                let message = format!("the architecture of the package `{other}` is not known here");
                let error = Diagnostic::error(main.instance_type.span, message).label("not supported");
                self.found
                    .push(error.hint(format!("programs for {} run: `{}`", architecture.name, architecture.package)));
            }
            None => self.error(main.instance_type.span, "`main` is an instance of a package"),
        }
    }

    /// What names and ids make impossible, where the last one of the name is declared.
    fn named_twice(&self, error: &control::IdentifierError) -> Diagnostic {
        let places = self.limits.named.get(error.name()).map_or(&[][..], Vec::as_slice);
        let Some((last, before)) = places.split_last() else { return Diagnostic::without_place(error.to_string()) };
        let found = Diagnostic::error(*last, error.to_string());
        let found = found.hint("`@name(\"text\")` gives a name, and `@id(number)` an id, that nothing else has");
        match before.last().filter(|first| *first != last) {
            Some(first) => found.related(*first, "the other one"),
            None => found,
        }
    }

    fn finish(mut self) -> Result<Lowered, Diagnostics> {
        self.tell_only_what_is_used();
        self.drop_unattached();
        self.switch.info.errors.clone_from(&self.program.errors);
        if let Err(errors) = self.switch.info.identify() {
            for error in errors {
                let finding = self.named_twice(&error);
                self.found.push(finding);
            }
        }
        if !self.found.has_errors() {
            self.require_shallow_calls();
        }
        if self.found.has_errors() {
            return Err(self.found);
        }
        Ok(Lowered { program: self.program, info: self.switch.info, warnings: self.found })
    }
}

fn main_of(program: &ast::Program) -> Option<&ast::Instantiation> {
    program.declarations.iter().rev().find_map(|declaration| match &declaration.kind {
        DeclarationKind::Instantiation(node) if &*node.name.text == MAIN => Some(node),
        _ => None,
    })
}

fn package_name(checked: &Checked<'_>, called: &Called) -> Option<String> {
    let Target::Constructor(of, _) = &called.target else { return None };
    let (definition, ..) = checked.types.named(*of)?;
    Some(checked.types.definitions.get(definition).name.to_string())
}
