//! The length of a packet, computed from its headers.

use ir::{Block, Flow, HeaderId, HeaderReference, PacketStatement, Program, Statement, VariableId};

/// The arithmetic by which lengths are computed: a machine implements it on numbers, a pass on expressions.
pub trait Arithmetic {
    /// An unsigned number of 64 bits.
    type Number;
    /// Makes a known number.
    fn constant(&self, value: u64) -> Self::Number;
    /// Returns the value of a variable.
    fn variable(&self, variable: VariableId) -> Self::Number;
    /// Adds two numbers.
    fn sum(&self, one: Self::Number, other: Self::Number) -> Self::Number;
    /// Subtracts the second number from the first; 0 if the second is greater.
    fn difference(&self, one: Self::Number, other: Self::Number) -> Self::Number;
    /// Returns the number, or `most` if the number is greater.
    fn at_most(&self, number: Self::Number, most: u64) -> Self::Number;
    /// Returns the number of whole bytes in a number of bits.
    fn bytes(&self, bits: Self::Number) -> Self::Number;
    /// Returns the number if the condition holds, and otherwise 0.
    fn when(&self, condition: VariableId, number: impl FnOnce() -> Self::Number) -> Self::Number;
}

/// The headers that a deparser emits if they are valid.
#[derive(Clone, Debug)]
pub struct EmittedHeaders {
    headers: Vec<EmittedHeader>,
}

#[derive(Clone, Debug)]
struct EmittedHeader {
    valid: VariableId,
    /// The total width in bits of all fields of fixed width.
    bits: u64,
    /// For each variable-length field, the variable that holds its length and its maximum length, in bits.
    lengths: Vec<(VariableId, u64)>,
}

impl EmittedHeaders {
    /// Finds the headers that the blocks of a deparser emit, directly or in functions that they call.
    pub fn of(program: &Program, deparser: impl IntoIterator<Item = Block>) -> Self {
        Self { headers: emitted(program, deparser).map(|header| EmittedHeader::new(program, header)).collect() }
    }

    /// Returns the number of bits of all valid headers that the deparser could emit.
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

/// Returns the length in bytes of a packet when it enters egress. The packet `arrived` with a number of bytes; its
/// headers had `before` bits after the parser and have `now` bits after ingress.
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

/// Returns the headers that blocks emit, ordered by id.
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
                    HeaderReference::Fixed(header) => found[header.index()] = true,
                    HeaderReference::Element(stack, _) => {
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
