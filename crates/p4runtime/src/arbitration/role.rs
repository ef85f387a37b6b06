//! The controllers of one role.

use std::collections::BTreeMap;

use super::{ClaimRefused, Client, Notification, Standing, WriteRefused};

/// A role: its controllers, and what is remembered of those that have gone.
#[derive(Debug)]
pub(super) struct Role<C> {
    /// The election id of each controller.
    clients: BTreeMap<Client, Option<u128>>,
    /// The highest election id that was ever seen; a controller that has it is the primary.
    highest: Option<u128>,
    /// The configuration that a primary has given last.
    config: Option<C>,
    /// The number of writes that are being carried out.
    writes: u64,
    /// Whether the primary waits for writes that began before it became primary.
    is_waiting: bool,
}

impl<C> Default for Role<C> {
    fn default() -> Self {
        Self { clients: BTreeMap::new(), highest: None, config: None, writes: 0, is_waiting: false }
    }
}

impl<C: Clone> Role<C> {
    pub fn streams(&self) -> usize {
        self.clients.len()
    }

    pub fn config(&self) -> Option<&C> {
        self.config.as_ref()
    }

    /// Returns the primary, if there is one. It may still have to wait for earlier writes.
    pub fn primary(&self) -> Option<Client> {
        let highest = self.highest?;
        self.clients.iter().find(|(_, election)| **election == Some(highest)).map(|(client, _)| *client)
    }

    /// Checks that no controller but `except` has an election id.
    pub fn is_unused(&self, election: Option<u128>, except: Option<Client>) -> Result<(), ClaimRefused> {
        let Some(asked) = election else { return Ok(()) };
        let is_used = self.clients.iter().any(|(client, own)| Some(*client) != except && *own == election);
        if is_used { Err(ClaimRefused::ElectionIdInUse { asked }) } else { Ok(()) }
    }

    /// Takes an election id that is unused.
    pub fn claim(
        &mut self,
        name: &str,
        client: Client,
        election: Option<u128>,
        config: Option<C>,
    ) -> Vec<Notification<C>> {
        let was_primary = self.primary() == Some(client);
        self.clients.insert(client, election);
        if election.is_some() && election >= self.highest {
            self.highest = election;
            self.config = config;
            self.is_waiting = self.writes > 0;
            let mut told: Vec<_> = self.others(client).map(|other| self.notification(name, other)).collect();
            if !self.is_waiting {
                told.push(self.notification(name, client));
            }
            return told;
        }
        if !was_primary {
            return vec![self.notification(name, client)];
        }
        self.is_waiting = false;
        self.clients.keys().map(|client| self.notification(name, *client)).collect()
    }

    pub fn leave(&mut self, name: &str, client: Client) -> Vec<Notification<C>> {
        let was_primary = self.primary() == Some(client);
        self.clients.remove(&client);
        if !was_primary {
            return Vec::new();
        }
        self.is_waiting = false;
        self.clients.keys().map(|client| self.notification(name, *client)).collect()
    }

    pub fn begin_write(&mut self, election: Option<u128>) -> Result<(), WriteRefused> {
        if self.primary().is_none() {
            return Err(WriteRefused::NoPrimary);
        }
        if election != self.highest {
            return Err(WriteRefused::NotPrimary { asked: election, primary: self.highest.unwrap_or_default() });
        }
        if self.is_waiting {
            return Err(WriteRefused::NotYet);
        }
        self.writes += 1;
        Ok(())
    }

    pub fn end_write(&mut self, name: &str) -> Vec<Notification<C>> {
        self.writes = self.writes.saturating_sub(1);
        if self.writes > 0 || !self.is_waiting {
            return Vec::new();
        }
        self.is_waiting = false;
        self.primary().map(|primary| self.notification(name, primary)).into_iter().collect()
    }

    fn others(&self, client: Client) -> impl Iterator<Item = Client> {
        self.clients.keys().copied().filter(move |other| *other != client)
    }

    fn notification(&self, name: &str, client: Client) -> Notification<C> {
        let standing = match self.primary() {
            Some(primary) if primary == client => Standing::Primary,
            Some(_) => Standing::Backup,
            None => Standing::NoPrimary,
        };
        Notification { client, role: name.to_owned(), config: self.config.clone(), election_id: self.highest, standing }
    }
}
