//! Formatting of a trace as indented text.

use std::fmt;

use ir::CloneKind;

use super::parts::{Access, Action, Choice, Condition, Ended, Field, Hex, Key, More};
use super::tree::{Origin, Pass, Step, Trace};

/// A line of text with the lines below it.
struct Branch {
    text: String,
    under: Vec<Branch>,
}

/// The maximum length of a line of fields, without indentation.
const WIDTH: usize = 90;
/// The maximum number of bytes of a packet that are shown.
const BYTES: usize = 64;

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (microseconds, rest) = (self.time / 1_000_000, self.time % 1_000_000);
        let bytes = shown_bytes(&self.pass.bytes, self.pass.length.unwrap_or(self.pass.bytes.0.len()));
        writeln!(f, "packet {} at {microseconds}.{rest:06} us on port {}, {bytes}", self.packet, self.port)?;
        draw(f, &steps(&self.pass.steps), "")
    }
}

fn draw(f: &mut fmt::Formatter<'_>, branches: &[Branch], indent: &str) -> fmt::Result {
    for (place, branch) in branches.iter().enumerate() {
        let is_last = place + 1 == branches.len();
        writeln!(f, "{indent}{} {}", if is_last { "└─" } else { "├─" }, branch.text)?;
        draw(f, &branch.under, &format!("{indent}{}  ", if is_last { " " } else { "│" }))?;
    }
    Ok(())
}

fn leaf(text: impl Into<String>) -> Branch {
    Branch { text: text.into(), under: Vec::new() }
}

fn branch(text: impl Into<String>, under: &[Step]) -> Branch {
    Branch { text: text.into(), under: steps(under) }
}

fn steps(steps: &[Step]) -> Vec<Branch> {
    // Blocks and stages in which nothing happened are not shown.
    let silent = |step: &&Step| match step {
        Step::Block { steps, ended: Ended::Done, .. } | Step::Stage { steps, .. } => steps.is_empty(),
        _ => false,
    };
    steps.iter().filter(|step| !silent(step)).map(step).collect()
}

