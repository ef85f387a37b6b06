//! Commands about tables.

use diagnostics::{Diagnostic, Span};
use runtime::tables::{EntryHandle, FieldMatch};

use super::session::LARGEST_PRIORITY;
use super::{Session, Verb};
use crate::client::Style;
use crate::error_text::thousands;
use crate::{EntryError, EntrySelection, Error, Request, TableNumber, TableRequest, Target, Word};

/// The words of an entry.
struct Parts<'w> {
    /// The words before `=>`.
    key: &'w [Word],
    /// The words after `=>`, without the priority.
    given: &'w [Word],
    /// The priority, of which the largest wins, if the table has priorities.
    priority: Option<u32>,
    /// The priority as written, of which the smallest wins.
    written_priority: Option<&'w Word>,
}

impl Session<'_> {
    pub(super) fn table_add(&mut self, words: &[Word], span: Span) -> Option<Vec<Request>> {
        let table = self.resolver.table(&words[0]);
        let action = table.and_then(|table| self.resolver.action(table, &words[1]));
        let table = table?;
        let takes = action.map(|action| self.info().action(action).parameters.len());
        let parts = self.parts(table, &words[2..], takes, span)?;
        let key = self.key(table, parts.key, span);
        let call = self.resolver.call(action?, parts.given, span);
        self.insert(table, key?, &parts, Target::Action(call?), span)
    }

    pub(super) fn table_indirect_add(&mut self, verb: Verb, words: &[Word], span: Span) -> Option<Vec<Request>> {
        let table = self.resolver.table(&words[0])?;
        let parts = self.parts(table, &words[1..], Some(1), span)?;
        let key = self.key(table, parts.key, span);
        let [number] = parts.given else {
            self.resolver.error(span, "write the number of one member or group after `=>`");
            return None;
        };
        let target = self.target(verb, number);
        self.insert(table, key?, &parts, target?, span)
    }

    fn target(&mut self, verb: Verb, number: &Word) -> Option<Target> {
        match verb {
            Verb::TableIndirectAdd | Verb::TableIndirectSetDefault => self.number(number, "member").map(Target::Member),
            _ => self.number(number, "group").map(Target::Group),
        }
    }

    fn insert(
        &mut self,
        table: TableNumber,
        key: Vec<FieldMatch>,
        parts: &Parts<'_>,
        target: Target,
        span: Span,
    ) -> Option<Vec<Request>> {
        let priority = parts.priority;
        if let Some(&first) = self.numbers.added[table.index()].get(&(key.clone(), priority)) {
            self.duplicate(table, parts, span, first);
            return None;
        }
        self.numbers.added[table.index()].insert((key.clone(), priority), span);
        self.numbers.entries[table.index()].add(EntrySelection::Key { key: key.clone(), priority });
        Some(vec![Request::Table(table, TableRequest::insert(key, priority, target))])
    }

    /// Reports an entry that an earlier line has added. The message shows the priority as its author wrote it.
    fn duplicate(&mut self, table: TableNumber, parts: &Parts<'_>, span: Span, first: Span) {
        let name = &self.info().table(table).identity.name;
        let key: Vec<&str> = parts.key.iter().map(|word| word.text.as_str()).collect();
        let priority = parts.written_priority.map_or(String::new(), |word| format!(" and priority {}", word.text));
        let message = format!("table `{name}` already has an entry with the key `{}`{priority}", key.join(" "));
        self.resolver.findings.push(Diagnostic::error(span, message).related(first, "this one"));
    }

    /// Splits the words of an entry. `takes` is the number of words expected after `=>`, not counting a priority.
    fn parts<'w>(
        &mut self,
        table: TableNumber,
        words: &'w [Word],
        takes: Option<usize>,
        span: Span,
    ) -> Option<Parts<'w>> {
        let Some(arrow) = words.iter().position(|word| word.text == "=>") else {
            let error = Diagnostic::error(span, "`=>` is missing between the key and the parameters");
            self.resolver.findings.push(error.hint("write it even if the action has no parameters"));
            return None;
        };
        let (key, given) = (&words[..arrow], &words[arrow + 1..]);
        let about = self.info().table(table);
        let Some(reason) = about.fields.iter().find(|field| field.kind.has_priority()) else {
            return Some(Parts { key, given, priority: None, written_priority: None });
        };
        match given.split_last() {
            Some((last, front)) if takes != Some(given.len()) => {
                let priority = Some(self.priority(last)?);
                Some(Parts { key, given: front, priority, written_priority: Some(last) })
            }
            _ => {
                let error = about.error(EntryError::NoPriority { field: reason.name.clone() });
                let hint =
                    "write it last: `... => PARAMETER ... PRIORITY`; the smaller number wins, as in simple_switch_CLI";
                self.resolver.findings.push(error.diagnostic(span).hint(hint));
                None
            }
        }
    }

    /// Reads a priority, and converts it: in BMv2, the smallest wins.
    fn priority(&mut self, word: &Word) -> Option<u32> {
        let priority = self.number(word, "priority")?;
        let turned = LARGEST_PRIORITY.checked_sub(priority);
        if turned.is_none() {
            self.resolver.error(word.span, format!("a priority is at most {}", thousands(u64::from(LARGEST_PRIORITY))));
        }
        turned
    }

    fn key(&mut self, table: TableNumber, words: &[Word], span: Span) -> Option<Vec<FieldMatch>> {
        let fields = &self.info().table(table).fields;
        if words.len() != fields.len() {
            let fields = fields.iter().map(|field| field.name.clone()).collect();
            let error = EntryError::FieldCount { fields, given: words.len() };
            let error: Error = self.info().table(table).error(error);
            return self.resolver.ok(Err(error), span);
        }
        let read: Vec<_> =
            words.iter().enumerate().map(|(at, word)| self.resolver.field(table, at, word, Style::Command)).collect();
        read.into_iter().collect()
    }

    pub(super) fn table_set_default(&mut self, words: &[Word], span: Span) -> Option<Vec<Request>> {
        let table = self.resolver.table(&words[0])?;
        let action = self.resolver.action(table, &words[1])?;
        let call = self.resolver.call(action, &words[2..], span)?;
        Some(vec![Request::Table(table, TableRequest::set_default(Target::Action(call)))])
    }

    pub(super) fn table_indirect_set_default(&mut self, verb: Verb, words: &[Word]) -> Option<Vec<Request>> {
        let table = self.resolver.table(&words[0])?;
        let target = self.target(verb, &words[1])?;
        Some(vec![Request::Table(table, TableRequest::set_default(target))])
    }

    pub(super) fn table_reset_default(&mut self, words: &[Word]) -> Option<Vec<Request>> {
        Some(vec![Request::Table(self.resolver.table(&words[0])?, TableRequest::ResetDefault)])
    }

    pub(super) fn table_modify(&mut self, words: &[Word], span: Span) -> Option<Vec<Request>> {
        let table = self.resolver.table(&words[0])?;
        let action = self.resolver.action(table, &words[1]);
        let entry = self.entry(table, &words[2]);
        let skipped = usize::from(words.get(3).is_some_and(|word| word.text == "=>"));
        let call = self.resolver.call(action?, &words[3 + skipped..], span)?;
        Some(vec![Request::Table(table, TableRequest::modify(entry?, Target::Action(call)))])
    }

    pub(super) fn table_set_timeout(&mut self, words: &[Word]) -> Option<Vec<Request>> {
        let table = self.resolver.table(&words[0])?;
        let entry = self.entry(table, &words[1]);
        let milliseconds = u64::from(self.number(&words[2], "timeout")?);
        Some(vec![Request::Table(table, TableRequest::SetIdleTimeout(entry?, milliseconds * 1_000_000))])
    }

    pub(super) fn table_delete(&mut self, words: &[Word]) -> Option<Vec<Request>> {
        let table = self.resolver.table(&words[0])?;
        let entry = self.entry(table, &words[1])?;
        let number = self.number(&words[1], "entry")?;
        if !self.is_of_running
            && let Some(EntrySelection::Key { key, priority }) = self.numbers.entries[table.index()].remove(number)
        {
            self.numbers.added[table.index()].remove(&(key, priority));
        }
        Some(vec![Request::Table(table, TableRequest::Delete(entry))])
    }

    pub(super) fn table_clear(&mut self, words: &[Word]) -> Option<Vec<Request>> {
        let table = self.resolver.table(&words[0])?;
        self.forget_entries(table);
        Some(vec![Request::Table(table, TableRequest::Clear)])
    }

    pub(super) fn table_dump(&mut self, words: &[Word]) -> Option<Vec<Request>> {
        Some(vec![Request::Table(self.resolver.table(&words[0])?, TableRequest::read_all())])
    }

    pub(super) fn table_dump_entry(&mut self, words: &[Word]) -> Option<Vec<Request>> {
        let table = self.resolver.table(&words[0])?;
        let entry = self.entry(table, &words[1])?;
        Some(vec![Request::Table(table, TableRequest::read(entry))])
    }

    /// Looks up an entry by number.
    pub(super) fn entry(&mut self, table: TableNumber, word: &Word) -> Option<EntrySelection> {
        let number = self.number(word, "entry")?;
        if self.is_of_running {
            return Some(EntryHandle(number).into());
        }
        if let Some(entry) = self.numbered_entry(table, number) {
            return Some(entry);
        }
        let name = &self.info().table(table).identity.name;
        let hint = self.numbers.entries[table.index()].known("entry");
        let error = Diagnostic::error(word.span, format!("table `{name}` has no entry {number} here"));
        self.resolver.findings.push(error.hint(hint));
        None
    }
}
