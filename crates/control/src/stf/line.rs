//! The parser for lines of packet tests.

use basis::Duration;
use diagnostics::{Diagnostic, SourceId, Sources, did_you_mean};

use super::check::{Amount, Comparison, CounterCheck};
use super::cursor::Cursor;
use super::{Call, Command, Expectation, Statement};
use crate::Word;
use crate::commands::{self, Verb};

/// The words that begin a line, in addition to the commands of the switch.
const WORDS: [&str; 13] = [
    "packet",
    "expect",
    "no_packet",
    "wait",
    "option",
    "add",
    "setdefault",
    "remove",
    "check_counter",
    "check_memory",
    "check_records",
    "check_digest",
    "check_idle",
];

/// Parses all lines that are not empty. `#` begins a comment.
pub(super) fn commands(
    sources: &Sources,
    source: SourceId,
) -> impl Iterator<Item = Result<Command, Diagnostic>> + use<'_> {
    let mut start = 0;
    sources.text(source).split_inclusive('\n').filter_map(move |line| {
        let from = start;
        start += line.len();
        // The end of the line is not included, so that missing text is reported before it.
        let code = line.split('#').next().unwrap_or_default().trim_end();
        (!code.trim().is_empty()).then(|| command(Cursor::new(source, from, code)))
    })
}

fn command(mut cursor: Cursor<'_>) -> Result<Command, Diagnostic> {
    let span = cursor.whole();
    cursor.skip_blanks();
    let mut word = cursor.take_word();
    let mut pipe = None;
    if word.text.eq_ignore_ascii_case("pipe") {
        if cursor.rest().split_whitespace().count() < 2 {
            return Err(Diagnostic::error(span, commands::PIPE_ALONE).hint(commands::PIPE_USAGE));
        }
        cursor.skip_blanks();
        pipe = Some((commands::pipe_number(&cursor.take_word())?, word.span));
        cursor.skip_blanks();
        word = cursor.take_word();
    }
    let statement = match word.text.to_ascii_lowercase().as_str() {
        "packet" => packet(&mut cursor)?,
        "expect" => expect(&mut cursor)?,
        "no_packet" => Statement::NoPacket,
        "wait" => wait(&mut cursor)?,
        "option" => option(&mut cursor)?,
        "add" => add(&mut cursor)?,
        "setdefault" => {
            Statement::SetDefault { table: cursor.take_name("the name of a table")?, call: call(&mut cursor)? }
        }
        "remove" => remove(&mut cursor)?,
        "check_counter" => check_counter(&mut cursor)?,
        "check_memory" => check_memory(&mut cursor)?,
        "check_records" => check_records(&mut cursor)?,
        "check_digest" => check_digest(&mut cursor)?,
        "check_idle" => check_idle(&mut cursor)?,
        lower => switch(lower, &word, &mut cursor)?,
    };
    cursor.end()?;
    if let (Some((_, named)), false) = (pipe, statement.is_request()) {
        let error = Diagnostic::error(named, "only requests of the control plane name a pipe");
        return Err(error.hint("packets arrive and leave at ports, each of which belongs to one pipe"));
    }
    Ok(Command { pipe: pipe.map(|(pipe, _)| pipe), statement, span })
}

fn packet(cursor: &mut Cursor<'_>) -> Result<Statement, Diagnostic> {
    let port = cursor.take_number("a port")?;
    let mut digits = Vec::new();
    cursor.skip_blanks();
    while !cursor.is_at_end() {
        let word = cursor.take_word();
        for letter in word.text.chars() {
            let wrong = || Diagnostic::error(word.span, format!("`{letter}` is not a hexadecimal digit"));
            digits.push(letter.to_digit(16).ok_or_else(wrong)? as u8);
        }
        cursor.skip_blanks();
    }
    if !digits.len().is_multiple_of(2) {
        let message = format!("the packet ends in the middle of a byte: it has {} digits", digits.len());
        return Err(Diagnostic::error(cursor.whole(), message));
    }
    let bytes = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    Ok(Statement::Packet { port, bytes })
}

fn expect(cursor: &mut Cursor<'_>) -> Result<Statement, Diagnostic> {
    let port = cursor.take_number("a port")?;
    cursor.skip_blanks();
    let mut expectation = Expectation::any();
    while !cursor.is_at_end() {
        let word = cursor.take_word();
        if let Err(at) = expectation.extend(&word.text) {
            let letter = word.text[at..].chars().next().unwrap_or_default();
            let error = Diagnostic::error(word.span, format!("unexpected `{letter}`"));
            return Err(error.hint("write hexadecimal digits, `*` for any digit, and `$` at the end of the packet"));
        }
        cursor.skip_blanks();
    }
    Ok(Statement::Expect { port, expectation })
}

