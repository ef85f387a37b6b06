//! Mirror sessions: copies of packets with data of the program in front.

use control::Replica;
use node::{Outbox, Reason};

use super::item::Side;
use super::reasons;
use super::settings::MirrorSession;
use super::switch::Tofino;
use super::target::Target;
use crate::blocks::Executor;
use crate::trace::Origin;

/// The gress that mirrors a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Ingress,
    Egress,
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
        direction: Direction,
        packet: &wire::Packet,
        side: Side,
        origin: Origin,
        out: &mut Outbox,
    ) {
        let mut copy = wire::Packet::of_parts(data, packet.head.bytes(), packet.tail.clone(), packet.sidecar);
        let block = self.ingress_deparser();
        let pass = self.fork(side.pass, origin, &copy);
        let copies = match self.session(session, direction) {
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
    fn session(&mut self, number: u32, direction: Direction) -> Result<Copies, Reason> {
        if let Some(own) = self.settings.mirrors.session(number).copied() {
            return self.set_session(&own, direction);
        }
        let known = self.replication.session(number).ok_or(reasons::UNKNOWN_MIRROR_SESSION)?;
        let side = Side { queue: known.class_of_service as u8, ..Side::default() };
        let length = known.maximum_length;
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

    fn count_mirrored(&mut self, copies: u64) {
        self.statistics.mirrored += copies;
        self.statistics.replicated += copies;
    }
}
