//! The streams of all controllers: who they are, what they are told, and what they send.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tonic::Status;

use super::outgoing::Outgoing;
use crate::arbitration::{Arbitration, Claim, Client, DEFAULT_ROLE, Notification, Standing, WriteRefused};
use crate::message::google::protobuf::Any;
use crate::message::google::rpc::{self, Code};
use crate::message::p4::v1::stream_message_response::Update;
use crate::message::p4::v1::{MasterArbitrationUpdate, Role, Uint128};
use crate::role_config::P4RoleConfig;
use crate::roles::Rights;

/// The most controllers of a role.
const MOST_STREAMS: usize = 64;

/// The streams of all controllers of a device.
pub struct Sessions {
    device_id: u64,
    inner: Mutex<Inner>,
}

struct Inner {
    arbitration: Arbitration<P4RoleConfig>,
    streams: BTreeMap<Client, Outgoing>,
    last: u64,
}

/// A write that has begun. It ends when this is dropped.
pub struct BegunWrite<'s> {
    sessions: &'s Sessions,
    role: String,
}

impl Drop for BegunWrite<'_> {
    fn drop(&mut self) {
        let mut inner = self.sessions.lock();
        let told = inner.arbitration.end_write(&self.role);
        inner.tell(self.sessions.device_id, told);
    }
}

impl Sessions {
    /// Returns the sessions of a device that nobody controls.
    pub fn new(device_id: u64) -> Self {
        let arbitration = Arbitration::new(device_id, MOST_STREAMS);
        Self { device_id, inner: Mutex::new(Inner { arbitration, streams: BTreeMap::new(), last: 0 }) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // No code that holds the lock panics half way through a change.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the stream of a controller that has not said anything yet.
    pub fn join(&self, outgoing: Outgoing) -> Client {
        let mut inner = self.lock();
        inner.last += 1;
        let client = Client(inner.last);
        inner.streams.insert(client, outgoing);
        client
    }

    /// Removes the stream of a controller. Returns whether it was a primary.
    pub fn leave(&self, client: Client) -> bool {
        let mut inner = self.lock();
        inner.streams.remove(&client);
        let was_primary = inner.arbitration.is_primary(client);
        let told = inner.arbitration.leave(client);
        inner.tell(self.device_id, told);
        was_primary
    }

    /// Carries out the claim of a controller. Returns whether another controller is primary of a role now.
    ///
    /// # Errors
    /// Fails with the status with which the stream is to end.
    pub fn claim(&self, client: Client, update: MasterArbitrationUpdate) -> Result<bool, Status> {
        let role = update.role.unwrap_or_default();
        if role.id != 0 && role.name.is_empty() {
            let message = "roles have names since version 1.4: set `role.name` instead of `role.id`";
            return Err(Status::invalid_argument(message));
        }
        let config = role.config.as_ref().map(P4RoleConfig::read).transpose().map_err(Status::invalid_argument)?;
        if role.name == DEFAULT_ROLE && config.is_some() {
            return Err(Status::invalid_argument("the default role may do everything: it has no `role.config`"));
        }
        let mut inner = self.lock();
        let before: Vec<Client> = inner.primaries();
        if let Some(config) = &config {
            inner.check_exclusive(&role.name, config)?;
        }
        let claim = Claim {
            device_id: update.device_id,
            role: role.name,
            config,
            election_id: update.election_id.map(u128::from),
        };
        let told = inner.arbitration.claim(client, claim).map_err(|refused| {
            use crate::arbitration::ClaimRefused as Refused;
            let message = refused.to_string();
            match refused {
                Refused::UnknownDevice { .. } => Status::not_found(message),
                Refused::ElectionIdInUse { .. } => Status::invalid_argument(message),
                Refused::TooManyStreams { .. } | Refused::TooManyRoles { .. } => Status::resource_exhausted(message),
                Refused::OtherDevice { .. } | Refused::OtherRole { .. } => Status::failed_precondition(message),
            }
        })?;
        inner.tell(self.device_id, told);
        Ok(inner.primaries() != before)
    }

    /// Begins a write.
    ///
    /// # Errors
    /// Fails with the status that the specification has for device, role and election id (sections 12 and 14).
    pub fn begin_write(
        &self,
        device_id: u64,
        role: &str,
        election_id: Option<Uint128>,
    ) -> Result<BegunWrite<'_>, Status> {
        let begun = self.lock().arbitration.begin_write(device_id, role, election_id.map(u128::from));
        match begun {
            Ok(()) => Ok(BegunWrite { sessions: self, role: role.to_owned() }),
            Err(refused) => Err(match refused {
                WriteRefused::UnknownDevice { .. } | WriteRefused::UnknownRole { .. } => {
                    Status::not_found(refused.to_string())
                }
                _ => Status::permission_denied(refused.to_string()),
            }),
        }
    }

    /// Checks the device that a request names.
    ///
    /// # Errors
    /// Fails with `NOT_FOUND` if it is another one.
    pub fn check_device(&self, device_id: u64) -> Result<(), Status> {
        let own = self.device_id;
        let refused = || Status::not_found(WriteRefused::UnknownDevice { asked: device_id, own }.to_string());
        if device_id == own { Ok(()) } else { Err(refused()) }
    }

    /// Makes roles known that the program names.
    pub fn declare(&self, roles: &[&str]) {
        let mut inner = self.lock();
        roles.iter().for_each(|role| inner.arbitration.declare(role));
    }

    /// Returns what controllers have configured for a role.
    pub fn rights(&self, role: &str) -> Rights {
        let inner = self.lock();
        let others = inner.arbitration.configs().filter(|(other, _)| *other != role);
        Rights {
            config: inner.arbitration.config_of(role).cloned(),
            foreign: others.flat_map(|(_, config)| config.exclusive_p4_ids.iter().copied()).collect(),
        }
    }

    /// Returns whether a controller is the primary of its role.
    pub fn is_primary(&self, client: Client) -> bool {
        self.lock().arbitration.is_primary(client)
    }

    /// Sends a message to the primary of each role that `wants` accepts, by its name and its configuration. Returns the number of those that had room for it,
    /// and of those that had none.
    pub fn send_to_primaries(
        &self,
        update: &Update,
        wants: impl Fn(&str, Option<&P4RoleConfig>) -> bool,
    ) -> (u64, u64) {
        let inner = self.lock();
        let (mut sent, mut lost) = (0, 0);
        for (_, client, _) in inner.arbitration.primaries().filter(|(role, _, config)| wants(role, *config)) {
            match inner.streams.get(&client) {
                Some(outgoing) if outgoing.send(update.clone()) => sent += 1,
                _ => lost += 1,
            }
        }
        (sent, lost)
    }

    /// Returns whether any role has a primary.
    pub fn has_primary(&self) -> bool {
        self.lock().arbitration.primaries().next().is_some()
    }
}

impl Inner {
    fn primaries(&self) -> Vec<Client> {
        self.arbitration.primaries().map(|(_, client, _)| client).collect()
    }

