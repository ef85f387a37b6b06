//! Parsers, run on paths.

use ir::parser::{Next, Set, Transition};
use ir::{ErrorId, Expression, HeaderReference, ParserId, Statement};
use runtime::Bits;

use super::path::{Ended, Path};
use super::value::Value;
use super::{Analysis, Obstacle, obstacle};

/// The most states through which a path goes; a parser that loops longer is not followed.
const MOST_STATES: usize = 256;

/// Returns a number of 32 bits, as errors and lengths are.
fn word(value: u32) -> Value {
    Value::Constant(Bits::from_u64(value.into(), 32))
}

/// Whether a case of a `select` matches.
enum Matches {
    Always,
    Never,
    /// It depends on what is not known, but is the same for all segments.
    Perhaps,
}

impl Analysis<'_> {
    /// Runs a parser on all paths. A path on which it accepts goes on behind it.
    pub(super) fn parse(&mut self, parser: ParserId, paths: Vec<Path>) -> Result<Vec<Path>, Obstacle> {
        let states = &self.program.parsers[parser.index()].states;
        let mut running: Vec<(usize, Path)> = paths.into_iter().map(|path| (0, path)).collect();
        let mut done = Vec::new();
        for _ in 0..MOST_STATES {
            let mut next = Vec::new();
            for (state, path) in running {
                let state = &states[state];
                for path in self.statements(&state.body, vec![path])? {
                    if path.ended != Ended::No {
                        done.push(path);
                        continue;
                    }
                    for (follows, path) in self.transition(&state.name, &state.transition, path)? {
                        match follows {
                            Next::Accept => done.push(path),
                            Next::Reject => {
                                let error = word(ErrorId::NO_ERROR.0);
                                done.push(path.ending(Ended::Rejected(error)));
                            }
                            Next::State(state) => next.push((state.index(), path)),
                        }
                    }
                }
            }
            if next.is_empty() {
                return self.merged(done);
            }
            running = next;
            if running.len() > super::MOST_PATHS {
                break;
            }
        }
        Err(obstacle(&self.program.parsers[parser.index()].name, "the parser has too many paths to be followed"))
    }

    /// Returns the ways on which a path goes on after a state.
    fn transition(&mut self, name: &str, transition: &Transition, path: Path) -> Result<Vec<(Next, Path)>, Obstacle> {
        let (keys, cases) = match transition {
            Transition::To(next) => return Ok(vec![(*next, path)]),
            Transition::Select { keys, cases } => (keys, cases),
        };
        let mut ways = Vec::new();
        for case in cases {
            let mut matches = Matches::Always;
            let mut key = 0;
            for set in &case.sets {
                let taken = match set {
                    Set::ValueSet(set) => self.program.value_sets[set.index()].fields.len(),
                    _ => 1,
                };
                match self.matches(set, &keys[key..key + taken], name, &path)? {
                    Matches::Always => {}
                    Matches::Never => {
                        matches = Matches::Never;
                        break;
                    }
                    Matches::Perhaps => matches = Matches::Perhaps,
                }
                key += taken;
            }
            match matches {
                Matches::Always => {
                    ways.push((case.next, path));
                    return Ok(ways);
                }
                Matches::Perhaps => ways.push((case.next, path.clone())),
                Matches::Never => {}
            }
        }
        // No case may match.
        ways.push((Next::Accept, path.ending(Ended::Rejected(word(ErrorId::NO_MATCH.0)))));
        Ok(ways)
    }

    fn matches(&mut self, set: &Set, keys: &[Expression], state: &str, path: &Path) -> Result<Matches, Obstacle> {
        if matches!(set, Set::Any) {
            return Ok(Matches::Always);
        }
        let operands: Vec<&Expression> = match set {
            Set::Value(value) => vec![value],
            Set::Mask(first, second) | Set::Range(first, second) => vec![first, second],
            Set::ValueSet(_) | Set::Any => vec![],
        };
        let compared: Vec<&Expression> = keys.iter().chain(operands).collect();
        let values: Vec<Value> = compared.iter().map(|operand| self.evaluate(operand, path)).collect();
        if let [Value::Constant(key), rest @ ..] = values.as_slice() {
            let known = match (set, rest) {
                (Set::Value(_), [Value::Constant(value)]) => Some(key == value),
                (Set::Mask(..), [Value::Constant(value), Value::Constant(mask)]) => {
                    let masked =
                        |bits: &Bits| bits.limbs().iter().zip(mask.limbs()).map(|(a, b)| a & b).collect::<Vec<_>>();
                    Some(masked(key) == masked(value))
                }
                _ => None,
            };
            if let Some(known) = known {
                return Ok(if known { Matches::Always } else { Matches::Never });
            }
        }
        for (compared, value) in compared.into_iter().zip(&values) {
            if value.varies(self.program.type_of(compared).width(), &self.shape) {
                let key = ir::print::expression(self.program, compared);
                return Err(obstacle(
                    format!("state {state}"),
                    format!("`{key}`, which it selects by, differs between segments"),
                ));
            }
        }
        Ok(Matches::Perhaps)
    }

    pub(super) fn extract(
        &mut self,
        statement: &Statement,
        header: &HeaderReference,
        length: Option<&Expression>,
        mut path: Path,
    ) -> Result<Vec<Path>, Obstacle> {
        let variable = match length.map(|length| self.evaluate(length, &path)) {
            None => 0,
            Some(Value::Constant(bits)) => match bits.to_u64().and_then(|bits| u32::try_from(bits).ok()) {
                Some(bits) if bits.is_multiple_of(8) => bits,
                _ => return Err(self.stands(statement, "the length is invalid")),
            },
            Some(_) => return Err(self.stands(statement, "the header's length is not known")),
        };
        let header = &self.program.headers[self.header(statement, header, &path)?.index()];
        let mut position = path.position;
        for field in &header.fields {
            let width = self.width(field.variable);
            let taken = if field.length.is_some() { variable } else { width };
            if taken > width {
                return Err(self.stands(statement, "the header's length is more than the field holds"));
            }
            path.values[field.variable.index()] = match taken {
                0 => Value::Constant(Bits::zero(width)),
                // Where the bits of a field that is not full stand in its variable is not followed.
                taken if taken < width => Value::Varying,
                _ => Value::input(position, width, &self.shape),
            };
            if let Some(length) = field.length {
                path.values[length.index()] = word(taken);
            }
            position = position.saturating_add(taken);
        }
        path.values[header.valid.index()] = Value::Constant(Bits::from(true));
        path.position = position;
        self.within_headers(statement, position)?;
        Ok(vec![path])
    }

    /// Requires that a parser stays within the headers, which all segments have.
    pub(super) fn within_headers(&self, statement: &Statement, position: u32) -> Result<(), Obstacle> {
        if position > self.shape.payload() {
            return Err(self.stands(statement, "it reads payload, which each segment has its own part of"));
        }
        Ok(())
    }
}
