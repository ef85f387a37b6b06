//! Several applications on one host.

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use node::NotBegun;

use crate::{Application, Arrived, Message, Wanted};

/// How many services an application has: one for what it sends of its own accord, one for answers.
pub(crate) const SERVICES: u16 = 2;

/// Applications that each see only their own messages. The services of number `n` begin at `n * SERVICES`, and each
/// message says its service, here and where it arrives.
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
