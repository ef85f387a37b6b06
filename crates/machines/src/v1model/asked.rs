//! What a packet asked for in one round of ingress or egress.

use ir::interpret::Request;
use node::Outbox;

use super::events::Digest;
use super::executor::Executor;
use super::switch::Switch;
use super::traveller::Traveller;

/// What a program asked for, and is carried out when ingress or egress is done. Of several requests of a kind the last
/// one counts (`v1model.p4`, of all of them).
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// A session, and what the clones keep.
    pub(super) clone: Option<(u32, Option<usize>)>,
    /// What the resubmitted packet keeps.
    pub(super) resubmit: Option<Option<usize>>,
    /// What the recirculated packet keeps.
    pub(super) recirculate: Option<Option<usize>>,
}

impl<E: Executor> Switch<E> {
    /// What was asked for since the last call. Digests are sent, and the packet learns what its most bytes are.
    pub(super) fn asked(&mut self, traveller: &mut Traveller<E::Packet>, out: &mut Outbox) -> Asked {
        let mut asked = Asked::default();
        let mut requests = std::mem::take(&mut self.requests);
        for request in requests.drain(..) {
            match request {
                // The kind says in which block it stands, which is known (`v1model.p4`: "the first parameter must be").
                Request::Clone { kind: _, session, keep } => asked.clone = Some((session, keep)),
                Request::Resubmit { keep } => asked.resubmit = Some(keep),
                Request::Recirculate { keep } => asked.recirculate = Some(keep),
                Request::Truncate { length } => traveller.way.most = traveller.way.most.min(length),
                // All of them, for `v1model.p4` says that nothing undoes one; BMv2 sends the last one.
                Request::Digest { digest, values } => {
                    self.statistics.digests += 1;
                    if out.interest().wants::<Digest>() {
                        let values = values.iter().map(|value| value.limbs().into()).collect();
                        out.emit(Digest { digest: digest.0, values });
                    }
                    self.digests.push(control::DigestNumber(digest.0), values);
                }
            }
        }
        // Its memory is used again.
        self.requests = requests;
        asked
    }
}
