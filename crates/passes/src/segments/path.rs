//! One path of all segments through a program.

use ir::{Program, VariableId};
use runtime::Bits;

use super::value::{Part, Value};
use super::{Analysis, MOST_PATHS, Obstacle, obstacle};

/// The state of a packet on a path.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// The values of all variables.
    pub(super) values: Vec<Value>,
    /// The number of bits that were extracted or skipped.
    pub(super) position: u32,
    /// What was emitted.
    pub(super) emitted: Vec<Part>,
    /// How the block that runs has ended.
    pub(super) ended: Ended,
    /// Whether a message was sent to the control plane.
    pub(super) has_sent: bool,
}

/// How a block, or the statements of one, have ended on a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The next statement follows.
    No,
    Break,
    Continue,
    Return,
    Exit,
    /// The parser rejected the packet with this error.
    Rejected(Value),
}

impl Path {
    /// Returns a path that begins: variables without a value are 0.
    pub(super) fn new(program: &Program) -> Self {
        let zero = |variable: &ir::Variable| Value::Constant(Bits::zero(variable.ty.width()));
        let values = program.variables.iter().map(zero).collect();
        Self { values, position: 0, emitted: Vec::new(), ended: Ended::No, has_sent: false }
    }

    /// Returns the path with another ending.
    pub(super) fn ending(mut self, ended: Ended) -> Self {
        self.ended = ended;
        self
    }

    /// Returns the known value of a variable as a number.
    pub(super) fn known(&self, variable: VariableId) -> Option<u64> {
        match &self.values[variable.index()] {
            Value::Constant(bits) => bits.to_u64(),
            _ => None,
        }
    }
}

impl Analysis<'_> {
    /// Joins paths that differ only in values of variables other than those that say which headers there are, which the
    /// deparser must know.
    pub(super) fn merged(&mut self, paths: Vec<Path>) -> Result<Vec<Path>, Obstacle> {
        let headers = self.program.headers.iter().flat_map(|header| {
            let lengths = header.fields.iter().filter_map(|field| field.length);
            [header.valid].into_iter().chain(lengths)
        });
        let telling: Vec<VariableId> = headers.chain(self.program.stacks.iter().map(|stack| stack.next)).collect();
        let mut merged: Vec<Path> = Vec::new();
        for path in paths {
            let same = merged.iter().position(|other| {
                (&other.ended, other.position, &other.emitted) == (&path.ended, path.position, &path.emitted)
                    && other.has_sent == path.has_sent
                    && telling.iter().all(|at| other.values[at.index()] == path.values[at.index()])
            });
            match same {
                Some(other) => {
                    let other = &mut merged[other];
                    for (at, value) in path.values.into_iter().enumerate() {
                        if other.values[at] != value {
                            let width = self.program.variables[at].ty.width();
                            let varies = |value: &Value| value.varies(width, &self.shape);
                            let differs = varies(&other.values[at]) || varies(&value);
                            other.values[at] = if differs { Value::Varying } else { self.unknown() };
                        }
                    }
                }
                None if merged.len() == MOST_PATHS => {
                    return Err(obstacle("the program", "it has too many paths to be followed"));
                }
                None => merged.push(path),
            }
        }
        Ok(merged)
    }
}
