//! The handle by which other threads ask a running switch.

use std::sync::Arc;

use control::{Info, RefusedRequest, Response};
use live::Waker;
pub use service::Ended;
use service::{Cancel, Inbox};

use crate::controllers::ServerOfControllers;
use crate::message::{Answer, Refusal, Request};
use crate::program::{CurrentProgram, RunningProgram};
use crate::switch::Running;
use crate::{execute, reload, show, trace};

/// A handle by which other threads ask a running switch. Clones refer to the same switch.
///
/// What takes long (reading and compiling programs, formatting) is done on the thread that asks; the switch's thread only
/// copies values, between two bursts of packets.
#[derive(Clone)]
pub struct SwitchHandle {
    work: service::Handle<Running>,
    current: CurrentProgram,
    controllers: ServerOfControllers,
}

/// The reason why requests of the control plane were not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotExecuted {
    /// The switch has ended.
    Ended,
    /// The program has been replaced by another one, for which the requests are not meant.
    Replaced,
    /// A request was refused, so that none was carried out.
    Refused(RefusedRequest),
}

impl From<Ended> for NotExecuted {
    fn from(_: Ended) -> Self {
        Self::Ended
    }
}

/// Returns a handle and the inbox of its switch, which `waker` wakes and which says in `current` what it runs.
pub(crate) fn channel(waker: Waker, current: CurrentProgram) -> (SwitchHandle, Inbox<Running>) {
    let (work, inbox) = service::channel(waker);
    (SwitchHandle { work, current, controllers: ServerOfControllers::default() }, inbox)
}

impl SwitchHandle {
    /// Does work on the switch's thread, between two bursts of packets, and returns its result.
    ///
    /// # Errors
    /// Fails if the switch has ended.
    pub(crate) fn with<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Running) -> R + Send + 'static,
    ) -> Result<R, Ended> {
        self.work.with(work)
    }

    /// Returns the handle by which work is done on the switch's thread.
    pub(crate) fn work(&self) -> &service::Handle<Running> {
        &self.work
    }

    /// Returns the program that runs, without asking the switch's thread. It may have been replaced by the time that the
    /// caller looks at it, and stays what it was when the switch has ended.
    pub fn program(&self) -> Arc<RunningProgram> {
        self.current.get()
    }

    pub(crate) fn server_of_controllers(&self) -> &ServerOfControllers {
        &self.controllers
    }

    /// Returns what the control plane knows about the program that runs.
    ///
    /// # Errors
    /// Fails if the switch has ended.
    pub fn info(&self) -> Result<Arc<Info>, Ended> {
        self.with(|running| Arc::clone(running.info()))
    }

    /// Carries out requests of the control plane for the program that `info` describes, in order and between two bursts: all
    /// of them, or none.
    ///
    /// # Errors
    /// Fails if a request is refused, the program is another one by now, or the switch has ended.
    pub fn execute_together(
        &self,
        info: &Arc<Info>,
        requests: Vec<control::Request>,
    ) -> Result<Vec<Response>, NotExecuted> {
        let info = Arc::clone(info);
        self.with(move |running| {
            if !Arc::ptr_eq(running.info(), &info) {
                return Err(NotExecuted::Replaced);
            }
            let device = running.driver.node_mut().device_mut();
            device.execute_together(&requests).map_err(NotExecuted::Refused)
        })?
    }

    /// Carries out requests of the control plane for the program that `info` describes, in order and between two bursts, each
    /// on its own: one that is refused changes nothing and keeps no other from being carried out.
    ///
    /// # Errors
    /// Fails if the program is another one by now, or the switch has ended; nothing was carried out then.
    pub fn execute_each(
        &self,
        info: &Arc<Info>,
        requests: Vec<control::Request>,
    ) -> Result<Vec<Result<Response, control::Error>>, NotExecuted> {
        let info = Arc::clone(info);
        self.with(move |running| {
            if !Arc::ptr_eq(running.info(), &info) {
                return Err(NotExecuted::Replaced);
            }
            let device = running.driver.node_mut().device_mut();
            Ok(requests.iter().map(|request| device.execute(request)).collect())
        })?
    }

    /// Asks the switch. A reload takes as long as its program needs to compile, and packets flow meanwhile; a trace waits
    /// until a packet matches.
    ///
    /// # Errors
    /// Fails with the reason if the switch refuses, or has ended. A capture is refused: [`crate::capture::begin`] begins one.
    pub fn ask(&self, request: Request) -> Result<Answer, Refusal> {
        self.ask_until(request, &Cancel::default())
    }

    /// Asks the switch, and gives up once `cancel` says so.
    ///
    /// # Errors
    /// As [`SwitchHandle::ask`].
    pub fn ask_until(&self, request: Request, cancel: &Cancel) -> Result<Answer, Refusal> {
        match request {
            Request::Switch {} => Ok(Answer::Switch(self.with(|running| show::switch(running))?)),
            Request::Ports {} => Ok(Answer::Ports(self.with(|running| show::ports(running))?)),
            Request::Tables { names } => show::tables(self, names).map(Answer::Tables),
            Request::Counters { names, most } => show::counters(self, names, most).map(Answer::Counters),
            Request::Drops {} => Ok(Answer::Drops(self.with(|running| show::drops(running))?)),
            Request::Execute { lines, stf } => execute::execute(self, &lines, stf).map(Answer::Executed),
            Request::Trace { filter, port } => trace::trace(self, &filter, port, cancel),
            Request::Capture { .. } => Err(Refusal::new("a capture needs a connection for its packets")),
            Request::Reload { dry_run } => reload::reload(self, dry_run).map(Answer::Reloaded),
            Request::Stop {} => {
                self.with(service::Running::stop)?;
                Ok(Answer::Stopping)
            }
        }
    }
}
