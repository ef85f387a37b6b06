//! The side of the switch that ends.

use std::sync::PoisonError;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use basis::{Duration, Instant};
use live::{Options, Succession};
use vswitch::handover;

use super::{HandedOver, LONGEST_WAIT, UpgradeReport};
use crate::claims::Claims;
use crate::handle::SwitchHandle;
use crate::message::Refusal;
use crate::service_manager;
use crate::switch::Running;

/// The number of slots of sessions that are copied in one turn of the switch's thread.
const SLOTS: usize = 512;

/// Says what a new process has to know.
pub(crate) fn report(handle: &SwitchHandle) -> Result<UpgradeReport, Refusal> {
    // Nobody applies another file while this is held.
    let attached = handle.attached().lock().unwrap_or_else(PoisonError::into_inner);
    let (name, now, epoch) = handle
        .work()
        .with(|running| (running.reading.name.clone(), running.driver.now(), running.switch().policy().epoch()))?;
    let (file, attached) = (attached.file.clone(), attached.sections());
    let (process, now) = (std::process::id(), now.picoseconds());
    let metrics = handle.metrics();
    Ok(UpgradeReport {
        name,
        process,
        file: (file.path, file.text),
        attached,
        epoch: Some(epoch),
        now,
        version: handover::VERSION,
        metrics,
        is_managed: service_manager::is_there(),
    })
}

/// Hands the sessions in some slots over, while the switch goes on.
pub(crate) fn hand_over(handle: &SwitchHandle, from: usize) -> Result<HandedOver, Refusal> {
    let handed = handle.work().with(move |running| {
        let now = running.driver.now();
        running.driver.node_mut().switch_mut().hand_over(now, from, SLOTS, None)
    })?;
    Ok(encoded(handed))
}

/// Gives way to a new process: nothing is transmitted any more, interfaces that it opens are closed, and sessions with a packet
/// since a time are handed over. If the switch is not stopped then, it goes on after a while. A second process is refused meanwhile, and so is
/// one that has read another configuration than that of `epoch`.
pub(crate) fn give_way(handle: &SwitchHandle, since: u64, epoch: Option<u32>) -> Result<HandedOver, Refusal> {
    let since = Instant::ZERO + Duration::from_picoseconds(since);
    let (handed, times) = handle.work().with(move |running| running.give_way(since, epoch))??;
    let own = handle.clone();
    let wait = move || {
        // The other process may still have an interface open when this one goes on: it is tried again until it is closed there.
        let goes_on = move |running: &mut Running| {
            if running.times_given == times { running.resume() } else { true }
        };
        loop {
            std::thread::sleep(LONGEST_WAIT);
            // If it has ended, that is what should happen.
            if own.work().with(goes_on).unwrap_or(true) {
                return;
            }
        }
    };
    let waiting = std::thread::Builder::new().name("upgrade".to_owned()).spawn(wait);
    if let Err(error) = waiting {
        resume(handle)?;
        return Err(Refusal::new(format!("no thread can be started: {error}\n")));
    }
    Ok(encoded(handed))
}

/// Lets a switch go on that has given way, unless it is stopping.
pub(crate) fn resume(handle: &SwitchHandle) -> Result<(), Refusal> {
    handle.work().with(Running::resume)?;
    Ok(())
}

/// Sessions in bytes, and the number of the next slot.
type Handed = (Vec<u8>, Option<usize>);

fn encoded((sessions, next): Handed) -> HandedOver {
    HandedOver { sessions: STANDARD.encode(sessions), next }
}

impl Running {
    /// Discards what arrives from now on, closes the interfaces that another process opens, and returns the sessions with a
    /// packet since a time, and how many times the switch has given way.
    fn give_way(&mut self, since: Instant, epoch: Option<u32>) -> Result<(Handed, u64), Refusal> {
        if self.driver.node().stands_by() {
            return Err(Refusal::new("another process is taking over already, or has not begun yet\n"));
        }
        if service::Running::is_stopping(self) {
            return Err(Refusal::new("the switch is stopping\n"));
        }
        if epoch.is_some_and(|epoch| epoch != self.switch().policy().epoch()) {
            return Err(Refusal::new(
                "another configuration has been applied since the new process read it; try again\n",
            ));
        }
        let cannot = |error| Refusal::new(format!("the cores cannot be waited for: {error}\n"));
        self.driver.call(|station, now, out| station.settle(now, out)).map_err(cannot)?;
        self.driver.node_mut().stand_by(true);
        self.times_given += 1;
        self.claims = Claims::default();
        for (name, port) in self.own_interfaces() {
            // An interface that is closed needs no waiting for, even if the system refuses to end it.
            let _ = self.driver.unbind(port);
            self.given.push((name, port));
        }
        let now = self.driver.now();
        let handed = self.driver.node_mut().switch_mut().hand_over(now, 0, usize::MAX, Some(since));
        Ok((handed, self.times_given))
    }

    /// Goes on after [`Running::give_way`]. Returns false if the other process still has an interface, without which the switch goes on
    /// until this is called again.
    fn resume(&mut self) -> bool {
        let stands_by = self.driver.node().stands_by();
        if !stands_by && self.given.is_empty() || service::Running::is_stopping(self) {
            return true;
        }
        let policy = std::sync::Arc::clone(self.switch().policy());
        for (name, port) in std::mem::take(&mut self.given) {
            // A file that was applied meanwhile may have no such interface, and another one at its port.
            let is_wanted = policy.configuration().interfaces().any(|wanted| wanted == (name.as_str(), port));
            if !is_wanted || self.driver.ports().any(|bound| bound.port == port) {
                continue;
            }
            let opened = live::open(&name, &self.options());
            match opened.and_then(|interface| self.driver.bind(port, interface)) {
                Ok(()) if stands_by => {}
                Ok(()) => files::console::tell(&format!("the interface `{name}` is open again\n")),
                Err(error) => {
                    if stands_by {
                        let why = format!("the interface `{name}` cannot be opened again yet: {error}\n");
                        files::console::tell(&why);
                    }
                    self.given.push((name, port));
                }
            }
        }
        self.driver.node_mut().stand_by(false);
        self.claim_interfaces();
        self.given.is_empty()
    }

    /// Returns the interfaces that only one process can have, with their ports.
    fn own_interfaces(&self) -> Vec<(String, node::Port)> {
        let policy = std::sync::Arc::clone(self.switch().policy());
        let is_own = |name: &str| live::succession(name, &Options::default()).is_ok_and(|it| it != Succession::Shared);
        policy
            .configuration()
            .interfaces()
            .filter(|(name, _)| is_own(name))
            .map(|(name, port)| (name.to_owned(), port))
            .collect()
    }
}
