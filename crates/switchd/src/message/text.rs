//! Answers as text for people.

use std::fmt;

use service::columns;

use super::{Answer, ControllersReport, DropRow, PortRow, Reloaded, StateReport, TableRow};

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch(report) => {
                writeln!(
                    f,
                    "{} runs {} on {} as process {} since {} s, reloaded {} times",
                    report.name, report.program, report.machine, report.process, report.seconds, report.reloads
                )?;
                report.controllers.map_or(Ok(()), |report| controllers(f, report))
            }
            Self::Ports(rows) => ports(f, rows),
            Self::Tables(rows) => rows.iter().try_for_each(|row| table(f, row)),
            Self::Counters(report) => state(f, report),
            Self::Drops(rows) => drops(f, rows),
            Self::Executed(results) => results.iter().try_for_each(|result| {
                writeln!(f, "{}:", result.object)?;
                result.found.iter().try_for_each(|value| writeln!(f, "  {value}"))
            }),
            Self::Trace { text, .. } => f.write_str(text),
            Self::Capture { format } => writeln!(f, "capturing {format}"),
            Self::Reloaded(reloaded) => self::reloaded(f, reloaded),
            Self::Stopping => writeln!(f, "the switch stops"),
        }
    }
}

fn controllers(f: &mut fmt::Formatter<'_>, report: ControllersReport) -> fmt::Result {
    let ControllersReport { primary, packet_ins, lost, unheard, malformed, packet_outs, refused } = report;
    let who = if primary { "a primary" } else { "no primary" };
    writeln!(
        f,
        "controllers: {who}; {packet_ins} packet-ins, and {lost} lost, {unheard} without a controller, {malformed} too short; \
         {packet_outs} packet-outs, and {refused} without room"
    )
}

fn ports(f: &mut fmt::Formatter<'_>, rows: &[PortRow]) -> fmt::Result {
    let heads = ["interface", "port", "link", "in", "bytes", "out", "bytes", "dropped", "waiting"];
    let mut all = vec![heads.map(str::to_owned).to_vec()];
    for row in rows {
        let link = if row.up { "up" } else { "down" };
        all.push(vec![
            row.interface.clone(),
            row.port.to_string(),
            link.to_owned(),
            row.received.packets.to_string(),
            row.received.bytes.to_string(),
            row.transmitted.packets.to_string(),
            row.transmitted.bytes.to_string(),
            row.dropped.to_string(),
            (row.waiting + row.queued_packets).to_string(),
        ]);
    }
    columns(f, &all, 0)?;
    for (row, note) in rows.iter().filter_map(|row| Some((row, row.note.as_ref()?))) {
        writeln!(f, "{}: {note}", row.interface)?;
    }
    Ok(())
}

/// Writes a table as lines that an STF file may have: what is printed can be read back.
fn table(f: &mut fmt::Formatter<'_>, row: &TableRow) -> fmt::Result {
    let limit = row.size.map_or(String::new(), |size| format!(" of at most {size}"));
    writeln!(f, "# {}: {}{limit}", row.name, entries(row.entries.len()))?;
    for entry in &row.entries {
        let mark = if entry.constant { "# constant: " } else { "" };
        writeln!(f, "{mark}{}    # {}", entry.line, entry.handle)?;
    }
    if row.default.is_empty() { Ok(()) } else { writeln!(f, "{}", row.default) }
}

fn entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

fn state(f: &mut fmt::Formatter<'_>, report: &StateReport) -> fmt::Result {
    let counters = report.counters.iter().map(|row| ("counter", &row.name, &row.values, row.more));
    let meters = report.meters.iter().map(|row| ("meter", &row.name, &row.values, row.more));
    let registers = report.registers.iter().map(|row| ("register", &row.name, &row.values, row.more));
    for (kind, name, values, more) in counters.chain(meters).chain(registers) {
        if values.is_empty() {
            let nothing = if kind == "meter" { "without rates" } else { "all 0" };
            writeln!(f, "{kind} {name}: {nothing}")?;
            continue;
        }
        writeln!(f, "{kind} {name}:")?;
        for value in values {
            writeln!(f, "  {}: {}", value.at, value.value)?;
        }
        if more > 0 {
            writeln!(f, "  and {more} more")?;
        }
    }
    Ok(())
}

fn drops(f: &mut fmt::Formatter<'_>, rows: &[DropRow]) -> fmt::Result {
    if rows.is_empty() {
        return writeln!(f, "no packet was dropped");
    }
    let mut all = vec![["reason", "packets", "by port", "in block"].map(str::to_owned).to_vec()];
    for row in rows {
        let by_port: Vec<String> = row.by_port.iter().map(|(port, count)| format!("{port}: {count}")).collect();
        let by_block: Vec<String> = row.by_block.iter().map(|(block, count)| format!("{block}: {count}")).collect();
        all.push(vec![row.reason.clone(), row.packets.to_string(), by_port.join(", "), by_block.join(", ")]);
    }
    columns(f, &all, 2)
}

fn reloaded(f: &mut fmt::Formatter<'_>, reloaded: &Reloaded) -> fmt::Result {
    let would = if reloaded.dry_run { "would be" } else { "was" };
    if reloaded.program_changed {
        writeln!(f, "the program {would} replaced")?;
    } else if reloaded.changes > 0 {
        writeln!(f, "the tables {would} changed as one, by {} requests", reloaded.changes)?;
    } else if reloaded.settings.is_empty() {
        writeln!(f, "nothing has changed")?;
    }
    reloaded.settings.iter().try_for_each(|line| writeln!(f, "set: {line}"))?;
    reloaded.kept.iter().try_for_each(|line| writeln!(f, "kept: {line}"))?;
    reloaded.lost.iter().try_for_each(|line| writeln!(f, "lost: {line}"))
}
