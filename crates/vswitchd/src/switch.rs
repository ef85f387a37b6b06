//! The virtual switch that runs: the driver, the switch, and the work that other threads ask for.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use basis::{Duration, Instant};
use diagnostics::Failure;
use files::PlanText;
use live::{Balance, Driver, Options, RIGHTS, Succession, Unusable};
use node::{Account, Outbox, Port, Reason, Station as _};
use service::capture::Captures;
use service::{BoxedInterface, Inbox};
use vswitch::configuration::{PathOptions, Reading, read};
use vswitch::{TakenOver, VirtualSwitch, VnicCounts};

use crate::attached::Attached;
use crate::bindings::{self, BindingsFile};
use crate::capture::CapturePoint;
use crate::claims::Claims;
use crate::flow_logs::{Batch, FlowLogs};
use crate::handle::SwitchHandle;
use crate::keys;
use crate::station::Station;
use crate::upgrade::{Takeover, UpgradeReport};
use crate::xdp;

/// A virtual switch with its interfaces, which runs on the thread that made it.
pub struct Switch {
    running: Running,
    inbox: Inbox<Running>,
    handle: SwitchHandle,
    flow_logs: Option<FlowLogs>,
}

/// The parts of a switch that work for it sees.
pub struct Running {
    pub(crate) driver: Driver<Station, BoxedInterface>,
    /// The configuration, as it was read.
    pub(crate) reading: Arc<Reading>,
    captures: Captures<CapturePoint>,
    is_stopping: bool,
    /// Records of the flow log that nobody has taken yet, and whose vNICs are those of an earlier configuration.
    earlier_records: Vec<Batch>,
    /// The number of records of the flow log that could not be written into files.
    records_unwritten: Arc<AtomicU64>,
    /// The interfaces that no other switch may have.
    pub(crate) claims: Claims,
    /// The interfaces that another process has been given.
    pub(crate) given: Vec<(String, Port)>,
    /// The interfaces that another process is still to give.
    pub(crate) wanted: Vec<(String, Port)>,
    /// The number of times that the switch has given way to another process.
    pub(crate) times_given: u64,
    /// The seconds from 1970 to the driver's start.
    start: u64,
}

/// The counts of a switch when it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    /// The number of frames that came in.
    pub received: u64,
    /// The number of frames that went out.
    pub transmitted: u64,
    /// The number of discarded packets by reason.
    pub discarded: BTreeMap<Reason, u64>,
    /// The number of sessions that were there at the end.
    pub sessions: u64,
    /// What has passed between the switch and each vNIC, by its name.
    pub vnics: Vec<(String, VnicCounts)>,
    /// What became of all frames, as the driver knows it.
    pub balance: Balance,
    /// The packets that the switch has made, consumed, or still held.
    pub account: Account,
}

impl Totals {
    /// Returns the number of frames that came about and of which nothing says what became. Anything but 0 is a mistake of the switch.
    pub fn missing(&self) -> i64 {
        self.balance.missing(self.account)
    }
}

/// Claims interfaces that no other switch may have.
///
/// # Errors
/// Fails with every interface that another one has, each at its place in the configuration.
fn claimed<'a>(reading: &Reading, names: impl Iterator<Item = &'a str>) -> Result<Claims, Failure> {
    let (mut claims, mut found) = (Claims::default(), Vec::new());
    for name in names {
        if let Err(Unusable { message, hint }) = claims.take(name) {
            let number = reading.interface_names().position(|own| own == name).unwrap_or(0);
            found.push((number, message, hint));
        }
    }
    reading.refuse_interfaces(found)?;
    Ok(claims)
}

/// Opens interfaces by name in a way, each with its port and its number in the configuration. If any cannot be opened, the others are
/// closed again, and those that were made vanish.
///
/// # Errors
/// Fails with every interface that cannot be opened, each at its place in the configuration.
fn open<'a>(
    reading: &Reading,
    names: impl Iterator<Item = (&'a str, Port)>,
    options: &Options,
) -> Result<Vec<(Port, BoxedInterface)>, Failure> {
    let (mut interfaces, mut found) = (Vec::new(), Vec::new());
    for (name, port) in names {
        match live::open(name, options) {
            Ok(interface) => interfaces.push((port, interface)),
            Err(error) => {
                let message = format!("the interface `{name}` cannot be opened: {error}");
                let number = reading.interface_names().position(|own| own == name).unwrap_or(0);
                found.push((number, message, RIGHTS.to_owned()));
            }
        }
    }
    reading.refuse_interfaces(found)?;
    Ok(interfaces)
}

