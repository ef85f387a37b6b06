//! What happens to a packet, and why: what its session says, what the policy tables say, and what became of the one that came.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::mpsc;

use basis::Instant;
use service::Cancel;
use vswitch::configuration::Configuration;
use vswitch::policy::{Asked, Origin, Policy};
use vswitch::session::FlowKey;
use vswitch::{Found, SessionView};

use crate::describe::{Names, ends, protocol_name, protocol_named};
use crate::handle::SwitchHandle;
use crate::message::{Answer, PacketReport, Refusal, Request, StepRow, TraceReport};
use crate::show::session;
use crate::station::{Caught, Watch};

/// The most that wait for packets at once.
const MOST_WATCHES: usize = 8;

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
    let vpc = vpc_of(policy.configuration(), vpc.as_deref(), *source, *destination)?;
    let ports = [*source_port, *destination_port];
    let key = FlowKey::new(policy.vni(vpc), [*source, *destination], protocol, ports);
    if *next { next_packet(handle, key, cancel) } else { present(handle, vpc, key) }
}

/// Returns the position of a VPC by its name, or of the one that has one of the addresses, or of the only one.
fn vpc_of(configuration: &Configuration, name: Option<&str>, from: IpAddr, to: IpAddr) -> Result<u32, Refusal> {
    let vpcs: Vec<_> = configuration.vpcs.iter().enumerate().filter(|(_, vpc)| !vpc.is_vacant()).collect();
    let names = || vpcs.iter().map(|(_, vpc)| vpc.name.as_str()).collect::<Vec<_>>().join(", ");
    if let Some(name) = name {
        let found = vpcs.iter().find(|(_, vpc)| vpc.name == name);
        return found
            .map(|(at, _)| *at as u32)
            .ok_or_else(|| Refusal::new(format!("there is no VPC called `{name}`; there are {}\n", names())));
    }
    let has = |at: usize| {
        let of_vpc = configuration.vnics.iter().filter(|vnic| !vnic.is_vacant() && vnic.vpc == at);
        of_vpc.into_iter().any(|vnic| vnic.addresses.contains(&from) || vnic.addresses.contains(&to))
    };
    let having: Vec<usize> = vpcs.iter().map(|(at, _)| *at).filter(|at| has(*at)).collect();
    match (&vpcs[..], &having[..]) {
        ([(only, _)], _) | (_, [only]) => Ok(*only as u32),
        _ => Err(Refusal::new(format!("several VPCs may be meant: name one by `--vpc`; there are {}\n", names()))),
    }
}

/// Returns where a packet with a source address would come from: from the vNIC that has the address, or by a tunnel from the
/// endpoint that the route to it has.
fn origin_of(policy: &Policy, vpc: u32, key: &FlowKey) -> Result<Origin, Refusal> {
    match policy.hop(vpc, key.source) {
        Some(vswitch::policy::Hop::Vnic(vnic)) => Ok(Origin::Vnic(vnic)),
        Some(vswitch::policy::Hop::Endpoint { address, .. }) => Ok(Origin::Endpoint(address)),
        _ => {
            let [source, _] = key.addresses();
            let name = Names(policy.configuration()).vpc(vpc);
            Err(Refusal::new(format!(
                "no packet of `{name}` comes from {source}: it is no address of a vNIC, and no route leads to an endpoint \
                 with it\n"
            )))
        }
    }
}

/// Says what would happen to a packet that came now.
fn present(handle: &SwitchHandle, vpc: u32, key: FlowKey) -> Result<Answer, Refusal> {
    let (policy, now, found, hash) = handle.work().with(move |running| {
        let switch = running.switch();
        (Arc::clone(switch.policy()), running.driver.now(), switch.session_of(&key), switch.hash_of(&key))
    })?;
    let origin = match &found {
        Some((view, 0)) => view.known.origin,
        _ => origin_of(&policy, vpc, &key)?,
    };
    Ok(Answer::Trace(Box::new(report(&policy, (origin, vpc), (key, hash), found, now))))
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
            return Err(Refusal::new(format!("{MOST_WATCHES} traces wait for packets already\n")));
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
    let found = Names(policy.configuration()).match_of(&peeked);
    let (key, view) = match peeked.found {
        Found::Flow(key, view) => (key, view.map(|view| *view)),
        _ => (key, None),
    };
    let (origin, vpc) = match &view {
        // A reply is asked about as the packet that began its session.
        Some((view, 1)) => (view.known.origin, view.known.vpc),
        _ => (peeked.origin.unwrap_or(Origin::Outside), peeked.vpc.unwrap_or(0)),
    };
    let mut report = report(&policy, (origin, vpc), (key, hash), view, now);
    let became = sent.into_iter().map(|(port, length)| format!("sent: {length} bytes at {}", interface(port)));
    let dropped = discarded.into_iter().map(|reason| format!("discarded: {reason}"));
    report.came =
        Some(PacketReport { interface: interface(port), length, found, became: became.chain(dropped).collect() });
    Ok(Answer::Trace(Box::new(report)))
}

fn report(
    policy: &Policy,
    (origin, vpc): (Origin, u32),
    (key, hash): (FlowKey, u64),
    found: Option<(SessionView, usize)>,
    now: Instant,
) -> TraceReport {
    let names = Names(policy.configuration());
    let [from, to] = ends(&key);
    let direction = found.as_ref().map_or(0, |(_, direction)| *direction);
    // What began the session is what the policy tables are asked about.
    let asked_key = found.as_ref().map_or(key, |(view, _)| view.known.keys[0]);
    let kept = found.as_ref().map(|(view, _)| view.known.keys[1]);
    let asked = Asked { origin, vpc, key: asked_key, hash, kept, is_free: &|_| true };
    let mut steps = Vec::new();
    let decided = policy.decide_telling(&asked, &mut |step| {
        let [table, says, because] = names.step(vpc, step);
        steps.push(StepRow { table, says, because });
    });
    let (verdict, actions) = match decided {
        Ok(decided) => ("allowed".to_owned(), decided.actions.map(|actions| names.actions(&actions))),
        Err(denied) => (format!("dropped: {}", denied.reason), [Vec::new(), Vec::new()]),
    };
    TraceReport {
        packet: format!("{} {from} > {to}", protocol_name(key.protocol())),
        origin: names.origin(origin),
        vpc: names.vpc(vpc),
        came: None,
        session_actions: found.as_ref().map_or(Vec::new(), |(view, _)| names.actions(&view.actions[direction])),
        session: found.as_ref().map(|(view, _)| session(policy, now, view)),
        steps,
        verdict,
        actions,
    }
}
