//! What happens to a packet, and why: what its session says, what the policy tables say, and what became of the one that came.

use std::sync::Arc;
use std::sync::mpsc;

use basis::Instant;
use service::Cancel;
use vswitch::policy::{Asked, Known, Origin, Policy};
use vswitch::session::FlowKey;
use vswitch::{Found, OUTSIDE, SessionView, before_sessions, reasons};

use crate::describe::{Names, ends, protocol_name, protocol_named};
use crate::handle::SwitchHandle;
use crate::message::{Answer, PacketReport, Refusal, Request, StepRow, TraceReport};
use crate::origin::{is_from_outside, origin_in, origin_of, vpc_named, vpc_of};
use crate::show::session;
use crate::station::{Caught, Watch};

/// The most that wait for packets at once.
const MOST_WATCHES: usize = 8;

/// A packet that is asked about.
struct Asking {
    key: FlowKey,
    /// Where it came from.
    origin: Origin,
    /// The position of its VPC, unless it is from outside all of them and nobody expects it.
    vpc: Option<u32>,
    /// What becomes of it before any session is looked for, or if none is found.
    settled: Option<Found>,
}

/// Answers a request for a trace.
pub(crate) fn trace(handle: &SwitchHandle, request: &Request, cancel: &Cancel) -> Result<Answer, Refusal> {
    let Request::Trace { protocol, source, source_port, destination, destination_port, vpc, next } = request else {
        return Err(Refusal::new("this is no request for a trace\n"));
    };
    let protocol = protocol_named(protocol)
        .ok_or_else(|| Refusal::new(format!("there is no protocol `{protocol}`: tcp, udp, icmp, …, or a number\n")))?;
    if source.is_ipv4() != destination.is_ipv4() {
        return Err(Refusal::new("the addresses are of different versions of IP\n"));
    }
    let policy = handle.work().with(|running| Arc::clone(running.switch().policy()))?;
    let configuration = policy.configuration();
    let named = vpc.as_deref().map(|name| vpc_named(configuration, name)).transpose()?;
    let ports = [*source_port, *destination_port];
    let key = |vni| FlowKey::new(vni, [*source, *destination], protocol, ports);
    let (vpc, key) = if is_from_outside(&policy, named, &key(OUTSIDE)) {
        (None, key(OUTSIDE))
    } else {
        let vpc = named.map_or_else(|| vpc_of(configuration, *source, *destination), Ok)?;
        (Some(vpc), key(policy.vni(vpc)))
    };
    if *next { next_packet(handle, key, cancel) } else { present(handle, vpc, key) }
}

/// Says what would happen to a packet that came now.
fn present(handle: &SwitchHandle, vpc: Option<u32>, key: FlowKey) -> Result<Answer, Refusal> {
    let (policy, now, found, hash) = handle.work().with(move |running| {
        let switch = running.switch();
        // Whoever asks about ICMP may mean a query or the answer to one, which have different keys.
        let found = switch.session_of(&key).or_else(|| switch.session_of(&key.answer()));
        (Arc::clone(switch.policy()), running.driver.now(), found, switch.hash_of(&key))
    })?;
    let origin = match (&found, vpc) {
        (Some((view, direction)), _) => origin_in(view, *direction),
        (None, Some(vpc)) => origin_of(&policy, vpc, &key)?,
        (None, None) => Origin::Outside,
    };
    let settled = match (&found, vpc) {
        (Some(_), _) => None,
        (None, Some(vpc)) => before_sessions(&policy, (origin, vpc), &key),
        (None, None) => Some(Found::Discarded(reasons::UNEXPECTED)),
    };
    let asking = Asking { key, origin, vpc, settled };
    Ok(Answer::Trace(Box::new(report(&policy, &asking, hash, found, now))))
}

