//! Another configuration in the place of the present one, and what that would change.

use std::collections::BTreeSet;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use diagnostics::Failure;
use files::PlanText;
use live::Options;
use vswitch::configuration::{Reading, read};
use vswitch::policy::Policy;

use crate::attached::Attached;
use crate::claims::Claims;
use crate::difference::difference;
use crate::handle::SwitchHandle;
use crate::keys;
use crate::message::{AppliedReport, Refusal};
use crate::notes;
use crate::xdp;

/// The number of slots of sessions that are looked at in one turn of the switch's thread.
const SLOTS: u32 = 4096;
/// The times between two questions whether all sessions were decided by a new configuration.
const SHORTEST_PAUSE: Duration = Duration::from_micros(200);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// Applies a file, or only says what that would change.
pub(crate) fn apply(
    handle: &SwitchHandle,
    path: String,
    text: Option<String>,
    dry_run: bool,
) -> Result<AppliedReport, Refusal> {
    let file = match text {
        Some(text) => {
            let name = std::path::Path::new(&path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            PlanText { name, path, text, folder: Default::default() }
        }
        None => PlanText::read(path.as_ref())?,
    };
    let mut attached = lock(handle);
    let next = attached.behind(file);
    let report = put_in_place(handle, &next, dry_run)?;
    if !dry_run {
        *attached = next;
    }
    Ok(report)
}

/// Adds a vNIC that no file has.
pub(crate) fn attach(handle: &SwitchHandle, section: &str) -> Result<AppliedReport, Refusal> {
    let mut attached = lock(handle);
    let next = attached.with(section)?;
    let report = put_in_place(handle, &next, false)?;
    *attached = next;
    Ok(report)
}

/// Removes a vNIC that was attached.
pub(crate) fn detach(handle: &SwitchHandle, name: &str) -> Result<AppliedReport, Refusal> {
    let mut attached = lock(handle);
    let next = attached.without(name)?;
    let report = put_in_place(handle, &next, false)?;
    *attached = next;
    Ok(report)
}

/// Returns the names of vNICs that were attached.
pub(crate) fn attached(handle: &SwitchHandle) -> Vec<String> {
    lock(handle).names()
}

/// No code panics while it holds the lock but that which reads files, after which nothing has changed.
fn lock(handle: &SwitchHandle) -> MutexGuard<'_, Attached> {
    handle.attached().lock().unwrap_or_else(PoisonError::into_inner)
}

fn put_in_place(handle: &SwitchHandle, next: &Attached, dry_run: bool) -> Result<AppliedReport, Refusal> {
    let at_own_place = |failure: Failure| next.at_own_places(failure);
    let mut reading = read(&next.text()).map_err(at_own_place)?;
    keys::load(&mut reading).map_err(at_own_place)?;
    let reading = Arc::new(reading);
    let (present, policy, is_walking) = handle.work().with(|running| {
        let switch = running.switch();
        (Arc::clone(&running.reading), Arc::clone(switch.policy()), switch.applied().is_walking)
    })?;
    if reading.name != present.name {
        let message = format!(
            "the switch is called `{}`, and the file's name is `{}`: the name cannot change while it runs; give the file \
             name = \"{}\"\n",
            present.name, reading.name, present.name
        );
        return Err(Refusal::new(message));
    }
    let interfaces = |policy: &Policy| -> BTreeSet<String> {
        policy.configuration().interfaces().map(|(name, _)| name.to_owned()).collect()
    };
    let new = Arc::new(policy.succeeded_by(reading.configuration.clone(), !is_walking));
    let [before, after] = [interfaces(&policy), interfaces(&new)];
    xdp::check(&reading).map_err(at_own_place)?;
    check(&reading, &before).map_err(at_own_place)?;
    let notes = notes::of_interfaces(&reading, |name| before.contains(name));
    let mut changes = difference(&present.text, &reading.text);
    changes.extend(keys::difference(&present.configuration, &reading.configuration));
    let [sessions_kept, sessions_ended] =
        if dry_run { foreseen(handle, &new)? } else { replace(handle, reading, new, next)? };
    Ok(AppliedReport {
        dry_run,
        changes,
        opened: after.difference(&before).cloned().collect(),
        closed: before.difference(&after).cloned().collect(),
        sessions_kept,
        sessions_ended,
        notes,
    })
}

/// Puts a configuration in place, and waits until all sessions were decided by it. Returns how many were kept, and how many have
/// ended.
fn replace(
    handle: &SwitchHandle,
    reading: Arc<Reading>,
    policy: Arc<Policy>,
    attached: &Attached,
) -> Result<[u64; 2], Refusal> {
    let replaced = handle.work().with(move |running| {
        let counts = (running.switch().sessions_count(), running.switch().applied().ended);
        running.replace(reading, policy).map(|()| counts)
    })?;
    let (sessions, ended_before) = replaced.map_err(|failure| attached.at_own_places(failure))?;
    let mut pause = SHORTEST_PAUSE;
    loop {
        let applied = handle.work().with(|running| running.switch().applied())?;
        let ended = (applied.ended - ended_before).min(sessions);
        if !applied.is_walking {
            return Ok([sessions - ended, ended]);
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(LONGEST_PAUSE);
    }
}

/// Checks that the interfaces of a configuration can be opened that are not open already.
fn check(reading: &Reading, open: &BTreeSet<String>) -> Result<(), Failure> {
    let mut found = Vec::new();
    for (number, name) in reading.interface_names().enumerate().filter(|(_, name)| !open.contains(*name)) {
        let usable = live::check(name, &Options::default()).and_then(|_| Claims::default().take(name));
        if let Err(unusable) = usable {
            found.push((number, unusable.message, unusable.hint));
        }
    }
    reading.refuse_interfaces(found)
}

/// Returns how many of the sessions other tables would keep, and how many they would end.
fn foreseen(handle: &SwitchHandle, policy: &Policy) -> Result<[u64; 2], Refusal> {
    let mut counts = [0; 2];
    let mut next = Some(0);
    while let Some(place) = next {
        let (known, further) = handle.work().with(move |running| running.switch().known_from(place, SLOTS))?;
        for known in &known {
            counts[usize::from(policy.decide_anew(known).is_err())] += 1;
        }
        next = further;
    }
    Ok(counts)
}
