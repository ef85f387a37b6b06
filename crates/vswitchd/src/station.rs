//! The node that the driver drives: the virtual switch, and whoever looks at packets on their way through it.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use basis::Instant;
use live::Waker;
use node::{Burst, Control, Node, Outbox, Port, Reason};
use service::Cancel;
use service::capture::Captures;
use vswitch::policy::Policy;
use vswitch::session::FlowKey;
use vswitch::{Peeked, VirtualSwitch};
use wire::Packet;

use crate::bindings::BindingsFile;
use crate::capture::CapturePoint;
use crate::describe::Names;
use crate::events::Subscribers;
use crate::workers::Workers;

/// The reasons for which a virtual switch on real interfaces discards packets.
pub mod reasons {
    node::reasons! { "live virtual switch":
        /// The packet arrived after the switch had been told to stop.
        STOPPING = (850, "the switch is stopping");
        /// The packet arrived while another process of the switch passed packets on.
        STANDING_BY = (860, "another process passes packets on");
    }
}

/// Somebody who waits for a packet of a flow.
pub(crate) struct Watch {
    /// The keys of the flow and of its replies; those without ports stand for any.
    pub keys: Vec<FlowKey>,
    pub cancel: Cancel,
    pub caught: SyncSender<Caught>,
}

/// A packet that was waited for, and what became of it.
pub(crate) struct Caught {
    /// The port at which it arrived, and its length there.
    pub port: Port,
    pub length: usize,
    pub peeked: Peeked,
    /// The policy tables that it met.
    pub policy: Arc<Policy>,
    /// The ports to which frames were sent because of it, and their lengths.
    pub sent: Vec<(Port, usize)>,
    /// The reasons for which packets were discarded.
    pub discarded: Vec<Reason>,
}

/// The virtual switch as it runs on real interfaces.
pub struct Station {
    switch: VirtualSwitch,
    captures: Captures<CapturePoint>,
    pub(crate) watches: Vec<Watch>,
    pub(crate) subscribers: Subscribers,
    is_stopping: bool,
    stands_by: bool,
    /// The threads of the cores, if there are several.
    pub(crate) workers: Option<Workers>,
    /// The file in which bindings of pools are kept, if they are.
    pub(crate) bindings: Option<BindingsFile>,
}

impl Station {
    pub(crate) fn new(switch: VirtualSwitch, captures: Captures<CapturePoint>) -> Self {
        Self {
            switch,
            captures,
            watches: Vec::new(),
            subscribers: Subscribers::default(),
            is_stopping: false,
            stands_by: false,
            workers: None,
            bindings: None,
        }
    }

    /// Returns the switch.
    pub fn switch(&self) -> &VirtualSwitch {
        &self.switch
    }

    /// Returns the switch, to change it.
    pub fn switch_mut(&mut self) -> &mut VirtualSwitch {
        &mut self.switch
    }

    /// Discards what arrives from now on.
    pub(crate) fn stop(&mut self) {
        self.is_stopping = true;
    }

    /// Discards what arrives while another process of the switch passes packets on, or no longer.
    pub(crate) fn stand_by(&mut self, stands_by: bool) {
        self.stands_by = stands_by;
    }

    /// Returns whether another process of the switch passes packets on.
    pub(crate) fn stands_by(&self) -> bool {
        self.stands_by
    }

    /// Puts the file of bindings into the place of that of another process, which has handed them over.
    pub(crate) fn begin_bindings(&mut self) {
        if let Some(Err(error)) = self.bindings.as_ref().map(BindingsFile::take_place) {
            files::console::tell(&format!("bindings are not kept any more: {error}\n"));
            self.bindings = None;
        }
    }

    /// Does what everything is followed by that was done with the switch: keeps the bindings that have begun and ended, before a packet leaves
    /// that says what they are, and tells events.
    pub(crate) fn follow(&mut self) {
        if let Some(file) = &mut self.bindings
            && let Err(error) = file.record(self.switch.binding_changes())
        {
            let path = file.path().display();
            files::console::tell(&format!("`{path}` cannot be written, and bindings are not kept any more: {error}\n"));
            self.bindings.take().into_iter().for_each(BindingsFile::remove);
        }
        self.tell_events();
    }

    /// Passes the events that have happened on to those who listen.
    pub(crate) fn tell_events(&mut self) {
        let policy = Arc::clone(self.switch.policy());
        self.subscribers.tell(policy.configuration(), self.switch.events());
        self.subscribers.tell_paths(policy.configuration(), self.switch.path_changes());
    }

