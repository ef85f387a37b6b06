//! The requests that a packet made in one run of ingress or egress.

use ir::interpret::Request;
use node::Outbox;

use super::switch::Switch;
use super::traveller::Traveller;
use crate::blocks::Executor;
use crate::blocks::send_digest;

/// The requests of a program that are carried out at the end of ingress or egress. Of several requests of the same
/// kind, the last one counts (`v1model.p4` says so for each kind).
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// A clone session, and the field list that the clones keep.
    pub(super) clone: Option<(u32, Option<usize>)>,
    /// The field list that the resubmitted packet keeps.
    pub(super) resubmit: Option<Option<usize>>,
    /// The field list that the recirculated packet keeps.
    pub(super) recirculate: Option<Option<usize>>,
}

impl<E: Executor> Switch<E> {
    /// Collects the requests made since the last call. Digests are sent at once, and truncation is noted in the packet.
    pub(super) fn asked(&mut self, traveller: &mut Traveller<E::Packet>, out: &mut Outbox) -> Asked {
        let mut asked = Asked::default();
        let mut requests = std::mem::take(&mut self.requests);
        // Each packet that this one stands for sends the same digests.
        for _ in 1..traveller.way.packets {
            requests.iter().cloned().for_each(|request| self.send_digest(request, out));
        }
        for request in requests.drain(..) {
            match request {
                // The kind follows from the block, which is known (`v1model.p4`: "the first parameter must be").
                Request::Clone { kind: _, session, keep } => asked.clone = Some((session, keep)),
                Request::Resubmit { keep, data: _ } => asked.resubmit = Some(keep),
                Request::Mirror { .. } => unreachable!("a switch with such a program cannot be built"),
                Request::Recirculate { keep } => asked.recirculate = Some(keep),
                Request::Truncate { length } => traveller.way.most = traveller.way.most.min(length),
                // All digests are sent, because `v1model.p4` says that nothing undoes one; BMv2 sends only the last.
                digest @ Request::Digest { .. } => self.send_digest(digest, out),
            }
        }
        // Keep the allocation for reuse.
        self.requests = requests;
        asked
    }

    /// Sends a digest, if the request is one.
    fn send_digest(&mut self, request: Request, out: &mut Outbox) {
        let Request::Digest { digest, values } = request else { return };
        self.statistics.digests += 1;
        send_digest(&mut self.digests, digest, values, out);
    }
}
