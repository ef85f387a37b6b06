//! An application above a transport.

use basis::Instant;
use demand::{Application, Destinations, Wanted};
use node::{NotBegun, Outbox, UnfinishedWork};

use crate::refused::Refused;
use crate::{Flow, FlowEvent, FlowId};
use crate::{Notice, Transport};

/// The application of a host above its transport: messages go down, notices go up.
pub struct Messaging<T: ?Sized> {
    /// The host's IPv4 address, as a number.
    pub address: u32,
    pub transport: Box<T>,
    pub application: Box<dyn Application>,
    /// The number of the next message to send.
    next_message: u32,
    /// The messages that the transport has refused.
    refused: Refused,
    /// Scratch memory, reused between calls.
    pub notices: Vec<Notice>,
    wanted: Vec<Wanted>,
}

impl<T: Transport + ?Sized> Messaging<T> {
    pub fn new(address: u32, transport: Box<T>, application: Box<dyn Application>) -> Self {
        Self {
            address,
            transport,
            application,
            next_message: 0,
            refused: Refused::default(),
            notices: Vec::new(),
            wanted: Vec::new(),
        }
    }

    /// Wakes the transport and the application if their deadlines have passed.
    pub fn wake_due(&mut self, now: Instant, out: &mut Outbox) {
        let is_due = |deadline: Option<Instant>| deadline.is_some_and(|deadline| deadline <= now);
        if is_due(self.transport.deadline()) {
            self.transport.wake(now, &mut self.notices);
        }
        let wakes_application = is_due(self.application.deadline());
        if wakes_application {
            self.application.wake(now, &mut self.wanted);
        }
        // Most calls of a host concern single packets, of which the application learns nothing.
        if wakes_application || !self.notices.is_empty() || self.refused.deadline().is_some() {
            self.pass_on(now, out);
        }
    }

    /// Returns the time at which the application wants to be woken or told of a message that was refused.
    pub fn deadline_of_application(&self) -> Option<Instant> {
        self.application.deadline().into_iter().chain(self.refused.deadline()).min()
    }

    pub fn waiting(&self, now: Instant) -> Vec<UnfinishedWork> {
        let mut waiting = self.transport.waiting(now);
        waiting.extend(self.refused.waiting());
        waiting.extend(self.application.waiting(now));
        waiting
    }

    pub fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        self.application.not_begun(tell);
    }

    /// Passes notices to the application and its messages to the transport, until neither has any.
    fn pass_on(&mut self, now: Instant, out: &mut Outbox) {
        let Self { address, transport, application, refused, notices, wanted, next_message } = self;
        notices.extend(refused.take().map(Notice::Abandoned));
        let tells_flows = out.interest().wants::<Flow>();
        let mut tell = |source: u32, message: u32, happened: FlowEvent| {
            if tells_flows {
                out.emit(Flow { flow: FlowId { source, message }, happened });
            }
        };
        for notice in notices.drain(..) {
            match notice {
                Notice::Arrived(arrived) => {
                    tell(arrived.source, arrived.number, FlowEvent::Delivered);
                    application.arrived(now, arrived, wanted);
                }
                Notice::Completed(message) => {
                    tell(*address, message.number, FlowEvent::Completed);
                    application.finished(now, message, wanted);
                }
                Notice::Abandoned(message) => {
                    tell(*address, message.number, FlowEvent::Abandoned);
                    application.finished(now, message, wanted);
                }
            }
        }
        let multicasts = transport.multicasts();
        let mut submit = |wanted: Wanted| {
            let message = wanted.numbered(*next_message);
            *next_message += 1;
            let (destination, bytes) = (message.destination(), message.bytes());
            tell(*address, message.number, FlowEvent::Started { destination, bytes });
            if let Err((message, why)) = transport.submit(now, message) {
                refused.push(now, message, why);
            }
        };
        for wanted in wanted.drain(..) {
            match &wanted.destinations {
                Destinations::Several(hosts) if hosts.is_empty() => {}
                Destinations::Several(_) if !multicasts => wanted.unfolded().for_each(&mut submit),
                _ => submit(wanted),
            }
        }
        application.report(out);
    }
}

basis::snapshot!([T: Transport + ?Sized] Messaging<T> { values next_message, refused; parts transport, application; });