fn step(step: &Step) -> Branch {
    match step {
        Step::Block { block, steps, ended } => branch(format!("{block}{}", how(ended)), steps),
        Step::Fields { access, fields } => {
            let done = match access {
                Access::Read => "reads fields of the packet",
                Access::Write => "writes fields into the packet",
            };
            Branch { text: done.to_owned(), under: wrapped(fields.iter().map(named)) }
        }
        Step::Bypass => leaf("bypassed: the program does not apply to it"),
        Step::Stage { pipeline, stage, cycle, steps } => {
            let when = cycle.map(|cycle| format!(", cycle {}", grouped(cycle))).unwrap_or_default();
            branch(format!("stage {stage} of pipeline {pipeline}{when}"), steps)
        }
        Step::LookUp { table, hit, keys, action } => {
            let keys = keys.iter().map(|key| looked_up(key, *hit)).collect::<Vec<_>>().join(", ");
            let answer = action.as_ref().map_or_else(|| "no action".to_owned(), called);
            leaf(format!("looks up {table}: {}, {answer} ({keys})", if *hit { "hit" } else { "miss" }))
        }
        Step::State { parser, state } if parser == "parser" => leaf(format!("state {state}")),
        Step::State { parser, state } => leaf(format!("state {parser}.{state}")),
        Step::Extract { header, bits, fields, .. } => {
            Branch { text: format!("extract {header}, {}", size(*bits)), under: fields_of(header, fields) }
        }
        Step::Lookahead { bits, fields, .. } => {
            Branch { text: format!("looks ahead, {}", size(*bits)), under: wrapped(fields.iter().map(named)) }
        }
        Step::Select { keys, case } => {
            let keys = keys.iter().map(named).collect::<Vec<_>>().join(", ");
            leaf(match case {
                Some(case) => format!("select {keys}: case {} → {}", case.sets, case.next),
                None => format!("select {keys}: no case matches"),
            })
        }
        Step::Instruction { instruction, cycle, steps } => {
            branch(format!("{instruction}, cycle {}", grouped(*cycle)), steps)
        }
        Step::Store { address, bit: 0, value } => leaf(format!("memory[{address}]: {}", value.shown(""))),
        Step::Store { address, bit, value } => leaf(format!("memory[{address}] from bit {bit}: {}", value.shown(""))),
        Step::Transaction { number, operation, operands } => {
            let operands = if operands.is_empty() { String::new() } else { format!(": {operands}") };
            leaf(format!("asks for transaction {number}, {operation}{operands}"))
        }
        Step::Reply { number, cycle, bytes, steps } => {
            let bytes = shown_bytes(bytes, bytes.0.len());
            branch(format!("reply to transaction {number}, cycle {}, {bytes}", grouped(*cycle)), steps)
        }
        Step::Send { packet, to, length, bytes } => {
            let what = if *packet == 0 { "sent".to_owned() } else { format!("packet {packet} of the thread sent") };
            leaf(format!("{what} to {to}, {}", shown_bytes(bytes, *length)))
        }
        Step::Stop { error } => leaf(format!("stopped by an error: {error}")),
        Step::If(condition) => tested("if", condition),
        Step::Loop(condition) => tested("loop while", condition),
        Step::Apply { table, hit, keys, priority, choice, action, direct, steps } => {
            let mut under: Vec<Branch> = keys.iter().map(|key| leaf(looked_up(key, *hit))).collect();
            under.extend(priority.map(|priority| leaf(format!("priority {priority}"))));
            under.extend(choice.map(|choice| {
                leaf(match choice {
                    Choice::Member(member) => format!("member {member}"),
                    Choice::Group(group) => format!("a member of group {group}"),
                    Choice::ActionSet => "an action of its set".to_owned(),
                })
            }));
            under.extend(self::steps(direct));
            match action {
                Some(action) => under.push(branch(called(action), steps)),
                None => under.push(leaf("no action")),
            }
            Branch { text: format!("table {table}: {}", if *hit { "hit" } else { "miss" }), under }
        }
        Step::Call { function, kind, arguments, steps } if arguments.is_empty() => {
            branch(format!("{kind} {function}"), steps)
        }
        Step::Call { function, kind, arguments, steps } => {
            branch(format!("{kind} {function}({})", arguments.iter().map(named).collect::<Vec<_>>().join(", ")), steps)
        }
        Step::Change { name, old, new } => leaf(format!("{name}: {} → {}", old.shown(name), new.shown(name))),
        Step::Validity { header, valid } => {
            leaf(format!("{header} becomes {}", if *valid { "valid" } else { "invalid" }))
        }
        Step::Register { register, index, access, value } => {
            let done = match access {
                Access::Read => "reads",
                Access::Write => "writes",
            };
            leaf(format!("{done} {register}[{index}]: {}", value.shown(register)))
        }
        Step::Count { counter, index, inside } => {
            leaf(format!("counts in {}{}", at(counter, *index), outside(*inside, "nothing is counted")))
        }
        Step::Meter { meter, index, inside, color } => {
            leaf(format!("meter {}: {color}{}", at(meter, *index), outside(*inside, "everything is green")))
        }
        Step::Filter { filter, index, inside, value, output } => {
            leaf(format!("filter {filter}[{index}]: {value} gives {output}{}", outside(*inside, "nothing is filtered")))
        }
        Step::Detect { wred, index, inside, value, drops } => {
            let does = if *drops { "drop" } else { "keep" };
            leaf(format!("wred {wred}[{index}]: {value}, {does}{}", outside(*inside, "nothing is dropped")))
        }
        Step::Emit { header, bits } => leaf(format!("emit {header}, {}", size(*bits))),
        Step::Log { text } => leaf(format!("logs \"{text}\"")),
        Step::AskClone { session, kind, keep } => {
            let from = match kind {
                CloneKind::IngressToEgress => "as it arrived",
                CloneKind::EgressToEgress => "as it leaves egress",
            };
            leaf(format!("asks for a clone {from}, session {session}{}", keeping(keep)))
        }
        Step::AskMirror { session, data } => {
            leaf(format!("asks for a mirror copy, session {session}{}", in_front(data)))
        }
        Step::AskResubmit { keep, data } => leaf(format!("asks to be resubmitted{}{}", keeping(keep), in_front(data))),
        Step::AskRecirculate { keep } => leaf(format!("asks to be recirculated{}", keeping(keep))),
        Step::Ignore { request } => {
            let only = if *request == "recirculate" { "egress" } else { "ingress" };
            leaf(format!("ignored: only {only} can ask to {request}"))
        }
        Step::AskTruncate { length } => leaf(format!("asks to be truncated to {length} bytes")),
        Step::Digest { digest, fields } => {
            Branch { text: format!("sends digest {digest}"), under: wrapped(fields.iter().map(named)) }
        }
        Step::Multicast { group } => leaf(format!("multicast group {group}")),
        Step::Queue { port, instance: 0 } => leaf(format!("queue of port {port}")),
        Step::Queue { port, instance } => leaf(format!("queue of port {port}, copy {instance}")),
        Step::Fork { pass } => forked(pass),
        Step::Transmit { port, length, bytes } => {
            leaf(format!("transmitted on port {port}, {}", shown_bytes(bytes, *length)))
        }
        Step::Discard { reason, detail: None } => leaf(format!("discarded: {reason}")),
        Step::Discard { reason, detail: Some(detail) } => leaf(format!("discarded: {reason}: {detail}")),
        Step::Omit { steps } => leaf(format!("... {} more steps", grouped(*steps))),
        Step::More(more) => self::more(more),
    }
}