/// Parses the time after `wait`, which the format of the P4 compilers does not have.
fn wait(cursor: &mut Cursor<'_>) -> Result<Statement, Diagnostic> {
    let written = cursor.take_rest();
    if written.text.is_empty() {
        return Ok(Statement::Wait { time: Duration::ZERO });
    }
    let time = units::duration(&written.text);
    let time = time.map_err(|expected| {
        Diagnostic::error(written.span, format!("`wait` takes {expected}, not `{}`", written.text))
    })?;
    Ok(Statement::Wait { time })
}

fn option(cursor: &mut Cursor<'_>) -> Result<Statement, Diagnostic> {
    cursor.skip_blanks();
    let name = cursor.take_word();
    if name.text.is_empty() {
        let error = cursor.error("expected the name of an option of the machine");
        return Err(error.hint("write it and its value as on the command line, without `--`"));
    }
    Ok(Statement::Option { name, value: cursor.take_rest() })
}

fn add(cursor: &mut Cursor<'_>) -> Result<Statement, Diagnostic> {
    let table = cursor.take_name("the name of a table")?;
    cursor.skip_blanks();
    let first = cursor.rest().split_whitespace().next().unwrap_or_default();
    let has_priority = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    let priority = if has_priority { Some(cursor.take_number("a priority")?) } else { None };
    let mut key = Vec::new();
    loop {
        let name = cursor.take_name("an action with its parameters, such as `forward(port:1)`")?;
        if cursor.take(":") {
            let value = cursor.take_word();
            if value.text.is_empty() {
                return Err(cursor.error(format!("expected a value for `{}`", name.text)));
            }
            key.push((name, value));
        } else {
            let call = arguments(name, cursor)?;
            cursor.skip_blanks();
            let handle = if cursor.take("=") { Some(handle(cursor)?) } else { None };
            return Ok(Statement::Add { table, priority, key, call, handle });
        }
    }
}

fn call(cursor: &mut Cursor<'_>) -> Result<Call, Diagnostic> {
    let name = cursor.take_name("the name of an action")?;
    arguments(name, cursor)
}

/// Parses `(name:value, ...)` after the name of an action.
fn arguments(action: Word, cursor: &mut Cursor<'_>) -> Result<Call, Diagnostic> {
    cursor.skip_blanks();
    if !cursor.take("(") {
        let error = cursor.error(format!("expected `:` and a value, or `(`, after `{}`", action.text));
        return Err(error.hint(format!("write the action with its parameters: `{}()`", action.text)));
    }
    let mut arguments = Vec::new();
    cursor.skip_blanks();
    let mut is_done = cursor.take(")");
    while !is_done {
        let name = cursor.take_name("the name of a parameter")?;
        cursor.skip_blanks();
        if !cursor.take(":") {
            let error = cursor.error(format!("expected `:` and a value for `{}`", name.text));
            return Err(error.hint("parameters are given by name: `forward(port:1)`"));
        }
        cursor.skip_blanks();
        let value = cursor.take_while(|letter| !letter.is_whitespace() && !",()".contains(letter));
        if value.text.is_empty() {
            return Err(cursor.error(format!("expected a value for `{}`", name.text)));
        }
        arguments.push((name, value));
        cursor.skip_blanks();
        is_done = cursor.take(")");
        if !is_done && !cursor.take(",") {
            return Err(cursor.error("expected `,` or `)`"));
        }
    }
    let span = action.span.to(arguments.last().map_or(action.span, |(_, value)| value.span));
    Ok(Call { action, arguments, span })
}

/// Parses the name of an entry, with or without `$`.
fn handle(cursor: &mut Cursor<'_>) -> Result<Word, Diagnostic> {
    let name = cursor.take_name("a name for the entry")?;
    let text = name.text.trim_start_matches('$').to_owned();
    Ok(Word { text, span: name.span })
}

fn remove(cursor: &mut Cursor<'_>) -> Result<Statement, Diagnostic> {
    let handle = handle(cursor)?;
    let is_all = handle.text.eq_ignore_ascii_case("all");
    Ok(if is_all { Statement::RemoveAll } else { Statement::Remove { handle } })
}

fn check_counter(cursor: &mut Cursor<'_>) -> Result<Statement, Diagnostic> {
    let counter = cursor.take_name("the name of a counter")?;
    cursor.skip_blanks();
    if !cursor.take("(") {
        return Err(cursor.error("expected `(` and an index or the name of an entry"));
    }
    cursor.skip_blanks();
    let element = cursor.take_while(|letter| !letter.is_whitespace() && letter != ')');
    cursor.skip_blanks();
    if element.text.is_empty() || !cursor.take(")") {
        return Err(cursor.error("expected an index or the name of an entry, and `)`"));
    }
    cursor.skip_blanks();
    let check = if cursor.is_at_end() { None } else { Some(counter_check(cursor)?) };
    Ok(Statement::CheckCounter { counter, element, check })
}

