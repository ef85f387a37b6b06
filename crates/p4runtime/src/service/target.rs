//! What requests of controllers are carried out on: the running switch, or a device that waits for its commit.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use control::{DigestNumber, Error, Info, RefusedRequest, Request, Response};
use switchd::{NotExecuted, ReadyProgram, SwitchHandle};

use crate::digests::DigestDelivery;
use crate::message::p4::v1::digest_entry::Config;
use crate::switch::{Switch, Unavailable};

/// The running switch, for requests about one program.
pub struct RunningSwitch<'s> {
    handle: &'s SwitchHandle,
    info: Arc<Info>,
    digests: &'s Mutex<DigestDelivery>,
}

impl<'s> RunningSwitch<'s> {
    /// Returns the switch for requests about the program that `info` describes.
    pub fn new(handle: &'s SwitchHandle, info: &Arc<Info>, digests: &'s Mutex<DigestDelivery>) -> Self {
        Self { handle, info: Arc::clone(info), digests }
    }
}

/// Returns why a switch has carried out nothing.
fn unavailable(why: &NotExecuted) -> Unavailable {
    Unavailable(match why {
        NotExecuted::Ended => "the switch has ended".to_owned(),
        _ => "the program was replaced meanwhile; read its P4Info again".to_owned(),
    })
}

impl Switch for RunningSwitch<'_> {
    fn execute_each(&mut self, requests: Vec<Request>) -> Result<Vec<Result<Response, Error>>, Unavailable> {
        self.handle.execute_each(&self.info, requests).map_err(|why| unavailable(&why))
    }

    fn execute_together(
        &mut self,
        requests: Vec<Request>,
    ) -> Result<Result<Vec<Response>, RefusedRequest>, Unavailable> {
        match self.handle.execute_together(&self.info, requests) {
            Ok(responses) => Ok(Ok(responses)),
            Err(NotExecuted::Refused(refused)) => Ok(Err(refused)),
            Err(why) => Err(unavailable(&why)),
        }
    }

    fn has_port(&self, port: u32) -> bool {
        self.handle.program().ports.has(port)
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
    fn execute_each(&mut self, requests: Vec<Request>) -> Result<Vec<Result<Response, Error>>, Unavailable> {
        let device = self.ready.device_mut();
        Ok(requests.iter().map(|request| device.execute(request)).collect())
    }

    fn execute_together(
        &mut self,
        requests: Vec<Request>,
    ) -> Result<Result<Vec<Response>, RefusedRequest>, Unavailable> {
        Ok(self.ready.device_mut().execute_together(&requests))
    }

    fn has_port(&self, port: u32) -> bool {
        self.ready.ports().has(port)
    }

    fn digest_config(&self, digest: DigestNumber) -> Option<Config> {
        self.digests.config(digest).cloned()
    }

    fn set_digest_config(&mut self, digest: DigestNumber, config: Option<Config>) {
        self.digests.configure(digest, config);
    }
}
