//! Translation of the checked syntax tree into the IR, with one copy of the code for each instance and one variable for
//! each scalar.
//!
//! Controls, actions and functions become functions of the IR whose parameters are variables; arguments are copied in
//! before a call and copied out after it (6.8). Structs, headers, header unions and stacks become variables, one for
//! each scalar in them ([`tree`]). Expressions of the IR have no side effects: calls in an expression become statements
//! before it, in the order of evaluation (8.1).
//!
//! [`Lowering`] owns the parts and goes through expressions, statements and instances. It lends the parts out:
//! [`Shapes`] knows types, [`Storage`] gives them variables, [`Writer`] appends statements, [`ControlPlane`] describes
//! the program to a controller, and [`Objects`] makes the instances of externs. [`ExternCall`], [`TableWriter`],
//! [`ParserWriter`] and [`PackageWriter`] each write one such thing by way of [`Lowering`].

mod annotations;
mod arguments;
mod assign;
mod builtins;
mod calls;
mod constants;
mod control_plane;
mod controls;
mod convert;
mod declarations;
mod entries;
mod expressions;
mod externs;
mod frame;
mod functions;
mod info;
mod key_names;
mod l_values;
mod layout;
mod limits;
mod names;
mod new_types;
mod objects;
mod operators;
mod output;
mod package;
mod package_info;
mod packets;
mod parser_instances;
mod parsers;
mod program;
mod register_accesses;
mod restrictions;
mod scopes;
mod selections;
mod selectors;
mod shapes;
mod shared;
mod stacks;
mod statements;
mod storage;
mod switch;
mod table_actions;
mod tables;
mod tree;
mod visibility;
mod writer;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use arch::Architecture;
use diagnostics::Span;
use ir::Statement;

use crate::ast;
use crate::check::Nodes;
use crate::findings::Findings;
use crate::types::{Definition, Type, Types};
use control_plane::ControlPlane;
use declarations::Declarations;
use externs::ExternCall;
use limits::Limits;
use objects::Objects;
use output::Output;
use package::PackageWriter;
use parsers::ParserWriter;
pub use program::{Lowered, lower, lower_for};
use restrictions::Restrictions;
use scopes::Scopes;
use shapes::Shapes;
use storage::Storage;
use switch::Switch;
use tables::TableWriter;
use writer::Writer;

/// The functions that were written, and the instances that are applied more than once.
#[derive(Default)]
struct Applications {
    /// The functions of the top level that were written, by their definitions and type arguments.
    functions: HashMap<(Definition, Vec<Type>), Rc<functions::Lowered>>,
    /// Instances that are applied in more than one place, as an earlier attempt found out.
    known_repeated: HashSet<String>,
    /// Instances that this attempt found to be applied in more than one place.
    repeated: HashSet<String>,
}

/// Translates a checked program into the IR.
struct Lowering<'a> {
    types: Types,
    nodes: Nodes<'a>,
    found: Findings,
    limits: Limits,
    declarations: Declarations<'a>,
    scopes: Scopes<'a>,
    output: Output,
    /// The statements being written: the innermost block is the last.
    blocks: Vec<Vec<Statement>>,
    applications: Applications,
    /// The architecture that the program is written for.
    architecture: &'static Architecture,
    /// The parts that the blocks of the switch share.
    switch: Switch,
    /// The description for the control plane.
    info: control::Info,
    /// The places where the constraints on entries are written.
    restrictions: Restrictions,
    /// The places in the parser state being written where all that is extracted later is to be subtracted from a checksum.
    residues: Vec<Span>,
}

impl<'a> Lowering<'a> {
    /// Lends out what questions about types need.
    fn shapes(&mut self) -> Shapes<'_> {
        Shapes::new(self.architecture, &mut self.types, &self.scopes, &mut self.limits, &mut self.found)
    }

    /// Lends out what values and variables need.
    fn storage(&mut self) -> Storage<'_> {
        let shapes = Shapes::new(self.architecture, &mut self.types, &self.scopes, &mut self.limits, &mut self.found);
        Storage { shapes, output: &mut self.output }
    }

    /// Lends out what statements need.
    fn writer(&mut self) -> Writer<'_> {
        Writer {
            output: &mut self.output,
            blocks: &mut self.blocks,
            limits: &mut self.limits,
            found: &mut self.found,
            path: self.scopes.path(),
        }
    }

    /// Lends out what the description for the control plane needs.
    fn control_plane(&mut self) -> ControlPlane<'_, 'a> {
        let shapes = Shapes::new(self.architecture, &mut self.types, &self.scopes, &mut self.limits, &mut self.found);
        ControlPlane {
            shapes,
            nodes: &self.nodes,
            declarations: &self.declarations,
            info: &mut self.info,
            restrictions: &mut self.restrictions,
        }
    }

    /// Lends out what instances of externs need.
    fn objects(&mut self) -> Objects<'_, 'a> {
        let shapes = Shapes::new(self.architecture, &mut self.types, &self.scopes, &mut self.limits, &mut self.found);
        Objects {
            shapes,
            nodes: &self.nodes,
            declarations: &self.declarations,
            info: &mut self.info,
            restrictions: &mut self.restrictions,
            output: &mut self.output,
            switch: &mut self.switch,
            architecture: self.architecture,
        }
    }

    /// Returns the type that a type expression denotes here.
    fn written(&mut self, node: &'a ast::Type) -> Type {
        let of = self.nodes.written_type(node).unwrap_or(crate::types::Types::UNKNOWN);
        self.shapes().resolve(of)
    }

    /// Returns the statements that `write` writes.
    fn block_of(&mut self, write: impl FnOnce(&mut Self)) -> Vec<Statement> {
        self.blocks.push(Vec::new());
        write(self);
        self.blocks.pop().expect("pushed above")
    }
}
