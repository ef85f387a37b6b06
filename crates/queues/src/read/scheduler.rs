//! A scheduler: the number of its queues, the shaper of the port, and `[[class]]` sections with what queues differ in.

use basis::Rate;
use plans::Section;

use crate::plan::{MOST_QUEUES, PRIORITIES};
use crate::{ClassMap, QueuePlan, RoomPlan, SchedulerPlan, ShaperPlan};

/// The rate that stands in for one that is wrong.
const USUAL_RATE: Rate = Rate::from_gigabits_per_second(10);
/// The largest burst and quantum, in bytes.
const MOST_BYTES: u64 = 1 << 30;
/// The most cells that a queue can reserve or be limited to.
const MOST_CELLS: u64 = 1 << 40;

/// Reads a scheduler from the entries of a section, and reports errors to it, each at the place of its entry. The text of
/// the `[[class]]` sections within it is appended to `text`.
///
/// The entries of the section are `queues` (32), `quantum` (1536 B), `rate` and `burst` (0 B). Those of a class, which
/// sets some queues, are `queues` (those that no other class names), `dscps`, `priority` (7), `remaining_priority` (the
/// same), `weight` (1), `minimum_rate` and `minimum_burst`, `maximum_rate` and `maximum_burst`, `pool` (0), `reserved` (0),
/// `limit`, `alpha`, `yellow` (1) and `red` (1).
pub fn scheduler(section: &Section<'_>, text: &mut String) -> SchedulerPlan {
    let usual = SchedulerPlan::default();
    let count = section.count("queues", 1..=MOST_QUEUES as u64, usual.queues.len() as u64) as usize;
    let quantum = section.bytes("quantum", 1..=MOST_BYTES, u64::from(usual.quantum)) as u32;
    let shaper = shaper(section, "rate", "burst");
    let mut plan = SchedulerPlan { shaper, quantum, ..SchedulerPlan::of(count) };
    let classes: Vec<Class<'_>> = section.sections("class").into_iter().map(|class| read_class(class, count)).collect();
    let mut named = vec![false; count];
    for class in &classes {
        for &number in class.queues.iter().flatten() {
            if std::mem::replace(&mut named[number], true) {
                let message = format!("queue {number} is in two classes");
                class.section.error(&class.section.span_of_list("queues"), message, "name it in one of them");
            }
        }
    }
    let others: Vec<&Class<'_>> = classes.iter().filter(|class| class.queues.is_none()).collect();
    for class in others.iter().skip(1) {
        let hint = "say which queues it is for: queues = [0, 1]";
        class.section.error(class.section.span(), "two classes are for all queues that no other class names", hint);
    }
    let mut points = Vec::new();
    for class in classes {
        let Class { section, queues, dscps, queue } = class;
        let queues = queues.unwrap_or_else(|| (0..count).filter(|&number| !named[number]).collect());
        if let Some(&first) = queues.first() {
            points.extend(dscps.into_iter().map(|point| (point, first as u8)));
        }
        queues.iter().for_each(|&number| plan.queues[number] = queue.clone());
        section.end(text);
    }
    if !points.is_empty() {
        plan.map = ClassMap::of(&points);
    }
    plan
}

/// A class before its queues are known.
struct Class<'t> {
    section: Section<'t>,
    /// The numbers of its queues; `None` for those that no other class names.
    queues: Option<Vec<usize>>,
    dscps: Vec<u8>,
    queue: QueuePlan,
}

/// Reads a class of a port with `count` queues.
fn read_class(section: Section<'_>, count: usize) -> Class<'_> {
    let most = count as u64 - 1;
    let queues = section.has("queues").then(|| section.counts("queues", 0..=most, &[]));
    let queues = queues.map(|numbers| numbers.into_iter().map(|number| number as usize).collect());
    let dscps = section.counts("dscps", 0..=63, &[]).into_iter().map(|point| point as u8).collect();
    let queue = queue(&section);
    Class { section, queues, dscps, queue }
}

fn queue(section: &Section<'_>) -> QueuePlan {
    let usual = QueuePlan::default();
    let most = u64::from(PRIORITIES - 1);
    let priority = section.count("priority", 0..=most, usual.priority.into());
    let remaining_priority = section.count("remaining_priority", 0..=most, priority);
    let weight = section.count("weight", 1..=1_000_000, usual.weight.into()) as u32;
    let minimum = shaper(section, "minimum_rate", "minimum_burst");
    let maximum = shaper(section, "maximum_rate", "maximum_burst");
    if let (Some(minimum), Some(maximum)) = (minimum, maximum)
        && minimum.rate > maximum.rate
    {
        let hint = format!("at most the `maximum_rate` of {}", maximum.rate);
        section.error(&section.span_of("minimum_rate"), "the least rate is above the greatest", hint);
    }
    QueuePlan {
        priority: priority as u8,
        remaining_priority: remaining_priority as u8,
        weight,
        minimum,
        maximum,
        room: room(section),
    }
}

fn room(section: &Section<'_>) -> RoomPlan {
    let usual = RoomPlan::default();
    let room = RoomPlan {
        pool: section.count("pool", 0..=255, usual.pool.into()) as u8,
        reserved: section.count("reserved", 0..=MOST_CELLS, usual.reserved),
        limit: section.optional_count("limit", 0..=MOST_CELLS),
        alpha: section.has("alpha").then(|| section.number("alpha", 0.0..=1000.0, 1.0)),
        yellow: section.number("yellow", 0.0..=1.0, usual.yellow),
        red: section.number("red", 0.0..=1.0, usual.red),
    };
    if room.alpha == Some(0.0) {
        let hint = "a number above 0, such as 0.5; without `alpha`, `limit` alone applies";
        section.error(&section.span_of("alpha"), "with an `alpha` of 0 the queue may share nothing", hint);
    }
    if room.limit == Some(0) && room.reserved == 0 && room.alpha.is_none() {
        let hint = "a limit of at least 1, or cells that are `reserved`";
        section.error(&section.span_of("limit"), "a queue without any memory drops every packet", hint);
    }
    room
}

/// Reads a token bucket; `None` if its rate is not given.
fn shaper(section: &Section<'_>, rate: &'static str, burst: &'static str) -> Option<ShaperPlan> {
    if !section.has(rate) {
        if section.has(burst) {
            let hint = format!("add `{rate}`, such as \"10 Gb/s\"");
            section.error(&section.span_of(burst), format!("`{burst}` without `{rate}`"), hint);
        }
        return None;
    }
    let rate = section.rate(rate, USUAL_RATE);
    Some(ShaperPlan { rate, burst: section.bytes(burst, 0..=MOST_BYTES, 0) })
}