/// Waits for the next packet of a flow or of its replies, and says what became of it.
fn next_packet(handle: &SwitchHandle, key: FlowKey, cancel: &Cancel) -> Result<Answer, Refusal> {
    let (caught, catch) = mpsc::sync_channel(1);
    let own = cancel.clone();
    handle.work().with(move |running| {
        let mut keys = vec![key, key.reversed()];
        if let Some((view, _)) = running.switch().session_of(&key) {
            keys.extend(view.known.keys);
        }
        let watches = &mut running.driver.node_mut().watches;
        watches.retain(|watch| !watch.cancel.is_cancelled());
        if watches.len() >= MOST_WATCHES {
            return Err(Refusal::busy(format!("{MOST_WATCHES} traces wait for packets already\n")));
        }
        watches.push(Watch { keys, cancel: own, caught });
        Ok(())
    })??;
    let Caught { port, length, peeked, policy, sent, discarded } = cancel.wait(&catch)?;
    let (now, hash, interfaces) = handle.work().with(move |running| {
        let interfaces: Vec<(u16, String)> =
            running.driver.ports().map(|view| (view.port.0, view.name.to_owned())).collect();
        (running.driver.now(), running.switch().hash_of(&key), interfaces)
    })?;
    let interface = |port: node::Port| {
        let name = interfaces.iter().find(|(own, _)| *own == port.0).map(|(_, name)| name.clone());
        name.unwrap_or_else(|| format!("port {}", port.0))
    };
    let words = Names(policy.configuration()).match_of(&peeked);
    let (view, settled) = match peeked.found {
        Found::Flow(_, Some(view)) => (Some(*view), None),
        Found::Flow(_, None) if peeked.origin == Some(Origin::Outside) => {
            (None, Some(Found::Discarded(reasons::UNEXPECTED)))
        }
        Found::Flow(_, None) | Found::Fragment | Found::ErrorAbout(_) => (None, None),
        settled => (None, Some(settled)),
    };
    let (origin, vpc) = match &view {
        Some((view, direction)) => (origin_in(view, *direction), Some(view.known.vpc)),
        None => (peeked.origin.unwrap_or(Origin::Outside), peeked.vpc),
    };
    let asking = Asking { key: peeked.key.unwrap_or(key), origin, vpc, settled };
    let mut report = report(&policy, &asking, hash, view, now);
    let became = sent.into_iter().map(|(port, length)| format!("sent: {length} bytes at {}", interface(port)));
    let dropped = discarded.into_iter().map(|reason| format!("discarded: {reason}"));
    report.came = Some(PacketReport {
        interface: interface(port),
        length,
        found: words,
        became: became.chain(dropped).collect(),
    });
    Ok(Answer::Trace(Box::new(report)))
}

fn report(
    policy: &Policy,
    asking: &Asking,
    hash: u64,
    found: Option<(SessionView, usize)>,
    now: Instant,
) -> TraceReport {
    let Asking { key, origin, vpc, settled } = asking;
    let names = Names(policy.configuration());
    let [from, to] = ends(key);
    let direction = found.as_ref().map_or(0, |(_, direction)| *direction);
    let mut report = TraceReport {
        packet: format!("{} {from} > {to}", protocol_name(key.protocol())),
        origin: names.origin(*origin),
        vpc: found.as_ref().map(|(view, _)| view.known.vpc).or(*vpc).map_or_else(String::new, |vpc| names.vpc(vpc)),
        came: None,
        is_reply: direction == 1,
        session_actions: found.as_ref().map_or(Vec::new(), |(view, _)| names.actions(&view.actions[direction])),
        session: found.as_ref().map(|(view, _)| session(policy, now, view)),
        steps: Vec::new(),
        verdict: String::new(),
        actions: [Vec::new(), Vec::new()],
    };
    // The policy tables are asked about the packet that began the session.
    let asked = match (settled, &found) {
        (Some(settled), _) => {
            report.verdict = match settled {
                Found::Discarded(reason) => format!("dropped: {reason}"),
                _ => "answered by the gateway".to_owned(),
            };
            return report;
        }
        (None, Some((view, _))) => {
            let Known { origin, vpc, keys: [key, kept], .. } = view.known;
            Asked { origin, vpc, key, hash, kept: Some(kept), is_free: &|_| true }
        }
        (None, None) => {
            Asked { origin: *origin, vpc: vpc.unwrap_or(0), key: *key, hash, kept: None, is_free: &|_| true }
        }
    };
    let decided = policy.decide_telling(&asked, &mut |step| {
        let [table, says, because] = names.step(asked.vpc, step);
        report.steps.push(StepRow { table, says, because });
    });
    (report.verdict, report.actions) = match decided {
        Ok(decided) => ("allowed".to_owned(), decided.actions.map(|actions| names.actions(&actions))),
        Err(denied) => (format!("dropped: {}", denied.reason), [Vec::new(), Vec::new()]),
    };
    report
}
