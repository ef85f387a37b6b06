//! The device behind the calls: its sessions, its program as controllers see it, and what is delivered to them.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use live::MemoryInterface;
use switchd::{Controllers, ControllersReport, RunningProgram, SwitchHandle};
use tonic::{Code, Status};

use super::sessions::Sessions;
use super::target::{RunningSwitch, SavedSwitch, lock};
use super::view::ProgramView;
use crate::digests::DigestDelivery;
use crate::message::google::rpc;
use crate::message::p4::v1::{ReadRequest, ReadResponse, WriteRequest};
use crate::roles::{RoleAccess, roles_of};
use crate::{p4info, read, write};

/// The device of a server.
pub struct Device {
    /// The running switch.
    pub handle: SwitchHandle,
    /// The controllers.
    pub sessions: Sessions,
    /// The far end of the link at the CPU port.
    pub cpu: MemoryInterface,
    /// The delivery of digests of the running program.
    pub digests: Mutex<DigestDelivery>,
    /// What happened to packets to and from controllers.
    pub packets: PacketCounts,
    /// The program that a controller has saved. Whoever holds this lock is the only one who reads and writes state.
    pub(super) saved: Mutex<Option<Saved>>,
    /// The program that runs, as controllers see it; `None` while a controller is still to bring one.
    pub(super) running: RwLock<Option<Arc<ProgramView>>>,
}

/// A program that a controller has saved and not yet committed.
pub struct Saved {
    pub view: Arc<ProgramView>,
    pub switch: SavedSwitch,
}

/// What happened to packets to and from controllers.
#[derive(Debug, Default)]
pub struct PacketCounts {
    /// The packet-ins that were handed to a controller.
    pub sent: AtomicU64,
    /// The packet-ins for which a controller had no room.
    pub lost: AtomicU64,
    /// The packets to the controller while there was none.
    pub unheard: AtomicU64,
    /// The packets to the controller that were shorter than the header `packet_in`.
    pub malformed: AtomicU64,
    /// The packet-outs that were handed to the switch.
    pub received: AtomicU64,
    /// The packet-outs for which the switch had no room.
    pub refused: AtomicU64,
}

impl Controllers for Device {
    fn report(&self) -> ControllersReport {
        let PacketCounts { sent, lost, unheard, malformed, received, refused } = &self.packets;
        let [packet_ins, lost, unheard, malformed, packet_outs, refused] =
            [sent, lost, unheard, malformed, received, refused].map(|count| count.load(Ordering::Relaxed));
        let primary = self.sessions.has_primary();
        ControllersReport { primary, packet_ins, lost, unheard, malformed, packet_outs, refused }
    }
}

/// Adds to a count.
pub fn count(counter: &AtomicU64, by: u64) {
    counter.fetch_add(by, Ordering::Relaxed);
}

impl Device {
    /// Returns the device of a switch, of whose link at the CPU port `cpu` is the far end.
    pub fn new(device_id: u64, handle: SwitchHandle, cpu: MemoryInterface) -> Self {
        Self {
            handle,
            sessions: Sessions::new(device_id),
            cpu,
            digests: Mutex::default(),
            packets: PacketCounts::default(),
            saved: Mutex::new(None),
            running: RwLock::new(None),
        }
    }

    /// Returns the program that runs, as controllers see it; `None` if a controller is still to bring one.
    pub fn running(&self) -> Option<Arc<ProgramView>> {
        let program = self.handle.program();
        {
            let known = self.running.read().unwrap_or_else(std::sync::PoisonError::into_inner);
            match &*known {
                Some(view) if Arc::ptr_eq(view.info(), &program.info) => return Some(Arc::clone(view)),
                None if program.is_awaited => return None,
                _ => {}
            }
        }
        self.look_again(&program)
    }

    /// Takes note of a program that did not come by P4Runtime: the switch began with it, or has read its files again.
    #[cold]
    fn look_again(&self, program: &RunningProgram) -> Option<Arc<ProgramView>> {
        let mut known = self.running.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(view) = known.as_ref().filter(|view| Arc::ptr_eq(view.info(), &program.info)) {
            return Some(Arc::clone(view));
        }
        *known = (!program.is_awaited).then(|| {
            let view = ProgramView::of_switch(&program.info, p4info::of(&program.info), known.as_deref());
            if let Some(before) = known.as_deref() {
                let mut digests = lock(&self.digests);
                *digests = digests.handed_over(before.info(), view.info());
            }
            self.sessions.declare(&roles_of(view.info()));
            Arc::new(view)
        });
        known.clone()
    }

    /// Says which program runs from now on.
    pub(super) fn set_running(&self, view: Arc<ProgramView>) {
        self.sessions.declare(&roles_of(view.info()));
        *self.running.write().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(view);
    }

    /// Carries out `Write` (section 12).
    ///
    /// # Errors
    /// Fails with the status that the specification has.
    pub fn write(&self, request: &WriteRequest) -> Result<(), Status> {
        let _begun = self.sessions.begin_write(request.device_id, &request.role, request.election_id)?;
        let mut saved = lock(&self.saved);
        let (updates, atomicity) = (&request.updates[..], request.atomicity);
        if let Some(Saved { view, switch }) = &mut *saved {
            let access = RoleAccess::new(view.info(), &request.role, self.sessions.rights(&request.role));
            return write(&view.translator, switch, &access, updates, atomicity).map_err(status);
        }
        let view = self.running().ok_or_else(no_program)?;
        let mut switch = RunningSwitch::new(&self.handle, view.info(), &self.digests);
        let access = RoleAccess::new(view.info(), &request.role, self.sessions.rights(&request.role));
        write(&view.translator, &mut switch, &access, updates, atomicity).map_err(status)
    }

    /// Carries out `Read` (section 13), and hands the messages to `send` until it breaks.
    ///
    /// # Errors
    /// Fails with the status that the specification has.
    pub fn read(
        &self,
        request: &ReadRequest,
        send: &mut dyn FnMut(ReadResponse) -> ControlFlow<()>,
    ) -> Result<(), Status> {
        self.sessions.check_device(request.device_id)?;
        let mut saved = lock(&self.saved);
        let (view, answer) = if let Some(Saved { view, switch }) = &mut *saved {
            let access = RoleAccess::new(view.info(), &request.role, self.sessions.rights(&request.role));
            (Arc::clone(view), read::read(&view.translator, switch, &access, &request.entities))
        } else {
            let view = self.running().ok_or_else(no_program)?;
            let mut switch = RunningSwitch::new(&self.handle, view.info(), &self.digests);
            let access = RoleAccess::new(view.info(), &request.role, self.sessions.rights(&request.role));
            let answer = read::read(&view.translator, &mut switch, &access, &request.entities);
            (view, answer)
        };
        let answer = answer.map_err(failed)?;
        // A slow reader holds up nobody.
        drop(saved);
        answer.send(&view.translator, send).map_err(status)
    }
}

/// Returns the status of a device without a program.
pub fn no_program() -> Status {
    Status::failed_precondition("the device has no forwarding pipeline yet: set one by SetForwardingPipelineConfig")
}

/// Returns a status with its details as gRPC carries them (section 10).
pub fn status(own: rpc::Status) -> Status {
    let code = Code::from_i32(own.code);
    if own.details.is_empty() {
        return Status::new(code, own.message);
    }
    let message = own.message.clone();
    Status::with_details(code, message, prost::Message::encode_to_vec(&own).into())
}

/// Returns the status of a failure.
pub fn failed(failure: crate::Failure) -> Status {
    status(failure.into())
}
