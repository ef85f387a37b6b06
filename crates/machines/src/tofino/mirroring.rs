//! Mirror sessions: copies of packets with data of the program in front.

use control::Replica;
use node::{Outbox, Reason};

use super::item::Side;
use super::layout::{Assigned, MirrorVariables};
use super::reasons;
use super::settings::MirrorSession;
use super::switch::Tofino;
use super::target::Target;
use crate::blocks::{Executor, Frame};
use crate::trace::Origin;

/// The gress that mirrors a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Ingress,
    Egress,
}

/// The settings of mirroring that a program gives in place of those of the session.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Directions {
    /// Whether packets are mirrored as they leave the gress.
    pub(super) as_they_leave: Option<bool>,
    port: Option<u16>,
    queue: Option<u8>,
    class_of_service: Option<u8>,
    deflects: Option<bool>,
    to_groups: Option<bool>,
    hash: Option<u16>,
}

/// What a session makes of a packet.
struct Copies {
    length: Option<u32>,
    /// What the traffic manager knows about each copy.
    side: Side,
    targets: Vec<Result<Target, Reason>>,
}

impl<E: Executor> Tofino<E> {
    /// Makes the copies of a mirror session: data of the program, and a packet behind them.
    pub(super) fn mirror(
        &mut self,
        (session, data): (u32, &[u8]),
        (direction, directions): (Direction, &Directions),
        packet: &wire::Packet,
        side: Side,
        origin: Origin,
        out: &mut Outbox,
    ) {
        let mut copy = wire::Packet::of_parts(data, packet.head.bytes(), packet.tail.clone(), packet.sidecar);
        let block = self.ingress_deparser();
        let pass = self.fork(side.pass, origin, &copy);
        let copies = match self.session(session, direction, directions) {
            Ok(_) if self.is_last_round(side.rounds) => Err(reasons::ROUND_LIMIT),
            known => known,
        };
        let Copies { length, side: own, targets } = match copies {
            Ok(copies) => copies,
            Err(reason) => {
                self.count_mirrored(1);
                return self.discard((copy, pass), reason, block, out);
            }
        };
        if let Some(most) = length {
            // A session cuts the packet with the data in front of it.
            copy.truncate(most as usize);
        }
        self.count_mirrored(targets.len() as u64);
        let side = Side { from: side.from, rounds: side.rounds.saturating_add(1), pass, ..own };
        for &target in &targets {
            let side = if targets.len() == 1 { side } else { self.copied(&copy, side, target) };
            self.send(copy.clone(), side, target, block, out);
        }
    }

    /// Returns what a session makes of packets of a gress: one of the settings, or else one of the control plane. At least
    /// one copy is made.
    fn session(&mut self, number: u32, direction: Direction, directions: &Directions) -> Result<Copies, Reason> {
        if let Some(own) = self.settings.mirrors.session(number).copied() {
            return self.set_session(&directions.applied(own), direction);
        }
        let known = self.replication.session(number).ok_or(reasons::UNKNOWN_MIRROR_SESSION)?;
        let side = Side {
            queue: directions.queue.unwrap_or(known.class_of_service as u8),
            class_of_service: directions.class_of_service.unwrap_or(0),
            deflects: directions.deflects.unwrap_or(false),
            ..Side::default()
        };
        let length = known.maximum_length;
        if let Some(port) = directions.port {
            return Ok(Copies { length, side, targets: vec![Ok(Target::to(port.into()))] });
        }
        let target = |(place, own): (usize, Replica)| {
            Ok(Target { replica: own.instance, is_first: place == 0, ..Target::to(own.port) })
        };
        let targets: Vec<_> = self.replication.clones(number).enumerate().map(target).collect();
        if targets.is_empty() {
            return Err(reasons::UNKNOWN_MULTICAST_GROUP);
        }
        Ok(Copies { length, side, targets })
    }

    fn set_session(&mut self, own: &MirrorSession, direction: Direction) -> Result<Copies, Reason> {
        if !own.directions[direction as usize] {
            return Err(reasons::UNKNOWN_MIRROR_SESSION);
        }
        let mut targets: Vec<_> = own.port.map(|port| Ok(Target::to(port.into()))).into_iter().collect();
        self.replicate(&own.selection, &mut targets);
        targets.extend(own.to_cpu.map(|class| Ok(self.to_cpu(class))));
        if targets.is_empty() {
            return Err(reasons::NO_DESTINATION);
        }
        let side = Side {
            queue: own.queue,
            class_of_service: own.class_of_service,
            color: own.color,
            deflects: own.deflects,
            ..Side::default()
        };
        Ok(Copies { length: own.length, side, targets })
    }

    /// Returns what a program has said about the mirrors of a gress.
    pub(super) fn directions(frame: &E::Packet, variables: Option<&MirrorVariables>) -> Directions {
        let Some(own) = variables else { return Directions::default() };
        let given = |assigned: Option<Assigned>| {
            let (variable, flag) = assigned?;
            (frame.low(flag) != 0).then(|| frame.low(variable))
        };
        let is_set = |assigned| given(assigned).map(|value| value != 0);
        Directions {
            as_they_leave: is_set(own.as_it_leaves),
            port: given(own.port).map(|port| port as u16),
            queue: given(own.queue).map(|queue| queue as u8),
            class_of_service: given(own.class_of_service).map(|class| class as u8),
            deflects: is_set(own.deflect_on_drop),
            to_groups: is_set(own.multicast),
            hash: given(own.hash).map(|hash| hash as u16),
        }
    }

    fn count_mirrored(&mut self, copies: u64) {
        self.statistics.mirrored += copies;
        self.statistics.replicated += copies;
    }
}

impl Directions {
    /// Returns a session with what the program has said.
    fn applied(&self, session: MirrorSession) -> MirrorSession {
        let mut selection = session.selection;
        if self.to_groups == Some(false) {
            selection.groups = [0; 2];
        }
        if let Some(hash) = self.hash {
            (selection.node_hash, selection.lag_hash) = (hash, hash);
        }
        MirrorSession {
            port: self.port.or(session.port),
            queue: self.queue.unwrap_or(session.queue),
            class_of_service: self.class_of_service.unwrap_or(session.class_of_service),
            deflects: self.deflects.unwrap_or(session.deflects),
            selection,
            ..session
        }
    }
}