fn forked(pass: &Pass) -> Branch {
    let origin = match pass.origin {
        Origin::Arrival => "arrival".to_owned(),
        Origin::IngressClone { session } => format!("clone of ingress, session {session}"),
        Origin::EgressClone { session } => format!("clone of egress, session {session}"),
        Origin::Copy { port, instance } => format!("copy {instance} for port {port}"),
        Origin::Resubmitted => "resubmitted".to_owned(),
        Origin::Recirculated => {
            format!("recirculated, {}", shown_bytes(&pass.bytes, pass.length.unwrap_or(pass.bytes.0.len())))
        }
    };
    branch(origin, &pass.steps)
}

fn how(ended: &Ended) -> String {
    match ended {
        Ended::Done => String::new(),
        Ended::Rejected(error) if error == "NoError" => ": rejected by a transition to reject".into(),
        Ended::Rejected(error) => format!(": rejected with error.{error}"),
        Ended::AssertionFailed => ": an assertion failed".into(),
        Ended::Unfinished => ": took too many steps".into(),
    }
}

fn tested(word: &str, tested: &Condition) -> Branch {
    let text = format!("{word} {} is {}", tested.condition, tested.holds);
    if let [only] = tested.values.as_slice()
        && tested.holds
        && tested.condition == format!("{} == {}", only.name, only.value.bits)
    {
        // The condition already states the value.
        return leaf(text);
    }
    let undefined = tested.undefined.iter().map(|name| format!("{name} is undefined because its header is invalid"));
    let with: Vec<String> = tested.values.iter().map(named).chain(undefined).collect();
    let line = with.join(", ");
    match line.chars().count() {
        0 => leaf(text),
        length if text.chars().count() + length <= WIDTH => leaf(format!("{text}: {line}")),
        _ => Branch { text, under: wrapped(with) },
    }
}

fn at(name: &str, index: Option<u64>) -> String {
    index.map_or_else(|| format!("{name} of the entry"), |index| format!("{name}[{index}]"))
}

fn outside(inside: bool, so: &str) -> String {
    if inside { String::new() } else { format!(" (index out of bounds: {so})") }
}

fn more(more: &More) -> Branch {
    let what = if more.only_rounds { "rounds like this" } else { "packets like this" };
    let end = |(end, &count): (&String, &u64)| match count {
        1 => leaf(format!("finally {end}")),
        count => leaf(format!("finally {end}, {} times", grouped(count))),
    };
    let under = more.ends.iter().map(end).collect();
    Branch { text: format!("... {} more {what}", grouped(more.packets)), under }
}

/// Formats a number with thousands separators.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn looked_up(key: &Key, hit: bool) -> String {
    let value = format!("{} = {}", key.name, key.value.shown(&key.name));
    match &key.entry {
        Some(entry) if hit => format!("{value} matches {}", entry.shown(&key.name, &key.value)),
        _ => value,
    }
}

fn called(action: &Action) -> String {
    let arguments = action.arguments.iter().map(named).collect::<Vec<_>>();
    format!("action {}({})", action.name, arguments.join(", "))
}

fn named(field: &Field) -> String {
    format!("{} = {}", field.name, field.value.shown(&field.name))
}

fn in_front(data: &Hex) -> String {
    if data.is_empty() { String::new() } else { format!(", with {} in front", shown_bytes(data, data.0.len())) }
}

fn keeping(keep: &[String]) -> String {
    if keep.is_empty() { String::new() } else { format!(", keeping {}", keep.join(", ")) }
}

fn size(bits: usize) -> String {
    match bits {
        8 => "1 byte".into(),
        bits if bits % 8 == 0 => format!("{} bytes", bits / 8),
        bits => format!("{bits} bits"),
    }
}

/// Formats the fields of a header, whose name determines which of them are addresses.
fn fields_of(header: &str, fields: &[Field]) -> Vec<Branch> {
    let named = |field: &Field| format!("{} = {}", field.name, field.value.shown(&format!("{header}.{}", field.name)));
    wrapped(fields.iter().map(named))
}

/// Joins fields into lines of at most [`WIDTH`] characters.
fn wrapped(fields: impl IntoIterator<Item = String>) -> Vec<Branch> {
    let mut lines: Vec<Branch> = Vec::new();
    for field in fields {
        match lines.last_mut() {
            Some(line) if line.text.chars().count() + field.chars().count() + 2 <= WIDTH => {
                line.text.push_str(", ");
                line.text.push_str(&field);
            }
            _ => lines.push(leaf(field)),
        }
    }
    lines
}

fn shown_bytes(bytes: &Hex, length: usize) -> String {
    let digits: String = bytes.0.iter().take(BYTES).map(|byte| format!("{byte:02x}")).collect();
    let more = if length > bytes.0.len().min(BYTES) { "..." } else { "" };
    format!("{}: {digits}{more}", size(length * 8))
}
