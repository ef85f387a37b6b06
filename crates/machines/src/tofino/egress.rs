//! Egress: one copy of a packet on its way to one port.

use basis::Instant;
use ir::ErrorId;
use ir::interpret::Request;
use node::{Outbox, Reason};

use super::front;
use super::gress::{Failed, Pass, cut};
use super::item::Item;
use super::layout::Layout;
use super::lines::Departing;
use super::mirroring::{Direction, Directions};
use super::ports::{pipe_of, recirculates};
use super::reasons;
use super::switch::Tofino;
use crate::blocks::Executor;
use crate::trace::Origin;

/// A packet as egress leaves it.
struct Left {
    packet: wire::Packet,
    /// The bits by which the program drops.
    drops: u64,
    /// The directions that the program gives for its mirrors.
    directions: Directions,
    /// The greatest length with which the packet leaves; 0 if there is none.
    greatest_length: u64,
}

impl<E: Executor> Tofino<E> {
    /// Runs egress on a packet, and returns what goes on the link of its port, with `departing` set.
    pub(super) fn egress(&mut self, now: Instant, item: Item, port: u16, out: &mut Outbox) -> Option<wire::Packet> {
        let (taken, waited) = self.enter_egress(now, port);
        let departing = Departing { side: item.side, waited };
        if item.side.bypasses_egress {
            return self.depart(item.packet, port, departing, out);
        }
        let mut frame = self.frame.take().unwrap_or_else(|| self.executor.packet());
        self.requests.clear();
        let ran = self.pass_egress([now, taken], &item, port, &mut frame);
        self.frame = Some(frame);
        let mut requests = std::mem::take(&mut self.requests);
        self.send_digests(&mut requests, out);
        let left = match ran {
            Err((reason, block)) => {
                self.discard((item.packet, item.side.pass), reason, block, out);
                None
            }
            Ok(mut left) => {
                for request in &requests {
                    // Bit 2 stops mirrors.
                    if let (Request::Mirror { session, data }, 0) = (request, left.drops & 4) {
                        // What is mirrored in egress is the packet as it leaves, unless the program asks for what came.
                        let came = left.directions.as_they_leave == Some(false);
                        let packet = if came { &item.packet } else { &left.packet };
                        let origin = Origin::EgressClone { session: *session };
                        let directed = (Direction::Egress, &left.directions);
                        self.mirror((*session, data), directed, packet, item.side, origin, out);
                    }
                }
                if left.drops & 1 != 0 {
                    let block = self.egress_deparser();
                    self.discard((left.packet, item.side.pass), Reason::PROGRAM, block, out);
                    None
                } else {
                    cut(left.greatest_length, &mut left.packet);
                    self.depart(left.packet, port, departing, out)
                }
            }
        };
        requests.clear();
        self.requests = requests;
        left
    }

    fn pass_egress(
        &mut self,
        [now, taken]: [Instant; 2],
        item: &Item,
        port: u16,
        frame: &mut E::Packet,
    ) -> Result<Left, Failed> {
        let length = item.packet.len();
        let pass = Pass { taken, pipe: pipe_of(port), length, traced: item.side.pass };
        let Layout { egress: gress, in_front, decisions, .. } = *self.layout(pass.pipe);
        let known = self.known_in_egress(now, item.side, port, length);
        self.front.clear();
        front::write(in_front.egress, &known, &mut self.front);
        self.load(frame, &item.packet);
        self.tell(frame, pass, |points| &points.before_egress, ErrorId::NO_ERROR);
        // Egress gets every packet, whatever its parser says.
        let error = self.parse(pass, gress, frame)?;
        self.tell(frame, pass, |points| &points.after_egress_parser, error);
        self.run(pass, gress.control, frame)?;
        self.run(pass, gress.deparser, frame)?;
        let drops = Self::decided(frame, decisions.egress_drop);
        let greatest_length = Self::decided(frame, decisions.greatest_lengths[1]);
        let directions = Self::directions(frame, decisions.mirrors[1].as_ref());
        Ok(Left { packet: self.written(frame, &item.packet), drops, directions, greatest_length })
    }

    /// Returns a packet that has passed egress, for [`Tofino::emit`].
    fn depart(
        &mut self,
        packet: wire::Packet,
        port: u16,
        departing: Departing,
        out: &mut Outbox,
    ) -> Option<wire::Packet> {
        if recirculates(port) && self.is_last_round(departing.side.rounds) {
            self.discard((packet, departing.side.pass), reasons::ROUND_LIMIT, self.egress_deparser(), out);
            return None;
        }
        self.departing = Some(departing);
        Some(packet)
    }

    /// Returns true if a packet that has begun again so often must not do so once more. Where it takes time, it may.
    pub(super) fn is_last_round(&self, rounds: u32) -> bool {
        self.timing.is_none() && rounds >= self.parameters.rounds
    }
}
