//! Schedulers and memory as sections of plans in TOML, which [`crate::read`] reads back to the same.

use std::fmt::Write;

use crate::{BufferPlan, ClassMap, QueuePlan, RoomPlan, SchedulerPlan, ShaperPlan};

/// Returns the section of a scheduler, with this path, and those of its classes.
pub fn scheduler(plan: &SchedulerPlan, path: &str) -> String {
    let mut text = format!("\n[{path}]\nqueues = {}\nquantum = \"{} B\"\n", plan.queues.len(), plan.quantum);
    shaper(&mut text, ["rate", "burst"], plan.shaper);
    for (queues, code_points, queue) in classes(plan) {
        let _ = writeln!(text, "\n[[{path}.class]]\nqueues = {queues:?}");
        if !code_points.is_empty() {
            let _ = writeln!(text, "dscps = {code_points:?}");
        }
        class(&mut text, queue);
    }
    text
}

/// Returns the section of the memory that the ports of a switch share, with this path, and those of its pools.
pub fn memory(plan: &BufferPlan, path: &str) -> String {
    let mut text = format!("\n[{path}]\n");
    if let Some(total) = plan.total {
        let _ = writeln!(text, "total = \"{total} B\"\nalpha = {:?}", plan.alpha);
    }
    if let Some(cells) = &plan.cells {
        let _ = writeln!(text, "cell = \"{} B\"", cells.size);
        for cells_of_pool in &cells.pools {
            let bytes = cells_of_pool * u64::from(cells.size);
            let _ = writeln!(text, "\n[[{path}.pool]]\nsize = \"{bytes} B\"");
        }
    }
    text
}

/// Returns the queues of a plan that are set alike, with the code points that the first of them takes. Queues of which nothing
/// is set, and which no code point names, are left out.
fn classes(plan: &SchedulerPlan) -> Vec<(Vec<usize>, Vec<u8>, &QueuePlan)> {
    let is_usual = plan.map == ClassMap::default();
    let mut classes: Vec<(Vec<usize>, Vec<u8>, &QueuePlan)> = Vec::new();
    for (number, queue) in plan.queues.iter().enumerate() {
        let is_named = |point: &u8| !is_usual && usize::from(plan.map.class(*point)) == number;
        let points: Vec<u8> = (0..64).filter(is_named).collect();
        let alike = classes.iter_mut().find(|(_, _, other)| points.is_empty() && *other == queue);
        match alike {
            Some((numbers, ..)) => numbers.push(number),
            None if points.is_empty() && *queue == QueuePlan::default() => {}
            None => classes.push((vec![number], points, queue)),
        }
    }
    classes
}

fn class(text: &mut String, queue: &QueuePlan) {
    let QueuePlan { priority, remaining_priority, weight, minimum, maximum, room } = queue;
    let _ = writeln!(text, "priority = {priority}\nremaining_priority = {remaining_priority}\nweight = {weight}");
    shaper(text, ["minimum_rate", "minimum_burst"], *minimum);
    shaper(text, ["maximum_rate", "maximum_burst"], *maximum);
    let RoomPlan { pool, reserved, limit, alpha, yellow, red } = room;
    let _ = writeln!(text, "pool = {pool}\nreserved = {reserved}\nyellow = {yellow:?}\nred = {red:?}");
    if let Some(limit) = limit {
        let _ = writeln!(text, "limit = {limit}");
    }
    if let Some(alpha) = alpha {
        let _ = writeln!(text, "alpha = {alpha:?}");
    }
}

fn shaper(text: &mut String, [rate, burst]: [&str; 2], plan: Option<ShaperPlan>) {
    if let Some(plan) = plan {
        let _ = writeln!(text, "{rate} = \"{}\"\n{burst} = \"{} B\"", plan.rate, plan.burst);
    }
}
