//! Conversion of commands to requests, one by one because later commands refer to what earlier ones created.

use std::collections::BTreeMap;

use diagnostics::{Diagnostic, Diagnostics, Span};

use super::numbers::Numbers;
use super::{Command, Verb};
use crate::client::{Nodes, Resolver};
use crate::{EntrySelection, Info, Request, TableNumber, Word};

/// The largest priority in P4Runtime, where priorities are signed 32-bit numbers.
pub(super) const LARGEST_PRIORITY: u32 = i32::MAX as u32;

/// The conversion of one file of commands to requests.
pub struct Session<'i> {
    pub(crate) resolver: Resolver<'i>,
    pub(super) nodes: Nodes,
    /// The pipe that the current line names, if it names one.
    pipe: Option<u32>,
    /// The numbers of the pipe that the current line names, or of what was written to all pipes.
    pub(super) numbers: Numbers,
    /// The numbers of all other pipes that lines have named, and of what was written to all pipes.
    other_numbers: BTreeMap<Option<u32>, Numbers>,
    warnings: Diagnostics,
    /// Whether entries have the numbers that the running program gave them.
    pub(super) is_of_running: bool,
}

impl<'i> Session<'i> {
    /// Creates a session for a program that runs, whose entries have been changed by others: the number of an entry is its
    /// handle there. Members and groups are numbered as in [`Session::new`].
    pub fn of_running(info: &'i Info) -> Self {
        Self { is_of_running: true, ..Self::new(info) }
    }

    /// Creates a session for a program in its initial state.
    pub fn new(info: &'i Info) -> Self {
        Self {
            resolver: Resolver::new(info),
            nodes: Nodes::default(),
            pipe: None,
            numbers: Numbers::new(info),
            other_numbers: BTreeMap::new(),
            warnings: Diagnostics::new(),
            is_of_running: false,
        }
    }

    /// Converts a command to requests, in order. The session assumes that they succeed.
    ///
    /// # Errors
    /// Returns all errors of the command.
    pub fn lower(&mut self, command: &Command) -> Result<Vec<Request>, Diagnostics> {
        self.select_pipe(command.pipe);
        let requests = self.requests(command);
        let findings = std::mem::take(&mut self.resolver.findings);
        match requests {
            Some(requests) if !findings.has_errors() => {
                Ok(requests.into_iter().map(|request| request.in_pipe(command.pipe)).collect())
            }
            _ => Err(findings),
        }
    }

    /// Makes a pipe that of the following requests, or all pipes; each has numbers of its own.
    pub(crate) fn select_pipe(&mut self, pipe: Option<u32>) {
        if pipe != self.pipe {
            let numbers = self.other_numbers.remove(&pipe).unwrap_or_else(|| Numbers::new(self.resolver.info));
            self.other_numbers.insert(self.pipe, std::mem::replace(&mut self.numbers, numbers));
            self.pipe = pipe;
        }
    }

    /// Returns the entry of a table that has a number: in the pipe that the line names or, if there is none, among those
    /// that were written to all pipes.
    pub(super) fn numbered_entry(&self, table: TableNumber, number: u32) -> Option<EntrySelection> {
        let to_all = || self.other_numbers.get(&None)?.entries[table.index()].get(number);
        self.numbers.entries[table.index()].get(number).or_else(to_all).cloned()
    }

    /// Returns and removes the warnings of all commands since the last call.
    pub fn take_warnings(&mut self) -> Diagnostics {
        std::mem::take(&mut self.warnings)
    }

