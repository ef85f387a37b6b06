//! The program that runs, as threads other than the switch's know it.

use std::sync::{Arc, PoisonError, RwLock};

use control::Info;
use node::Port;
use workbench::LoadedProgram;

use crate::plan::ExistingPorts;

/// The program that runs on a switch.
#[derive(Clone, Debug)]
pub struct RunningProgram {
    /// The program.
    pub program: Arc<LoadedProgram>,
    /// What the control plane knows about it. Requests are meant for this program if they name this value itself.
    pub info: Arc<Info>,
    /// The port by which packets go to a controller and come from it; `None` if the plan has no P4Runtime.
    pub cpu_port: Option<Port>,
    /// The ports of the switch.
    pub ports: ExistingPorts,
    /// Whether it only fills the place of one that a controller is to bring.
    pub is_awaited: bool,
}

/// Where the switch says which program runs, and others look.
#[derive(Clone)]
pub(crate) struct CurrentProgram(Arc<RwLock<Arc<RunningProgram>>>);

impl CurrentProgram {
    pub(crate) fn new(program: RunningProgram) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(program))))
    }

    /// Says which program runs from now on.
    pub(crate) fn set(&self, program: RunningProgram) {
        // No code that holds the lock panics; if one did, the program would still be one that ran.
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(program);
    }

    pub(crate) fn get(&self) -> Arc<RunningProgram> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}
