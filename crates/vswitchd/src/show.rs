//! What a running virtual switch shows.

use std::sync::Arc;

use basis::Instant;
use vswitch::SessionView;
use vswitch::configuration::{MacAddress, NextHop, UnderlayPath};
use vswitch::policy::Policy;

use crate::describe::{Names, ends, phase_name, protocol_name, rule_text};
use crate::handle::SwitchHandle;
use crate::message::{
    Answer, CoreRow, DropRow, FlowRow, LimiterRow, PathRow, PortRow, Refusal, RuleRow, SessionRow, SwitchReport,
};
use crate::switch::Running;

/// The number of slots of sessions that are copied in one turn of the switch's thread.
const SLOTS: u32 = 1024;

/// Returns what runs, for how long, and how packets find their sessions.
pub(crate) fn switch(running: &Running) -> SwitchReport {
    let switch = running.switch();
    let applied = switch.applied();
    SwitchReport {
        name: running.reading.name.clone(),
        process: std::process::id(),
        seconds: seconds(running.driver.now(), Instant::ZERO),
        sessions: switch.sessions_count(),
        slow_path_packets: switch.slow_path_packets(),
        applied: applied.times,
        ended_by_apply: applied.ended,
        deciding: applied.is_walking,
    }
}

fn seconds(later: Instant, earlier: Instant) -> u64 {
    if later <= earlier { 0 } else { later.since(earlier).picoseconds() / 1_000_000_000_000 }
}

/// Returns the interfaces.
pub(crate) fn ports(running: &Running) -> Vec<PortRow> {
    let switch = running.switch();
    let configuration = switch.policy().configuration();
    let row = |view: live::PortView<'_>| {
        let position = switch.policy().vnic_at(view.port.0);
        let vnic = position.and_then(|position| configuration.vnics.get(position as usize));
        PortRow {
            port: view.port.0,
            interface: view.name.to_owned(),
            vnic: vnic.map_or(String::new(), |vnic| vnic.name.clone()),
            vpc: vnic.map_or(String::new(), |vnic| Names(configuration).vpc(vnic.vpc as u32)),
            up: view.is_up,
            waiting: view.waiting as u64,
            received: view.tally.received.into(),
            transmitted: view.tally.transmitted.into(),
            dropped: view.tally.discarded.values().sum(),
            sessions: position.map_or(0, |position| switch.sessions_of_vnic(position).into()),
            note: view.failure.map(|error| error.to_string()).or_else(|| view.warning.map(str::to_owned)),
        }
    };
    let mut rows: Vec<PortRow> = running.driver.ports().map(row).collect();
    rows.sort_by_key(|row| row.port);
    rows
}

/// What stands for interfaces that are gone. No interface has such a name.
const GONE: &str = "(gone)";

/// Returns the discarded packets by reason, in the order of results.
pub(crate) fn drops(running: &Running) -> Vec<DropRow> {
    let names: std::collections::BTreeMap<u16, String> =
        running.driver.ports().map(|view| (view.port.0, view.name.to_owned())).collect();
    let row = |(reason, drops): (node::Reason, service::metrics::Drops)| DropRow {
        reason: reason.to_string(),
        packets: drops.packets,
        by_interface: {
            let present = drops.by_port.iter().filter_map(|(port, count)| Some((names.get(port)?.clone(), *count)));
            let gone = (drops.at_gone > 0).then(|| (GONE.to_owned(), drops.at_gone));
            present.chain(gone).collect()
        },
    };
    service::metrics::drops(&running.driver).into_iter().map(row).collect()
}

/// Returns the limiters with what they have counted.
pub(crate) fn limiters(running: &Running) -> Vec<LimiterRow> {
    let switch = running.switch();
    let configuration = switch.policy().configuration();
    let row = |(position, limiter): (usize, &vswitch::configuration::Limiter)| {
        let counts = switch.limiter_counts(position as u32);
        LimiterRow {
            name: limiter.name.clone(),
            vnic: Names(configuration).vnic(limiter.vnic as u32),
            within: counts.within,
            excess: counts.excess,
            dropped: counts.dropped,
        }
    };
    configuration.limiters.iter().enumerate().map(row).collect()
}

