//! Answers as text for people.

use std::fmt;

use service::columns;

use super::{
    Answer, AppliedReport, CoreRow, DropRow, FlowRow, LimiterRow, PathRow, PortRow, RuleRow, SessionRow, TraceReport,
};

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch(report) => {
                let deciding = if report.deciding { ", and the rest is being decided" } else { "" };
                writeln!(f, "{} runs as process {} since {} s", report.name, report.process, report.seconds)?;
                let [sessions, ended] = [report.sessions, report.ended_by_apply].map(|count| counted(count, "session"));
                let (packets, applied) =
                    (counted(report.slow_path_packets, "packet"), counted(report.applied, "configuration"));
                writeln!(f, "{sessions}; {packets} went through the policy tables")?;
                writeln!(f, "{applied} applied; {ended} ended by that{deciding}")
            }
            Self::Ports(rows) => ports(f, rows),
            Self::Sessions { sessions: rows, more } if rows.is_empty() => none_shown(f, "session", *more),
            Self::Sessions { sessions: rows, more } => sessions(f, rows).and_then(|()| and_more(f, *more)),
            Self::Flows { flows: rows, more } if rows.is_empty() => none_shown(f, "flow", *more),
            Self::Flows { flows: rows, more } => flows(f, rows).and_then(|()| and_more(f, *more)),
            Self::Drops(rows) => drops(f, rows),
            Self::Rules(rows) => rules(f, rows),
            Self::Limiters(rows) => limiters(f, rows),
            Self::Underlay(rows) => paths(f, rows),
            Self::Cores(rows) => cores(f, rows),
            Self::Trace(report) => trace(f, report),
            Self::Capture { format } => writeln!(f, "capturing {format}"),
            Self::Events { .. } => writeln!(f, "listening"),
            Self::Applied(report) => applied(f, report),
            Self::Attached(names) => names.iter().try_for_each(|name| writeln!(f, "{name}")),
            Self::Upgrade(report) => writeln!(f, "{} runs as process {}", report.name, report.process),
            Self::HandedOver(_) => writeln!(f, "sessions were handed over"),
            Self::Resumed => writeln!(f, "the switch goes on"),
            Self::Stopping => writeln!(f, "the switch stops"),
        }
    }
}

fn and_more(f: &mut fmt::Formatter<'_>, more: usize) -> fmt::Result {
    if more > 0 { writeln!(f, "and {more} more") } else { Ok(()) }
}

/// Says that none of so many things is shown.
fn none_shown(f: &mut fmt::Formatter<'_>, what: &str, more: usize) -> fmt::Result {
    if more > 0 { writeln!(f, "{}, none of them shown", counted(more as u64, what)) } else { writeln!(f, "no {what}") }
}

/// Returns a number with what it counts.
fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn heads<const N: usize>(names: [&str; N]) -> Vec<Vec<String>> {
    vec![names.map(str::to_owned).to_vec()]
}

fn paths(f: &mut fmt::Formatter<'_>, rows: &[PathRow]) -> fmt::Result {
    let mut all = heads(["interface", "unanswered", "changes", "path", "link", "next hop", "Ethernet address"]);
    for row in rows {
        let path = if row.alive { "alive" } else { "dead" };
        let link = if row.carrier { "up" } else { "down" };
        let (mac, unanswered) = (row.mac.clone().unwrap_or_default(), row.unanswered.to_string());
        let [interface, next_hop] = [&row.interface, &row.next_hop].map(String::clone);
        all.push(vec![interface, unanswered, row.changes.to_string(), path.into(), link.into(), next_hop, mac]);
    }
    columns(f, &all, 4)
}

fn cores(f: &mut fmt::Formatter<'_>, rows: &[CoreRow]) -> fmt::Result {
    let mut all = heads(["core", "sessions", "packets", "slow path", "waiting"]);
    for row in rows {
        let numbers = [row.core.into(), row.sessions, row.packets, row.slow_path_packets, row.waiting];
        all.push(numbers.map(|number| number.to_string()).to_vec());
    }
    columns(f, &all, 5)
}

fn ports(f: &mut fmt::Formatter<'_>, rows: &[PortRow]) -> fmt::Result {
    let mut all = heads([
        "interface",
        "port",
        "link",
        "in",
        "bytes",
        "out",
        "bytes",
        "dropped",
        "waiting",
        "sessions",
        "vNIC",
        "VPC",
    ]);
    for row in rows {
        let link = if row.up { "up" } else { "down" };
        let numbers = [
            row.received.packets,
            row.received.bytes,
            row.transmitted.packets,
            row.transmitted.bytes,
            row.dropped,
            row.waiting,
            row.sessions,
        ];
        let (vnic, vpc) = if row.vnic.is_empty() { ("(underlay)", "") } else { (&*row.vnic, &*row.vpc) };
        let mut cells = vec![row.interface.clone(), row.port.to_string(), link.to_owned()];
        cells.extend(numbers.map(|number| number.to_string()));
        cells.extend([vnic.to_owned(), vpc.to_owned()]);
        all.push(cells);
    }
    columns(f, &all, 2)?;
    for (row, note) in rows.iter().filter_map(|row| Some((row, row.note.as_ref()?))) {
        writeln!(f, "{}: {note}", row.interface)?;
    }
    Ok(())
}

