//! The handle by which other threads ask a running virtual switch.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock};

use files::PlanText;
use service::{ByteQueue, Cancel, Handle};

use crate::attached::Attached;
use crate::events::EventStream;
use crate::message::{Answer, Refusal, Request};
use crate::switch::Running;
use crate::{apply, explain, service_manager, show, upgrade};

/// A handle by which other threads ask a running virtual switch. Clones refer to the same switch.
///
/// What takes long (reading configurations, compiling tables, deciding sessions, formatting) is done on the thread that asks;
/// the switch's thread only copies values, between two bursts of packets.
#[derive(Clone)]
pub struct SwitchHandle {
    work: Handle<Running>,
    /// The vNICs that no file has, held by whoever changes the configuration, so that changes come one after the other.
    attached: Arc<Mutex<Attached>>,
    /// The address of the metrics, which whoever takes over has to know.
    metrics: Arc<OnceLock<SocketAddr>>,
}

impl SwitchHandle {
    pub(crate) fn new(work: Handle<Running>, file: PlanText) -> Self {
        Self { work, attached: Arc::new(Mutex::new(Attached::new(file))), metrics: Arc::default() }
    }

    /// Returns the handle by which work is done on the switch's thread.
    pub(crate) fn work(&self) -> &Handle<Running> {
        &self.work
    }

    pub(crate) fn attached(&self) -> &Mutex<Attached> {
        &self.attached
    }

    /// Returns the address at which the metrics of the switch are served.
    pub(crate) fn metrics(&self) -> Option<SocketAddr> {
        self.metrics.get().copied()
    }

    /// Records the address at which the metrics of the switch are served, once.
    pub(crate) fn set_metrics(&self, address: SocketAddr) {
        let _ = self.metrics.set(address);
    }

    /// Ends the switch: it sends what it holds, and [`crate::Switch::run`] returns. It is no error if it has ended.
    pub fn stop(&self) {
        let _ = self.work.with(service::Running::stop);
    }

    /// Asks the switch. A trace of the next packet waits until it comes.
    ///
    /// # Errors
    /// Fails with the reason if the switch refuses, or has ended. A capture and events are refused, for they need a connection.
    pub fn ask(&self, request: Request) -> Result<Answer, Refusal> {
        self.ask_until(request, &Cancel::default())
    }

    /// Asks the switch, and gives up once `cancel` says so.
    ///
    /// # Errors
    /// As [`SwitchHandle::ask`].
    pub fn ask_until(&self, request: Request, cancel: &Cancel) -> Result<Answer, Refusal> {
        match request {
            Request::Switch {} => Ok(Answer::Switch(self.work.with(|running| show::switch(running))?)),
            Request::Ports {} => Ok(Answer::Ports(self.work.with(|running| show::ports(running))?)),
            Request::Sessions { vnic, most } => show::sessions(self, vnic.as_deref(), most),
            Request::Flows { vnic, most } => show::flows(self, vnic.as_deref(), most),
            Request::Drops {} => Ok(Answer::Drops(self.work.with(|running| show::drops(running))?)),
            Request::Rules {} => show::rules(self).map(Answer::Rules),
            Request::Limiters {} => Ok(Answer::Limiters(self.work.with(|running| show::limiters(running))?)),
            Request::Underlay {} => Ok(Answer::Underlay(self.work.with(|running| show::paths(running))?)),
            Request::Cores { number } => show::cores(self, number).map(Answer::Cores),
            Request::Trace { .. } => explain::trace(self, &request, cancel),
            Request::Apply { path, text, dry_run } => apply::apply(self, path, text, dry_run).map(Answer::Applied),
            Request::Attach { vnic } => apply::attach(self, &vnic).map(Answer::Applied),
            Request::Detach { name } => apply::detach(self, &name).map(Answer::Applied),
            Request::Attached {} => Ok(Answer::Attached(apply::attached(self))),
            Request::Capture { .. } | Request::Events { .. } => {
                Err(Refusal::new("this needs a connection for what follows"))
            }
            Request::Upgrade {} => upgrade::report(self).map(|report| Answer::Upgrade(Box::new(report))),
            Request::HandOver { from } => upgrade::hand_over(self, from).map(Answer::HandedOver),
            Request::GiveWay { since, epoch } => upgrade::give_way(self, since, epoch).map(Answer::HandedOver),
            Request::Resume {} => upgrade::resume(self).map(|()| Answer::Resumed),
            Request::Stop { successor } => {
                if let Some(process) = successor {
                    service_manager::tell_successor(process);
                }
                self.work.with(service::Running::stop)?;
                Ok(Answer::Stopping)
            }
        }
    }

    /// Listens to the events of a vNIC, or of all.
    pub(crate) fn listen(
        &self,
        vnic: Option<String>,
        notify: impl Fn() + Send + Sync + 'static,
    ) -> Result<EventStream, Refusal> {
        let queue = Arc::new(ByteQueue::new(notify));
        let own = Arc::clone(&queue);
        self.work.with(move |running| {
            let configuration = running.switch().policy().configuration();
            if let Some(name) = &vnic
                && !configuration.vnics.iter().any(|vnic| vnic.name == *name)
            {
                return Err(Refusal::new(format!("there is no vNIC called `{name}`\n")));
            }
            let has_room = running.driver.node_mut().subscribers.add(vnic, own);
            if has_room { Ok(()) } else { Err(Refusal::busy("too many listen to events already\n")) }
        })??;
        Ok(EventStream(queue))
    }
}
