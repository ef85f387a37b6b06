//! Applications with services of their own beside the application of a host.

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use node::{NotBegun, Outbox, UnfinishedWork};

use crate::{Application, Arrived, Message, Wanted};

/// The application of a host, and further ones beside it, each with a service of its own: messages for the service are
/// theirs, all others those of the host's application.
pub struct Beside {
    own: Box<dyn Application>,
    others: Vec<(u16, Box<dyn Application>)>,
}

impl Beside {
    /// Puts applications beside the one of a host, each with the service of its messages.
    pub fn new(own: Box<dyn Application>, others: Vec<(u16, Box<dyn Application>)>) -> Self {
        Self { own, others }
    }

    fn all(&self) -> impl Iterator<Item = &dyn Application> {
        std::iter::once(&*self.own).chain(self.others.iter().map(|(_, application)| &**application))
    }

    fn of_service(&mut self, service: u16) -> &mut dyn Application {
        let other = self.others.iter_mut().find(|(of, _)| *of == service);
        &mut **other.map_or(&mut self.own, |(_, application)| application)
    }
}

impl Application for Beside {
    fn deadline(&self) -> Option<Instant> {
        self.all().filter_map(Application::deadline).min()
    }

    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>) {
        let Self { own, others } = self;
        for application in std::iter::once(own).chain(others.iter_mut().map(|(_, application)| application)) {
            if application.deadline().is_some_and(|deadline| deadline <= now) {
                application.wake(now, wanted);
            }
        }
    }

    fn arrived(&mut self, now: Instant, message: Arrived, wanted: &mut Vec<Wanted>) {
        self.of_service(message.service).arrived(now, message, wanted);
    }

    fn finished(&mut self, now: Instant, message: Message, wanted: &mut Vec<Wanted>) {
        self.of_service(message.service).finished(now, message, wanted);
    }

    fn report(&mut self, out: &mut Outbox) {
        self.own.report(out);
        self.others.iter_mut().for_each(|(_, application)| application.report(out));
    }

    fn waiting(&self, now: Instant) -> Vec<UnfinishedWork> {
        self.all().flat_map(|application| application.waiting(now)).collect()
    }

    fn remaining(&self) -> Option<u64> {
        self.all().map(Application::remaining).sum()
    }

    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        self.all().for_each(|application| application.not_begun(tell));
    }
}

impl Snapshot for Beside {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.own.save(into)?;
        self.others.iter().try_for_each(|(_, application)| application.save(into))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.own.restore(from)?;
        self.others.iter_mut().try_for_each(|(_, application)| application.restore(from))
    }
}
