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
    all: Vec<SharedVariables>,
    /// The fields that get the value of another at the end of the gress's control, since they share its place but not its
    /// width: the gress, the field that is read, and the one that is written.
    copies: Vec<(String, Leaf, Leaf)>,
}

/// The variables that are the argument for parameters of one role in the blocks of one gress.
struct SharedVariables {
    gress: &'static str,
    role: Parameter,
    /// The name of the parameter for which they were made, which is that of the gress's control.
    name: Rc<str>,
    l_value: LValue,
}

/// Fields that a program wants to be one variable (`@pa_alias`).
pub(super) struct Alias {
    pub gress: String,
    /// The fields, such as `local_md.egress_port`, of parameters of the gress's control.
    pub fields: Vec<String>,
}

impl Shared {
    pub(super) fn of_pipe(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), all: Vec::new(), copies: Vec::new() }
    }

    /// Returns true if a gress has variables.
    pub(super) fn has(&self, gress: &str) -> bool {
        self.all.iter().any(|own| own.gress == gress)
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
        if let Some(known) = self.all.iter().find(|own| own.gress == gress && own.role == role) {
            return known.l_value.clone();
        }
        let is_intrinsic = matches!(role, Parameter::Intrinsics(_));
        if let Some(known) = self.all.iter().find(|own| is_intrinsic && own.role == role) {
            // What a switch tells blocks of several gresses is one thing, and so are its names.
            let (name, l_value) = (Rc::clone(&parameter.name.text), known.l_value.clone());
            self.all.push(SharedVariables { gress, role, name, l_value: l_value.clone() });
            return l_value;
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
        let name = Rc::clone(&parameter.name.text);
        self.all.push(SharedVariables { gress, role, name, l_value: made.clone() });
        made
    }

    /// Makes fields of the gress that an alias names one variable, that of its last field that is intrinsic metadata, or of
    /// its first.
    pub(super) fn alias(&mut self, lowering: &mut Lowering<'_>, alias: &Alias) {
        let places: Vec<Option<usize>> = alias.fields.iter().map(|field| self.place(&alias.gress, field)).collect();
        let leaf = |place: Option<usize>, field: &str| {
            let (_, path) = field.split_once('.')?;
            path.split('.').try_fold(&self.all[place?].l_value, |tree, part| tree.part(part))?.scalar().cloned()
        };
        let leaves = places.iter().zip(&alias.fields).map(|(place, field)| leaf(*place, field));
        let leaves: Vec<Option<Leaf>> = leaves.collect();
        // Aliases often name fields of a gress, or of a variant of the program, that is not there.
        let Some(leaves) = leaves.into_iter().collect::<Option<Vec<_>>>() else { return };
        let is_intrinsic = |place: &&Option<usize>| {
            place.is_some_and(|place| matches!(self.all[place].role, Parameter::Intrinsics(_)))
        };
        let chosen = places.iter().rposition(|place| is_intrinsic(&place)).unwrap_or(0);
        let kept = leaves[chosen].clone();
        let kept_type = lowering.output.leaf_type(&kept);
        for ((place, field), leaf) in places.into_iter().zip(&alias.fields).zip(leaves) {
            let (Some(place), Some((_, path))) = (place, field.split_once('.')) else { continue };
            if lowering.output.leaf_type(&leaf) == kept_type {
                replace(&mut self.all[place].l_value, path, &kept);
            } else {
                self.copies.push((alias.gress.clone(), leaf, kept.clone()));
            }
        }
    }

    /// Returns the statements that give fields of a gress the value of others that share their place.
    pub(super) fn copies(&self, lowering: &mut Lowering<'_>, gress: &str) -> Vec<ir::Statement> {
        let own = self.copies.iter().filter(|(own, ..)| own == gress);
        lowering.block_of(|lowering| {
            for (_, from, to) in own {
                let value = lowering.output.cast(from.read(), lowering.output.leaf_type(to));
                lowering.writer().assign_leaf(to, value);
            }
        })
    }

    /// Returns the variables of which a field is a part.
    fn place(&self, gress: &str, field: &str) -> Option<usize> {
        let (parameter, _) = field.split_once('.')?;
        self.all.iter().position(|own| own.gress == gress && *own.name == *parameter)
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

/// Replaces the scalar at a path.
fn replace(tree: &mut LValue, path: &str, leaf: &Leaf) {
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    let parts = match tree {
        Tree::Struct(parts) => parts,
        Tree::Header(header) => &mut header.fields,
        _ => return,
    };
    let Some((_, part)) = parts.iter_mut().find(|(name, _)| &**name == first) else { return };
    match rest {
        Some(rest) => replace(part, rest, leaf),
        None => *part = Tree::Scalar(leaf.clone()),
    }
}
