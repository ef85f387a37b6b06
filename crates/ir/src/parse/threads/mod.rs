//! The parser of programs of threads: declarations and entrances.

mod instructions;
mod operations;

use diagnostics::{Diagnostic, Span};

use super::scope::Named;
use super::{Parsed, Parser};
use crate::threads::{
    Cause, Contents, Event, EventId, HeadPlace, InstructionId, LocalMemory, MemoryKind, RecordTable, RecordTableId,
    Segment, SegmentId, ThreadEntrance, Timer, TimerId,
};
use crate::verify::Item;
use crate::{Initial, MeterId, Threads, Type};

/// The keywords that begin a declaration of a program of threads.
pub(super) const WORDS: [&str; 8] = ["local_memory", "head", "segment", "records", "timer", "event", "reason", "flow"];

impl Parser<'_> {
    /// Returns the program of threads, which the first mention of one makes.
    pub(super) fn threads(&mut self) -> &mut Threads {
        self.scope.program.threads.get_or_insert_default()
    }

    /// Reads the rest of a declaration whose keyword, one of [`WORDS`], has been read.
    pub(super) fn thread_part(&mut self, word: &str, span: Span) -> Parsed<()> {
        self.threads();
        match word {
            "local_memory" => self.local_memory(span),
            "head" => self.head(span),
            "segment" => self.segment(),
            "records" => self.records(),
            "timer" => self.timer(),
            "event" => self.event(),
            "reason" => self.reason(),
            _ => self.packet_flow(span),
        }
    }

    fn local_memory(&mut self, span: Span) -> Parsed<()> {
        self.once("local_memory", span)?;
        let findings = self.cursor.count_findings();
        let (bytes, _) = self.cursor.expect_count("the size of local memory in bytes")?;
        let initial = self.words()?;
        self.threads().local_memory = LocalMemory { bytes, initial };
        self.remember(Item::LocalMemory, span, findings);
        Ok(())
    }

    fn head(&mut self, span: Span) -> Parsed<()> {
        self.once("head", span)?;
        let findings = self.cursor.count_findings();
        let (address, _) = self.cursor.expect_count("the address of the head")?;
        self.cursor.expect_word("size")?;
        let (bytes, _) = self.cursor.expect_count("a number of bytes")?;
        self.threads().head = HeadPlace { address, bytes };
        self.remember(Item::Head, span, findings);
        Ok(())
    }

    fn segment(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (name, span) = self.cursor.expect_title("the name of a segment")?;
        self.cursor.expect_sign(":")?;
        let kind = if self.cursor.take_word("on_chip").is_some() {
            MemoryKind::OnChip
        } else if self.cursor.take_word("off_chip").is_some() {
            MemoryKind::OffChip
        } else {
            return Err(self.cursor.unexpected("`on_chip` or `off_chip`"));
        };
        self.cursor.expect_word("at")?;
        let address = self.value_of(Type::Bits(64))?;
        self.cursor.expect_word("size")?;
        let bytes = self.value_of(Type::Bits(64))?;
        let contents = if self.cursor.take_word("policers").is_some() {
            Contents::Policers(MeterId::from(self.named(Named::Meter)?.0))
        } else {
            Contents::Words(self.words()?)
        };
        let number = self.declare(Named::Segment, &name, span)?;
        let name = name.into_owned();
        self.threads().segments.push(Segment { name, kind, address, bytes, contents });
        self.remember(Item::Segment(SegmentId::from(number)), span, findings);
        Ok(())
    }

    /// Reads `=` and first contents, if they are present.
    fn words(&mut self) -> Parsed<Initial> {
        match self.cursor.take_sign("=") {
            Some(_) => Ok(self.first_values(Type::Bits(64), true)?.0),
            None => Ok(Initial::Fill(0)),
        }
    }

    fn records(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (name, span) = self.cursor.expect_title("the name of a table of records")?;
        self.cursor.expect_sign(":")?;
        self.cursor.expect_word("key")?;
        let (key_bytes, _) = self.cursor.expect_count("the size of a key in bytes")?;
        self.cursor.expect_word("size")?;
        let (record_bytes, _) = self.cursor.expect_count("the size of a record in bytes")?;
        self.cursor.expect_word("in")?;
        let segment = SegmentId::from(self.named(Named::Segment)?.0);
        let number = self.declare(Named::Records, &name, span)?;
        let name = name.into_owned();
        self.threads().records.push(RecordTable { name, key_bytes, record_bytes, segment });
        self.remember(Item::Records(RecordTableId::from(number)), span, findings);
        Ok(())
    }

    fn timer(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (name, span) = self.cursor.expect_title("the name of a timer")?;
        let period = match self.cursor.take_word("period") {
            Some(_) => Some(self.value_of(Type::Bits(64))?),
            None => None,
        };
        let number = self.declare(Named::Timer, &name, span)?;
        self.threads().timers.push(Timer { name: name.into_owned(), period });
        self.remember(Item::Timer(TimerId::from(number)), span, findings);
        Ok(())
    }

    fn event(&mut self) -> Parsed<()> {
        let (name, span) = self.cursor.expect_title("the name of an event")?;
        self.declare(Named::Event, &name, span)?;
        self.threads().events.push(Event { name: name.into_owned() });
        Ok(())
    }

    fn reason(&mut self) -> Parsed<()> {
        let (name, span) = self.cursor.expect_title("the name of a reason")?;
        self.declare(Named::Reason, &name, span)?;
        self.threads().reasons.push(name.into_owned());
        Ok(())
    }

    fn packet_flow(&mut self, span: Span) -> Parsed<()> {
        self.once("flow", span)?;
        let findings = self.cursor.count_findings();
        let flow = self.values()?;
        self.threads().flow = flow;
        self.remember(Item::PacketFlow, span, findings);
        Ok(())
    }

    /// Refuses the second line that begins with a word.
    fn once(&mut self, word: &str, span: Span) -> Parsed<()> {
        self.declare(Named::Line, word, span).map(drop)
    }

    /// Reads the name of a timer or an event whose keyword comes next, and where its threads begin.
    pub(super) fn entrance_of_cause(&mut self) -> Parsed<()> {
        let (findings, start) = (self.cursor.count_findings(), self.cursor.span());
        let cause = if self.cursor.take_word("timer").is_some() {
            Cause::Timer(TimerId::from(self.named(Named::Timer)?.0))
        } else {
            self.cursor.expect_word("event")?;
            Cause::Event(EventId::from(self.named(Named::Event)?.0))
        };
        self.cursor.expect_sign("=")?;
        self.cursor.expect_word("instruction")?;
        self.thread_entrance(cause, start, findings)
    }

    /// Reads the name of the instruction at which the threads of a cause begin.
    pub(super) fn thread_entrance(&mut self, cause: Cause, span: Span, findings: usize) -> Parsed<()> {
        self.threads();
        let start = InstructionId::from(self.named(Named::Instruction)?.0);
        let entrances = &mut self.threads().entrances;
        entrances.push(ThreadEntrance { cause, start });
        let item = Item::ThreadEntrance(entrances.len() - 1);
        self.remember(item, span, findings);
        Ok(())
    }

    /// Refuses an entrance for which no threads begin.
    pub(super) fn no_cause(&mut self, name: &str, span: Span) -> super::Reported {
        let error = Diagnostic::error(span, format!("threads do not begin for `{name}`"));
        self.cursor.report(error.hint("write `entrance packet`, `entrance timer` or `entrance event` and a name"))
    }
}