fn sessions(f: &mut fmt::Formatter<'_>, rows: &[SessionRow]) -> fmt::Result {
    let mut all = heads(["session", "packets", "bytes", "back", "bytes", "age", "idle", "state", "vNIC"]);
    for row in rows {
        let translated = row.translated.as_ref().map_or(String::new(), |[from, to]| format!(" (as {from} > {to})"));
        let numbers = [row.packets[0], row.bytes[0], row.packets[1], row.bytes[1], row.age, row.idle]
            .map(|number| number.to_string());
        let mut cells = vec![format!("{}: {} {} > {}{translated}", row.vpc, row.protocol, row.from, row.to)];
        cells.extend(numbers);
        cells.extend([row.state.clone(), row.vnic.clone()]);
        all.push(cells);
    }
    columns(f, &all, 2)
}

fn flows(f: &mut fmt::Formatter<'_>, rows: &[FlowRow]) -> fmt::Result {
    let mut all = heads(["flow", "packets", "bytes", "VPC", "key", "actions"]);
    for row in rows {
        all.push(vec![
            row.flow.to_string(),
            row.packets.to_string(),
            row.bytes.to_string(),
            row.vpc.clone(),
            format!("{} {} > {}", row.protocol, row.from, row.to),
            row.actions.join(", "),
        ]);
    }
    columns(f, &all, 3)
}

fn drops(f: &mut fmt::Formatter<'_>, rows: &[DropRow]) -> fmt::Result {
    if rows.is_empty() {
        return writeln!(f, "no packet was dropped");
    }
    let mut all = heads(["reason", "packets", "by interface"]);
    for row in rows {
        let by: Vec<String> = row.by_interface.iter().map(|(name, count)| format!("{name}: {count}")).collect();
        all.push(vec![row.reason.clone(), row.packets.to_string(), by.join(", ")]);
    }
    columns(f, &all, 1)
}

fn rules(f: &mut fmt::Formatter<'_>, rows: &[RuleRow]) -> fmt::Result {
    if rows.is_empty() {
        return writeln!(f, "no rule");
    }
    let mut all = heads(["group", "rule", "", "vNICs"]);
    for row in rows {
        all.push(vec![row.group.clone(), row.number.to_string(), row.rule.clone(), row.vnics.join(", ")]);
    }
    columns(f, &all, 2)
}

fn limiters(f: &mut fmt::Formatter<'_>, rows: &[LimiterRow]) -> fmt::Result {
    if rows.is_empty() {
        return writeln!(f, "no limiter");
    }
    let mut all = heads(["limiter", "within", "excess", "dropped", "vNIC"]);
    for row in rows {
        let [within, excess, dropped] = [row.within, row.excess, row.dropped].map(|count| count.to_string());
        all.push(vec![row.name.clone(), within, excess, dropped, row.vnic.clone()]);
    }
    columns(f, &all, 1)
}

fn trace(f: &mut fmt::Formatter<'_>, report: &TraceReport) -> fmt::Result {
    let vpc = if report.vpc.is_empty() { String::new() } else { format!(" in VPC `{}`", report.vpc) };
    writeln!(f, "{} from {}{vpc}", report.packet, report.origin)?;
    if let Some(came) = &report.came {
        writeln!(f, "came: {} bytes at {}", came.length, came.interface)?;
        writeln!(f, "  {}", came.found)?;
        came.became.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
    }
    match &report.session {
        Some(row) => {
            let reply = if report.is_reply { "reply in " } else { "" };
            writeln!(f, "{reply}session: {} {} > {}, {}", row.protocol, row.from, row.to, row.state)?;
            report.session_actions.iter().try_for_each(|action| writeln!(f, "  {action}"))?;
        }
        None => writeln!(f, "session: none")?,
    }
    let of = if report.is_reply { " of the packet that began the session" } else { "" };
    writeln!(f, "policy{of}:")?;
    for step in &report.steps {
        writeln!(f, "  {}: {} ({})", step.table, step.says, step.because)?;
    }
    writeln!(f, "  {}", report.verdict)?;
    for (which, actions) in ["packets", "replies"].iter().zip(&report.actions) {
        if !actions.is_empty() {
            writeln!(f, "  {which}: {}", actions.join(", "))?;
        }
    }
    Ok(())
}

fn applied(f: &mut fmt::Formatter<'_>, report: &AppliedReport) -> fmt::Result {
    report.notes.iter().try_for_each(|note| writeln!(f, "note: {note}"))?;
    if report.changes.is_empty() && report.opened.is_empty() && report.closed.is_empty() {
        return writeln!(f, "nothing has changed");
    }
    report.changes.iter().try_for_each(|line| writeln!(f, "{line}"))?;
    let would = if report.dry_run { "would be" } else { "were" };
    for (what, names) in [("opened", &report.opened), ("closed", &report.closed)] {
        if !names.is_empty() {
            writeln!(f, "{would} {what}: {}", names.join(", "))?;
        }
    }
    let would = if report.dry_run { "would end" } else { "end" };
    writeln!(f, "sessions: {} stay, {} {would}", report.sessions_kept, report.sessions_ended)
}
