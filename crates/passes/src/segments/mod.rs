//! Proof that a program treats all segments of a superframe alike.
//!
//! A superframe is a packet that is still to be cut into segments: up to 64 KB of a TCP connection or of UDP datagrams
//! with one set of headers, as Linux hands it to a packet socket. A program means what it means packet by packet, so
//! that it must see the segments, unless one run on the superframe does the same: the same verdict and ports for all,
//! headers from which the same segments can be cut afterwards, and the same state at the end.
//!
//! The pass runs the program on abstract values (`value::Value`): constants, bits of the packet as they arrived,
//! values that are unknown but the same for all segments, the length of the packet, and values that differ. It follows
//! every path that the segments may take together (`path::Path`). A path on which the segments could part, on which
//! state is changed that a later segment sees, or on which bytes leave that cutting would not make, is an
//! [`Obstacle`]: the statement and why it stands against it.
//!
//! The proof holds for packets of one [`Shape`] whose IPv4 header checksum and length fields are right. Counters and
//! digests are no obstacle: whoever runs the program counts as many packets and bytes, and sends as many messages, as there
//! are segments.

mod checksum;
mod evaluate;
mod leaving;
mod parser;
mod path;
mod shape;
mod statements;
mod tables;
mod value;

use std::collections::BTreeMap;
use std::fmt;

use arch::{Architecture, Instance, IntrinsicValue, Stage};
use ir::{Block, Program, RegisterId, Statement, VariableId};
use runtime::Bits;

use path::{Ended, Path};
pub use shape::Shape;
use value::Value;

/// The most paths that are followed at once.
const MOST_PATHS: usize = 256;
/// The most statements that are run on one path or another.
const MOST_STEPS: usize = 50_000;

/// A reason why a superframe must be cut into segments in front of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The statement or the part of the program, as text of the IR.
    pub place: String,
    /// What it does that differs between segments.
    pub reason: String,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.place, self.reason)
    }
}

/// Proves that a program treats all segments of every superframe of a shape alike: that it may run once on the
/// superframe, which is cut behind it.
///
/// # Errors
/// Returns the first obstacle if there is one, or if the pass cannot see that there is none.
pub fn treats_alike(program: &Program, architecture: &Architecture, shape: Shape) -> Result<(), Obstacle> {
    Analysis::new(program, shape).run(architecture)
}

/// The analysis of one program for one shape of packets.
struct Analysis<'p> {
    program: &'p Program,
    shape: Shape,
    /// The number of unknown values so far, which gives each a name.
    unknown: u32,
    /// The registers that were read.
    read: Vec<bool>,
    /// The registers that were written, with the text of the first statement that did.
    written: BTreeMap<RegisterId, String>,
    /// A value that is drawn at random for each packet, as text, if there is one.
    drawn: Option<String>,
    /// Whether the blocks behind the queue are followed, which run for each copy of a packet.
    is_behind_queue: bool,
    steps: usize,
}

impl<'p> Analysis<'p> {
    fn new(program: &'p Program, shape: Shape) -> Self {
        let read = vec![false; program.registers.len()];
        let written = BTreeMap::new();
        Self { program, shape, unknown: 0, read, written, drawn: None, is_behind_queue: false, steps: 0 }
    }

    fn run(mut self, architecture: &Architecture) -> Result<(), Obstacle> {
        if architecture.passes_bytes_to_egress() {
            return Err(obstacle(
                "the program",
                "bytes cross between its gresses, and what lies in front of them differs",
            ));
        }
        let points = architecture.metadata_of(self.program);
        let stage = |stage| architecture.stage(self.program, stage).map_err(|reason| obstacle("the program", reason));
        let mut path = Path::new(self.program);
        self.tell(architecture, &points.before_parser, &mut path);
        let mut paths = vec![path];
        for (_, block) in stage(Stage::Parser)? {
            paths = self.blocks(block, paths)?;
        }
        for path in &mut paths {
            self.tell(architecture, &points.after_parser, path);
            path.ended = Ended::No;
        }
        for (_, block) in stage(Stage::Ingress)? {
            paths = self.blocks(block, paths)?;
        }
        self.destined(architecture, &paths)?;
        for path in &mut paths {
            for point in [&points.after_ingress, &points.before_queue, &points.before_egress] {
                self.tell(architecture, point, path);
            }
            let of_copy = architecture.copy.into_iter().chain(architecture.field(IntrinsicValue::Instance));
            for variable in of_copy.filter_map(|field| self.program.intrinsic(field)) {
                path.values[variable.index()] = self.unknown();
            }
        }
        self.is_behind_queue = true;
        for (_, block) in stage(Stage::Egress)? {
            paths = self.blocks(block, paths)?;
        }
        self.destined(architecture, &paths)?;
        for (_, block) in stage(Stage::Deparser)? {
            paths = self.blocks(block, paths)?;
        }
        paths.iter().try_for_each(|path| self.leaves_well(path))?;
        if let Some(drawn) = self.drawn {
            return Err(obstacle(drawn, "each segment draws a number of its own"));
        }
        match self.written.into_iter().find(|(register, _)| self.read[register.index()]) {
            Some((_, place)) => Err(obstacle(place, "the next segment reads the register that this one has written")),
            None => Ok(()),
        }
    }