/// Returns the seconds from 1970 to the beginning of a clock that shows a time now.
fn start_of(now: Instant) -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    since_1970.saturating_sub(now.picoseconds() / 1_000_000_000_000)
}

/// Makes the switch of a configuration, with a key that is drawn at random.
fn made(reading: &Reading) -> VirtualSwitch {
    let keys = [0, 1].map(|number: u64| RandomState::new().hash_one(number));
    VirtualSwitch::new(reading.configuration.clone(), keys)
}

impl Switch {
    /// Opens the interfaces of a configuration. The key of the switch's hash is drawn at random, so that no guest knows it. If
    /// any interface cannot be opened, the others are closed again, and those that were made vanish.
    ///
    /// # Errors
    /// Fails with every interface that cannot be opened or every file of keys that cannot be used, each at its place in the
    /// configuration.
    pub fn open(mut reading: Reading) -> Result<Self, Failure> {
        keys::load(&mut reading)?;
        let switch = made(&reading);
        let options = xdp::options(&switch, &reading.configuration);
        let claims = claimed(&reading, reading.interface_names())?;
        let interfaces = open(&reading, reading.configuration.interfaces(), &options)?;
        let mut switch = Self::of(reading, switch, interfaces)?;
        switch.running.claims = claims;
        Ok(switch)
    }

    /// Opens the interfaces of a configuration that two processes can have at once, for a switch that takes over from another
    /// one, and discards what arrives until then. Its clock goes on where that of the other one is.
    ///
    /// # Errors
    /// Fails with every interface that cannot be opened, or that would vanish with the other process, each at its place in the
    /// configuration, or with what is wrong with an attached vNIC.
    pub fn open_to_take_over(report: &UpgradeReport) -> Result<Self, Failure> {
        let (path, text) = report.file.clone();
        let file = PlanText { name: report.name.clone(), path, text, folder: PathBuf::new() };
        let mut attached = Attached::new(file);
        for section in &report.attached {
            attached = attached.with(section).map_err(Failure::from)?;
        }
        let mut reading = read(&attached.text())?;
        keys::load(&mut reading)?;
        Takeover::check(&reading)?;
        let is_shared =
            |name: &str| live::succession(name, &Options::default()).is_ok_and(|it| it == Succession::Shared);
        let interfaces = reading.configuration.interfaces();
        let (shared, own): (Vec<_>, Vec<_>) = interfaces.partition(|(name, _)| is_shared(name));
        let wanted = own.into_iter().map(|(name, port)| (name.to_owned(), port)).collect();
        let made = made(&reading);
        let options = xdp::options(&made, &reading.configuration);
        let interfaces = open(&reading, shared.into_iter(), &options)?;
        let mut switch = Self::of(reading, made, interfaces)?;
        switch.running.wanted = wanted;
        switch.running.driver.node_mut().stand_by(true);
        switch.running.driver.advance_clock(Instant::ZERO + Duration::from_picoseconds(report.now));
        switch.running.start = start_of(switch.running.driver.now());
        *switch.handle.attached().lock().unwrap_or_else(PoisonError::into_inner) = attached;
        Ok(switch)
    }

    fn of(reading: Reading, switch: VirtualSwitch, interfaces: Vec<(Port, BoxedInterface)>) -> Result<Self, Failure> {
        let captures = Captures::default();
        let cannot = |error: io::Error| Failure::plain(format!("the switch cannot run: {error}"));
        let mut driver = Driver::new(Station::new(switch, captures.clone()), interfaces).map_err(cannot)?;
        driver.spin(reading.configuration.path.spin);
        let (waker, cores) = (driver.waker(), reading.configuration.path.cores);
        let start = |station: &mut Station, now, out: &mut Outbox| station.set_cores(cores, &waker, now, out);
        driver.call(start).and_then(|started| started).map_err(cannot)?;
        let (work, inbox) = service::channel(driver.waker());
        let start = start_of(driver.now());
        let (path, text) = reading.source();
        let file =
            PlanText { name: reading.name.clone(), path: path.into(), text: text.into(), folder: PathBuf::new() };
        let running = Running {
            driver,
            reading: Arc::new(reading),
            captures,
            is_stopping: false,
            earlier_records: Vec::new(),
            records_unwritten: Arc::default(),
            claims: Claims::default(),
            given: Vec::new(),
            wanted: Vec::new(),
            times_given: 0,
            start,
        };
        Ok(Self { running, inbox, handle: SwitchHandle::new(work, file), flow_logs: None })
    }

