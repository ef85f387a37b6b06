//! Settings of a running chip: reading them, and changing them by requests of the control plane.

use std::collections::BTreeMap;

use basis::Instant;
use control::{ConfigureRequest, Error, Response, SettingsFinding};
use node::{Outbox, Port};
use queues::{ChangeError, QueueChange, QueuePlan, RoomPlan, SchedulerPlan, TrafficManager};

use super::item::Item;
use super::settings::{ChipSettings, SettingsChange};
use super::switch::Tofino;
use crate::blocks::Executor;

impl<E: Executor> Tofino<E> {
    /// Carries out a request about the settings.
    ///
    /// # Errors
    /// Fails with everything that is wrong; nothing has changed then.
    pub(super) fn configure(&mut self, request: &ConfigureRequest) -> Result<Response, Error> {
        let text = match request {
            ConfigureRequest::Read => return Ok(Response::Settings(self.settings_as_they_are().to_text())),
            ConfigureRequest::Change(text) => text,
        };
        let (architecture, in_front) = (self.architecture(), self.layout(0).in_front);
        let change = self.settings.change(text, |settings| settings.problems(architecture.name, &in_front))?;
        let SettingsChange { settings, links, queues, generators } = change;
        self.change_queues(&queues)?;
        self.settings = settings;
        for (port, is_up) in links {
            self.set_link(port, is_up);
        }
        for place in generators {
            if let Some(application) = self.settings.generators.application(place.0, place.1) {
                self.generators.restart(place, application, self.now);
            }
        }
        Ok(Response::Done)
    }

    /// Returns the settings with what the control plane has made of queues.
    fn settings_as_they_are(&self) -> ChipSettings {
        let mut settings = self.settings.clone();
        if let Some(timed) = &mut settings.timed {
            for (port, plan) in &self.queue_changes {
                let was = timed.queues.of_port(*port);
                let queues = plan.queues.iter().zip(&was.queues).map(|(queue, was)| QueuePlan {
                    // These cannot change while the chip runs.
                    room: RoomPlan { pool: was.room.pool, reserved: was.room.reserved, ..queue.room.clone() },
                    ..queue.clone()
                });
                let own = SchedulerPlan { queues: queues.collect(), shaper: plan.shaper, ..was.clone() };
                timed.queues.own.insert(*port, own);
            }
        }
        settings
    }

    /// Lets everything know that a device port is up or down.
    pub(super) fn set_link(&mut self, port: u16, is_up: bool) {
        self.states.iter_mut().for_each(|state| state.set_port(port.into(), is_up));
        self.replication.set_port(port.into(), is_up);
        self.generators.set_port(&self.settings.generators, self.now, port, is_up);
    }

    /// Lets packets go that may go because their queues have changed.
    pub(super) fn serve_changed(&mut self, now: Instant, out: &mut Outbox) {
        for place in std::mem::take(&mut self.changed_queues) {
            self.with_queues(|queues, chip| queues.change(now, place, |_| (), chip, out));
        }
    }

    /// Changes queues that were made anew to what the control plane has made of those before them: it can fill a chip before
    /// links are put behind its ports.
    pub(super) fn change_new_queues(&mut self) {
        let Some(queues) = &mut self.queues else { return };
        for (port, plan) in &self.queue_changes {
            let Some(place) = self.queue_ports.place(*port) else { continue };
            if queues.manager().queues(place) == plan.queues.len() {
                let changed = change(queues.manager_mut(), self.now, place, plan);
                debug_assert_eq!(changed, Ok(()));
            }
        }
    }

    /// Changes the queues of ports. Packets that may go because of it go in the next call of the chip.
    fn change_queues(&mut self, changes: &BTreeMap<u16, SchedulerPlan>) -> Result<(), Error> {
        let mut findings = Vec::new();
        let mut known = Vec::new();
        for (port, plan) in changes {
            let Some((place, queues)) = self.queue_ports.place(*port).zip(self.queues.as_ref()) else { continue };
            match queues.manager().queues(place) {
                count if count == plan.queues.len() => known.push((place, plan)),
                count => findings.push(format!(
                    "port {port} has {count} queues, and the settings give {}; their number cannot change",
                    plan.queues.len()
                )),
            }
        }
        if known.is_empty() && findings.is_empty() && !changes.is_empty() {
            findings.push("the ports of the chip have no queues that could change".to_owned());
        }
        if !findings.is_empty() {
            let finding = |message| SettingsFinding { line: None, message, hint: None };
            return Err(Error::Configuration(findings.into_iter().map(finding).collect()));
        }
        let Some(queues) = &mut self.queues else { return Ok(()) };
        for (place, plan) in known {
            // The reader has checked all values, so that none is refused.
            let changed = change(queues.manager_mut(), self.now, place, plan);
            debug_assert_eq!(changed, Ok(()));
            self.changed_queues.push(place);
        }
        self.queue_changes.extend(changes.iter().map(|(port, plan)| (*port, plan.clone())));
        Ok(())
    }
}

/// Gives a port and its queues what a plan says, except for pools and reserved cells.
fn change(
    manager: &mut TrafficManager<Item>,
    now: Instant,
    port: Port,
    plan: &SchedulerPlan,
) -> Result<(), ChangeError> {
    manager.shape_port(now, port, plan.shaper)?;
    for (number, queue) in plan.queues.iter().enumerate() {
        // Without a greatest rate, the least one may be anything.
        let changes = [
            QueueChange::Weight(queue.weight),
            QueueChange::Priority(queue.priority),
            QueueChange::RemainingPriority(queue.remaining_priority),
            QueueChange::Maximum(None),
            QueueChange::Minimum(queue.minimum),
            QueueChange::Maximum(queue.maximum),
            QueueChange::Limits(queue.room.clone()),
        ];
        changes.into_iter().try_for_each(|change| manager.change_queue(now, port, number as u8, change))?;
    }
    Ok(())
}
