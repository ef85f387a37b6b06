//! The variables that the blocks of a pipe share.

use std::rc::Rc;

use arch::Parameter;

use super::Lowering;
use super::tree::{LValue, Leaf, Tree};
use crate::ast;

/// The headers, the metadata and the intrinsic metadata of one pipe.
pub(super) struct Shared {
    /// The prefix of the names of the pipe's entrances and metadata; empty if the program has one pipe.
    prefix: String,
    /// The variables by gress and by the role of the parameter. Only looked up.
    all: Vec<(&'static str, Parameter, LValue)>,
}

impl Shared {
    pub(super) fn of_pipe(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), all: Vec::new() }
    }

    /// Returns true if a gress has variables.
    pub(super) fn has(&self, gress: &str) -> bool {
        self.all.iter().any(|(own, ..)| *own == gress)
    }

    /// Returns the variables that are the argument for a parameter, and makes them if this is the first parameter of its
    /// role. The frame of the parameter's block must be the current one.
    pub(super) fn l_value<'a>(
        &mut self,
        lowering: &mut Lowering<'a>,
        gress: &'static str,
        role: Parameter,
        parameter: &'a ast::Parameter,
    ) -> LValue {
        // Intrinsic metadata has one name in all blocks, whichever of them may leave it out.
        let role = match role {
            Parameter::Packet => return Tree::Nothing,
            Parameter::Optional(group) => Parameter::Intrinsics(group),
            other => other,
        };
        if let Some((.., known)) = self.all.iter().find(|(own, of, _)| *own == gress && *of == role) {
            return known.clone();
        }
        let of = lowering.written(&parameter.parameter_type);
        let gress_prefix = if gress.is_empty() { String::new() } else { format!("{gress}.") };
        let name = format!("{}{gress_prefix}{}", self.prefix, parameter.name.text);
        let made = lowering.storage().make_l_value(&name, of, parameter.span);
        match role {
            Parameter::Metadata => lowering.objects().find_field_lists(&made, of),
            Parameter::Intrinsics(group) => self.name_intrinsics(lowering, group.name, &made),
            _ => {}
        }
        self.all.push((gress, role, made.clone()));
        made
    }

    /// Gives the fields of intrinsic metadata the names by which the machine finds them.
    fn name_intrinsics(&self, lowering: &mut Lowering<'_>, group: &'static str, made: &LValue) {
        let fields = match made {
            Tree::Struct(fields) => fields,
            Tree::Header(header) => &header.fields,
            _ => return,
        };
        let dot = if group.is_empty() { "" } else { "." };
        let named = fields.iter().filter_map(|(name, field): &(Rc<str>, LValue)| match field {
            Tree::Scalar(Leaf::Variable(variable)) => Some((format!("{}{group}{dot}{name}", self.prefix), *variable)),
            _ => None,
        });
        lowering.output.program.intrinsics.extend(named);
        // The metadata of an earlier pipe has the same names: externs find that of the pipe being written.
        lowering.switch.intrinsics.retain(|(own, _)| *own != group);
        lowering.switch.intrinsics.push((group, made.clone()));
    }
}
