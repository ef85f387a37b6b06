//! The smallest machine that would hold a program that does not fit the given one.
//!
//! It tells the author of a program how much is missing. A limit of a stage is raised only as far as a single part of
//! the program needs; everything else is spread over more stages. The result is the machine closest to the one that was
//! asked for, and the program is actually laid out for it before it is reported.

use std::fmt;

use atoms::Template;
use ir::Program;

use crate::layout::{self, Layout};
use crate::schedule;
use crate::stage_use::{Limit, least_use};
use crate::target::{ANY_ATOM, Target};
use crate::units::Unit;
use crate::{address_resolution, report};

/// A machine that holds a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smallest {
    /// The resources of the machine.
    pub target: Target,
    /// The limits that were raised, compared with the machine that was asked for.
    pub raised: Vec<Limit>,
    /// Whether its stateful atoms differ from those of the machine that was asked for.
    pub has_other_atoms: bool,
    /// The operations that its stateless atoms support in addition to those of the machine that was asked for.
    pub operations: Vec<&'static str>,
}

/// A number of stages larger than any program needs.
const UNLIMITED: u32 = u32::MAX - 1;

/// Returns the smallest machine for units whose updates need the given atom; `None` if no machine holds them.
pub(crate) fn smallest(
    program: &Program,
    units: &[Unit],
    atom: &str,
    target: &Target,
    layout: &Layout,
) -> Option<Smallest> {
    let mut found = Smallest {
        target: Target { depth: UNLIMITED, atom: atom.to_owned(), ..target.clone() },
        raised: Vec::new(),
        has_other_atoms: atom != target.atom,
        operations: schedule::lacking_operations(program, units, target),
    };
    found.target.operations.grant(&found.operations);
    for limit in Limit::PER_STAGE.into_iter().filter(|limit| limit.concerns(target.kind)) {
        let needed = units.iter().map(|unit| least_use(program, unit).of(limit)).max().unwrap_or(0);
        if needed > limit.offered(target) {
            limit.set(&mut found.target, u32::try_from(needed).ok()?);
            found.raised.push(limit);
        }
    }
    found.target.depth = depth_in(program, units, &found.target, layout)?;
    Some(found)
}

/// Returns the minimum number of stages in which the units fit, if `target` can hold them at all.
fn depth_in(program: &Program, units: &[Unit], target: &Target, layout: &Layout) -> Option<u32> {
    if !schedule::impossible(program, units, target).is_empty() {
        return None;
    }
    match layout {
        Layout::Single => u32::try_from(layout::single(program, units, target).ok()?.0.depth()).ok(),
        Layout::Steered { flow_order } => address_resolution::least_depth(program, units.to_vec(), target, flow_order),
    }
}

/// Returns an atom that can replace all of the given ones: the most powerful if they lie on one chain, and otherwise
/// the unlimited one. `None` if there are none.
pub(crate) fn atom_for<'a>(needed: impl Iterator<Item = &'a str>) -> Option<String> {
    let place = |name: &str| Template::CHAIN.iter().position(|template| template.name() == name);
    needed.map(str::to_owned).reduce(|a, b| match (place(&a), place(&b)) {
        _ if a == b => a,
        (Some(in_a), Some(in_b)) => {
            if in_a > in_b {
                a
            } else {
                b
            }
        }
        _ => ANY_ATOM.to_owned(),
    })
}

impl fmt::Display for Smallest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Target { depth, atom, .. } = &self.target;
        write!(f, "a machine of {depth} {}", if *depth == 1 { "stage" } else { "stages" })?;
        let mut with: Vec<String> = self
            .raised
            .iter()
            .map(|&limit| format!("{} per stage", limit.quantity(limit.offered(&self.target))))
            .collect();
        if self.has_other_atoms {
            with.push(format!("the atom `{atom}`"));
        }
        with.extend(self.operations.iter().map(|&operation| operation.to_owned()));
        if !with.is_empty() {
            write!(f, " with {}", report::enumeration(&with))?;
        }
        f.write_str(" would hold it")
    }
}