    /// Runs a block on every path and begins the next one behind it, however it ended.
    fn blocks(&mut self, block: Block, paths: Vec<Path>) -> Result<Vec<Path>, Obstacle> {
        let mut after = match block {
            Block::Parser(parser) => self.parse(parser, paths)?,
            Block::Function(function) => self.function(function, paths)?,
        };
        if matches!(block, Block::Function(_)) {
            after.iter_mut().for_each(|path| path.ended = Ended::No);
        }
        self.merged(after)
    }

    /// Sets what the switch tells the program at a point of a packet's way.
    fn tell(&mut self, architecture: &Architecture, point: &[(VariableId, IntrinsicValue)], path: &mut Path) {
        for &(variable, value) in point {
            let width = self.width(variable);
            path.values[variable.index()] = match value {
                IntrinsicValue::Length if width > 16 => Value::Length(0),
                // The length in egress depends on the headers that ingress added.
                IntrinsicValue::Length | IntrinsicValue::LengthInEgress => Value::Varying,
                IntrinsicValue::Constant(value) => Value::Constant(Bits::from_u64(value, width)),
                IntrinsicValue::Instance => {
                    Value::Constant(Bits::from_u64(architecture.instance(Instance::Normal), width))
                }
                IntrinsicValue::ParserError => match &path.ended {
                    Ended::Rejected(error) => error.clone(),
                    _ => Value::Constant(Bits::zero(width)),
                },
                // Segments arrive together, and pass the switch without waiting for each other.
                IntrinsicValue::ArrivalPort
                | IntrinsicValue::DeparturePort
                | IntrinsicValue::Time
                | IntrinsicValue::Nanoseconds
                | IntrinsicValue::ParserErrorBits(_)
                | IntrinsicValue::QueueDepth
                | IntrinsicValue::QueueTime
                | IntrinsicValue::AfterDropPort => self.unknown(),
            };
        }
    }

    /// Requires that all segments have one destination.
    fn destined(&self, architecture: &Architecture, paths: &[Path]) -> Result<(), Obstacle> {
        let flag = match architecture.drop {
            arch::Drop::Flag(field) => Some(field),
            arch::Drop::Port => None,
        };
        let fields = [Some(architecture.destination), architecture.group, flag];
        for variable in fields.into_iter().flatten().filter_map(|field| self.program.intrinsic(field)) {
            if paths.iter().any(|path| self.varies(variable, path)) {
                let name = ir::print::variable(self.program, variable).to_string();
                return Err(obstacle(name, "the destination differs between segments"));
            }
        }
        Ok(())
    }

    /// Returns a value that is not known, but the same for all segments.
    fn unknown(&mut self) -> Value {
        self.unknown += 1;
        Value::Uniform(self.unknown)
    }

    /// Returns whether a variable may differ between segments.
    fn varies(&self, variable: VariableId, path: &Path) -> bool {
        path.values[variable.index()].varies(self.width(variable), &self.shape)
    }

    fn width(&self, variable: VariableId) -> u32 {
        self.program.variable(variable).ty.width()
    }

    /// Returns the obstacle that a statement is.
    fn stands(&self, statement: &Statement, reason: impl Into<String>) -> Obstacle {
        let text = ir::print::statement(self.program, statement).to_string();
        // Of a statement with blocks the first line says enough.
        obstacle(text.lines().next().unwrap_or_default(), reason)
    }
}

fn obstacle(place: impl Into<String>, reason: impl Into<String>) -> Obstacle {
    Obstacle { place: place.into(), reason: reason.into() }
}
