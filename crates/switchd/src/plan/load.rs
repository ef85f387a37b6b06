//! What a plan names, read and built: the program, its table entries, the device with its queues.

use basis::Rate;
use control::Info;
use diagnostics::Failure;
use machines::Device;
use queues::{OutputPlan, PortPlan};
use std::sync::Arc;
use workbench::kinds::{self, MachineKind, Settings};
use workbench::{Entries, LoadedProgram};

use super::SwitchPlan;
use crate::station::Station;
use crate::wires::Wires;

/// The rate of a port whose queue is drained as fast as its interface takes packets: higher than that of any interface.
const AS_FAST_AS_IT_TAKES: Rate = Rate::from_gigabits_per_second(10_000);
/// The bytes that a packet takes on the wire beside its own: check sequence, preamble and gap.
const FRAMING: u32 = 24;

/// A plan's program and table entries, read and checked.
pub struct Loaded {
    /// The program.
    pub program: LoadedProgram,
    /// The requests that fill its tables.
    pub entries: Entries,
    /// The machine that runs it.
    pub machine: &'static dyn MachineKind,
    /// The names and texts of the files that options of the machine name, such as that of a chip.
    pub machine_files: Vec<(String, String)>,
}

impl Loaded {
    /// Returns what the control plane knows about the program.
    pub fn info(&self) -> &Arc<Info> {
        &self.program.info
    }

    /// Returns the names and texts of the files with table entries.
    pub fn table_files(&self) -> Vec<(String, String)> {
        self.entries.inputs().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    /// Returns the warnings about program and tables; empty if there are none.
    pub fn warnings(&self) -> String {
        format!("{}{}", self.program.warnings, self.entries.warnings())
    }
}

impl SwitchPlan {
    /// Reads the program and the table entries.
    ///
    /// # Errors
    /// Fails if a file cannot be read or has errors, or if the machine lacks an option.
    pub fn load(&self) -> Result<Loaded, Failure> {
        let Some(path) = &self.program else {
            return Ok(Loaded {
                program: no_program()?,
                entries: Entries::none(),
                machine: kinds::MEANING,
                machine_files: self.given.inputs()?,
            });
        };
        self.load_entries(LoadedProgram::read(path, &self.options)?)
    }

    /// Reads the table entries of the plan's program, which has been read.
    ///
    /// # Errors
    /// Fails as [`SwitchPlan::load`] does.
    pub(crate) fn load_entries(&self, program: LoadedProgram) -> Result<Loaded, Failure> {
        let machine = self.machine_of(&program)?;
        let mut entries = Entries::none();
        for path in &self.tables {
            entries.add(Entries::read(path, &program)?);
        }
        Ok(Loaded { program, entries, machine, machine_files: self.given.inputs()? })
    }

    /// Returns the machine that runs a program by the plan.
    ///
    /// # Errors
    /// Fails if the machine lacks an option of the plan.
    pub(crate) fn machine_of(&self, program: &LoadedProgram) -> Result<&'static dyn MachineKind, Failure> {
        let machine = self.machine.unwrap_or_else(|| kinds::usual(program));
        self.given.refuse_foreign(&[machine])?;
        Ok(machine)
    }

    /// Builds the device of a program with its tables filled, and the queues behind its ports.
    ///
    /// # Errors
    /// Fails if the program does not fit the machine, a request is refused, or the device lacks a port of the plan.
    pub fn build(&self, loaded: &Loaded) -> Result<Station, Failure> {
        let device = self.device(loaded)?;
        let mut station = self.station(device)?;
        if self.program.is_none() {
            station.wait_for_program();
        }
        Ok(station)
    }

    /// Builds the device of a program in its initial state, and the queues behind its ports.
    ///
    /// # Errors
    /// Fails if the program does not fit the machine, or the device lacks a port of the plan.
    pub fn initial(&self, loaded: &Loaded) -> Result<Station, Failure> {
        let settings = Settings { given: self.given.clone(), packets: None };
        self.station(loaded.machine.fit(&loaded.program, &settings)?.build(self.seed)?)
    }

    fn station(&self, device: Box<dyn Device>) -> Result<Station, Failure> {
        self.check_ports(&*device)?;
        Ok(self.queued(device)?.with_wires(Wires::of(&self.ports)))
    }

    fn queued(&self, mut device: Box<dyn Device>) -> Result<Station, Failure> {
        let Some(queues) = &self.queues else { return Ok(Station::new(device)) };
        let bound = self.ports.iter().map(|binding| binding.port);
        let most = bound.chain(self.cpu_port(&*device)).max().unwrap_or(0);
        let port = |number: u16| PortPlan {
            rate: self.rate(number).unwrap_or(AS_FAST_AS_IT_TAKES),
            framing: FRAMING,
            is_last_hop: false,
            discipline: queues.discipline.clone(),
        };
        let plan = OutputPlan { ports: (0..=most).map(port).collect(), buffer: queues.buffer.clone(), seed: self.seed };
        let left = device.hold_queues(plan).map_err(|unsuitable| Failure::plain(unsuitable.to_string()))?;
        Ok(match left {
            None => Station::new(device),
            Some(plan) => Station::with_queues(device, plan),
        })
    }

    /// Builds the machine that defines what a program means with its tables filled, which needs no compilation.
    ///
    /// # Errors
    /// Fails if a request is refused.
    pub(crate) fn meaning(&self, loaded: &Loaded) -> Result<Box<dyn Device>, Failure> {
        let mut device = self.initial_meaning(&loaded.program)?;
        loaded.entries.clone().apply(&mut *device)?;
        Ok(device)
    }

    /// Builds the machine that defines what a program means in its initial state.
    ///
    /// # Errors
    /// Fails if there is none.
    pub(crate) fn initial_meaning(&self, program: &LoadedProgram) -> Result<Box<dyn Device>, Failure> {
        let (machine, given) = kinds::interpreted(program, &self.given)?;
        machine.fit(program, &Settings { given, packets: None })?.build(self.seed)
    }

    /// Builds the device of a program with its tables filled and without queues.
    fn device(&self, loaded: &Loaded) -> Result<Box<dyn Device>, Failure> {
        let settings = Settings { given: self.given.clone(), packets: None };
        let mut device = loaded.machine.fit(&loaded.program, &settings)?.build(self.seed)?;
        loaded.entries.clone().apply(&mut *device)?;
        Ok(device)
    }

    fn rate(&self, port: u16) -> Option<Rate> {
        self.ports.iter().find(|binding| binding.port == port)?.rate
    }
}

/// The program of a switch that has none yet.
const NO_PROGRAM: &str = include_str!("no_program.p4");

fn no_program() -> Result<LoadedProgram, Failure> {
    LoadedProgram::of_text("no_program.p4", NO_PROGRAM, None)
}
