//! The parser of the operations of transactions.

use super::super::lexer::LexemeKind;
use super::super::scope::Named;
use super::super::{Parsed, Parser};
use crate::threads::{Data, FetchOperator, HeadBytes, Operation, ReasonId, RecordTableId, TimerId};
use crate::{DigestId, Expression, TableId};

impl Parser<'_> {
    /// Reads an operation, if the next word, `word`, is one.
    pub(super) fn operation_of_word(&mut self, word: &str) -> Option<Parsed<Operation>> {
        let read: fn(&mut Self) -> Parsed<Operation> = match word {
            "read" => Self::read,
            "write" => {
                |parser: &mut Self| Ok(Operation::Write { address: parser.value_and_comma()?, data: parser.bytes()? })
            }
            "count" => {
                |parser: &mut Self| Ok(Operation::Count { address: parser.value_and_comma()?, bytes: parser.value()? })
            }
            "police" => Self::police,
            "write_masked" => |parser: &mut Self| {
                let (address, value) = (parser.value_and_comma()?, parser.value_and_comma()?);
                Ok(Operation::WriteMasked { address, value, mask: parser.value()? })
            },
            "add" => {
                |parser: &mut Self| Ok(Operation::Add { address: parser.value_and_comma()?, data: parser.bytes()? })
            }
            "find" => {
                |parser: &mut Self| Ok(Operation::Find { records: parser.records_and_comma()?, key: parser.bytes()? })
            }
            "insert" => Self::insert,
            "delete" => {
                |parser: &mut Self| Ok(Operation::Delete { records: parser.records_and_comma()?, key: parser.bytes()? })
            }
            "remove" => |parser: &mut Self| {
                Ok(Operation::Remove { records: parser.records_and_comma()?, address: parser.value()? })
            },
            "scan" => |parser: &mut Self| {
                let (records, first) = (parser.records_and_comma()?, parser.value_and_comma()?);
                Ok(Operation::Scan { records, first, count: parser.value()? })
            },
            "filter" => Self::filter_operation,
            "hash" => |parser: &mut Self| {
                let data = parser.bytes()?;
                parser.cursor.expect_sign(",")?;
                Ok(Operation::Hash { data, seed: parser.value()? })
            },
            "read_tail" | "write_tail" | "cut_tail" | "make" | "send" | "multicast" | "drop" => {
                return Some(self.packet_operation(word));
            }
            "digest" => Self::digest_operation,
            "start_timer" => |parser: &mut Self| {
                let timer = parser.timer_name()?;
                parser.cursor.expect_sign(",")?;
                Ok(Operation::StartTimer { timer, period: parser.value()? })
            },
            "stop_timer" => |parser: &mut Self| Ok(Operation::StopTimer { timer: parser.timer_name()? }),
            "time" => |_: &mut Self| Ok(Operation::Time),
            _ => {
                let operator = FetchOperator::ALL.into_iter().find(|operator| operator.word() == word)?;
                return Some(self.fetch(operator));
            }
        };
        self.cursor.advance();
        Some(read(self))
    }

    /// Reads an operation on a packet, whose keyword, `word`, comes next.
    fn packet_operation(&mut self, word: &str) -> Parsed<Operation> {
        self.cursor.advance();
        if word == "make" {
            let tail_of = match self.cursor.take_word("tail") {
                Some(_) => Some(self.value()?),
                None => None,
            };
            return Ok(Operation::Make { tail_of });
        }
        let packet = self.value()?;
        Ok(match word {
            "send" => {
                self.cursor.expect_word("port")?;
                let port = self.value()?;
                self.cursor.expect_word("queue")?;
                let queue = self.value()?;
                Operation::Send { packet, port, queue, head: self.head_bytes()? }
            }
            "multicast" => {
                self.cursor.expect_word("group")?;
                let group = self.value()?;
                Operation::Multicast { packet, group, head: self.head_bytes()? }
            }
            "drop" => {
                self.cursor.expect_word("reason")?;
                Operation::Drop { packet, reason: ReasonId::from(self.named(Named::Reason)?.0) }
            }
            tail => {
                self.cursor.expect_sign(",")?;
                let number = self.value()?;
                if tail == "cut_tail" {
                    return Ok(Operation::CutTail { packet, bytes: number });
                }
                self.cursor.expect_sign(",")?;
                if tail == "read_tail" {
                    let (bytes, _) = self.cursor.expect_count("a number of bytes")?;
                    return Ok(Operation::ReadTail { packet, offset: number, bytes });
                }
                Operation::WriteTail { packet, offset: number, data: self.bytes()? }
            }
        })
    }

    fn read(&mut self) -> Parsed<Operation> {
        let address = self.value_and_comma()?;
        let (bytes, _) = self.cursor.expect_count("a number of bytes")?;
        Ok(Operation::Read { address, bytes })
    }

    fn police(&mut self) -> Parsed<Operation> {
        let (address, bytes) = (self.value_and_comma()?, self.value()?);
        let before = match self.cursor.take_word("before") {
            Some(_) => Some(self.value()?),
            None => None,
        };
        Ok(Operation::Police { address, bytes, before })
    }

    fn fetch(&mut self, operator: FetchOperator) -> Parsed<Operation> {
        self.cursor.advance();
        Ok(Operation::Fetch { operator, address: self.value_and_comma()?, operand: self.value()? })
    }

    fn insert(&mut self) -> Parsed<Operation> {
        let (records, key) = (self.records_and_comma()?, self.bytes()?);
        self.cursor.expect_sign(",")?;
        Ok(Operation::Insert { records, key, contents: self.bytes()? })
    }

    fn filter_operation(&mut self) -> Parsed<Operation> {
        let table = TableId::from(self.named(Named::Table)?.0);
        let mut keys = Vec::new();
        while self.cursor.take_sign(",").is_some() {
            keys.push(self.value()?);
        }
        Ok(Operation::Filter { table, keys })
    }

    fn digest_operation(&mut self) -> Parsed<Operation> {
        let digest = DigestId::from(self.named(Named::Digest)?.0);
        Ok(Operation::Digest { digest, values: self.values()? })
    }

    fn records_and_comma(&mut self) -> Parsed<RecordTableId> {
        let records = RecordTableId::from(self.named(Named::Records)?.0);
        self.cursor.expect_sign(",")?;
        Ok(records)
    }

    fn timer_name(&mut self) -> Parsed<TimerId> {
        Ok(TimerId::from(self.named(Named::Timer)?.0))
    }

    /// Reads an operand. Its type is checked when the whole program has been read.
    fn value(&mut self) -> Parsed<Expression> {
        Ok(self.expression()?.expression)
    }

    fn value_and_comma(&mut self) -> Parsed<Expression> {
        let value = self.value()?;
        self.cursor.expect_sign(",")?;
        Ok(value)
    }

    /// Reads `head address, bytes`.
    fn head_bytes(&mut self) -> Parsed<HeadBytes> {
        self.cursor.expect_word("head")?;
        Ok(HeadBytes { address: self.value_and_comma()?, bytes: self.value()? })
    }

    /// Reads `(value, ...)` or `memory address, bytes`.
    fn bytes(&mut self) -> Parsed<Data> {
        if self.cursor.take_word("memory").is_some() {
            let address = self.value_and_comma()?;
            let (bytes, _) = self.cursor.expect_count("a number of bytes")?;
            return Ok(Data::Memory { address, bytes });
        }
        if !matches!(self.cursor.peek(), LexemeKind::Sign("(")) {
            return Err(self.cursor.unexpected("values in parentheses, or `memory` with an address and a size"));
        }
        Ok(Data::Values(self.values()?))
    }

    /// Reads `(value, ...)`.
    pub(super) fn values(&mut self) -> Parsed<Vec<Expression>> {
        Ok(self.arguments()?.0.into_iter().map(|argument| argument.expression).collect())
    }
}
