//! Lowering of a whole program, from `main` to the blocks of the switch.

use std::collections::HashSet;

use arch::{Architecture, Standing};
use diagnostics::{Diagnostic, Diagnostics};
use ir::Program;

use super::names::UniqueNames;
use super::shared::Alias;
use super::{Applications, Declarations, Limits, Lowering, Output, PackageWriter, Restrictions, Scopes, Switch};
use crate::ast::{self, DeclarationKind};
use crate::check::{Called, Checked, Nodes, Target};
use crate::findings::Findings;
use crate::types::Types;

/// The name of the instance of the package.
const MAIN: &str = "main";

/// A program in the IR, with its description for the control plane.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// The names, ids and types that the control plane may use.
    pub info: control::Info,
    /// Warnings about code that its author may not have meant.
    pub warnings: Diagnostics,
}

/// Translates a checked program into the IR, for any architecture that is known.
///
/// # Errors Returns a diagnostic for each construct that is not supported, and for each error that only shows once
/// instances are expanded.
pub fn lower<'a>(program: &'a ast::Program, checked: Checked<'a>) -> Result<Lowered, Diagnostics> {
    lower_for(arch::ALL, program, checked)
}

/// Translates a checked program into the IR, for one of these architectures.
///
/// # Errors Returns the same diagnostics as [`lower`].
pub fn lower_for<'a>(
    architectures: &[&'static Architecture],
    program: &'a ast::Program,
    checked: Checked<'a>,
) -> Result<Lowered, Diagnostics> {
    let mut applied_again = HashSet::new();
    let package = main_of(program).and_then(|main| package_name(&checked.types, checked.nodes.instantiation(main)?));
    let has_package =
        |own: &&&'static Architecture| package.as_deref().is_some_and(|name| own.package_named(name).is_some());
    let known: Vec<&'static Architecture> = architectures.iter().filter(has_package).copied().collect();
    let names: HashSet<&str> = program.declarations.iter().filter_map(|own| Some(&*own.name()?.text)).collect();
    // A program for an unknown architecture is lowered as one for v1model, to report its other errors too.
    let architecture = arch::of_declarations(&known, |name| names.contains(name)).unwrap_or(arch::USUAL);
    let Checked { mut types, mut nodes } = checked;
    loop {
        let mut lowering = Lowering::new(architecture, types, nodes, applied_again.clone());
        for declaration in &program.declarations {
            lowering.declarations.index(&lowering.nodes, declaration, true);
        }
        lowering.output.program.errors = errors_of(program);
        PackageWriter { lowering: &mut lowering }.whole_program(program);
        // A second application of an instance is only found after the first one was written.
        if lowering.applications.repeated.is_subset(&applied_again) {
            return lowering.finish();
        }
        applied_again.extend(lowering.applications.repeated);
        (types, nodes) = (lowering.types, lowering.nodes);
    }
}

impl<'a> Lowering<'a> {
    fn new(
        architecture: &'static Architecture,
        types: Types,
        nodes: Nodes<'a>,
        known_repeated: HashSet<String>,
    ) -> Self {
        Self {
            types,
            nodes,
            found: Findings::new(),
            limits: Limits::unused(),
            declarations: Declarations::default(),
            scopes: Scopes::new(),
            output: Output {
                program: Program { name: "main".to_owned(), ..Program::default() },
                names: UniqueNames::default(),
                pads_headers: architecture.passes_bytes_to_egress(),
            },
            blocks: vec![Vec::new()],
            applications: Applications { known_repeated, ..Applications::default() },
            architecture,
            switch: Switch::default(),
            info: control::Info::default(),
            restrictions: Restrictions::default(),
            residues: Vec::new(),
        }
    }

    fn finish(mut self) -> Result<Lowered, Diagnostics> {
        self.switch.accesses.check(&self.output.program, &mut self.found);
        self.objects().hide_unused();
        self.objects().drop_unattached();
        self.info.errors.clone_from(&self.output.program.errors);
        if let Err(errors) = self.info.identify() {
            for error in errors {
                let finding = self.limits.named_twice(&error);
                self.found.report(finding);
            }
        }
        if !self.found.has_errors() {
            self.limits.require_shallow_calls(&mut self.found, &self.output.program);
        }
        if self.found.has_errors() {
            return Err(self.found.into_diagnostics());
        }
        self.restrictions.check(&self.info, &mut self.found);
        Ok(Lowered { program: self.output.program, info: self.info, warnings: self.found.into_diagnostics() })
    }
}

