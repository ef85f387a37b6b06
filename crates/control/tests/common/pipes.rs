//! The artificial program on a machine with several pipes.
#![allow(dead_code, reason = "each test uses its part")]

use basis::Instant;
use basis::snapshot::{Saver, Snapshot};
use control::*;
use runtime::ProgramState;

use crate::common::Bench;

/// A machine with several pipes.
pub struct Pipes {
    pub plane: Plane,
    pub states: Vec<ProgramState>,
    pub replication: Replication,
    pub digests: DigestQueue,
    pub now: Instant,
}

impl Pipes {
    pub fn new(pipes: usize) -> Self {
        let Bench { plane, state, replication, digests, now } = Bench::new();
        Self { plane, states: vec![state; pipes], replication, digests, now }
    }

    fn both(&mut self) -> (&mut Plane, Device<'_>) {
        let Self { plane, states, replication, digests, now } = self;
        (plane, Device { states, replication, digests, now: *now })
    }

    pub fn execute(&mut self, request: &Request) -> Result<Response, Error> {
        let (plane, mut device) = self.both();
        plane.execute(request, &mut device)
    }

    pub fn execute_together(&mut self, requests: &[Request]) -> Result<Vec<Response>, RefusedRequest> {
        let (plane, mut device) = self.both();
        plane.execute_together(requests, &mut device)
    }

    pub fn done(&mut self, request: Request) -> Response {
        self.execute(&request).unwrap_or_else(|error| panic!("{request:?}: {error}"))
    }

    pub fn refused(&mut self, request: Request) -> String {
        let before = self.saved();
        let error = self.execute(&request).expect_err(&format!("{request:?}"));
        assert!(before == self.saved(), "{request:?} changed something");
        error.to_string()
    }

    /// All that is saved of the machine.
    pub fn saved(&self) -> Vec<Vec<u8>> {
        let mut shared = Saver::default();
        self.plane.save(&mut shared).unwrap();
        self.replication.save(&mut shared).unwrap();
        self.digests.save(&mut shared).unwrap();
        self.states.iter().map(saved).chain([shared.into_bytes()]).collect()
    }
}

pub fn saved(state: &ProgramState) -> Vec<u8> {
    let mut saver = Saver::default();
    state.save(&mut saver).unwrap();
    saver.into_bytes()
}