/// Returns the cores, after there are as many as somebody wants.
pub(crate) fn cores(handle: &SwitchHandle, number: Option<u16>) -> Result<Vec<CoreRow>, Refusal> {
    if let Some(number) = number.filter(|number| !(1..=vswitch::MOST_CORES).contains(number)) {
        let most = vswitch::MOST_CORES;
        return Err(Refusal::new(format!("there can be 1 to {most} cores, and not {number}\n")));
    }
    let rows = handle.work().with(move |running| {
        number.map_or(Ok(()), |number| running.set_cores(number))?;
        Ok(core_rows(running))
    })?;
    rows.map_err(|error: std::io::Error| Refusal::new(format!("cores cannot be given or taken: {error}\n")))
}

pub(crate) fn core_rows(running: &Running) -> Vec<CoreRow> {
    let row = |(core, view): (u16, vswitch::CoreView)| CoreRow {
        core,
        sessions: view.sessions,
        packets: view.packets,
        slow_path_packets: view.slow_path_packets,
        waiting: view.waiting,
    };
    (0..).zip(running.switch().core_views()).map(row).collect()
}

/// Returns the paths of the underlay.
pub(crate) fn paths(running: &Running) -> Vec<PathRow> {
    let switch = running.switch();
    let underlay = switch.policy().configuration().underlay.as_ref();
    let paths = underlay.into_iter().flat_map(|underlay| &underlay.paths);
    let row = |((state, mac), path): ((&vswitch::PathState, Option<MacAddress>), &UnderlayPath)| PathRow {
        interface: path.interface.clone(),
        next_hop: match path.next_hop {
            NextHop::Mac(mac) => mac_text(mac),
            NextHop::Router(address) => address.to_string(),
            NextHop::Neighbours => "neighbours".to_owned(),
        },
        mac: mac.map(mac_text),
        alive: state.is_alive(),
        carrier: state.has_carrier,
        unanswered: state.unanswered,
        changes: state.changes,
    };
    switch.underlay_paths().zip(paths).map(row).collect()
}

fn mac_text(mac: MacAddress) -> String {
    mac.map(|byte| format!("{byte:02x}")).join(":")
}

/// Returns the rules of all security groups.
pub(crate) fn rules(handle: &SwitchHandle) -> Result<Vec<RuleRow>, Refusal> {
    let policy = handle.work().with(|running| Arc::clone(running.switch().policy()))?;
    let configuration = policy.configuration();
    let mut rows = Vec::new();
    for (position, group) in configuration.groups.iter().enumerate() {
        let members = configuration.vnics.iter().filter(|vnic| vnic.groups.contains(&position));
        let vnics: Vec<String> = members.map(|vnic| vnic.name.clone()).collect();
        for (number, rule) in group.rules.iter().enumerate() {
            rows.push(RuleRow {
                group: group.name.clone(),
                number: number + 1,
                rule: rule_text(configuration, rule),
                vnics: vnics.clone(),
            });
        }
    }
    Ok(rows)
}

/// Returns at most so many sessions of a vNIC or of all as the operator sees them, and the number of further ones.
pub(crate) fn sessions(handle: &SwitchHandle, vnic: Option<&str>, most: usize) -> Result<Answer, Refusal> {
    sessions_as(handle, vnic, most, |policy, now, _, view| session(policy, now, view))
}

/// Returns at most so many flows of a vNIC or of all as the operator sees them, and the number of further ones.
pub(crate) fn flows(handle: &SwitchHandle, vnic: Option<&str>, most: usize) -> Result<Answer, Refusal> {
    flows_as(handle, vnic, most, |policy, _, view, direction| flow(policy, view, direction))
}

/// Returns at most so many sessions of a vNIC or of all, and the number of further ones. `row` is given the position of the vNIC.
pub(crate) fn sessions_as(
    handle: &SwitchHandle,
    vnic: Option<&str>,
    most: usize,
    row: impl Fn(&Policy, Instant, Option<u32>, &SessionView) -> SessionRow,
) -> Result<Answer, Refusal> {
    let mut sessions = Vec::new();
    let more = each(handle, vnic, |policy, now, vnic, view| {
        let is_shown = sessions.len() < most;
        if is_shown {
            sessions.push(row(policy, now, vnic, view));
        }
        is_shown
    })?;
    Ok(Answer::Sessions { sessions, more })
}

