//! Digests on their way out of a machine.

use control::{DigestNumber, DigestQueue};
use ir::DigestId;
use node::{Counter, Outbox};
use runtime::Bits;

use super::Digest;

/// Sends a digest: to whoever watches the machine, and into the queue from which the control plane reads.
pub(crate) fn send_digest(queue: &mut DigestQueue, digest: DigestId, values: Vec<Bits>, out: &mut Outbox) {
    if out.interest().wants::<Digest>() {
        let values = values.iter().map(|value| value.limbs().into()).collect();
        out.emit(Digest { digest: digest.0, values });
    }
    queue.push(DigestNumber(digest.0), values);
}

/// Tells how many digests were lost because the control plane did not read them in time, if any were.
pub(crate) fn count_unread_digests(queue: &DigestQueue, tell: &mut dyn FnMut(Counter)) {
    if queue.lost() > 0 {
        tell(Counter { name: "unread_digests", port: None, value: queue.lost() });
    }
}