    /// Goes on with another number of cores; several run on threads of their own, which `waker` ends the driver's sleep for.
    ///
    /// # Errors
    /// Returns the error of the system if it has no threads left. Then there is one core.
    pub(crate) fn set_cores(&mut self, cores: u16, waker: &Waker, now: Instant, out: &mut Outbox) -> io::Result<()> {
        if usize::from(cores) == self.switch.cores().len() && (self.workers.is_some() || cores == 1) {
            return Ok(());
        }
        self.settle(now, out);
        self.workers = None;
        self.switch.set_cores(now, cores);
        if cores > 1 {
            match Workers::start(self.switch.cores(), waker) {
                Ok(workers) => self.workers = Some(workers),
                Err(error) => {
                    self.switch.set_cores(now, 1);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Waits until cores on threads have worked on every packet that they were brought, and sends what they have made.
    pub(crate) fn settle(&mut self, now: Instant, out: &mut Outbox) {
        if let Some(workers) = &mut self.workers {
            workers.settle(&mut self.switch, now, out);
        }
    }

    /// Sends what cores on threads have made meanwhile.
    pub(crate) fn collect(&mut self, now: Instant, out: &mut Outbox) {
        if let Some(workers) = &mut self.workers {
            workers.collect(&mut self.switch, now, out);
        }
    }

    /// Handles packets one after the other, each looked at before and behind the switch.
    #[cold]
    fn receive_watched(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.watches.retain(|watch| !watch.cancel.is_cancelled());
        // They are handled on this thread, behind those that wait for cores.
        self.settle(now, out);
        let mut one = Burst::new();
        for packet in burst.drain(..) {
            let peeked = self.switch.peek(port, &packet);
            let policy = Arc::clone(self.switch.policy());
            let comment = Names(policy.configuration()).match_of(&peeked);
            self.captures.tell(CapturePoint::Matched, now, Some(port), &peeked.packet, &comment);
            let (transmissions, discarded, length) = (out.transmissions.len(), out.discarded.len(), packet.len());
            one.push(packet);
            self.switch.receive(now, port, &mut one, out);
            let sent = &out.transmissions[transmissions..];
            for transmission in sent {
                let (to, packet): (Port, &Packet) = (transmission.port, &transmission.packet);
                self.captures.tell(CapturePoint::Acted, now, Some(to), packet, "");
            }
            let is_wanted = |watch: &Watch| peeked.key.is_some_and(|key| is_of(&key, &watch.keys));
            let Some(at) = self.watches.iter().position(is_wanted) else { continue };
            let caught = Caught {
                port,
                length,
                peeked,
                policy,
                sent: sent.iter().map(|transmission| (transmission.port, transmission.packet.len())).collect(),
                discarded: out.discarded[discarded..].iter().map(|discarded| discarded.reason).collect(),
            };
            // Whoever has gone away wants no packet.
            let _ = self.watches.swap_remove(at).caught.send(caught);
        }
    }

    fn is_looked_at(&self) -> bool {
        !self.watches.is_empty() || self.captures.want(CapturePoint::Matched) || self.captures.want(CapturePoint::Acted)
    }
}

fn is_of(key: &FlowKey, keys: &[FlowKey]) -> bool {
    keys.contains(key) || keys.contains(&key.without_ports())
}

impl Node for Station {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        if self.is_stopping {
            return burst.drain(..).for_each(|packet| out.discard(packet, reasons::STOPPING));
        }
        if self.stands_by {
            return burst.drain(..).for_each(|packet| {
                self.switch.overhear(now, port, &packet);
                out.discard(packet, reasons::STANDING_BY);
            });
        }
        if self.is_looked_at() {
            self.receive_watched(now, port, burst, out);
        } else if let Some(workers) = &mut self.workers {
            workers.receive(&mut self.switch, now, port, burst, out);
            self.switch.rest(now, out);
        } else {
            self.switch.receive(now, port, burst, out);
        }
        self.follow();
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.collect(now, out);
        self.switch.wake(now, out);
        self.follow();
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        self.collect(now, out);
        self.switch.control(now, request, out);
        self.follow();
    }

    fn takes_whole(&mut self, packet: &Packet) -> bool {
        self.switch.takes_whole(packet)
    }
}
