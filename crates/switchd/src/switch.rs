//! The running switch: the driver, the device, and the work that other threads ask for.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use basis::Duration;
use control::Info;
use diagnostics::Failure;
use live::{Driver, Tally};
use node::{Port, Reason};
use service::capture::Captures;
use service::{BoxedInterface, Inbox};
use workbench::LoadedProgram;

use crate::capture::{self, CapturePoint};
use crate::controllers::ServerOfControllers;
use crate::handle::{SwitchHandle, channel};
use crate::plan::{Loaded, SwitchPlan};
use crate::program::{CurrentProgram, RunningProgram};
use crate::station::{Station, reasons};

/// The longest time that captures may take to write what they hold at the end; a file system that does not answer is not
/// waited for.
const LONGEST_WRITE: std::time::Duration = std::time::Duration::from_secs(5);
/// A switch, which runs on the thread that made it.
pub struct Switch {
    running: Running,
    inbox: Inbox<Running>,
    handle: SwitchHandle,
    /// The threads that write captures into files.
    writers: Vec<JoinHandle<()>>,
}

/// The parts of a switch that work for it sees.
pub struct Running {
    pub(crate) driver: Driver<Station, BoxedInterface>,
    pub(crate) plan: Arc<SwitchPlan>,
    pub(crate) program: Arc<LoadedProgram>,
    /// Where other threads look for the program.
    pub(crate) current: CurrentProgram,
    pub(crate) machine: &'static str,
    /// The names and texts of the files that options of the machine name.
    pub(crate) machine_files: Vec<(String, String)>,
    /// The names and texts of the files from which the tables were filled.
    pub(crate) table_files: Vec<(String, String)>,
    pub(crate) captures: Captures<CapturePoint>,
    pub(crate) reloads: u64,
    /// Drops by devices that were replaced: by reason and block.
    pub(crate) earlier_drops: BTreeMap<(Reason, &'static str), u64>,
    pub(crate) is_stopping: bool,
    /// The server for controllers, if there is one.
    pub(crate) controllers: ServerOfControllers,
}

/// The counts of a switch when it ends.
pub type Totals = Tally;

impl Switch {
    /// Returns a switch of a station, which was built from `loaded` by the plan, and of the interfaces of its ports.
    ///
    /// # Errors
    /// Returns the error of the system if it has no descriptors left.
    pub fn new(
        plan: SwitchPlan,
        loaded: Loaded,
        station: Station,
        interfaces: Vec<(Port, BoxedInterface)>,
    ) -> io::Result<Self> {
        let mut driver = Driver::new(station, interfaces)?;
        if plan.spin > Duration::ZERO {
            driver.spin(plan.spin);
        }
        let table_files = loaded.table_files();
        let program = Arc::new(loaded.program);
        let current = CurrentProgram::new(running_program(&plan, &program, driver.node()));
        let (handle, inbox) = channel(driver.waker(), current.clone());
        let running = Running {
            driver,
            plan: Arc::new(plan),
            machine: loaded.machine.name(),
            machine_files: loaded.machine_files,
            program,
            current,
            table_files,
            captures: Captures::default(),
            reloads: 0,
            earlier_drops: BTreeMap::new(),
            is_stopping: false,
            controllers: handle.server_of_controllers().clone(),
        };
        Ok(Self { running, inbox, handle, writers: Vec::new() })
    }

    /// Returns a handle for other threads.
    pub fn handle(&self) -> SwitchHandle {
        self.handle.clone()
    }

    /// Begins the captures of the plan.
    ///
    /// # Errors
    /// Fails if a file cannot be made, or a capture is of a port that is not bound.
    pub fn capture_into_files(&mut self) -> Result<(), Failure> {
        self.writers = capture::begin_all(&mut self.running)?;
        Ok(())
    }

    /// Runs the switch until somebody asks it to stop or `time` has passed; then sends what is held, for at most a second.
    /// Returns the counts. The thread stays on the core of the plan, if that names one.
    ///
    /// # Errors
    /// Returns the error of the system if an interface fails, or the core is not ours.
    pub fn run(mut self, time: Option<Duration>) -> io::Result<Totals> {
        let running = &mut self.running;
        if let Some(core) = running.plan.core {
            let cannot =
                |error: io::Error| io::Error::new(error.kind(), format!("core {core} cannot be used: {error}"));
            live::pin_to_core(core).map_err(cannot)?;
        }
        service::run(running, &self.inbox, time)?;
        let totals = running.totals();
        // Whoever still asks hears that the switch has ended, instead of waiting for the files.
        drop((self.running, self.inbox));
        let latest = std::time::Instant::now() + LONGEST_WRITE;
        while self.writers.iter().any(|writer| !writer.is_finished()) && std::time::Instant::now() < latest {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        Ok(totals)
    }
}

impl service::Running for Running {
    type Node = Station;
    type Point = CapturePoint;

    fn driver(&self) -> &Driver<Station, BoxedInterface> {
        &self.driver
    }

    fn driver_mut(&mut self) -> &mut Driver<Station, BoxedInterface> {
        &mut self.driver
    }

    fn captures(&self) -> &Captures<CapturePoint> {
        &self.captures
    }

    /// Discards what arrives from now on, and ends the switch when what is held has left.
    fn stop(&mut self) {
        self.is_stopping = true;
        self.driver.node_mut().stop();
    }

    fn is_stopping(&self) -> bool {
        self.is_stopping
    }

    /// Returns whether nothing is held in the device, its queues, on links, or for an interface that is up.
    fn is_empty(&self) -> bool {
        let waits = self.driver.ports().any(|port| port.is_up && port.waiting > 0);
        !waits && self.driver.delayed() == 0 && self.driver.node().account().held == 0
    }
}

impl Running {
    /// Returns the counts of a switch that ends now: what it still holds goes no further.
    fn totals(&self) -> Totals {
        let mut totals = self.driver.tally();
        let held = self.driver.held() + self.driver.node().account().held;
        if held > 0 {
            *totals.discarded.entry(reasons::NOT_SENT).or_default() += held;
        }
        totals
    }

    /// Returns the program that runs, for other threads.
    pub(crate) fn running_program(&self) -> RunningProgram {
        running_program(&self.plan, &self.program, self.driver.node())
    }

    /// Returns what the control plane knows about the program.
    pub(crate) fn info(&self) -> &Arc<Info> {
        self.driver.node().device().info()
    }
}

fn running_program(plan: &SwitchPlan, program: &Arc<LoadedProgram>, station: &Station) -> RunningProgram {
    RunningProgram {
        program: Arc::clone(program),
        info: Arc::clone(station.device().info()),
        cpu_port: plan.cpu_port(station.device()).map(Port),
        ports: plan.existing_ports(station.device()),
        is_awaited: station.waits_for_program(),
    }
}
