//! A trace of the next packet that matches a filter: the interpreter runs on a copy of the packet and of the state.

use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};

use basis::Instant;
use machines::Device;
use node::{Offered, Port};
use service::{Cancel, Filter};
use wire::Packet;
use workbench::trace_packet;

use crate::handle::SwitchHandle;
use crate::message::{Answer, Refusal};
use crate::reload::{hand_over, hand_over_settings};

/// The most that wait for packets at once.
const MOST_WATCHES: usize = 8;

/// Somebody who waits for a packet.
pub(crate) struct Watch {
    filter: Filter,
    port: Option<u16>,
    /// The machine on which the packet is traced, in its initial state.
    device: Box<dyn Device>,
    cancel: Cancel,
    caught: SyncSender<Caught>,
}

/// A packet that was waited for, and a machine in the state that it met.
struct Caught {
    device: Box<dyn Device>,
    offered: Offered,
}

impl Watch {
    /// Returns whether nobody waits any more.
    pub(crate) fn is_given_up(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Returns whether this is the packet.
    pub(crate) fn wants(&self, port: Port, packet: &Packet) -> bool {
        self.port.is_none_or(|wanted| wanted == port.0) && self.filter.matches(packet)
    }

    /// Copies packet and state for the one who waits.
    pub(crate) fn caught(mut self, running: &mut dyn Device, now: Instant, port: Port, packet: &Packet) {
        // What does not fit the interpreter of the same program is nothing that a packet sees.
        let _ = hand_over(running, &mut *self.device);
        let _ = hand_over_settings(running, &mut *self.device);
        let offered = Offered { at: now, port, packet: packet.clone() };
        // Whoever has gone away wants no packet.
        let _ = self.caught.send(Caught { device: self.device, offered });
    }
}

/// Waits for a packet, and returns everything that happens to it.
pub(crate) fn trace(
    handle: &SwitchHandle,
    filter: &str,
    port: Option<u16>,
    cancel: &Cancel,
) -> Result<Answer, Refusal> {
    let filter = Filter::read(filter)?;
    let (plan, program) = handle.with(|running| (Arc::clone(&running.plan), Arc::clone(&running.program)))?;
    let device = plan.initial_meaning(&program)?;
    let (caught, catch) = mpsc::sync_channel(1);
    let watch = Watch { filter, port, device, cancel: cancel.clone(), caught };
    handle.with(move |running| {
        if let Some(port) = port
            && !running.driver.ports().any(|view| view.port.0 == port)
        {
            return Err(Refusal::new(format!("no interface is bound to port {port}\n")));
        }
        let watches = &mut running.driver.node_mut().watches;
        watches.retain(|watch| !watch.is_given_up());
        if watches.len() >= MOST_WATCHES {
            return Err(Refusal::busy(format!("{MOST_WATCHES} traces wait for packets already\n")));
        }
        watches.push(watch);
        Ok(())
    })??;
    let Caught { mut device, offered } = cancel.wait(&catch)?;
    let traces = trace_packet(&mut *device, offered)?;
    let text = traces.iter().map(ToString::to_string).collect();
    let traces = serde_json::to_value(&traces).map_err(|error| Refusal::new(error.to_string()))?;
    Ok(Answer::Trace { text, traces })
}
