//! Conversion of packet tests to steps, line by line because later lines refer to what earlier ones created.

use std::collections::{BTreeMap, BTreeSet};

use basis::Duration;
use diagnostics::{Diagnostic, Diagnostics, Span};
use runtime::Bits;
use runtime::tables::{FieldMatch, MatchKind};

use super::digest_check::leaf_name;
use super::{
    Call, Check, Command, CounterCheck, DigestCheck, Expectation, ExpectedIdle, IdleCheck, NumberCheck, Statement,
};
use crate::client::Style;
use crate::{
    ActionCall, CounterRequest, ElementSelection, EntryError, EntrySelection, Error, Info, MemoryRequest,
    RecordRequest, Request, Size, TableNumber, TableRequest, Target, Word, commands,
};

/// A step that the driver of the switch executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The control plane makes a request.
    Request(Request),
    /// A packet arrives.
    Packet {
        /// The port.
        port: u32,
        /// The bytes of the packet.
        bytes: Vec<u8>,
    },
    /// A packet must leave, after all packets expected earlier on the same port.
    Expect {
        /// The port.
        port: u32,
        /// The expected content.
        expectation: Expectation,
    },
    /// No packet may leave other than those expected earlier.
    NoPacket,
    /// All earlier steps take effect before the following ones, and the next packet arrives at least so long after the
    /// last one.
    Wait {
        /// The time between the two packets.
        time: Duration,
    },
    /// The machine on which the test runs has this value for an option.
    Option {
        /// The name of the option.
        name: Word,
        /// The value; empty if there is none.
        value: Word,
    },
    /// State must satisfy a condition after all earlier packets have been processed.
    Check {
        /// The request that reads it.
        request: Request,
        /// The condition, to be checked with [`Check::verify`].
        check: Check,
    },
    /// The next message of a digest must satisfy a condition, to be checked with [`DigestCheck::verify`].
    CheckDigest(DigestCheck),
    /// The next notification of an idle entry must satisfy a condition, to be checked with [`IdleCheck::verify`].
    CheckIdle(IdleCheck),
}

/// The conversion of one packet test to steps.
pub struct Session<'i> {
    commands: commands::Session<'i>,
    /// The entries that have a name.
    handles: BTreeMap<String, Named>,
    /// The pipes in which lines have written tables, by table, since all entries were removed.
    pipes: BTreeMap<TableNumber, BTreeSet<u32>>,
}

/// An entry that has a name.
#[derive(Clone)]
struct Named {
    table: TableNumber,
    entry: EntrySelection,
    /// The pipe to which the entry was added, if it was one.
    pipe: Option<u32>,
}

impl<'i> Session<'i> {
    /// Creates a session for a program that runs; see [`commands::Session::of_running`].
    pub fn of_running(info: &'i Info) -> Self {
        Self { commands: commands::Session::of_running(info), handles: BTreeMap::new(), pipes: BTreeMap::new() }
    }

    /// Creates a session for a program in its initial state.
    pub fn new(info: &'i Info) -> Self {
        Self { commands: commands::Session::new(info), handles: BTreeMap::new(), pipes: BTreeMap::new() }
    }

    /// Converts a line to steps, in order. The session assumes that they are executed.
    ///
    /// # Errors
    /// Returns all errors of the line.
    pub fn lower(&mut self, command: &Command) -> Result<Vec<Step>, Diagnostics> {
        let steps = match &command.statement {
            Statement::Switch(written) => {
                let written = commands::Command { pipe: command.pipe, ..written.clone() };
                self.commands.lower(&written)?.into_iter().map(Step::Request).collect()
            }
            _ => {
                self.commands.select_pipe(command.pipe);
                let steps = self.steps(command);
                let findings = std::mem::take(&mut self.commands.resolver.findings);
                steps.filter(|_| !findings.has_errors()).ok_or(findings)?
            }
        };
        for step in &steps {
            if let Step::Request(Request::InPipe(pipe, request)) = step
                && let Request::Table(table, request) = &**request
                && !matches!(request, TableRequest::Clear)
            {
                self.pipes.entry(*table).or_default().insert(*pipe);
            }
        }
        Ok(steps)
    }