    /// Writes the flow log into a folder, in files that are named after vNICs.
    ///
    /// # Errors
    /// Fails if the folder cannot be made.
    pub fn log_flows(&mut self, folder: PathBuf) -> Result<(), Failure> {
        let logs = FlowLogs::new(folder, Arc::clone(&self.running.records_unwritten));
        self.flow_logs = Some(logs.map_err(|error| Failure::plain(format!("no flow log can be written: {error}")))?);
        Ok(())
    }

    /// Keeps the bindings of pools in a file from now on, and goes on with those that are there, unless the switch takes over from another process,
    /// which hands them over itself. Returns how many go on, and how many the configuration does not allow.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written, or is none of bindings that this switch knows.
    pub fn keep_bindings(&mut self, path: &Path) -> Result<TakenOver, Failure> {
        let now = self.running.driver.now();
        let station = self.running.driver.node_mut();
        let earlier = if station.stands_by() { Vec::new() } else { bindings::read(path)? };
        let mut file = BindingsFile::beside(path)?;
        station.switch_mut().keep_bindings();
        let count = station.switch_mut().restore(now, &earlier);
        let cannot = |error: io::Error| {
            Failure::plain(format!("the bindings cannot be written to `{}`: {error}", path.display()))
        };
        file.record(station.switch_mut().binding_changes()).map_err(cannot)?;
        if !station.stands_by() {
            file.take_place().map_err(cannot)?;
        }
        station.bindings = Some(file);
        Ok(count)
    }

    /// Returns a handle for other threads.
    pub fn handle(&self) -> SwitchHandle {
        self.handle.clone()
    }

    /// Runs the switch until somebody asks it to stop or `time` has passed; then sends what is held, for at most a second.
    /// Returns the counts.
    ///
    /// # Errors
    /// Returns the error of the system if it cannot wait.
    pub fn run(mut self, time: Option<Duration>) -> io::Result<Totals> {
        let mut logs = self.flow_logs;
        let writer = logs.as_ref().map(|logs| logs.follow(self.handle.clone())).transpose()?;
        let running = &mut self.running;
        service::run(running, &self.inbox, time)?;
        running.driver.node_mut().subscribers.end();
        let now = running.driver.now();
        running.driver.node_mut().switch_mut().end_flow_log(now);
        let (tally, batches) = (running.driver.tally(), running.take_records());
        let switch = running.driver.node().switch();
        let vnics = switch.policy().configuration().vnics.iter().enumerate().filter(|(_, vnic)| !vnic.is_vacant());
        let totals = Totals {
            received: tally.received,
            transmitted: tally.transmitted,
            discarded: tally.discarded,
            sessions: switch.sessions_count(),
            vnics: vnics.map(|(at, vnic)| (vnic.name.clone(), switch.counts_of(at as u32))).collect(),
            balance: running.driver.balance(),
            account: switch.account(),
        };
        // Whoever still asks hears that the switch has ended.
        drop((self.running, self.inbox));
        if let Some(writer) = writer {
            // If it panicked, its message has been printed.
            let _ = writer.join();
        }
        if let Some(logs) = &mut logs {
            logs.write(&batches);
        }
        Ok(totals)
    }
}

impl Running {
    /// Returns how interfaces of the present configuration are opened.
    pub(crate) fn options(&self) -> Options {
        xdp::options(self.switch(), self.switch().policy().configuration())
    }

    /// Claims the interfaces that this switch goes on with after another process has had them. What that one still claims stays unclaimed.
    pub(crate) fn claim_interfaces(&mut self) {
        let policy = Arc::clone(self.switch().policy());
        policy.configuration().interfaces().for_each(|(name, _)| _ = self.claims.take(name));
    }

    /// Returns the switch.
    pub(crate) fn switch(&self) -> &VirtualSwitch {
        self.driver.node().switch()
    }

