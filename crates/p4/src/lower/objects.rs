//! Instances of externs: their state in the IR, and their description for the control plane.

use super::arguments::{Constructed, known_number};
use super::frame::Argument;
use super::{ControlPlane, Declarations, Output, Restrictions, Shapes, Switch};
use crate::check::Nodes;

/// Makes the instances of externs, which are known at compile time: no statement is written here.
pub(super) struct Objects<'c, 'a> {
    pub shapes: Shapes<'c>,
    pub nodes: &'c Nodes<'a>,
    pub declarations: &'c Declarations<'a>,
    pub info: &'c mut control::Info,
    pub restrictions: &'c mut Restrictions,
    pub output: &'c mut Output,
    pub switch: &'c mut Switch,
    pub architecture: &'static arch::Architecture,
}

impl<'a> Objects<'_, 'a> {
    /// Lends out what the description for the control plane needs.
    pub(super) fn control_plane(&mut self) -> ControlPlane<'_, 'a> {
        let shapes = self.shapes.lend();
        ControlPlane {
            shapes,
            nodes: self.nodes,
            declarations: self.declarations,
            info: self.info,
            restrictions: self.restrictions,
        }
    }

    /// Returns the number that is the argument for a parameter of the constructor.
    pub(super) fn constructed_number(&mut self, constructed: &Constructed<'_, 'a>, parameter: usize) -> Option<u64> {
        match constructed.given.get(parameter) {
            Some(Some(Argument::Value(value))) => known_number(self.output, self.shapes.found, value, constructed.span),
            _ => None,
        }
    }

    /// Returns the number that is the argument for a parameter of the constructor, or `None` if it is left out or not a
    /// number.
    pub(super) fn constructed_number_if_given(
        &mut self,
        constructed: &Constructed<'_, 'a>,
        parameter: usize,
    ) -> Option<u64> {
        match constructed.given.get(parameter) {
            Some(Some(Argument::Value(value))) => self.output.known_bits(value.scalar()?)?.to_u64(),
            _ => None,
        }
    }

    /// Returns the size that is the argument for a parameter of the constructor, or reports one that is too large.
    pub(super) fn constructed_size(&mut self, constructed: &Constructed<'_, 'a>, parameter: usize, most: u32) -> u32 {
        let size = self.constructed_number(constructed, parameter).unwrap_or(0);
        if size > u64::from(most) {
            self.shapes
                .found
                .error(constructed.span, format!("`{}` has {size} places; the most is {most}", constructed.name));
            return 1;
        }
        size as u32
    }
}