    /// Returns and removes the warnings of all lines since the last call.
    pub fn take_warnings(&mut self) -> Diagnostics {
        self.commands.take_warnings()
    }

    fn info(&self) -> &'i Info {
        self.commands.resolver.info
    }

    fn steps(&mut self, command: &Command) -> Option<Vec<Step>> {
        Some(match &command.statement {
            Statement::Packet { port, bytes } => vec![Step::Packet { port: *port, bytes: bytes.clone() }],
            Statement::Expect { port, expectation } => {
                vec![Step::Expect { port: *port, expectation: expectation.clone() }]
            }
            Statement::NoPacket => vec![Step::NoPacket],
            Statement::Wait { time } => vec![Step::Wait { time: *time }],
            Statement::Option { name, value } => {
                vec![Step::Option { name: name.clone(), value: value.clone() }]
            }
            Statement::Add { table, priority, key, call, handle } => {
                self.add((table, *priority, key), call, handle.as_ref(), command)?
            }
            Statement::SetDefault { table, call } => {
                let table = self.commands.resolver.table(table)?;
                let target = Target::Action(self.call(table, call)?);
                vec![Step::Request(Request::Table(table, TableRequest::set_default(target)).in_pipe(command.pipe))]
            }
            Statement::RemoveAll => self.remove_all(command.pipe),
            Statement::Remove { handle } => {
                let Named { table, entry, pipe } = self.named(handle)?;
                self.handles.remove(&handle.text);
                vec![Step::Request(Request::Table(table, TableRequest::Delete(entry)).in_pipe(command.pipe.or(pipe)))]
            }
            Statement::CheckCounter { counter, element, check } => {
                vec![self.check_counter(counter, element, *check, command.pipe)?]
            }
            Statement::CheckMemory { segment, offset, comparison, value } => {
                let resolver = &mut self.commands.resolver;
                let segment = resolver.ok(resolver.info.segment_named(&segment.text), segment.span);
                let offset = resolver.value(offset, 64, || "the distance from the beginning of a segment".to_owned());
                let value = resolver.value(value, 64, || "a word of memory".to_owned())?.low();
                let (segment, offset) = (segment?, offset?.low());
                let request = Request::Memory(segment, MemoryRequest::Read { offset, words: 1 }).in_pipe(command.pipe);
                let check = NumberCheck { comparison: *comparison, value };
                vec![Step::Check { request, check: Check::Word { segment, offset, check } }]
            }
            Statement::CheckRecords { records, comparison, value } => {
                let resolver = &mut self.commands.resolver;
                let table = resolver.ok(resolver.info.record_table_named(&records.text), records.span);
                let value = resolver.value(value, 64, || "a number of records".to_owned())?.low();
                let request = Request::Records(table?, RecordRequest::Read(None)).in_pipe(command.pipe);
                let check = NumberCheck { comparison: *comparison, value };
                vec![Step::Check { request, check: Check::Records(table?, check) }]
            }
            Statement::CheckDigest { message } => vec![Step::CheckDigest(self.check_digest(message)?)],
            Statement::NoDigest { digest } => {
                let digest = self.commands.resolver.ok(self.info().digest_named(&digest.text), digest.span)?;
                vec![Step::CheckDigest(DigestCheck { digest, fields: None })]
            }
            Statement::CheckIdle { handle: None } => vec![Step::CheckIdle(IdleCheck { entry: None })],
            Statement::CheckIdle { handle: Some(handle) } => {
                let Named { table, entry, pipe } = self.named(handle)?;
                let about = self.info().table(table);
                if !about.has_idle_timeout {
                    let error = format!("the entries of table `{}` have no idle timeouts", about.identity.name);
                    self.commands.resolver.error(handle.span, error);
                    return None;
                }
                let entry = ExpectedIdle { name: handle.text.clone(), table, entry, pipe };
                vec![Step::CheckIdle(IdleCheck { entry: Some(entry) })]
            }
            Statement::Switch(_) => Vec::new(),
        })
    }

    fn add(
        &mut self,
        (table, priority, key): (&Word, Option<u32>, &[(Word, Word)]),
        call: &Call,
        handle: Option<&Word>,
        &Command { pipe, span, .. }: &Command,
    ) -> Option<Vec<Step>> {
        let table = self.commands.resolver.table(table)?;
        let key = self.key(table, key, span);
        let call = self.call(table, call);
        // Many tests contain priorities for tables without them, where they have no meaning.
        let reason = self.info().table(table).fields.iter().find(|field| field.kind.has_priority());
        let priority = match (reason, priority) {
            (Some(field), None) => {
                let error = EntryError::NoPriority { field: field.name.clone() };
                return self.commands.resolver.ok(Err(self.info().table(table).error(error)), span);
            }
            (Some(_), Some(priority)) => Some(priority),
            (None, _) => None,
        };
        let (key, target) = (key?, Target::Action(call?));
        let entry = EntrySelection::Key { key: key.clone(), priority };
        self.commands.note_entry(table, entry.clone());
        if let Some(handle) = handle {
            self.handles.insert(handle.text.clone(), Named { table, entry, pipe });
        }
        Some(vec![Step::Request(Request::Table(table, TableRequest::insert(key, priority, target)).in_pipe(pipe))])
    }

    /// Builds the whole key of an entry from fields that are given by name.
    fn key(&mut self, table: TableNumber, given: &[(Word, Word)], span: Span) -> Option<Vec<FieldMatch>> {
        let fields = &self.info().table(table).fields;
        if given.is_empty() && !fields.is_empty() {
            // An empty key would match everything, or only zeros; `setdefault` sets the action on a miss.
            let error = EntryError::FieldCount { fields: fields.iter().map(|it| it.name.clone()).collect(), given: 0 };
            let error = self.info().table(table).error(error).diagnostic(span);
            let hint = format!(
                "write `{}:VALUE` before the action; to set the action on a miss, use `setdefault`",
                fields[0].name
            );
            self.commands.resolver.findings.push(error.hint(hint));
            return None;
        }
        let mut key: Vec<Option<FieldMatch>> = vec![None; fields.len()];
        let mut is_right = true;
        for (name, value) in given {
            let at = self.commands.resolver.ok(self.info().field_named(table, &name.text), name.span);
            let asked = at.and_then(|at| self.commands.resolver.field(table, at, value, Style::Test));
            let (Some(at), Some(asked)) = (at, asked) else {
                is_right = false;
                continue;
            };
            if key[at].replace(asked).is_some() {
                self.commands.resolver.error(name.span, format!("key field `{}` is given twice", fields[at].name));
                is_right = false;
            }
        }
        let whole = key.into_iter().zip(fields).map(|(asked, field)| match asked {
            Some(asked) => asked,
            // The test runners of p4c use 0 for a missing exact field, and match everything for other kinds.
            None if field.kind == MatchKind::Exact => {
                if is_right {
                    let message = format!("key field `{}` is missing and defaults to 0", field.name);
                    self.commands.warn(span, message);
                }
                FieldMatch::Exact(Bits::zero(field.width))
            }
            None => FieldMatch::Any,
        });
        let whole: Vec<FieldMatch> = whole.collect();
        is_right.then_some(whole)
    }

    /// Reads an action whose parameters are given by name.
    fn call(&mut self, table: TableNumber, call: &Call) -> Option<ActionCall> {
        let action = self.commands.resolver.action(table, &call.action)?;
        let about = self.info().action(action);
        let name = &about.identity.name;
        let mut data: Vec<Option<Bits>> = vec![None; about.parameters.len()];
        let mut is_right = true;
        for (parameter, value) in &call.arguments {
            let at = self.commands.resolver.ok(self.info().parameter_named(action, &parameter.text), parameter.span);
            let value = at.and_then(|at| {
                let place = || format!("parameter `{}` of action `{name}`", about.parameters[at].name);
                self.commands.resolver.value(value, about.parameters[at].width, place)
            });
            let (Some(at), Some(value)) = (at, value) else {
                is_right = false;
                continue;
            };
            if data[at].replace(value).is_some() {
                let message = format!("parameter `{}` is given twice", about.parameters[at].name);
                self.commands.resolver.error(parameter.span, message);
                is_right = false;
            }
        }
        if is_right && data.iter().any(Option::is_none) {
            let parameters = about.parameters.iter().map(|parameter| parameter.name.clone()).collect();
            let error = Error::ParameterCount { action: name.clone(), parameters, given: call.arguments.len() };
            return self.commands.resolver.ok(Err(error), call.span);
        }
        let data = data.into_iter().collect::<Option<Vec<Bits>>>()?;
        is_right.then_some(ActionCall { action, data })
    }

    /// Looks up an entry by name.
    fn named(&mut self, handle: &Word) -> Option<Named> {
        let name = handle.text.trim_start_matches('$');
        let found = self.handles.get(name).cloned();
        if found.is_none() {
            let error = Diagnostic::error(handle.span, format!("no entry has the name `{name}`"));
            let hint = format!("name an entry with `add ... = {name}`");
            self.commands.resolver.findings.push(error.hint(hint));
        }
        found
    }

    /// Removes all entries: those of one pipe, or all, of which some may have been added to single pipes.
    fn remove_all(&mut self, pipe: Option<u32>) -> Vec<Step> {
        self.handles.retain(|_, named| pipe.is_some() && named.pipe != pipe);
        let tables = self.info().tables.iter().enumerate().filter(|(_, table)| !table.is_constant);
        let numbers: Vec<TableNumber> = tables.map(|(at, _)| TableNumber::from(at)).collect();
        let mut steps = Vec::new();
        for table in numbers {
            let written = self.pipes.entry(table).or_default();
            let pipes: Vec<Option<u32>> = match pipe {
                None if written.is_empty() => vec![None],
                None => std::mem::take(written).into_iter().map(Some).collect(),
                Some(pipe) if written.remove(&pipe) => vec![Some(pipe)],
                Some(_) => Vec::new(),
            };
            for pipe in pipes {
                self.commands.select_pipe(pipe);
                self.commands.forget_entries(table);
                steps.push(Step::Request(Request::Table(table, TableRequest::Clear).in_pipe(pipe)));
            }
        }
        steps
    }

    /// Reads the values that the next message of a digest must have.
    fn check_digest(&mut self, message: &Call) -> Option<DigestCheck> {
        let (name, span) = (&message.action.text, message.action.span);
        let digest = self.commands.resolver.ok(self.info().digest_named(name), span)?;
        let leaves = self.info().digests[digest.index()].data_type.leaves();
        let mut fields = Vec::new();
        let mut is_right = true;
        for (field, value) in &message.arguments {
            let Some(place) = leaves.iter().position(|leaf| leaf_name(leaf) == field.text) else {
                let error = Diagnostic::error(field.span, format!("digest `{name}` has no field `{}`", field.text));
                let names: Vec<&str> = leaves.iter().map(leaf_name).collect();
                self.commands.resolver.findings.push(error.hint(format!("it has {}", names.join(", "))));
                is_right = false;
                continue;
            };
            let what = || format!("field `{}` of digest `{name}`", field.text);
            match self.commands.resolver.value(value, leaves[place].width, what) {
                Some(value) => fields.push((place, value)),
                None => is_right = false,
            }
        }
        is_right.then_some(DigestCheck { digest, fields: Some(fields) })
    }

    fn check_counter(
        &mut self,
        counter: &Word,
        element: &Word,
        check: Option<CounterCheck>,
        mut pipe: Option<u32>,
    ) -> Option<Step> {
        let number = self.commands.resolver.ok(self.info().counter_named(&counter.text), counter.span)?;
        let element = match (element.text.starts_with('$'), self.info().counter(number).size) {
            (true, Size::Entries(table)) => {
                let Named { table: of, entry, pipe: own } = self.named(element)?;
                pipe = pipe.or(own);
                if of != table {
                    let name = &self.info().table(table).identity.name;
                    let message = format!("this entry is not one of table `{name}`, whose entries are counted");
                    self.commands.resolver.error(element.span, message);
                    return None;
                }
                ElementSelection::Entry(entry)
            }
            (_, size) => self.commands.element_selection(size, element)?,
        };
        let request = Request::Counter(number, CounterRequest::Read(element)).in_pipe(pipe);
        Some(match check {
            Some(check) => Step::Check { request, check: Check::Counter(number, check) },
            None => Step::Request(request),
        })
    }
}