fn check_digest(cursor: &mut Cursor<'_>) -> Result<Statement, Diagnostic> {
    let digest = cursor.take_name("the name of a digest")?;
    cursor.skip_blanks();
    if !cursor.rest().starts_with('(') {
        let word = cursor.take_word();
        if word.text.eq_ignore_ascii_case("none") {
            return Ok(Statement::NoDigest { digest });
        }
        let error = Diagnostic::error(word.span, "expected `(` and the values of a message, or `none`");
        return Err(error.hint(format!("write `{}(FIELD:VALUE, ...)`", digest.text)));
    }
    Ok(Statement::CheckDigest { message: arguments(digest, cursor)? })
}

fn check_idle(cursor: &mut Cursor<'_>) -> Result<Statement, Diagnostic> {
    let handle = handle(cursor)?;
    let is_none = handle.text.eq_ignore_ascii_case("none");
    Ok(Statement::CheckIdle { handle: (!is_none).then_some(handle) })
}

fn counter_check(cursor: &mut Cursor<'_>) -> Result<CounterCheck, Diagnostic> {
    let word = cursor.take_while(|letter| letter.is_alphabetic());
    let amount = match word.text.to_ascii_lowercase().as_str() {
        "packets" => Amount::Packets,
        "bytes" => Amount::Bytes,
        _ => return Err(Diagnostic::error(word.span, "expected `packets` or `bytes`")),
    };
    let (comparison, word) = comparison(cursor)?;
    let value =
        word.text.parse().map_err(|_| Diagnostic::error(word.span, format!("`{}` is not a number", word.text)))?;
    Ok(CounterCheck { amount, comparison, value })
}

fn check_memory(cursor: &mut Cursor<'_>) -> Result<Statement, Diagnostic> {
    let segment = cursor.take_name("the name of a segment")?;
    cursor.skip_blanks();
    if !cursor.take("(") {
        return Err(cursor.error("expected `(` and the distance of a word from the beginning of the segment in bytes"));
    }
    cursor.skip_blanks();
    let offset = cursor.take_while(|letter| !letter.is_whitespace() && letter != ')');
    cursor.skip_blanks();
    if offset.text.is_empty() || !cursor.take(")") {
        return Err(cursor.error("expected the distance of a word from the beginning of the segment, and `)`"));
    }
    let (comparison, value) = comparison(cursor)?;
    Ok(Statement::CheckMemory { segment, offset, comparison, value })
}

fn check_records(cursor: &mut Cursor<'_>) -> Result<Statement, Diagnostic> {
    let records = cursor.take_name("the name of a table of records")?;
    let (comparison, value) = comparison(cursor)?;
    Ok(Statement::CheckRecords { records, comparison, value })
}

/// Parses a comparison and what stands on its right.
fn comparison(cursor: &mut Cursor<'_>) -> Result<(Comparison, Word), Diagnostic> {
    cursor.skip_blanks();
    let Some((_, comparison)) = Comparison::ALL.into_iter().find(|(sign, _)| cursor.take(sign)) else {
        return Err(cursor.error("expected a comparison: `==`, `!=`, `<`, `<=`, `>` or `>=`"));
    };
    cursor.skip_blanks();
    Ok((comparison, cursor.take_word()))
}

/// Returns the statement of packet tests that replaces a command about entries, whose form differs. Entries that refer
/// to a member or a group are added by commands, because `add` supports only actions.
fn word_instead_of(verb: Verb) -> Option<&'static str> {
    match verb {
        Verb::TableAdd => Some("add"),
        Verb::TableSetDefault => Some("setdefault"),
        Verb::TableDelete => Some("remove"),
        _ => None,
    }
}

/// Parses a command of the switch, in which `x$0` also stands for `x[0]`.
fn switch(verb: &str, first: &Word, cursor: &mut Cursor<'_>) -> Result<Statement, Diagnostic> {
    let Some(known) = Verb::named(verb) else {
        let error = Diagnostic::error(first.span, format!("there is no command `{}`", first.text));
        let hint = did_you_mean(verb, WORDS.into_iter().chain(Verb::names()));
        let all = || format!("a line begins with {}, or a command of the switch", WORDS.join(", "));
        return Err(error.hint(hint.unwrap_or_else(all)));
    };
    if let Some(word) = word_instead_of(known) {
        let error = Diagnostic::error(first.span, format!("`{verb}` cannot be used in a packet test"));
        return Err(error.hint(format!("write `{word}` instead")));
    }
    let mut line = vec![Word { text: verb.to_owned(), span: first.span }];
    cursor.skip_blanks();
    while !cursor.is_at_end() {
        line.push(cursor.take_word());
        cursor.skip_blanks();
    }
    commands::read_line(line).map(Statement::Switch)
}