    /// Checks that no entity is exclusive to two roles.
    fn check_exclusive(&self, role: &str, config: &P4RoleConfig) -> Result<(), Status> {
        for (other, own) in self.arbitration.configs().filter(|(other, _)| *other != role) {
            if let Some(id) = config.exclusive_p4_ids.iter().find(|id| own.exclusive_p4_ids.contains(id)) {
                return Err(Status::invalid_argument(format!(
                    "the entity {id:#010x} is exclusive to the role `{other}`"
                )));
            }
        }
        Ok(())
    }

    fn tell(&self, device_id: u64, told: Vec<Notification<P4RoleConfig>>) {
        for own in told {
            let Some(outgoing) = self.streams.get(&own.client) else { continue };
            let (code, message) = match own.standing {
                Standing::Primary => (Code::Ok, "you are the primary"),
                Standing::Backup => (Code::AlreadyExists, "you are a backup"),
                Standing::NoPrimary => (Code::NotFound, "you are a backup, and there is no primary"),
            };
            let is_default = own.role.is_empty() && own.config.is_none();
            let update = MasterArbitrationUpdate {
                device_id,
                role: (!is_default).then(|| Role {
                    name: own.role,
                    config: own.config.as_ref().map(Any::pack),
                    ..Role::default()
                }),
                election_id: own.election_id.map(Uint128::from),
                status: Some(rpc::Status { code: code.into(), message: message.to_owned(), details: Vec::new() }),
            };
            outgoing.send(Update::Arbitration(update));
        }
    }
}
