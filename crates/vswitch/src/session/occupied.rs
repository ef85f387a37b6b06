//! The numbers of sessions, in all tables of a switch together.

use super::admission::SessionLimits;

/// The number of all sessions, and of those of each vNIC, in all tables of a switch together: limits hold for the sum.
#[derive(Debug, Default)]
pub struct Occupied {
    /// The number of all sessions.
    pub all: u32,
    of_vnics: Vec<u32>,
}

impl Occupied {
    /// Returns the number of sessions of a vNIC.
    pub fn of_vnic(&self, vnic: u32) -> u32 {
        self.of_vnics.get(vnic as usize).copied().unwrap_or(0)
    }

    /// Counts a session of a vNIC that begins.
    pub fn add(&mut self, vnic: u32) {
        let owners = vnic as usize + 1;
        if self.of_vnics.len() < owners {
            self.of_vnics.resize(owners, 0);
        }
        self.of_vnics[vnic as usize] += 1;
        self.all += 1;
    }

    /// Counts a session of a vNIC that begins, unless there are too many. Returns false then.
    pub fn try_add(&mut self, vnic: u32, limits: &SessionLimits) -> bool {
        let has_room = self.all < limits.sessions && self.of_vnic(vnic) < limits.per_vnic;
        if has_room {
            self.add(vnic);
        }
        has_room
    }

    /// Counts a session of a vNIC that has ended.
    pub fn remove(&mut self, vnic: u32) {
        self.of_vnics[vnic as usize] -= 1;
        self.all -= 1;
    }
}