    fn requests(&mut self, command: &Command) -> Option<Vec<Request>> {
        use Verb as V;
        let (words, span) = (command.arguments.as_slice(), command.span);
        match command.verb {
            V::TableAdd => self.table_add(words, span),
            V::TableSetDefault => self.table_set_default(words, span),
            V::TableResetDefault | V::TableIndirectResetDefault => self.table_reset_default(words),
            V::TableModify => self.table_modify(words, span),
            V::TableDelete | V::TableIndirectDelete => self.table_delete(words),
            V::TableClear => self.table_clear(words),
            V::TableDump | V::TableNumEntries => self.table_dump(words),
            V::TableSetTimeout => self.table_set_timeout(words),
            V::TableDumpEntry => self.table_dump_entry(words),
            V::TableIndirectAdd | V::TableIndirectAddWithGroup => self.table_indirect_add(command.verb, words, span),
            V::TableIndirectSetDefault | V::TableIndirectSetDefaultWithGroup => {
                self.table_indirect_set_default(command.verb, words)
            }
            V::CreateMember => self.create_member(words, span),
            V::ModifyMember => self.modify_member(words, span),
            V::DeleteMember => self.delete_member(words),
            V::CreateGroup => self.create_group(words),
            V::DeleteGroup => self.delete_group(words),
            V::AddToGroup | V::RemoveFromGroup => self.change_group(command.verb, words),
            V::DumpProfile | V::DumpMember | V::DumpGroup => self.dump_profile(command.verb, words),
            V::GroupCreate | V::GroupDestroy => self.multicast_group(command.verb, words),
            V::NodeCreate | V::NodeUpdate | V::NodeDestroy => self.multicast_node(command.verb, words, span),
            V::NodeAssociate | V::NodeDissociate => self.multicast_association(command.verb, words, span),
            V::MirroringAdd | V::MirroringAddGroup | V::MirroringDelete | V::MirroringGet => {
                self.mirroring(command.verb, words)
            }
            V::CounterRead | V::CounterWrite | V::CounterReset => self.counter(command.verb, words),
            V::RegisterRead | V::RegisterWrite | V::RegisterReset => self.register(command.verb, words),
            V::MeterGetRates | V::MeterSetRates | V::MeterArraySetRates => self.meter(command.verb, words),
            V::FilterSet => self.filter(words),
            V::EarlyDetectionSet => self.early_detection(words),
            V::ValueSetAdd | V::ValueSetRemove | V::ValueSetGet | V::ValueSetClear => {
                self.value_set(command.verb, words)
            }
            V::MemoryRead | V::MemoryWrite | V::MemoryDump => self.memory(command.verb, words),
            V::RecordGet | V::RecordAdd | V::RecordDelete | V::RecordDump => self.records(command.verb, words),
            V::EventRaise => self.event(words),
            V::Configure => Some(vec![super::configure(words)]),
            V::Ignored => {
                self.warn(span, "this command is ignored: it has no effect on this switch");
                Some(Vec::new())
            }
        }
    }

    /// Assigns a number to an entry that was not added by a command.
    pub(crate) fn note_entry(&mut self, table: TableNumber, entry: EntrySelection) {
        self.numbers.entries[table.index()].add(entry);
    }

    /// Discards the numbers of all entries of a table.
    pub(crate) fn forget_entries(&mut self, table: TableNumber) {
        self.numbers.entries[table.index()].clear();
        self.numbers.added[table.index()].clear();
    }

    pub(super) fn info(&self) -> &'i Info {
        self.resolver.info
    }

    pub(crate) fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.warnings.push(Diagnostic::warning(span, message));
    }

    /// Returns the value, or reports the error at a location.
    pub(super) fn said<T>(&mut self, found: Result<T, String>, span: Span) -> Option<T> {
        found.map_err(|message| self.resolver.error(span, message)).ok()
    }

    /// Reads a number.
    pub(super) fn number(&mut self, word: &Word, what: &str) -> Option<u32> {
        self.resolver.index(word, what)
    }

    /// Reads the number of a port.
    pub(super) fn port(&mut self, word: &Word) -> Option<u32> {
        self.resolver.narrow_index(word, "port", self.resolver.info.replication.port)
    }

    /// Reads the number of a multicast group.
    pub(super) fn group(&mut self, word: &Word) -> Option<u32> {
        self.resolver.narrow_index(word, "multicast group", self.resolver.info.replication.group)
    }
}
