//! Operations of transactions as numbers.

use ir::threads::{Data, FetchOperator, HeadBytes, Operation, ReasonId, RecordTableId, TimerId};
use ir::{DigestId, TableId};

use super::Damage;
use super::bits::Bits;

/// An operation without its operands, as numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Header {
    code: u8,
    /// The operator of a fetch.
    operator: u8,
    /// The number of the table, timer, digest or reason, or the number of bytes that are read.
    number: u32,
    /// Whether an operand is there that may be missing.
    is_optional_there: bool,
    /// Data, or the values of a list.
    data: [DataHeader; 2],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct DataHeader {
    is_memory: bool,
    /// The number of values, or of bytes of local memory.
    count: u8,
}

impl DataHeader {
    fn of(data: &Data<()>) -> Self {
        match data {
            Data::Values(values) => Self::list(values),
            Data::Memory { bytes, .. } => Self { is_memory: true, count: *bytes as u8 },
        }
    }

    fn list(values: &[()]) -> Self {
        Self { is_memory: false, count: values.len() as u8 }
    }

    fn data(self) -> Data<()> {
        match self.is_memory {
            true => Data::Memory { address: (), bytes: self.count.into() },
            false => Data::Values(self.values()),
        }
    }

    fn values(self) -> Vec<()> {
        vec![(); self.count.into()]
    }
}

/// Writes or reads an operation without its operands.
pub(super) fn operation<B: Bits>(bits: &mut B, operation: &Operation<()>) -> Result<Operation<()>, Damage> {
    let header = if B::WRITES { Header::of(operation) } else { Header::default() };
    let mut data = header.data;
    let code = bits.small(header.code, 5)?;
    let operator = bits.small(header.operator, 3)?;
    let number = bits.number(header.number.into(), 24)? as u32;
    let is_optional_there = bits.flag(header.is_optional_there)?;
    for one in &mut data {
        *one = DataHeader { is_memory: bits.flag(one.is_memory)?, count: bits.small(one.count, 7)? };
        if one.count > 64 {
            return Err(Damage("a transaction carries more than 64 values or bytes".to_owned()));
        }
    }
    Header { code, operator, number, is_optional_there, data }.operation()
}

impl Header {
    fn of(operation: &Operation<()>) -> Self {
        let code = |code| Self { code, ..Self::default() };
        let numbered = |code, number: u32| Self { code, number, ..Self::default() };
        let with = |header: Self, data: &[&Data<()>]| {
            let mut all = [DataHeader::default(); 2];
            all.iter_mut().zip(data).for_each(|(place, data)| *place = DataHeader::of(data));
            Self { data: all, ..header }
        };
        let list =
            |header: Self, values: &[()]| Self { data: [DataHeader::list(values), DataHeader::default()], ..header };
        match operation {
            Operation::Read { bytes, .. } => numbered(0, *bytes),
            Operation::Write { data, .. } => with(code(1), &[data]),
            Operation::Count { .. } => code(2),
            Operation::Police { before, .. } => Self { is_optional_there: before.is_some(), ..code(3) },
            Operation::Fetch { operator, .. } => {
                let operator = FetchOperator::ALL.iter().position(|known| known == operator).unwrap_or_default();
                Self { operator: operator as u8, ..code(4) }
            }
            Operation::WriteMasked { .. } => code(5),
            Operation::Add { data, .. } => with(code(6), &[data]),
            Operation::Find { records, key } => with(numbered(7, records.0), &[key]),
            Operation::Insert { records, key, contents } => with(numbered(8, records.0), &[key, contents]),
            Operation::Delete { records, key } => with(numbered(9, records.0), &[key]),
            Operation::Remove { records, .. } => numbered(10, records.0),
            Operation::Scan { records, .. } => numbered(11, records.0),
            Operation::Filter { table, keys } => list(numbered(12, table.0), keys),
            Operation::Hash { data, .. } => with(code(13), &[data]),
            Operation::ReadTail { bytes, .. } => numbered(14, *bytes),
            Operation::WriteTail { data, .. } => with(code(15), &[data]),
            Operation::CutTail { .. } => code(16),
            Operation::Make { tail_of } => Self { is_optional_there: tail_of.is_some(), ..code(17) },
            Operation::Send { .. } => code(18),
            Operation::Multicast { .. } => code(19),
            Operation::Drop { reason, .. } => numbered(20, reason.0),
            Operation::Digest { digest, values } => list(numbered(21, digest.0), values),
            Operation::StartTimer { timer, .. } => numbered(22, timer.0),
            Operation::StopTimer { timer } => numbered(23, timer.0),
            Operation::Time => code(24),
        }
    }

    fn operation(self) -> Result<Operation<()>, Damage> {
        let [first, second] = self.data;
        let (bytes, records, timer) = (self.number, RecordTableId(self.number), TimerId(self.number));
        let optional = self.is_optional_there.then_some(());
        let head = HeadBytes { address: (), bytes: () };
        Ok(match self.code {
            0 => Operation::Read { address: (), bytes },
            1 => Operation::Write { address: (), data: first.data() },
            2 => Operation::Count { address: (), bytes: () },
            3 => Operation::Police { address: (), bytes: (), before: optional },
            4 => {
                let operator = FetchOperator::ALL.get(usize::from(self.operator)).copied();
                let operator = operator.ok_or_else(|| Damage("a transaction has an unknown operator".to_owned()))?;
                Operation::Fetch { operator, address: (), operand: () }
            }
            5 => Operation::WriteMasked { address: (), value: (), mask: () },
            6 => Operation::Add { address: (), data: first.data() },
            7 => Operation::Find { records, key: first.data() },
            8 => Operation::Insert { records, key: first.data(), contents: second.data() },
            9 => Operation::Delete { records, key: first.data() },
            10 => Operation::Remove { records, address: () },
            11 => Operation::Scan { records, first: (), count: () },
            12 => Operation::Filter { table: TableId(self.number), keys: first.values() },
            13 => Operation::Hash { data: first.data(), seed: () },
            14 => Operation::ReadTail { packet: (), offset: (), bytes },
            15 => Operation::WriteTail { packet: (), offset: (), data: first.data() },
            16 => Operation::CutTail { packet: (), bytes: () },
            17 => Operation::Make { tail_of: optional },
            18 => Operation::Send { packet: (), port: (), queue: (), head },
            19 => Operation::Multicast { packet: (), group: (), head },
            20 => Operation::Drop { packet: (), reason: ReasonId(self.number) },
            21 => Operation::Digest { digest: DigestId(self.number), values: first.values() },
            22 => Operation::StartTimer { timer, period: () },
            23 => Operation::StopTimer { timer },
            24 => Operation::Time,
            _ => return Err(Damage(format!("there is no transaction {}", self.code))),
        })
    }
}
