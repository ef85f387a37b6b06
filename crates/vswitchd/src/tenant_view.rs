//! Sessions as the tenant of a vNIC at one of their ends may see them: with the addresses and ports of the packets that the vNIC sends and
//! is given, and with what is done with these for the sake of the vNIC itself. Which vNICs, back ends and switches are at the other end,
//! and what limits or watches those, is not the tenant's.

use basis::Instant;
use vswitch::SessionView;
use vswitch::action::Action;
use vswitch::policy::Policy;
use vswitch::session::FlowKey;

use crate::describe::{Names, ends};
use crate::message::{FlowRow, SessionRow};
use crate::show;

/// What is said of packets that leave a vNIC for another one, here or elsewhere.
const ON: &str = "send on to the other end";

/// Returns a session as the vNIC at a position sees it.
pub(crate) fn session(policy: &Policy, now: Instant, vnic: Option<u32>, view: &SessionView) -> SessionRow {
    let end = end_of(view, vnic);
    let [from, to] = ends(&seen(view, end, 0));
    let row = show::session(policy, now, view);
    // What the world outside sees is of the vNIC's own packets; a back end of a load balancer sees what its own tenant is to know.
    let is_of_pool = view.actions[end].iter().any(|action| matches!(action, Action::Leave { .. }));
    let translated = row.translated.filter(|_| is_of_pool);
    let owner = if Some(view.known.owner) == vnic { row.vnic } else { String::new() };
    SessionRow { from, to, translated, vnic: owner, ..row }
}

/// Returns one direction of a session as the vNIC at a position sees it.
pub(crate) fn flow(policy: &Policy, vnic: Option<u32>, view: &SessionView, direction: usize) -> FlowRow {
    let [from, to] = ends(&seen(view, end_of(view, vnic), direction));
    let actions = view.actions[direction].iter().filter_map(|action| own(policy, vnic, action)).collect();
    FlowRow { from, to, actions, ..show::flow(policy, view, direction) }
}

/// Returns the end of a session at which a vNIC is, which is one of its ends.
fn end_of(view: &SessionView, vnic: Option<u32>) -> usize {
    usize::from(view.ends[0] != vnic)
}

/// Returns the key of the packets of a direction, as they are at an end of their session.
fn seen(view: &SessionView, end: usize, direction: usize) -> FlowKey {
    let sent = view.known.keys[end];
    if end == direction { sent } else { sent.reversed() }
}

/// Returns an action in words, if the tenant of a vNIC may know of it.
fn own(policy: &Policy, vnic: Option<u32>, action: &Action) -> Option<String> {
    let configuration = policy.configuration();
    let is_own = |of: usize| vnic.is_some_and(|vnic| vnic as usize == of);
    let is_told = match *action {
        Action::Limit { limiter } => is_own(configuration.limiters.get(limiter as usize)?.vnic),
        Action::Mirror { mirror, .. } => is_own(configuration.mirrors.get(mirror as usize)?.vnic),
        Action::Deliver { vnic: receiver } if !is_own(receiver as usize) => return Some(ON.to_owned()),
        Action::Encapsulate { .. } => return Some(ON.to_owned()),
        Action::Deliver { .. } | Action::DecrementTimeToLive | Action::Translate | Action::Leave { .. } => true,
    };
    is_told.then(|| Names(configuration).action(action))
}
