//! What the switch decides, in words: with the names of the configuration instead of positions.

use std::net::{IpAddr, SocketAddr};

use vswitch::action::Action;
use vswitch::configuration::{Configuration, Direction, Peer, RouteTarget, SecurityRule, address};
use vswitch::policy::{Hop, Origin, RuleId, Ruled, Step};
use vswitch::session::{FlowKey, TcpPhase};
use vswitch::{Found, Peeked, SessionView};
use wire::protocol;

/// The names of protocols.
const PROTOCOLS: [(u8, &str); 7] = [
    (protocol::TCP, "tcp"),
    (protocol::UDP, "udp"),
    (protocol::ICMP, "icmp"),
    (protocol::ICMPV6, "icmpv6"),
    (protocol::SCTP, "sctp"),
    (protocol::UDP_LITE, "udp-lite"),
    (protocol::ESP, "esp"),
];

/// Returns the name of a protocol, or its number.
pub(crate) fn protocol_name(number: u8) -> String {
    let known = PROTOCOLS.iter().find(|(own, _)| *own == number);
    known.map_or_else(|| number.to_string(), |(_, name)| (*name).to_owned())
}

/// Returns the number of a protocol of a name, or of a number as text.
pub(crate) fn protocol_named(name: &str) -> Option<u8> {
    PROTOCOLS.iter().find(|(_, own)| *own == name).map(|(number, _)| *number).or_else(|| name.parse().ok())
}

/// Returns an end of a flow: address and port, or the address alone if the protocol has no ports.
fn end(address: IpAddr, port: u16, has_port: bool) -> String {
    if has_port { SocketAddr::new(address, port).to_string() } else { address.to_string() }
}

/// Returns both ends of a flow.
pub(crate) fn ends(key: &FlowKey) -> [String; 2] {
    let ([source, destination], [from, to]) = (key.addresses(), key.ports());
    let has_ports = from != 0 || to != 0;
    [end(source, from, has_ports), end(destination, to, has_ports)]
}

/// Returns the name of a phase of TCP.
pub(crate) fn phase_name(phase: TcpPhase) -> &'static str {
    match phase {
        TcpPhase::Opening => "opening",
        TcpPhase::Established => "established",
        TcpPhase::Closing => "closing",
        TcpPhase::Closed => "closed",
        TcpPhase::Reset => "reset",
    }
}

/// Returns a rule in words.
pub(crate) fn rule_text(configuration: &Configuration, rule: &SecurityRule) -> String {
    let action = if rule.allows { "allow" } else { "deny" };
    let (direction, of) = match rule.direction {
        Direction::In => ("in", "from"),
        Direction::Out => ("out", "to"),
    };
    let protocol = rule.protocol.map_or("any".to_owned(), protocol_name);
    let ports = match &rule.ports {
        None => String::new(),
        Some(ports) if ports.start() == ports.end() => format!(" {}", ports.start()),
        Some(ports) => format!(" {}-{}", ports.start(), ports.end()),
    };
    let peer = match rule.peer {
        Peer::Any => "any".to_owned(),
        Peer::Prefix(prefix) => prefix.to_string(),
        Peer::Group(group) => {
            format!("group:{}", configuration.groups.get(group).map_or("?", |group| group.name.as_str()))
        }
    };
    format!("{action} {direction} {protocol}{ports} {of} {peer} (priority {})", rule.priority)
}

/// A configuration whose names stand for positions.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a>(pub &'a Configuration);

