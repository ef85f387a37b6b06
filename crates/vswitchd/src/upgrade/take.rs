//! The side of the switch that begins.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use diagnostics::{Diagnostic, Failure};
use live::{Options, Succession};
use node::Port;
use service::BoxedInterface;
use service::socket::Client;
use vswitch::TakenOver;
use vswitch::configuration::Reading;
use vswitch::handover;

use super::{HandedOver, LONGEST_TAKEOVER, UpgradeReport};
use crate::handle::SwitchHandle;
use crate::message::{Answer, Answered, Refusal, Request};
use crate::socket::Messages;

/// The most frames of an interface that are thrown away because the old switch has passed them on.
const MOST_PASSED_ON: usize = 1 << 16;
/// The time within which the old switch must have ended.
const LONGEST_END: Duration = Duration::from_secs(5);

/// The connection of a new switch to the one that it takes over from.
pub struct Takeover {
    path: PathBuf,
    client: Client<Messages>,
    report: UpgradeReport,
}

impl Takeover {
    /// Connects to the control socket of the old switch, and asks what runs. Nothing of it changes.
    ///
    /// # Errors
    /// Fails if no switch answers there, or one whose sessions this one cannot read.
    pub fn begin(path: &Path) -> Result<Self, Failure> {
        let mut client = Client::connect(path)?;
        let report = match ask(&mut client, &Request::Upgrade {})? {
            Answer::Upgrade(report) => *report,
            _ => return Err(unexpected()),
        };
        if report.version > handover::VERSION {
            let refused = handover::HandoverError::Version(report.version);
            return Err(Failure::plain(refused.to_string()));
        }
        Ok(Self { path: path.to_owned(), client, report })
    }

    /// Returns what is known of the old switch.
    pub fn report(&self) -> &UpgradeReport {
        &self.report
    }

    /// Checks that every interface can go from one process to the other.
    ///
    /// # Errors
    /// Fails with those that cannot, each at its place in the configuration.
    pub fn check(reading: &Reading) -> Result<(), Failure> {
        let mut found = Vec::new();
        for (number, name) in reading.interface_names().enumerate() {
            match live::succession(name, &Options::default()) {
                Ok(Succession::Impossible) => {
                    let message = format!("the interface `{name}` vanishes when the process that has it closes it");
                    let hint = format!("a TAP interface that `ip tuntap add {name} mode tap` makes stays");
                    found.push((number, message, hint));
                }
                Ok(Succession::Shared) => {
                    if let Err(unusable) = live::check(name, &Options::default()) {
                        found.push((number, unusable.message, unusable.hint));
                    }
                }
                Ok(Succession::Reopened) => {}
                Err(error) => found.push((number, format!("`{name}`: {error}"), String::new())),
            }
        }
        reading.refuse_interfaces(found)
    }

    /// Takes over: sessions first, then the interfaces. The new switch must run on another thread, standing by. When this
    /// returns, it transmits, and the old one does not any more; [`Self::wait_for_end`] waits until it has ended.
    ///
    /// # Errors
    /// Fails if something cannot be taken over; then the old switch goes on, and the new one must stop.
    pub fn finish(&mut self, handle: &SwitchHandle) -> Result<TakenOver, Failure> {
        let (since, epoch) = (self.report.now, self.report.epoch);
        let mut all = TakenOver::default();
        let mut from = Some(0);
        while let Some(slot) = from {
            let handed = self.handed(&Request::HandOver { from: slot })?;
            from = handed.next;
            let taken = take(handle, decoded(&handed)?)?;
            (all.taken, all.refused) = (all.taken + taken.taken, all.refused + taken.refused);
        }
        let until = Instant::now() + LONGEST_TAKEOVER;
        let handed = self.handed(&Request::GiveWay { since, epoch })?;
        let taken = decoded(&handed).and_then(|sessions| transmit(handle, sessions, until));
        if let Err(failure) = taken {
            // It goes on by itself if it does not hear this.
            let _ = ask(&mut self.client, &Request::Resume {});
            return Err(failure);
        }
        // Sessions that were handed over twice count once.
        let sessions = handle.work().with(|running| running.switch().sessions_count()).map_err(|_| ended())?;
        all.taken = all.taken.min(sessions);
        self.stop()?;
        Ok(all)
    }

