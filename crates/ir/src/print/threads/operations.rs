//! The printer of the operations of transactions.

use std::fmt::{self, Display, Formatter};

use super::super::expressions::{write_list, write_plain};
use super::super::names::{comma, digest, table};
use super::{reason, records, timer};
use crate::threads::{Data, Operation};
use crate::{Expression, Program, Threads};

/// A part of an operation's text.
enum Part<'p> {
    Word(&'p str),
    Name(&'p dyn Display),
    Value(&'p Expression),
    Data(&'p Data),
    Count(u32),
}

use Part::{Count, Name, Value, Word};

pub(super) fn write_operation(
    f: &mut Formatter<'_>,
    program: &Program,
    threads: &Threads,
    operation: &Operation,
) -> fmt::Result {
    let mut write = |word: &str, parts: &[Part<'_>]| {
        f.write_str(word)?;
        for (place, part) in parts.iter().enumerate() {
            let follows_word = place == 0 || matches!(part, Word(_)) || matches!(parts[place - 1], Word(_));
            f.write_str(if follows_word { " " } else { ", " })?;
            write_part(f, program, part)?;
        }
        Ok(())
    };
    match operation {
        Operation::Read { address, bytes } => write("read", &[Value(address), Count(*bytes)]),
        Operation::Write { address, data } => write("write", &[Value(address), Part::Data(data)]),
        Operation::Count { address, bytes } => write("count", &[Value(address), Value(bytes)]),
        Operation::Police { address, bytes, before: None } => write("police", &[Value(address), Value(bytes)]),
        Operation::Police { address, bytes, before: Some(before) } => {
            write("police", &[Value(address), Value(bytes), Word("before"), Value(before)])
        }
        Operation::Fetch { operator, address, operand } => write(operator.word(), &[Value(address), Value(operand)]),
        Operation::WriteMasked { address, value, mask } => {
            write("write_masked", &[Value(address), Value(value), Value(mask)])
        }
        Operation::Add { address, data } => write("add", &[Value(address), Part::Data(data)]),
        Operation::Find { records: id, key } => write("find", &[Name(&records(threads, *id)), Part::Data(key)]),
        Operation::Insert { records: id, key, contents } => {
            write("insert", &[Name(&records(threads, *id)), Part::Data(key), Part::Data(contents)])
        }
        Operation::Delete { records: id, key } => write("delete", &[Name(&records(threads, *id)), Part::Data(key)]),
        Operation::Remove { records: id, address } => write("remove", &[Name(&records(threads, *id)), Value(address)]),
        Operation::Scan { records: id, first, count } => {
            write("scan", &[Name(&records(threads, *id)), Value(first), Value(count)])
        }
        Operation::Filter { table: id, keys } => {
            write!(f, "filter {}", table(program, *id))?;
            for key in keys {
                f.write_str(", ")?;
                write_plain(f, program, key)?;
            }
            Ok(())
        }
        Operation::Hash { data, seed } => write("hash", &[Part::Data(data), Value(seed)]),
        Operation::ReadTail { packet, offset, bytes } => {
            write("read_tail", &[Value(packet), Value(offset), Count(*bytes)])
        }
        Operation::WriteTail { packet, offset, data } => {
            write("write_tail", &[Value(packet), Value(offset), Part::Data(data)])
        }
        Operation::CutTail { packet, bytes } => write("cut_tail", &[Value(packet), Value(bytes)]),
        Operation::Make { tail_of: None } => write("make", &[]),
        Operation::Make { tail_of: Some(packet) } => write("make", &[Word("tail"), Value(packet)]),
        Operation::Send { packet, port, queue, head } => {
            let (port, queue) = ([Word("port"), Value(port)], [Word("queue"), Value(queue)]);
            let head = [Word("head"), Value(&head.address), Value(&head.bytes)];
            let parts: Vec<Part<'_>> = [Value(packet)].into_iter().chain(port).chain(queue).chain(head).collect();
            write("send", &parts)
        }
        Operation::Multicast { packet, group, head } => {
            let head = [Word("head"), Value(&head.address), Value(&head.bytes)];
            let parts: Vec<Part<'_>> = [Value(packet), Word("group"), Value(group)].into_iter().chain(head).collect();
            write("multicast", &parts)
        }
        Operation::Drop { packet, reason: id } => {
            f.write_str("drop ")?;
            write_plain(f, program, packet)?;
            write!(f, " reason {}", reason(threads, *id))
        }
        Operation::Digest { digest: id, values } => {
            write!(f, "digest {}(", digest(program, *id))?;
            write_list(f, program, values)?;
            f.write_str(")")
        }
        Operation::StartTimer { timer: id, period } => {
            write("start_timer", &[Name(&timer(threads, *id)), Value(period)])
        }
        Operation::StopTimer { timer: id } => write("stop_timer", &[Name(&timer(threads, *id))]),
        Operation::Time => write("time", &[]),
    }
}

fn write_part(f: &mut Formatter<'_>, program: &Program, part: &Part<'_>) -> fmt::Result {
    match part {
        Word(word) => f.write_str(word),
        Name(name) => name.fmt(f),
        Value(value) => write_plain(f, program, value),
        Count(count) => write!(f, "{count}"),
        Part::Data(Data::Values(values)) => {
            f.write_str("(")?;
            for (place, value) in values.iter().enumerate() {
                f.write_str(comma(place))?;
                write_plain(f, program, value)?;
            }
            f.write_str(")")
        }
        Part::Data(Data::Memory { address, bytes }) => {
            f.write_str("memory ")?;
            write_plain(f, program, address)?;
            write!(f, ", {bytes}")
        }
    }
}
