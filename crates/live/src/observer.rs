//! What can be told of every packet that goes through a driver.

use basis::Instant;
use node::{Port, Reason};
use wire::Packet;

/// Is told of every packet that goes through a driver, as capture points and traces need it.
pub trait Observer {
    /// Called for each packet that the node is about to be given.
    fn received(&mut self, now: Instant, port: Port, packet: &Packet);

    /// Called for each packet that the interface of a port has taken.
    fn transmitted(&mut self, now: Instant, port: Port, packet: &Packet);

    /// Called for each packet that is discarded, by the node or outside of it. `port` is the port whose packets the node
    /// worked on, or whose interface did not take the packet, if there is one.
    fn discarded(&mut self, now: Instant, port: Option<Port>, packet: &Packet, reason: Reason);
}
