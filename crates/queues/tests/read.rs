//! Schedulers and memory in cells as plans in TOML say them, and what is said about mistakes.

use basis::Rate;
use diagnostics::{Diagnostic, Sources};
use plans::{Entries, Findings, Section, parse};
use queues::{BufferPlan, CellPlan, QueuePlan, RoomPlan, SchedulerPlan, ShaperPlan, read};

/// Reads a plan that is a scheduler with its memory. Returns it with the printed plan, or the mistakes, each with the
/// text at its place.
fn plan(text: &str) -> Result<(SchedulerPlan, BufferPlan, String), Vec<(String, String)>> {
    let mut sources = Sources::new();
    let id = sources.add("plan.toml", text);
    let (table, mistakes) = parse(text, id);
    assert!(!mistakes.has_errors(), "{text}");
    let findings = Findings::new(id);
    let root = Section::root(Entries::of(&findings, "a plan", &table, 0..0));
    let (mut below, mut printed) = (String::new(), String::new());
    let scheduler = read::scheduler(&root, &mut below);
    let buffer = read::memory(root.section("buffer"), 1500, &mut below);
    root.end(&mut printed);
    let found = findings.end();
    let of = |found: &Diagnostic| {
        let place = found.span.map_or(0..0, |span| span.start as usize..span.end as usize);
        (found.message.clone(), text[place].to_owned())
    };
    match found.has_errors() {
        false => Ok((scheduler, buffer, printed + &below)),
        true => Err(found.iter().map(of).collect()),
    }
}

#[test]
fn an_empty_plan_is_the_default() {
    let (scheduler, buffer, _) = plan("").unwrap();
    assert_eq!(scheduler, SchedulerPlan::default());
    assert!(buffer.cells.is_none() && buffer.total.is_none());
}

#[test]
fn a_full_plan_is_read_and_reads_back() {
    let text = r#"
queues = 4
quantum = "256 B"
rate = "50 Gb/s"
burst = "16 KiB"

[[class]]
queues = [1, 3]
dscps = [46, 10]
priority = 6
remaining_priority = 2
weight = 3
minimum_rate = "1 Gb/s"
maximum_rate = "20 Gb/s"
maximum_burst = "3 kB"
pool = 1
reserved = 20
limit = 100
alpha = 0.5
yellow = 0.75
red = 0.5

[[class]]
weight = 9

[buffer]
cell = "176 B"

[[buffer.pool]]
size = "176 kB"

[[buffer.pool]]
size = "1 MB"
"#;
    let gigabits = |rate, burst| Some(ShaperPlan { rate: Rate::from_gigabits_per_second(rate), burst });
    let named = QueuePlan {
        priority: 6,
        remaining_priority: 2,
        weight: 3,
        minimum: gigabits(1, 0),
        maximum: gigabits(20, 3000),
        room: RoomPlan { pool: 1, reserved: 20, limit: Some(100), alpha: Some(0.5), yellow: 0.75, red: 0.5 },
    };
    let other = QueuePlan { weight: 9, ..QueuePlan::default() };
    let (scheduler, buffer, printed) = plan(text).unwrap();
    assert_eq!(scheduler.queues, [other.clone(), named.clone(), other, named]);
    assert_eq!((scheduler.shaper, scheduler.quantum), (gigabits(50, 16_384), 256));
    assert_eq!([46, 10, 0].map(|point| scheduler.map.class(point)), [1, 1, 0]);
    assert_eq!(buffer.cells, Some(CellPlan { size: 176, pools: vec![1000, 5681] }));
    let again = plan(&printed).unwrap();
    assert_eq!((again.0, again.1.cells, again.2), (scheduler, buffer.cells, printed));
}

#[test]
fn every_mistake_is_reported_at_its_place() {
    let text = r#"
queues = 3
burst = "1 kB"
colour = "red"

[[class]]
queues = [0, 3]
weight = 0
minimum_rate = "2 Gb/s"
maximum_rate = "1 Gb/s"

[[class]]
queues = [0]
priority = 8
alpha = 0
yellow = 2

[[class]]
limit = 0
maximum_burst = "1 kB"

[[class]]
dscps = [64]

[buffer]
cell = "0 B"
"#;
    let found = plan(text).unwrap_err();
    let places: Vec<&str> = found.iter().map(|(_, place)| place.as_str()).collect();
    for place in ["3", "0", "\"2 Gb/s\"", "8", "2", "\"1 kB\"", "64", "\"0 B\"", "colour"] {
        assert!(places.iter().any(|found| found.contains(place)), "{place}: {found:?}");
    }
    for message in [
        "queue 0 is in two classes",
        "the least rate is above the greatest",
        "with an `alpha` of 0",
        "a queue without any memory",
        "`burst` without `rate`",
        "`maximum_burst` without `maximum_rate`",
        "two classes are for all queues",
        "memory in cells needs a pool",
    ] {
        assert!(found.iter().any(|(found, _)| found.starts_with(message)), "{message}: {found:?}");
    }
    assert_eq!(found.len(), 15, "{found:#?}");
}

#[test]
fn queues_and_pools_must_fit_together() {
    use queues::DisciplinePlan;
    let (mut scheduler, _, _) = plan("queues = 2").unwrap();
    scheduler.queues[1].room = RoomPlan { pool: 1, reserved: 60, ..RoomPlan::default() };
    let ports = vec![DisciplinePlan::Scheduler(scheduler.into()); 2];
    let conflicts =
        |pools| BufferPlan { cells: Some(CellPlan { size: 80, pools }), ..BufferPlan::default() }.conflicts(&ports);
    assert!(conflicts(vec![1, 120]).is_empty());
    assert_eq!(conflicts(vec![1, 100]), ["queues reserve 120 cells of pool 1, which has only 100"]);
    assert_eq!(conflicts(vec![1]).len(), 2, "one for each port");
    assert!(BufferPlan::default().conflicts(&ports).is_empty());
}
