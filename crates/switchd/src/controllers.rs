//! The server for controllers beside a switch, as the switch sees it.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::handle::SwitchHandle;
use crate::message::{ControllersReport, Refusal};
use crate::switch::Running;

/// A server by which controllers change the program and the tables of a switch.
pub trait Controllers: Send + Sync {
    /// Returns whether a controller is connected that may write, and what happened to packets to and from controllers. It is
    /// called on the switch's thread, and must not wait for that.
    fn report(&self) -> ControllersReport;
}

/// Where the switch finds that server, as long as it runs.
#[derive(Clone, Default)]
pub(crate) struct ServerOfControllers(Arc<Mutex<Option<Weak<dyn Controllers>>>>);

impl ServerOfControllers {
    fn report(&self) -> Option<ControllersReport> {
        // No code that holds the lock panics.
        let server = self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(Weak::upgrade);
        server.map(|server| server.report())
    }
}

impl SwitchHandle {
    /// Makes the server for controllers known to the switch, in place of an earlier one, for as long as it exists. While one
    /// of its controllers may write, program and tables are not reloaded from files.
    pub fn serve_controllers(&self, server: &Arc<dyn Controllers>) {
        let place = &self.server_of_controllers().0;
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::downgrade(server));
    }
}

impl Running {
    pub(crate) fn controllers_report(&self) -> Option<ControllersReport> {
        self.controllers.report()
    }

    /// Refuses to take program and tables from files while they are a controller's.
    pub(crate) fn may_change_tables(&self) -> Result<(), Refusal> {
        match self.controllers_report() {
            Some(ControllersReport { primary: true, .. }) => Err(Refusal::new(
                "a controller is the primary of this switch, so that program and tables are its own: end it first, or let it \
                 change them; nothing was reloaded\n",
            )),
            _ => Ok(()),
        }
    }
}
