//! A virtual switch that runs.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use basis::Duration;
use diagnostics::Failure;
use live::{Driver, Interface, Options, RIGHTS, Waker};
use node::{Port, Reason};
use vswitch::configuration::Reading;
use vswitch::{VirtualSwitch, VnicCounts};

/// A virtual switch with its interfaces.
pub struct Running {
    driver: Driver<VirtualSwitch, Box<dyn Interface>>,
    stop: Stop,
}

/// A handle by which another thread ends a switch.
#[derive(Clone)]
pub struct Stop {
    is_asked: Arc<AtomicBool>,
    waker: Waker,
}

impl Stop {
    /// Ends the switch after the burst that it works on.
    pub fn stop(&self) {
        self.is_asked.store(true, Ordering::Release);
        self.waker.wake();
    }
}

/// The counts of a switch when it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    /// The number of frames that came and that went.
    pub received: u64,
    /// The number of frames that went out.
    pub transmitted: u64,
    /// The number of discarded packets by reason.
    pub discarded: BTreeMap<Reason, u64>,
    /// The number of sessions that were there at the end.
    pub sessions: u64,
    /// What has passed between the switch and each vNIC, by its name.
    pub vnics: Vec<(String, VnicCounts)>,
}

impl Running {
    /// Opens the interfaces of a configuration. The key of the switch's hash is drawn at random, so that no guest knows it. If
    /// any interface cannot be opened, the others are closed again, and those that were made vanish.
    ///
    /// # Errors
    /// Fails with every interface that cannot be opened, each at its place in the configuration.
    pub fn open(reading: &Reading) -> Result<Self, Failure> {
        let (mut interfaces, mut found) = (Vec::new(), Vec::new());
        for (number, name) in reading.interface_names().enumerate() {
            match live::open(name, &Options::default()) {
                Ok(interface) => interfaces.push((Port(number as u16), interface)),
                Err(error) => {
                    let message = format!("the interface `{name}` cannot be opened: {error}");
                    found.push((number, message, RIGHTS.to_owned()));
                }
            }
        }
        reading.refuse_interfaces(found)?;
        let keys = [0, 1].map(|number: u64| RandomState::new().hash_one(number));
        let switch = VirtualSwitch::new(reading.configuration.clone(), keys);
        let cannot = |error: io::Error| Failure::plain(format!("the switch cannot run: {error}"));
        let driver = Driver::new(switch, interfaces).map_err(cannot)?;
        let stop = Stop { is_asked: Arc::default(), waker: driver.waker() };
        Ok(Self { driver, stop })
    }

    /// Returns a handle that ends the switch.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Runs the switch until somebody stops it, or `time` has passed, and returns its counts.
    ///
    /// # Errors
    /// Returns the error of the system if an interface fails.
    pub fn run(mut self, time: Option<Duration>) -> io::Result<Totals> {
        let end = time.map(|time| self.driver.now() + time);
        let is_asked = Arc::clone(&self.stop.is_asked);
        self.driver.wake_by(end);
        self.driver.run(|_, now, _| {
            let is_over = end.is_some_and(|end| now >= end) || is_asked.load(Ordering::Acquire);
            if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let (tally, switch) = (self.driver.tally(), self.driver.node());
        let vnics = &switch.policy().configuration().vnics;
        let counts = |(number, name): (usize, &String)| (name.clone(), switch.counts_of(number as u32));
        Ok(Totals {
            received: tally.received,
            transmitted: tally.transmitted,
            discarded: tally.discarded,
            sessions: switch.sessions().count() as u64,
            vnics: vnics.iter().map(|vnic| &vnic.name).enumerate().map(counts).collect(),
        })
    }
}
