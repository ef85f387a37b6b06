//! How long a packet is by its headers.

use ir::{Block, Flow, HeaderId, HeaderPlace, PacketStatement, Program, Statement, VariableId};

/// How lengths are computed: with numbers by a machine, with expressions by a pass.
pub trait Arithmetic {
    /// An unsigned number of 64 bits.
    type Number;
    /// A number that is known.
    fn constant(&self, value: u64) -> Self::Number;
    /// The value of a variable.
    fn variable(&self, variable: VariableId) -> Self::Number;
    /// The sum of two numbers.
    fn sum(&self, one: Self::Number, other: Self::Number) -> Self::Number;
    /// The first number less the second; 0 if the second is greater.
    fn difference(&self, one: Self::Number, other: Self::Number) -> Self::Number;
    /// A number, or `most` if the number is greater.
    fn at_most(&self, number: Self::Number, most: u64) -> Self::Number;
    /// The whole bytes of so many bits.
    fn bytes(&self, bits: Self::Number) -> Self::Number;
    /// A number if a bool holds, and else 0.
    fn when(&self, condition: VariableId, number: impl FnOnce() -> Self::Number) -> Self::Number;
}

/// The headers that the deparser emits if they are valid.
#[derive(Clone, Debug)]
pub struct EmittedHeaders {
    headers: Vec<EmittedHeader>,
}

#[derive(Clone, Debug)]
struct EmittedHeader {
    valid: VariableId,
    /// The bits of all fields whose width is known.
    bits: u64,
    /// The others: which variable says how long, and how long at most.
    lengths: Vec<(VariableId, u64)>,
}

impl EmittedHeaders {
    /// The headers that blocks emit, or anything that they call.
    pub fn of(program: &Program, deparser: impl IntoIterator<Item = Block>) -> Self {
        Self { headers: emitted(program, deparser).map(|header| EmittedHeader::new(program, header)).collect() }
    }

    /// The bits of all headers that the deparser would emit if it came to all of them.
    pub fn bits<A: Arithmetic>(&self, with: &A) -> A::Number {
        let bits = self.headers.iter().map(|header| {
            with.when(header.valid, || {
                let lengths = header.lengths.iter().map(|&(length, most)| with.at_most(with.variable(length), most));
                lengths.fold(with.constant(header.bits), |bits, length| with.sum(bits, length))
            })
        });
        bits.reduce(|one, other| with.sum(one, other)).unwrap_or_else(|| with.constant(0))
    }
}

/// The bytes of a packet as it enters egress: those with which it `arrived`, longer or shorter by what ingress did to
/// the headers. These had `before` bits after the parser, and have `now`.
pub fn length_in_egress<A: Arithmetic>(with: &A, arrived: A::Number, before: A::Number, now: A::Number) -> A::Number {
    with.difference(with.sum(arrived, with.bytes(now)), with.bytes(before))
}

impl EmittedHeader {
    fn new(program: &Program, header: HeaderId) -> Self {
        let header = &program.headers[header.index()];
        let width = |field: &ir::HeaderField| u64::from(program.variable(field.variable).ty.width());
        let fixed = header.fields.iter().filter(|field| field.length.is_none());
        Self {
            valid: header.valid,
            bits: fixed.map(width).sum(),
            lengths: header.fields.iter().filter_map(|field| Some((field.length?, width(field)))).collect(),
        }
    }
}

/// The headers that blocks emit, in the order of their numbers.
fn emitted(program: &Program, blocks: impl IntoIterator<Item = Block>) -> impl Iterator<Item = HeaderId> {
    let mut found = vec![false; program.headers.len()];
    let mut seen = vec![false; program.functions.len()];
    let mut waiting = Vec::new();
    for block in blocks {
        if let Block::Function(function) = block {
            waiting.push(function);
        }
    }
    while let Some(function) = waiting.pop() {
        if std::mem::replace(&mut seen[function.index()], true) {
            continue;
        }
        let body = &program.functions[function.index()].body;
        body.iter().for_each(|statement| {
            statement.walk(&mut |statement| match statement {
                Statement::Packet(PacketStatement::Emit { header }) => match header {
                    HeaderPlace::Fixed(header) => found[header.index()] = true,
                    HeaderPlace::Element(stack, _) => {
                        let elements = &program.stacks[stack.index()].elements;
                        elements.iter().for_each(|header| found[header.index()] = true);
                    }
                },
                Statement::Flow(Flow::Call { function, .. }) => waiting.push(*function),
                _ => {}
            });
        });
    }
    (0..found.len()).filter(move |&at| found[at]).map(HeaderId::from)
}
