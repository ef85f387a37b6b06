//! Transactions: what a thread asks of what lies outside of it.

use diagnostics::{Diagnostic, Span, did_you_mean};
use ir::threads::{Data, Destination, MemoryField, Operation, ReasonId, RecordTableId, TimerId, Transaction};
use ir::{DigestId, Expression, TableId};

use super::instruction::Draft;
use super::place::ADDRESS;
use super::statement::Path;
use super::transactions::{self, Kind, Known};
use super::{Checker, Entity};
use crate::predefined::{REPLY_DATA, REPLY_PRESENT, REPLY_STATUS, WORD_BYTES};
use crate::syntax::{self, ExpressionKind, Mode, Name};
use crate::types::Type;

/// What a transaction asks for, and where its reply goes.
type Asked = (Operation, Destination);

impl Checker<'_> {
    /// Adds a transaction to an instruction.
    pub(super) fn transaction(
        &mut self,
        name: &Name,
        arguments: &[syntax::Expression],
        mode: Option<(Mode, Span)>,
        span: Span,
        path: &Path,
        draft: &mut Draft,
    ) -> Option<()> {
        let Some(known) = transactions::find(&name.text) else {
            let error = Diagnostic::error(name.span, format!("there is no transaction or subroutine `{}`", name.text));
            let names = self.names.iter().filter(|(_, (entity, _))| matches!(entity, Entity::Subroutine));
            let names = names.map(|(name, _)| &**name).chain(transactions::ALL.iter().map(|known| known.name));
            let hint = did_you_mean(&name.text, names);
            self.error(
                error.hint(hint.unwrap_or_else(|| "the page of the language lists the transactions".to_owned())),
            );
            return None;
        };
        if !known.takes(arguments.len()) {
            let message = format!("wrong number of arguments for `{}`: {}", known.name, arguments.len());
            self.error(Diagnostic::error(span, message).hint(known.hint()));
            return None;
        }
        let asked = if known.kind == Kind::XtxnWait { None } else { Some(self.asked(known, arguments, mode, span)?) };
        if path.moves.number() != Some(1) {
            let error = Diagnostic::error(span, "a transaction is issued whenever its instruction is executed");
            self.error(error.hint("put it before every `if` and `goto`, or into an instruction that these lead to"));
            return None;
        }
        let Some((operation, reply)) = asked else {
            draft.waits = true;
            if let Some((_, place)) = mode {
                self.error(Diagnostic::error(place, "`XtxnWait` always waits"));
            }
            return Some(());
        };
        if let Some((_, first)) = &draft.transaction {
            let error = Diagnostic::error(span, "an instruction issues at most one transaction");
            let error = error.related(*first, "the first one");
            self.error(error.hint("begin another instruction"));
            return None;
        }
        let mode = mode.map_or_else(|| default_mode(&reply), |(mode, _)| mode);
        let is_asynchronous = mode == Mode::Asynchronous;
        draft.transaction = Some((Transaction { is_asynchronous, operation, reply }, span));
        Some(())
    }

    fn asked(
        &mut self,
        known: &Known,
        arguments: &[syntax::Expression],
        mode: Option<(Mode, Span)>,
        span: Span,
    ) -> Option<Asked> {
        match known.kind {
            Kind::MemRead
            | Kind::MemWrite
            | Kind::MemWriteMasked
            | Kind::MemAdd32
            | Kind::MemFetch(_)
            | Kind::CounterIncPhys
            | Kind::PolicerCheckPhys => self.of_memory(known.kind, arguments, mode),
            Kind::HashLookup
            | Kind::HashInsert
            | Kind::HashDelete
            | Kind::HashRemove
            | Kind::HashScan
            | Kind::HashFields
            | Kind::FilterLookup => self.of_table(known.kind, arguments, span),
            Kind::TailRead
            | Kind::TailWrite
            | Kind::TailCut
            | Kind::PacketMake
            | Kind::PacketSend
            | Kind::PacketMulticast
            | Kind::PacketDrop => self.of_packet(known.kind, arguments),
            Kind::DigestSend | Kind::TimerStart | Kind::TimerStop | Kind::TimeNow | Kind::XtxnWait => {
                self.of_machine(known.kind, arguments, span)
            }
        }
    }

    /// Transactions of shared memory.
    fn of_memory(&mut self, kind: Kind, arguments: &[syntax::Expression], mode: Option<(Mode, Span)>) -> Option<Asked> {
        let address = self.shared_address(&arguments[0]);
        Some(match (kind, arguments) {
            (Kind::MemRead, [_]) => {
                (Operation::Read { address: address?, bytes: WORD_BYTES as u32 }, self.reply(&[Some(REPLY_DATA)]))
            }
            (Kind::MemRead, [_, pointer, bytes]) => {
                let (to, bytes) = self.memory(pointer, bytes, WORD_BYTES)?;
                (Operation::Read { address: address?, bytes }, Destination::Memory(to))
            }
            (Kind::MemWrite, [_, value]) => {
                let data = Data::Values(vec![self.sized_operand(value, 64)?]);
                (Operation::Write { address: address?, data }, Destination::Nothing)
            }
            (Kind::MemWrite, [_, pointer, bytes]) => {
                let (from, bytes) = self.memory(pointer, bytes, WORD_BYTES)?;
                (
                    Operation::Write { address: address?, data: Data::Memory { address: from, bytes } },
                    Destination::Nothing,
                )
            }
            (Kind::MemAdd32, [_, value]) => {
                let data = Data::Values(vec![self.sized_operand(value, 32)?]);
                // What was there before is only told to those who wait for it.
                let waits = matches!(mode, Some((Mode::Synchronous, _)));
                let reply = if waits { self.reply(&[Some(REPLY_DATA)]) } else { Destination::Nothing };
                (Operation::Add { address: address?, data }, reply)
            }
            (Kind::MemAdd32, [_, pointer, bytes]) => {
                let (from, bytes) = self.memory(pointer, bytes, 4)?;
                (
                    Operation::Add { address: address?, data: Data::Memory { address: from, bytes } },
                    Destination::Nothing,
                )
            }
            (Kind::MemWriteMasked, [_, value, mask]) => {
                let (value, mask) = (self.sized_operand(value, 64), self.sized_operand(mask, 64));
                let operation = Operation::WriteMasked { address: address?, value: value?, mask: mask? };
                (operation, Destination::Nothing)
            }
            (Kind::MemFetch(operator), [_, value]) => {
                let operand = self.sized_operand(value, 64)?;
                (Operation::Fetch { operator, address: address?, operand }, self.reply(&[Some(REPLY_DATA)]))
            }
            (Kind::CounterIncPhys, [_, bytes]) => {
                let bytes = self.operand(bytes, 64)?;
                (Operation::Count { address: address?, bytes }, Destination::Nothing)
            }
            (Kind::PolicerCheckPhys, [_, bytes, before @ ..]) => {
                let bytes = self.operand(bytes, 64)?;
                let before = match before {
                    [before] => Some(self.operand(before, 2)?),
                    _ => None,
                };
                (Operation::Police { address: address?, bytes, before }, self.reply(&[Some(REPLY_DATA)]))
            }
            _ => return None,
        })
    }

    /// Transactions of hash tables and filters.
    fn of_table(&mut self, kind: Kind, arguments: &[syntax::Expression], span: Span) -> Option<Asked> {
        if kind == Kind::HashFields {
            return self.hash_fields(arguments, span);
        }
        let [table, rest @ ..] = arguments else { return None };
        let key_span = rest.first().map_or(span, |first| first.span.to(rest[rest.len() - 1].span));
        if kind == Kind::FilterLookup {
            let Entity::Filter { table, key } = self.object_named(table, "filter")? else { return None };
            let keys = self.filter_keys(rest, &key, key_span)?;
            // The place of the action says nothing that the status does not say.
            let reply = self.reply(&[Some(REPLY_STATUS), None, Some(REPLY_DATA)]);
            return Some((Operation::Filter { table: TableId::from(table), keys }, reply));
        }
        let Entity::Hash { records, key, .. } = self.object_named(table, "hash table")? else { return None };
        let records = RecordTableId::from(records);
        Some(match (kind, rest) {
            (Kind::HashLookup, _) => {
                let key = self.key(rest, &key, key_span)?;
                (Operation::Find { records, key }, self.reply(&[Some(REPLY_STATUS), Some(REPLY_DATA)]))
            }
            (Kind::HashInsert, [contents, rest @ ..]) => {
                let bytes = self.threads().records[records.index()].record_bytes;
                let contents = self.contents_of_record(contents, bytes);
                let key = self.key(rest, &key, key_span)?;
                let operation = Operation::Insert { records, key, contents: contents? };
                (operation, self.reply(&[Some(REPLY_STATUS), Some(REPLY_DATA)]))
            }
            (Kind::HashDelete, _) => {
                let key = self.key(rest, &key, key_span)?;
                (Operation::Delete { records, key }, self.reply(&[Some(REPLY_STATUS)]))
            }
            (Kind::HashRemove, [address]) => {
                let address = self.shared_address(address)?;
                (Operation::Remove { records, address }, self.reply(&[Some(REPLY_STATUS)]))
            }
            (Kind::HashScan, [first, count]) => {
                let (first, count) = (self.operand(first, 32), self.limited(count, "a number of places", 1, 64));
                let operation = Operation::Scan { records, first: first?, count: count? };
                (operation, self.reply(&[Some(REPLY_DATA), Some(REPLY_PRESENT)]))
            }
            _ => return None,
        })
    }

    /// Returns what a new record begins with: what a pointer points to, or a number.
    fn contents_of_record(&mut self, argument: &syntax::Expression, bytes: u32) -> Option<Data> {
        if let Some(pointer) = self.key_pointer(argument) {
            return Some(Data::Memory { address: pointer?.to_ir(ADDRESS), bytes });
        }
        Some(Data::Values(vec![self.sized_operand(argument, 64)?]))
    }

    /// Returns the words of a filter's key: the fields of a struct, or one number.
    fn filter_keys(&mut self, arguments: &[syntax::Expression], ty: &Type, span: Span) -> Option<Vec<Expression>> {
        if let [argument] = arguments
            && let Some(pointer) = self.key_pointer(argument)
        {
            let pointer = pointer?;
            self.check_end(&pointer, ty.bytes(), argument.span)?;
            let field = |offset: u64, bits: u64| {
                let (address, offset) = match pointer.number() {
                    Some(number) => {
                        let address = number as u64 + offset / 8;
                        (Expression::number(ADDRESS, address as i64), offset % 8)
                    }
                    None => (pointer.to_ir(ADDRESS), offset),
                };
                Expression::Memory(Box::new(MemoryField { address, offset: offset as u32, width: bits as u16 }))
            };
            return Some(match ty {
                Type::Structure(structure) => {
                    let fields = structure.order.iter().map(|name| &structure.fields[name]);
                    fields.map(|key| field(key.offset, key.ty.bits())).collect()
                }
                _ => vec![field(0, ty.bits())],
            });
        }
        let values = self.field_values(arguments, ty, span)?;
        let unsigned = |value: Expression, width: u64| {
            let to = ir::Type::Bits(width as u16);
            if self.program.type_of(&value) == to { value } else { Expression::Cast(to, Box::new(value)) }
        };
        let widths: Vec<u64> = match ty {
            Type::Structure(structure) => structure.order.iter().map(|name| structure.fields[name].ty.bits()).collect(),
            _ => vec![ty.bits()],
        };
        Some(values.into_iter().zip(widths).map(|(value, width)| unsigned(value, width)).collect())
    }

    /// `HashFields`: the fields that the program chooses.
    fn hash_fields(&mut self, arguments: &[syntax::Expression], span: Span) -> Option<Asked> {
        let data = match arguments {
            [pointer, bytes] if self.key_pointer(pointer).is_some() => {
                let (address, bytes) = self.memory(pointer, bytes, 1)?;
                Data::Memory { address, bytes }
            }
            _ => {
                let mut values = Vec::new();
                let mut bits = 0;
                for argument in arguments {
                    let value = self.operand(argument, 32)?;
                    bits += self.program.type_of(&value).width();
                    values.push(value);
                }
                if bits > 512 {
                    let error = Diagnostic::error(span, format!("a hash of {bits} bits"));
                    self.error(error.hint("a transaction carries at most 64 bytes"));
                    return None;
                }
                Data::Values(values)
            }
        };
        let seed = Expression::number(ir::Type::Bits(64), 0);
        Some((Operation::Hash { data, seed }, self.reply(&[Some(REPLY_DATA)])))
    }

    /// Transactions of packets.
    fn of_packet(&mut self, kind: Kind, arguments: &[syntax::Expression]) -> Option<Asked> {
        Some(match (kind, arguments) {
            (Kind::TailRead, [packet, offset, pointer, bytes]) => {
                let (packet, offset) = (self.operand(packet, 8), self.operand(offset, 16));
                let (to, bytes) = self.memory(pointer, bytes, 1)?;
                (Operation::ReadTail { packet: packet?, offset: offset?, bytes }, Destination::Memory(to))
            }
            (Kind::TailWrite, [packet, offset, pointer, bytes]) => {
                let (packet, offset) = (self.operand(packet, 8), self.operand(offset, 16));
                let (address, bytes) = self.memory(pointer, bytes, 1)?;
                let data = Data::Memory { address, bytes };
                (Operation::WriteTail { packet: packet?, offset: offset?, data }, Destination::Nothing)
            }
            (Kind::TailCut, [packet, bytes]) => {
                let (packet, bytes) = (self.operand(packet, 8), self.operand(bytes, 16));
                (Operation::CutTail { packet: packet?, bytes: bytes? }, Destination::Nothing)
            }
            (Kind::PacketMake, tail_of) => {
                let tail_of = match tail_of {
                    [packet] => Some(self.operand(packet, 8)?),
                    _ => None,
                };
                (Operation::Make { tail_of }, self.reply(&[Some(REPLY_DATA)]))
            }
            (Kind::PacketSend, [packet, port, queue, pointer, bytes]) => {
                let packet = self.operand(packet, 8);
                let (port, queue) = (self.operand(port, 16), self.operand(queue, 8));
                let head = self.head(pointer, bytes)?;
                let operation = Operation::Send { packet: packet?, port: port?, queue: queue?, head };
                (operation, Destination::Nothing)
            }
            (Kind::PacketMulticast, [packet, group, pointer, bytes]) => {
                let (packet, group) = (self.operand(packet, 8), self.operand(group, 16));
                let head = self.head(pointer, bytes)?;
                (Operation::Multicast { packet: packet?, group: group?, head }, Destination::Nothing)
            }
            (Kind::PacketDrop, [packet, reason]) => {
                let packet = self.operand(packet, 8);
                let Entity::Reason(reason) = self.object_named(reason, "reason")? else { return None };
                (Operation::Drop { packet: packet?, reason: ReasonId::from(reason) }, Destination::Nothing)
            }
            _ => return None,
        })
    }

    /// Transactions of the machine around the threads.
    fn of_machine(&mut self, kind: Kind, arguments: &[syntax::Expression], span: Span) -> Option<Asked> {
        Some(match (kind, arguments) {
            (Kind::DigestSend, [digest, values @ ..]) => {
                let Entity::Digest { digest, ty } = self.object_named(digest, "digest")? else { return None };
                let values = self.field_values(values, &ty, span)?;
                (Operation::Digest { digest: DigestId::from(digest), values }, Destination::Nothing)
            }
            (Kind::TimerStart, [timer, period]) => {
                let Entity::Timer(timer) = self.object_named(timer, "timer")? else { return None };
                let period = self.limited(period, "a period in nanoseconds", 1, u64::MAX)?;
                (Operation::StartTimer { timer: TimerId::from(timer), period }, Destination::Nothing)
            }
            (Kind::TimerStop, [timer]) => {
                let Entity::Timer(timer) = self.object_named(timer, "timer")? else { return None };
                (Operation::StopTimer { timer: TimerId::from(timer) }, Destination::Nothing)
            }
            (Kind::TimeNow, []) => (Operation::Time, self.reply(&[Some(REPLY_DATA)])),
            _ => return None,
        })
    }

    /// Returns what an argument names, which must be of this kind.
    fn object_named(&mut self, argument: &syntax::Expression, kind: &str) -> Option<Entity> {
        let entity = match &argument.kind {
            ExpressionKind::Name(text) => self.names.get(text).map(|(entity, _)| entity.clone()),
            _ => None,
        };
        let found = match &entity {
            Some(Entity::Hash { .. }) => "hash table",
            Some(Entity::Filter { .. }) => "filter",
            Some(Entity::Timer(_)) => "timer",
            Some(Entity::Reason(_)) => "reason",
            Some(Entity::Digest { .. }) => "digest",
            Some(Entity::Broken) => return None,
            _ => "something else",
        };
        if found != kind {
            let error = Diagnostic::error(argument.span, format!("expected the name of a {kind}"));
            let word = kind.split(' ').next().unwrap_or(kind);
            self.error(error.hint(format!("declare it outside of instructions: `{word} …;`")));
            return None;
        }
        entity
    }

    /// Returns where a reply goes: each word of it into a predefined variable, or nowhere.
    fn reply(&mut self, words: &[Option<&str>]) -> Destination {
        Destination::Variables(words.iter().map(|name| name.map(|name| self.predefined_variable(name))).collect())
    }
}

/// Returns whether a thread waits for a transaction if the program does not say so: for one whose reply it looks at.
const fn default_mode(reply: &Destination) -> Mode {
    match reply {
        Destination::Nothing => Mode::Asynchronous,
        Destination::Variables(_) | Destination::Memory(_) => Mode::Synchronous,
    }
}
