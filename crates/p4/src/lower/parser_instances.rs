//! Pipes with several parsers in a gress: each serves some channels of ports, and one parser of the IR chooses among them.

use std::rc::Rc;

use arch::{FrontField, FrontValue};
use diagnostics::Span;
use ir::parser::{Case, Next, ParserState, Set, StateId, Transition};
use ir::{Block, Expression, Flow, PacketStatement, Parser, ParserId, Statement, Type};

use super::PackageWriter;
use super::frame::{Argument, Instance};
use crate::ast::{Annotation, AnnotationBody, DeclarationKind};
use crate::token::TokenKind;

/// The annotation of a list of parsers that says which channels each of them serves.
const CHANNELS: &str = "default_portmap";

/// The instances that a pipe is given for a block: none if it is left out, and several only of a parser.
#[derive(Clone)]
pub(super) struct Parts<'a> {
    pub instances: Vec<Rc<Instance<'a>>>,
    /// The channels that each instance serves; those that none serves have the first.
    pub channels: Vec<Vec<u64>>,
}

impl Parts<'_> {
    /// A block that is left out.
    pub const NONE: Self = Self { instances: Vec::new(), channels: Vec::new() };
}

impl<'a> PackageWriter<'_, 'a> {
    /// Returns the instances for a block: the argument of the pipe itself, or the parts of a package of parsers.
    pub(super) fn parts(&mut self, given: &Rc<Instance<'a>>, span: Span) -> Parts<'a> {
        let is_package = self.machine(given).is_none_or(|(own, _)| matches!(own.kind, DeclarationKind::Package(_)));
        if !is_package {
            return Parts { instances: vec![Rc::clone(given)], channels: vec![vec![]] };
        }
        let own = given.arguments.iter().enumerate().filter_map(|(place, argument)| match argument {
            Some(Argument::Instance(part)) => Some((place as u64, Rc::clone(part))),
            _ => None,
        });
        let (places, instances): (Vec<u64>, Vec<_>) = own.unzip();
        let written = given.annotations.iter().find(|annotation| &*annotation.name.text == CHANNELS);
        let channels = match written {
            None => places.into_iter().map(|place| vec![place]).collect(),
            Some(annotation) => match written_channels(annotation) {
                Some(mut channels) if channels.len() <= instances.len() => {
                    channels.resize(instances.len(), vec![]);
                    channels
                }
                _ => {
                    let message = format!(
                        "`@{CHANNELS}` takes the channels of each of {} parsers: a number, or several in braces",
                        instances.len()
                    );
                    self.lowering.found.error(annotation.span, message);
                    vec![vec![]; instances.len()]
                }
            },
        };
        let bits = self.lowering.architecture.in_front.map_or(0, |front| front.channel.0 + 1 - front.channel.1);
        let mut seen: Vec<u64> = Vec::new();
        for &channel in channels.iter().flatten() {
            if seen.contains(&channel) {
                self.lowering.found.error(span, format!("two parsers serve the channel {channel}"));
            }
            seen.push(channel);
            if channel >> bits != 0 {
                self.lowering
                    .found
                    .error(span, format!("there is no channel {channel}; the greatest is {}", (1 << bits) - 1));
            }
        }
        Parts { instances, channels }
    }

    /// Writes a parser that runs one of several by the channel of the packet's port, which lies in front of the packet.
    pub(super) fn parser_of_channels(&mut self, parsers: &[ParserId], channels: &[Vec<u64>], is_egress: bool) -> Block {
        let (key, read) = self.channel(is_egress);
        let state = |place: usize| Next::State(StateId::from(place + 1));
        let chosen =
            channels.iter().enumerate().skip(1).flat_map(|(place, own)| own.iter().map(move |own| (place, *own)));
        let ty = self.lowering.output.program.type_of(&key);
        let value = |value| Set::Value(Expression::Constant(ir::Constant { ty, value }));
        let mut cases: Vec<Case> =
            chosen.map(|(place, own)| Case { sets: vec![value(own)], next: state(place) }).collect();
        cases.push(Case { sets: vec![Set::Any], next: state(0) });
        let transition = Transition::Select { keys: vec![key], cases };
        let mut states = vec![ParserState { name: "$channel".to_owned(), body: vec![read], transition }];
        states.extend(parsers.iter().enumerate().map(|(place, &parser)| ParserState {
            name: format!("$parser{place}"),
            body: vec![Statement::Flow(Flow::Parse { parser, after: vec![] })],
            transition: Transition::To(Next::Accept),
        }));
        let name = if is_egress { "$egress_parsers" } else { "$ingress_parsers" };
        let name = self.lowering.switch.parsers.variable(name);
        self.lowering.output.program.parsers.push(Parser { name, states });
        Block::Parser(ParserId::from(self.lowering.output.program.parsers.len() - 1))
    }

    /// Returns the channel of the port of a packet, and the statement that reads it.
    fn channel(&mut self, is_egress: bool) -> (Expression, Statement) {
        let front = self.lowering.architecture.in_front;
        let (fields, wanted): (&[FrontField], _) = match (front, is_egress) {
            (Some(front), false) => (front.ingress, FrontValue::ArrivalPort),
            (Some(front), true) => (front.egress, FrontValue::DeparturePort),
            (None, _) => (&[], FrontValue::ArrivalPort),
        };
        let mut variables = Vec::new();
        let mut port = None;
        for field in fields {
            let variable = self.lowering.output.variable("$front", Type::Bits(field.bits as u16));
            variables.push(variable);
            if field.value == wanted {
                port = Some(variable);
                break;
            }
        }
        let read = Statement::Packet(PacketStatement::Lookahead { variables });
        let (high, low) = front.map_or((0, 0), |front| front.channel);
        let own = match port {
            Some(port) => Expression::Slice { value: Box::new(Expression::Variable(port)), high, low },
            None => Expression::number(Type::Bits(1), 0),
        };
        (own, read)
    }
}

/// Returns the channels that an annotation gives each parser: numbers, or lists of numbers in braces.
fn written_channels(annotation: &Annotation) -> Option<Vec<Vec<u64>>> {
    let AnnotationBody::Unstructured(tokens) = &annotation.body else { return None };
    let mut channels: Vec<Vec<u64>> = Vec::new();
    let mut is_within = false;
    for token in tokens {
        match &token.kind {
            TokenKind::Punctuator("{") if !is_within => {
                is_within = true;
                channels.push(vec![]);
            }
            TokenKind::Punctuator("}") if is_within => is_within = false,
            TokenKind::Punctuator(",") => {}
            TokenKind::Integer(number) => {
                let number = u64::try_from(&number.value).ok()?;
                match channels.last_mut() {
                    Some(last) if is_within => last.push(number),
                    _ => channels.push(vec![number]),
                }
            }
            _ => return None,
        }
    }
    (!is_within).then_some(channels)
}