    /// Goes on with another number of cores, each on a thread of its own if there are several.
    ///
    /// # Errors
    /// Returns the error of the system if it has no threads left. Then there is one core.
    pub(crate) fn set_cores(&mut self, cores: u16) -> io::Result<()> {
        let waker = self.driver.waker();
        self.driver.call(|station, now, out| station.set_cores(cores, &waker, now, out))?
    }

    /// Returns the number of records of the flow log that found no room: in the switch, or in files.
    pub(crate) fn records_lost(&self) -> u64 {
        self.switch().flow_records_lost() + self.records_unwritten.load(Ordering::Relaxed)
    }

    /// Takes the records of the flow log that were made.
    pub(crate) fn take_records(&mut self) -> Vec<Batch> {
        let mut batches = std::mem::take(&mut self.earlier_records);
        // The clock of the computer may have been set meanwhile. What it says differs by a second from look to look.
        let start = start_of(self.driver.now());
        if start.abs_diff(self.start) > 1 {
            self.start = start;
        }
        let start = self.start;
        let switch = self.driver.node_mut().switch_mut();
        let policy = Arc::clone(switch.policy());
        let records: Vec<_> = switch.flow_records().collect();
        let host = self.reading.name.clone();
        if !records.is_empty() {
            batches.push(Batch { policy, gone: switch.flow_log_of_gone(), records, start, host });
        }
        batches
    }

    /// Puts another configuration into the place of the present one, as a whole: interfaces that are new are opened, those that
    /// are not in it are closed. `policy` must come next to the present one.
    ///
    /// # Errors
    /// Fails with every interface that cannot be opened, each at its place in the configuration; then nothing has changed.
    pub(crate) fn replace(
        &mut self,
        reading: Arc<Reading>,
        policy: Arc<vswitch::policy::Policy>,
    ) -> Result<(), Failure> {
        if self.driver.node().stands_by() {
            return Err(Failure::plain("another process is taking over; try again, which asks that one then"));
        }
        if policy.epoch() != self.switch().policy().epoch().wrapping_add(1) {
            return Err(Failure::plain("another configuration has been applied meanwhile; try again"));
        }
        let present = Arc::clone(self.switch().policy());
        let known: BTreeMap<&str, Port> = present.configuration().interfaces().collect();
        let wanted: BTreeMap<&str, Port> = policy.configuration().interfaces().collect();
        let new = wanted.iter().filter(|(name, _)| !known.contains_key(*name)).map(|(name, port)| (*name, *port));
        let options = xdp::options(self.switch(), policy.configuration());
        let claims = claimed(&reading, new.clone().map(|(name, _)| name))?;
        let opened = open(&reading, new, &options)?;
        let mut bound = Vec::new();
        for (port, interface) in opened {
            if let Err(error) = self.driver.bind(port, interface) {
                bound.into_iter().for_each(|port| _ = self.driver.unbind(port));
                return Err(Failure::plain(format!("an interface cannot be waited for: {error}")));
            }
            bound.push(port);
        }
        self.claims.append(claims);
        self.claims.keep(wanted.keys().copied());
        for (_, port) in known.iter().filter(|(name, _)| !wanted.contains_key(*name)) {
            // An interface that is closed needs no waiting for, even if the system refuses to end it.
            let _ = self.driver.unbind(*port);
        }
        let cannot = |error: io::Error| Failure::plain(format!("the cores cannot be given or taken: {error}"));
        // Packets that wait for cores were admitted by the present tables, and may mean what is not in the next ones.
        self.driver.call(|station, now, out| station.settle(now, out)).map_err(cannot)?;
        self.earlier_records = self.take_records();
        let station = self.driver.node_mut();
        station.tell_events();
        let PathOptions { cores, spin, .. } = policy.configuration().path;
        station.switch_mut().replace_policy(policy);
        self.reading = reading;
        if spin != present.configuration().path.spin {
            self.driver.spin(spin);
        }
        // Cores that were given or taken otherwise stay so until a file says something else.
        if cores == present.configuration().path.cores { Ok(()) } else { self.set_cores(cores).map_err(cannot) }
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

    fn turn(station: &mut Station, now: Instant, out: &mut Outbox) {
        station.collect(now, out);
    }

    fn stop(&mut self) {
        self.is_stopping = true;
        // What cannot be waited for is discarded at the end.
        let _ = self.driver.call(|station, now, out| station.settle(now, out));
        self.driver.node_mut().stop();
    }

    fn is_stopping(&self) -> bool {
        self.is_stopping
    }
}