    /// Waits until the old switch has ended, which has freed its addresses then.
    ///
    /// # Errors
    /// Fails if it does not end. It transmits nothing any more even so.
    pub fn wait_for_end(mut self) -> Result<(), Failure> {
        let began = Instant::now();
        while ask(&mut self.client, &Request::Switch {}).is_ok() {
            if began.elapsed() > LONGEST_END {
                let error =
                    Diagnostic::without_place("the old switch does not end, though it passes no packets on any more");
                return Err(error.hint(format!("end process {}", self.report.process)).into());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    fn handed(&mut self, request: &Request) -> Result<HandedOver, Failure> {
        match ask(&mut self.client, request)? {
            Answer::HandedOver(handed) => Ok(handed),
            _ => Err(unexpected()),
        }
    }

    /// Stops the old switch. One that was killed meanwhile has stopped, too.
    fn stop(&mut self) -> Result<(), Failure> {
        let stop = Request::Stop { successor: self.report.is_managed.then(std::process::id) };
        if ask(&mut self.client, &stop).is_ok() {
            return Ok(());
        }
        let Ok(mut again) = Client::<Messages>::connect(&self.path) else { return Ok(()) };
        let stopped = ask(&mut again, &stop);
        stopped.map(|_| ()).map_err(|failure| {
            let why = Refusal::from(failure);
            Failure::plain(format!("the old switch does not stop, and goes on: {}", why.reason()))
        })
    }
}

/// Takes sessions over while the new switch stands by.
fn take(handle: &SwitchHandle, sessions: Vec<u8>) -> Result<TakenOver, Failure> {
    let taken = handle.work().with(move |running| {
        let now = running.driver.now();
        running.driver.node_mut().switch_mut().take_over(now, &sessions)
    });
    taken.map_err(|_| ended())?.map_err(|error| Failure::plain(error.to_string()))
}

/// Takes the last sessions over, and lets the new switch transmit, unless it is too late: then the old one may go on.
fn transmit(handle: &SwitchHandle, sessions: Vec<u8>, until: Instant) -> Result<TakenOver, Failure> {
    // Opened here, for that may take longer than packets should wait.
    let wanted = handle.work().with(|running| (running.wanted.clone(), running.options()));
    let (wanted, options) = wanted.map_err(|_| ended())?;
    let mut opened: Vec<(Port, BoxedInterface)> = Vec::new();
    for (name, port) in wanted {
        let cannot = |error| Failure::plain(format!("the interface `{name}` cannot be opened: {error}"));
        opened.push((port, live::open(&name, &options).map_err(cannot)?));
    }
    let work = move |running: &mut crate::switch::Running| {
        let failed = |error: std::io::Error| Failure::plain(format!("the new switch cannot begin: {error}"));
        // What has arrived so far was passed on by the old switch, or came while neither did.
        running.driver.receive_waiting(MOST_PASSED_ON).map_err(failed)?;
        let mut bound = Vec::new();
        for (port, interface) in opened {
            if let Err(error) = running.driver.bind(port, interface) {
                bound.into_iter().for_each(|port| _ = running.driver.unbind(port));
                return Err(failed(error));
            }
            bound.push(port);
        }
        let now = running.driver.now();
        let station = running.driver.node_mut();
        let taken = station.switch_mut().take_over(now, &sessions).map_err(|error| Failure::plain(error.to_string()));
        let taken = taken.and_then(|taken| {
            let late = "taking over takes too long, and the old switch goes on; try again when there is less to do";
            if Instant::now() < until { Ok(taken) } else { Err(Failure::plain(late)) }
        });
        match &taken {
            Ok(_) => {
                station.stand_by(false);
                station.begin_bindings();
                running.wanted.clear();
                running.claim_interfaces();
            }
            Err(_) => bound.into_iter().for_each(|port| _ = running.driver.unbind(port)),
        }
        taken
    };
    handle.work().with(work).map_err(|_| ended())?
}

fn decoded(handed: &HandedOver) -> Result<Vec<u8>, Failure> {
    let sessions = STANDARD.decode(&handed.sessions);
    sessions.map_err(|error| Failure::plain(format!("the old switch hands over what is no base64: {error}")))
}

fn ask(client: &mut Client<Messages>, request: &Request) -> Result<Answer, Failure> {
    let answered = client.ask(request);
    match answered.map_err(|error| Failure::plain(format!("the old switch does not answer: {error}")))? {
        Answered::Ok { ok } => Ok(ok),
        Answered::Refused(refusal) => Err(refusal.into()),
    }
}

fn unexpected() -> Failure {
    Failure::plain("the old switch answers something else than what it was asked: it is of another version")
}

fn ended() -> Failure {
    Failure::plain("the new switch has ended")
}