impl<'a> PackageWriter<'_, 'a> {
    fn whole_program(&mut self, program: &'a ast::Program) {
        for declaration in &program.declarations {
            match &declaration.kind {
                DeclarationKind::Instantiation(node) if &*node.name.text == MAIN => {
                    self.lowering.control_plane().describe_package(&declaration.annotations);
                }
                DeclarationKind::Instantiation(_) | DeclarationKind::Constant(_) => {
                    self.lowering.declaration_in_block(declaration);
                }
                _ => {}
            }
        }
        let architecture = self.lowering.architecture;
        let Some(main) = main_of(program) else {
            let message = "the program has no `main`";
            let error = match program.end {
                Some(end) => Diagnostic::error(end, message).label("it ends here"),
                None => Diagnostic::without_place(message),
            };
            let example = format!("`{}(...) main;`", architecture.packages[0].name);
            self.lowering
                .found
                .report(error.hint(format!("it ends in an instance of the package of its architecture: {example}")));
            return;
        };
        self.judge_annotations();
        self.find_aliases(program);
        self.lowering.control_plane().describe_controller_headers(program);
        let Some(called) = self.lowering.nodes.instantiation(main).cloned() else { return };
        let Some(name) = package_name(&self.lowering.types, &called) else {
            return self.lowering.found.error(main.instance_type.span, "`main` is an instance of a package");
        };
        match architecture.package_named(&name) {
            Some(package) => self.package(package, &called, &main.arguments, main.name.span),
            None => {
                let message = format!("the architecture of the package `{name}` is not known here");
                let error = Diagnostic::error(main.instance_type.span, message).label("not supported");
                let known =
                    arch::ALL.iter().map(|own| format!("programs for {} run: `{}`", own.name, own.packages[0].name));
                self.lowering.found.report(error.hint(known.collect::<Vec<_>>().join("; ")));
            }
        }
    }
}

impl<'a> PackageWriter<'_, 'a> {
    /// Warns of annotations that compilers for the architecture do not know, once for each name, and refuses those that change
    /// what the program means but are not obeyed.
    fn judge_annotations(&mut self) {
        let architecture = self.lowering.architecture;
        let mut told: HashSet<&str> = HashSet::new();
        for own in self.lowering.nodes.annotations() {
            let name = &*own.name.text;
            match architecture.annotation(name) {
                Some(Standing::Honoured | Standing::WithoutMeaning) => {}
                Some(Standing::Refused) => {
                    let message = format!("`@{name}` changes what the program means, and is not implemented");
                    self.lowering.found.report(Diagnostic::error(own.span, message).label("not supported"));
                }
                None if told.insert(name) => {
                    let message = format!("compilers for {} do not know `@{name}`", architecture.name);
                    self.lowering.found.report(Diagnostic::warning(own.span, message).hint("it is ignored"));
                }
                None => {}
            }
        }
    }

    /// Collects the annotations that make fields one variable, in an architecture whose compilers know them.
    fn find_aliases(&mut self, program: &'a ast::Program) {
        let Some(name) = self.lowering.architecture.alias_annotation else { return };
        let annotations = program.declarations.iter().flat_map(|declaration| &declaration.annotations);
        for own in annotations.filter(|own| &*own.name.text == name) {
            match own.texts().as_slice() {
                [gress, fields @ ..] if fields.len() > 1 => {
                    let fields = fields.iter().map(|field| (*field).to_owned()).collect();
                    self.lowering.switch.aliases.push(Alias { gress: (*gress).to_owned(), fields });
                }
                _ => {
                    let message = format!("`@{name}` takes a gress and the names of fields");
                    self.lowering.found.error(own.span, message);
                }
            }
        }
    }
}

/// Returns the errors of `core.p4`, in the order of the numbers that executors use, and then those of the program in
/// their order (7.1.2).
fn errors_of(program: &ast::Program) -> Vec<String> {
    let mut errors: Vec<String> = ir::CORE_ERRORS.iter().map(|&name| name.to_owned()).collect();
    for declaration in &program.declarations {
        if let DeclarationKind::Errors(names) = &declaration.kind {
            for name in names.iter().filter(|name| !ir::CORE_ERRORS.contains(&&*name.text)) {
                errors.push(name.text.to_string());
            }
        }
    }
    errors
}

fn main_of(program: &ast::Program) -> Option<&ast::Instantiation> {
    program.declarations.iter().rev().find_map(|declaration| match &declaration.kind {
        DeclarationKind::Instantiation(node) if &*node.name.text == MAIN => Some(node),
        _ => None,
    })
}

fn package_name(types: &Types, called: &Called) -> Option<String> {
    let Target::Constructor(of, _) = &called.target else { return None };
    let (definition, ..) = types.named(*of)?;
    Some(types.definitions.get(definition).name.to_string())
}