/// Returns at most so many flows of a vNIC or of all, and the number of further ones. `row` is given the position of the vNIC, and
/// the direction of the flow in its session.
pub(crate) fn flows_as(
    handle: &SwitchHandle,
    vnic: Option<&str>,
    most: usize,
    row: impl Fn(&Policy, Option<u32>, &SessionView, usize) -> FlowRow,
) -> Result<Answer, Refusal> {
    let mut flows = Vec::new();
    let more = each(handle, vnic, |policy, _, vnic, view| {
        let is_shown = flows.len() + 2 <= most;
        if is_shown {
            flows.extend([0, 1].map(|direction| row(policy, vnic, view, direction)));
        }
        is_shown
    })?;
    Ok(Answer::Flows { flows, more: 2 * more })
}

/// Calls `show` for each session that the present configuration allows, of a vNIC, whose position it is given, or of all, copying
/// them in short turns. Returns the number of those that were not shown.
fn each(
    handle: &SwitchHandle,
    vnic: Option<&str>,
    mut show: impl FnMut(&Policy, Instant, Option<u32>, &SessionView) -> bool,
) -> Result<usize, Refusal> {
    let mut more = 0;
    let mut next = Some(0);
    while let Some(place) = next {
        let (policy, now, (views, further)) = handle.work().with(move |running| {
            let switch = running.switch();
            (Arc::clone(switch.policy()), running.driver.now(), switch.sessions_from(place, SLOTS))
        })?;
        let position = match vnic {
            None => None,
            Some(name) => {
                let vnics = &policy.configuration().vnics;
                let position = vnics.iter().position(|vnic| vnic.name == name);
                Some(position.ok_or_else(|| Refusal::new(format!("there is no vNIC called `{name}`\n")))? as u32)
            }
        };
        for mut view in views {
            if view.epoch != policy.epoch() {
                // A session that is still to be decided anew is shown as it will be, or not at all.
                let Ok(decided) = policy.decide_anew(&view.known) else { continue };
                (view.actions, view.ends) = (decided.actions, decided.ends);
            }
            let is_meant = position.is_none_or(|position| view.ends.contains(&Some(position)));
            if is_meant && !show(&policy, now, position, &view) {
                more += 1;
            }
        }
        next = further;
    }
    Ok(more)
}

/// Returns a session in words.
pub(crate) fn session(policy: &Policy, now: Instant, view: &SessionView) -> SessionRow {
    let names = Names(policy.configuration());
    let [key, reply] = view.known.keys;
    let [from, to] = ends(&key);
    let seen = reply.reversed();
    let is_translated = seen.with_vni(key.vni()) != key;
    let state = match view.phase {
        Some(phase) => phase_name(phase).to_owned(),
        None if !view.is_answered => "half open".to_owned(),
        None => "open".to_owned(),
    };
    SessionRow {
        id: u64::from(view.core) << 32 | u64::from(view.flow.number() >> 1),
        vpc: names.vpc(view.known.vpc),
        protocol: protocol_name(key.protocol()),
        from,
        to,
        translated: is_translated.then(|| ends(&seen)),
        vnic: names.vnic(view.known.owner),
        state,
        packets: view.counts.map(|count| count.packets),
        bytes: view.counts.map(|count| count.bytes),
        flags: view.seen.map(|seen| [seen.flags.syn, seen.flags.fin, seen.flags.rst]),
        round_trip: view.seen.map(|seen| seen.round_trip().map(|time| u64::from(time) / 1000)),
        age: seconds(now, view.began),
        idle: seconds(now, view.last),
        ends_in: seconds(view.end, now),
    }
}

/// Returns one direction of a session in words.
pub(crate) fn flow(policy: &Policy, view: &SessionView, direction: usize) -> FlowRow {
    let names = Names(policy.configuration());
    let key = view.known.keys[direction];
    let [from, to] = ends(&key);
    FlowRow {
        flow: u64::from(view.core) << 32 | u64::from(view.flow.number() | direction as u32),
        vpc: names.vpc(view.known.vpc),
        protocol: protocol_name(key.protocol()),
        from,
        to,
        packets: view.counts[direction].packets,
        bytes: view.counts[direction].bytes,
        actions: names.actions(&view.actions[direction]),
    }
}