impl Names<'_> {
    pub fn vnic(&self, position: u32) -> String {
        let vnic = self.0.vnics.get(position as usize).filter(|vnic| !vnic.is_vacant());
        vnic.map_or("a vNIC that is gone".to_owned(), |vnic| vnic.name.clone())
    }

    pub fn vpc(&self, position: u32) -> String {
        let vpc = self.0.vpcs.get(position as usize).filter(|vpc| !vpc.is_vacant());
        vpc.map_or("a VPC that is gone".to_owned(), |vpc| vpc.name.clone())
    }

    /// Returns a rule by its number in its group, from 1 on, and in words.
    fn rule(&self, id: RuleId) -> String {
        let group = self.0.groups.get(id.group as usize);
        let rule = group.and_then(|group| Some((&group.name, group.rules.get(id.rule as usize)?)));
        rule.map_or("a rule that is gone".to_owned(), |(group, rule)| {
            format!("rule {} of `{group}`: {}", id.rule + 1, rule_text(self.0, rule))
        })
    }

    /// Returns the route of a VPC that leads to an address.
    fn route(&self, vpc: u32, to: IpAddr) -> Option<String> {
        let routes = &self.0.vpcs.get(vpc as usize)?.routes;
        let fitting = routes.iter().filter(|route| route.prefix.contains(to));
        let route = fitting.max_by_key(|route| route.prefix.length())?;
        let target = match route.target {
            RouteTarget::Endpoint { address, .. } => format!("endpoint {address}"),
            RouteTarget::Nat(nat) => format!("nat `{}`", self.0.nats.get(nat).map_or("?", |nat| nat.name.as_str())),
            RouteTarget::Blackhole => "blackhole".to_owned(),
        };
        Some(format!("route {} -> {target}", route.prefix))
    }

    pub fn origin(&self, origin: Origin) -> String {
        match origin {
            Origin::Vnic(vnic) => format!("vNIC `{}`", self.vnic(vnic)),
            Origin::Endpoint(endpoint) => format!("tunnel endpoint {}", address(endpoint)),
            Origin::Outside => "outside all VPCs".to_owned(),
        }
    }

    /// Returns the way to a hop.
    fn hop(&self, hop: Hop) -> String {
        match hop {
            Hop::Vnic(vnic) => format!("vNIC `{}`", self.vnic(vnic)),
            Hop::Endpoint { address: endpoint, mtu, .. } => {
                format!("tunnel endpoint {}, path MTU {mtu}", address(endpoint))
            }
            Hop::Gateway => "the gateway".to_owned(),
            Hop::Balancer => "a load balancer".to_owned(),
            Hop::Nat { nat, .. } => {
                format!("pool `{}`", self.0.nats.get(nat as usize).map_or("?", |nat| nat.name.as_str()))
            }
            Hop::Blackhole => "nowhere".to_owned(),
        }
    }

    /// Returns which table has spoken, what it said, and the rule or route that made it.
    pub fn step(&self, vpc: u32, step: Step) -> [String; 3] {
        match step {
            Step::Rules { vnic, direction, ruled } => {
                let direction = if direction == Direction::In { "receive" } else { "send" };
                let table = format!("security groups of `{}` to {direction}", self.vnic(vnic));
                let (says, rule) = match ruled {
                    Ruled::Allowed(rule) => ("allow", rule),
                    Ruled::Denied(rule) => ("deny", rule),
                };
                let otherwise = match ruled {
                    Ruled::Allowed(_) => "it is in no security group",
                    Ruled::Denied(_) => "no rule allows it",
                };
                [table, says.to_owned(), rule.map_or(otherwise.to_owned(), |rule| self.rule(rule))]
            }
            Step::BackEnd(to, port) => {
                let to = end(address(to), port, true);
                ["load balancer".to_owned(), format!("back end {to}"), "by the hash of the connection".to_owned()]
            }
            Step::Route(to, hop) => {
                let to = address(to);
                let because = match hop {
                    Some(Hop::Vnic(_)) => "it is an address of a vNIC here".to_owned(),
                    Some(Hop::Gateway | Hop::Balancer) => "it is an address of the switch".to_owned(),
                    _ => self.route(vpc, to).unwrap_or_else(|| "no route fits".to_owned()),
                };
                let way = hop.map_or("no way".to_owned(), |hop| self.hop(hop));
                [format!("routes of `{}`", self.vpc(vpc)), format!("{to}: {way}"), because]
            }
            Step::Outside(seen, port) => {
                let seen = end(address(seen), port, port != 0);
                ["pool".to_owned(), format!("seen from outside as {seen}"), "free for this server".to_owned()]
            }
        }
    }

    /// Returns an action in words.
    pub fn action(&self, action: &Action) -> String {
        match *action {
            Action::DecrementTimeToLive => "count the time to live down".to_owned(),
            Action::Translate => "translate".to_owned(),
            Action::Leave { .. } => "leave for the world outside".to_owned(),
            Action::Deliver { vnic } => format!("deliver to vNIC `{}`", self.vnic(vnic)),
            Action::Encapsulate { vni, remote, mtu, .. } => {
                format!("encapsulate to {} with VNI {vni}, path MTU {mtu}", address(remote))
            }
            Action::Limit { limiter } => {
                let limiter = self.0.limiters.get(limiter as usize);
                format!("limiter `{}`", limiter.map_or("?", |limiter| limiter.name.as_str()))
            }
            Action::Mirror { mirror, .. } => {
                let mirror = self.0.mirrors.get(mirror as usize);
                format!("mirror `{}`", mirror.map_or("?", |mirror| mirror.name.as_str()))
            }
        }
    }

    /// Returns a list of actions in words.
    pub fn actions(&self, actions: &[Action]) -> Vec<String> {
        actions.iter().map(|action| self.action(action)).collect()
    }

    fn session(&self, session: &SessionView, direction: usize) -> String {
        let [from, to] = ends(&session.known.keys[0]);
        let which = if direction == 0 { "packet" } else { "reply" };
        let actions = self.actions(&session.actions[direction]).join(", ");
        format!("{which} of session {} {from} > {to}: {actions}", session.flow.number())
    }

    /// Returns what was found about a packet, in a line.
    pub fn match_of(&self, peeked: &Peeked) -> String {
        match &peeked.found {
            Found::Own => "for the switch itself".to_owned(),
            Found::Discarded(reason) => format!("discarded: {reason}"),
            Found::Fragment => "a fragment: the first one of its datagram decides".to_owned(),
            Found::ErrorAbout(None) => "an ICMP error about no session".to_owned(),
            Found::ErrorAbout(Some(session)) => format!("an ICMP error about {}", self.session(session, 0)),
            Found::Flow(key, None) => {
                let [from, to] = ends(key);
                format!("no session of {} {from} > {to}: the policy tables decide", protocol_name(key.protocol()))
            }
            Found::Flow(_, Some(found)) => self.session(&found.0, found.1),
        }
    }
}
