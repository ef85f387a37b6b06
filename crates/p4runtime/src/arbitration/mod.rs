//! Arbitration between controllers: which of them is primary for a role, and who hears of it (P4Runtime specification 1.4,
//! section 5).
//!
//! [`Arbitration`] is a state machine of one device. It knows neither sockets nor messages of gRPC: claims, ends of streams and
//! writes go in, notifications come out, in the order in which they are to be sent.

mod refusal;
mod role;

use std::collections::BTreeMap;

use role::Role;

pub use refusal::{ClaimRefused, WriteRefused};

/// The name of the default role, which has access to everything.
pub const DEFAULT_ROLE: &str = "";

/// A controller's connection: a stream between it and the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Client(pub u64);

/// What a controller claims by a `MasterArbitrationUpdate`. `C` is the configuration of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim<C> {
    /// The device that it wants to control.
    pub device_id: u64,
    /// The role in which it wants to do so.
    pub role: String,
    /// The configuration of the role; `None` if the role may do everything.
    pub config: Option<C>,
    /// The election id. A controller without one never becomes primary.
    pub election_id: Option<u128>,
}

/// A `MasterArbitrationUpdate` that a controller is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification<C> {
    /// The controller to which it goes.
    pub client: Client,
    /// The role of that controller.
    pub role: String,
    /// The configuration that a primary of the role has given last.
    pub config: Option<C>,
    /// The highest election id that was ever seen for the role; `None` if there has been no primary.
    pub election_id: Option<u128>,
    /// The standing of that controller.
    pub standing: Standing,
}

/// The standing of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is the primary of its role.
    Primary,
    /// Another controller is the primary.
    Backup,
    /// No controller is the primary.
    NoPrimary,
}

/// The most roles that a device remembers. It keeps the highest election id of each for as long as it runs.
const MOST_ROLES: usize = 256;

/// The controllers of one device.
#[derive(Debug)]
pub struct Arbitration<C> {
    device_id: u64,
    most_streams: usize,
    roles: BTreeMap<String, Role<C>>,
    /// The role of each controller that has made a claim.
    clients: BTreeMap<Client, String>,
}

impl<C: Clone> Arbitration<C> {
    /// Returns the arbitration of a device that nobody controls yet. Each role may have `most_streams` controllers at a time.
    pub fn new(device_id: u64, most_streams: usize) -> Self {
        let roles = BTreeMap::from([(DEFAULT_ROLE.to_owned(), Role::default())]);
        Self { device_id, most_streams, roles, clients: BTreeMap::new() }
    }

    /// Carries out the claim of a controller (sections 5.3 and 5.4).
    ///
    /// # Errors
    /// Fails if the claim is refused; the controller's stream is then to be ended with the reason. It still has to be told by
    /// [`Arbitration::leave`].
    pub fn claim(&mut self, client: Client, claim: Claim<C>) -> Result<Vec<Notification<C>>, ClaimRefused> {
        match self.clients.get(&client) {
            None => self.may_join(&claim)?,
            Some(role) => self.may_change(client, role, &claim)?,
        }
        self.clients.insert(client, claim.role.clone());
        let role = self.roles.entry(claim.role.clone()).or_default();
        Ok(role.claim(&claim.role, client, claim.election_id, claim.config))
    }

    /// Checks the first claim of a controller.
    fn may_join(&self, claim: &Claim<C>) -> Result<(), ClaimRefused> {
        if claim.device_id != self.device_id {
            return Err(ClaimRefused::UnknownDevice { asked: claim.device_id, own: self.device_id });
        }
        let Some(role) = self.roles.get(&claim.role) else {
            let is_full = self.roles.len() >= MOST_ROLES;
            return if is_full { Err(ClaimRefused::TooManyRoles { most: MOST_ROLES }) } else { Ok(()) };
        };
        role.is_unused(claim.election_id, None)?;
        if role.streams() >= self.most_streams {
            return Err(ClaimRefused::TooManyStreams { most: self.most_streams });
        }
        Ok(())
    }

    /// Checks a further claim of a controller.
    fn may_change(&self, client: Client, own: &str, claim: &Claim<C>) -> Result<(), ClaimRefused> {
        if claim.device_id != self.device_id {
            return Err(ClaimRefused::OtherDevice { asked: claim.device_id, own: self.device_id });
        }
        if claim.role != own {
            return Err(ClaimRefused::OtherRole { asked: claim.role.clone(), own: own.to_owned() });
        }
        self.roles.get(own).map_or(Ok(()), |role| role.is_unused(claim.election_id, Some(client)))
    }

    /// Forgets a controller whose stream has ended. The others of its role hear of it if it was the primary.
    pub fn leave(&mut self, client: Client) -> Vec<Notification<C>> {
        let Some(name) = self.clients.remove(&client) else { return Vec::new() };
        self.roles.get_mut(&name).map(|role| role.leave(&name, client)).unwrap_or_default()
    }

    /// Begins a write, which [`Arbitration::end_write`] ends.
    ///
    /// # Errors
    /// Fails if the device or the role is not known, or the election id is not that of the primary.
    pub fn begin_write(&mut self, device: u64, role: &str, election: Option<u128>) -> Result<(), WriteRefused> {
        if device != self.device_id {
            return Err(WriteRefused::UnknownDevice { asked: device, own: self.device_id });
        }
        let unknown = || WriteRefused::UnknownRole { asked: role.to_owned() };
        self.roles.get_mut(role).ok_or_else(unknown)?.begin_write(election)
    }

    /// Ends a write. If it was the last that a new primary had to wait for, that one is notified.
    pub fn end_write(&mut self, role: &str) -> Vec<Notification<C>> {
        self.roles.get_mut(role).map(|own| own.end_write(role)).unwrap_or_default()
    }

    /// Makes a role known before any controller claims it, such as one that the program names.
    pub fn declare(&mut self, role: &str) {
        if !self.roles.contains_key(role) {
            self.roles.insert(role.to_owned(), Role::default());
        }
    }

    /// Returns the role of a controller; `None` if it has made no claim.
    pub fn role_of(&self, client: Client) -> Option<&str> {
        self.clients.get(&client).map(String::as_str)
    }

    /// Returns whether a controller is the primary of its role.
    pub fn is_primary(&self, client: Client) -> bool {
        let role = self.clients.get(&client).and_then(|name| self.roles.get(name));
        role.is_some_and(|role| role.primary() == Some(client))
    }

    /// Returns the primary controllers of all roles, with the configuration of each role, in order of the names of the roles.
    pub fn primaries(&self) -> impl Iterator<Item = (&str, Client, Option<&C>)> {
        self.roles.iter().filter_map(|(name, role)| Some((name.as_str(), role.primary()?, role.config())))
    }

    /// Returns the configurations of all roles that have one, in order of their names.
    pub fn configs(&self) -> impl Iterator<Item = (&str, &C)> {
        self.roles.iter().filter_map(|(name, role)| Some((name.as_str(), role.config()?)))
    }

    /// Returns the configuration that a primary of a role has given last.
    pub fn config_of(&self, role: &str) -> Option<&C> {
        self.roles.get(role)?.config()
    }
}
