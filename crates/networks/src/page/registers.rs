//! When the conditions on registers held, as bars over time.

use super::seconds;
use crate::results::{Held, Outcome};
use report::{Axis, Block, Figure, Interval, IntervalChart, Quantity, Section, intervals};

/// More rows than these are not drawn.
const MOST_ROWS: usize = 128;

/// The section about registers; `None` if the plan names none.
pub(super) fn section(outcome: &Outcome) -> Option<Section> {
    let series = &outcome.registers;
    if series.probes().is_empty() {
        return None;
    }
    let words = "Each value of a register that differs from the sample before is a row of".to_owned();
    let mut blocks = vec![Block::File(words, "registers.csv".to_owned())];
    let with_condition: Vec<u32> = series
        .probes()
        .iter()
        .zip(0..)
        .filter(|(probe, _)| probe.condition.is_some())
        .map(|(_, probe)| probe)
        .collect();
    if !with_condition.is_empty() {
        let every = Quantity::Time.text(outcome.plan.probes.every.unwrap_or_default().seconds());
        let (chart, left_out) = chart(outcome, &with_condition);
        let more = if left_out > 0 { format!(" {left_out} more rows are not drawn.") } else { String::new() };
        blocks.push(Block::Figures(vec![Figure {
            name: "registers".into(),
            title: "Conditions on registers over time".into(),
            caption: format!(
                "When conditions held, looked at every {every}. Indices at which none ever held have no row.{more}"
            ),
            svg: intervals(&chart),
            is_wide: true,
        }]));
    }
    Some(Section::new("Registers", blocks))
}

/// The chart of the registers with conditions, and how many rows are left out of it.
fn chart(outcome: &Outcome, probes: &[u32]) -> (IntervalChart, usize) {
    let series = &outcome.registers;
    let held = series.held(outcome.end);
    let are_many = |of: fn(&Held) -> u32| held.iter().any(|one| of(one) != of(&held[0]));
    let (stations, pipes) = (are_many(|held| held.station), are_many(|held| held.pipe.into()));
    let name = |held: &Held| {
        let station = &outcome.plan.topology.stations[held.station as usize].name;
        let station = if stations { format!("{station}, ") } else { String::new() };
        let pipe = if pipes { format!("pipe {}, ", held.pipe) } else { String::new() };
        format!("{station}{pipe}{}", held.index)
    };
    let row = |of_row: &[Held]| {
        let interval = |held: &Held| Interval {
            state: probes.iter().position(|&probe| probe == held.probe).unwrap_or(0),
            from: seconds(held.from),
            until: seconds(held.until),
        };
        (name(&of_row[0]), of_row.iter().map(interval).collect())
    };
    let key = |held: &Held| (held.station, held.pipe, held.index);
    let mut rows: Vec<(String, Vec<Interval>)> = held.chunk_by(|one, other| key(one) == key(other)).map(row).collect();
    let left_out = rows.len().saturating_sub(MOST_ROWS);
    rows.truncate(MOST_ROWS);
    let states = probes.iter().map(|&probe| series.probes()[probe as usize].label.clone()).collect();
    let axis = Axis::new("time", Quantity::Time);
    (IntervalChart { states, rows, axis, end: seconds(outcome.end) }, left_out)
}
