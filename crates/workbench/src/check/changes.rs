//! Requests of the control plane between packets.

use basis::Instant;
use control::{EntrySelection, EventNumber, Request, TableRequest};
use machines::Device;
use machines::tofino::TofinoParameters;
use node::Offered;

use crate::kinds;
use crate::program::LoadedProgram;
use diagnostics::Failure;

/// The maximum number of entries that are removed from their tables and inserted again between packets.
const CHANGES: usize = 16;

/// Returns requests that raise each event of a program of threads after a third of the packets.
fn events(program: &LoadedProgram, packets: &[Offered]) -> Vec<(Instant, Request)> {
    let Some(early) = packets.get(packets.len() / 3) else { return Vec::new() };
    let events = (0..program.info.events.len()).map(|number| Request::RaiseEvent(EventNumber::from(number), 1));
    events.map(|request| (early.at, request)).collect()
}

/// Returns requests that remove some table entries after a third of the packets, and insert them again after two
/// thirds; for a program of threads, those that raise its events. `chip` is the chip of a program that is written for one.
pub(super) fn changes(
    program: &LoadedProgram,
    requests: &[Request],
    packets: &[Offered],
    chip: &TofinoParameters,
) -> Result<Vec<(Instant, Request)>, Failure> {
    if program.has_threads() {
        return Ok(events(program, packets));
    }
    let [Some(early), Some(late)] = [1, 2].map(|third| packets.get(third * packets.len() / 3)) else {
        return Ok(Vec::new());
    };
    let mut device: Box<dyn Device> = kinds::meaning_on(program, chip.clone(), &|_| ())?;
    let accepted = requests.iter().filter(|request| device.execute(request).is_ok());
    let deletes = accepted.filter_map(|request| {
        let (pipe, inner) = request.by_pipe();
        let Request::Table(table, TableRequest::Insert { key, priority, .. }) = inner else { return None };
        let entry = EntrySelection::Key { key: key.clone(), priority: *priority };
        Some((Request::Table(*table, TableRequest::Delete(entry)).in_pipe(pipe), request.clone()))
    });
    let pairs: Vec<(Request, Request)> = deletes.collect();
    let step = pairs.len().div_ceil(CHANGES).max(1);
    let (mut out, mut again) = (Vec::new(), Vec::new());
    for (delete, insert) in pairs.into_iter().step_by(step) {
        // An entry that a later request has removed already is left alone.
        if device.execute(&delete).is_ok() {
            out.push((early.at, delete));
            again.push((late.at, insert));
        }
    }
    Ok(out.into_iter().chain(again).collect())
}
