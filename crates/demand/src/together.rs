//! Several applications on one host.

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use node::{NotBegun, Outbox, UnfinishedWork};

use crate::{Application, Arrived, Message, Wanted};

/// The number of services of each application: one for the messages that it sends by itself, and one for answers.
pub(crate) const SERVICES: u16 = 2;

/// Several applications, each of which sees only its own messages. The services of application `n` begin at `n *
/// SERVICES`; each message carries its service, which identifies the application on both hosts.
pub(crate) struct Together(pub(crate) Vec<Box<dyn Application>>);

impl Together {
    fn of_service(&mut self, service: u16) -> Option<&mut Box<dyn Application>> {
        self.0.get_mut(usize::from(service / SERVICES))
    }
}

impl Application for Together {
    fn deadline(&self) -> Option<Instant> {
        self.0.iter().filter_map(|application| application.deadline()).min()
    }

    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>) {
        for application in &mut self.0 {
            if application.deadline().is_some_and(|deadline| deadline <= now) {
                application.wake(now, wanted);
            }
        }
    }

    fn arrived(&mut self, now: Instant, message: Arrived, wanted: &mut Vec<Wanted>) {
        if let Some(application) = self.of_service(message.service) {
            application.arrived(now, message, wanted);
        }
    }

    fn finished(&mut self, now: Instant, message: Message, wanted: &mut Vec<Wanted>) {
        if let Some(application) = self.of_service(message.service) {
            application.finished(now, message, wanted);
        }
    }

    fn report(&mut self, out: &mut Outbox) {
        self.0.iter_mut().for_each(|application| application.report(out));
    }

    fn waiting(&self, now: Instant) -> Vec<UnfinishedWork> {
        self.0.iter().flat_map(|application| application.waiting(now)).collect()
    }

    fn remaining(&self) -> Option<u64> {
        self.0.iter().map(|application| application.remaining()).sum()
    }

    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        self.0.iter().for_each(|application| application.not_begun(tell));
    }
}

impl Snapshot for Together {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.0.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.0.restore(from)
    }
}
