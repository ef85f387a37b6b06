//! What requests of controllers are carried out on: the running switch, or a device that waits for its commit.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use control::{DigestNumber, EntityKind, Error, Info, RefusedRequest, Request, Response};
use switchd::{NotExecuted, ReadyProgram, SwitchHandle};
use tonic::Status;

use crate::digests::DigestDelivery;
use crate::message::p4::v1::digest_entry::Config;
use crate::switch::Switch;

/// The running switch, for requests about one program.
pub struct RunningSwitch<'s> {
    handle: &'s SwitchHandle,
    info: Arc<Info>,
    digests: &'s Mutex<DigestDelivery>,
    /// Why the switch carries out nothing more, if that is so.
    failed: Option<NotExecuted>,
}

impl<'s> RunningSwitch<'s> {
    /// Returns the switch for requests about the program that `info` describes.
    pub fn new(handle: &'s SwitchHandle, info: &Arc<Info>, digests: &'s Mutex<DigestDelivery>) -> Self {
        Self { handle, info: Arc::clone(info), digests, failed: None }
    }

    /// Fails if the switch has ended or has another program now, so that requests were not carried out.
    ///
    /// # Errors
    /// Fails with `UNAVAILABLE`.
    pub fn check(&self) -> Result<(), Status> {
        match &self.failed {
            None => Ok(()),
            Some(NotExecuted::Ended) => Err(Status::unavailable("the switch has ended")),
            Some(_) => Err(Status::unavailable("the program was replaced meanwhile; read its P4Info again")),
        }
    }

    fn failed(&mut self, why: NotExecuted) -> Error {
        self.failed = Some(why);
        // Nobody sees this error: whoever asked looks at `check` first.
        Error::PacketsInside { kind: EntityKind::Table, name: String::new(), inside: 0 }
    }
}

impl Switch for RunningSwitch<'_> {
    fn execute(&mut self, request: &Request) -> Result<Response, Error> {
        self.execute_each(std::slice::from_ref(request)).remove(0)
    }

    fn execute_each(&mut self, requests: &[Request]) -> Vec<Result<Response, Error>> {
        if self.failed.is_none() {
            match self.handle.execute_each(&self.info, requests.to_vec()) {
                Ok(results) => return results,
                Err(why) => self.failed = Some(why),
            }
        }
        requests.iter().map(|_| Err(self.failed(self.failed.clone().unwrap_or(NotExecuted::Ended)))).collect()
    }

    fn execute_together(&mut self, requests: &[Request]) -> Result<Vec<Response>, RefusedRequest> {
        match self.handle.execute_together(&self.info, requests.to_vec()) {
            Ok(responses) => Ok(responses),
            Err(NotExecuted::Refused(refused)) => Err(refused),
            Err(why) => Err(RefusedRequest { at: 0, error: self.failed(why) }),
        }
    }

    fn digest_config(&self, digest: DigestNumber) -> Option<Config> {
        lock(self.digests).config(digest).cloned()
    }

    fn set_digest_config(&mut self, digest: DigestNumber, config: Option<Config>) {
        lock(self.digests).configure(digest, config);
    }
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code that holds such a lock panics half way through a change.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A program that has been saved and waits for its commit.
pub struct SavedSwitch {
    /// The program and its device.
    pub ready: ReadyProgram,
    /// The delivery of digests once it runs.
    pub digests: DigestDelivery,
}

impl Switch for SavedSwitch {
    fn execute(&mut self, request: &Request) -> Result<Response, Error> {
        self.ready.device_mut().execute(request)
    }

    fn execute_together(&mut self, requests: &[Request]) -> Result<Vec<Response>, RefusedRequest> {
        self.ready.device_mut().execute_together(requests)
    }

    fn digest_config(&self, digest: DigestNumber) -> Option<Config> {
        self.digests.config(digest).cloned()
    }

    fn set_digest_config(&mut self, digest: DigestNumber, config: Option<Config>) {
        self.digests.configure(digest, config);
    }
}
