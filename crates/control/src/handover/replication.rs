//! Multicast groups and clone sessions.

use super::transfer::Transfer;
use super::{Misfit, Part, What};
use crate::{Error, ReplicationRequest, Request, Response};

impl Transfer<'_> {
    pub fn carry_replication(&mut self) -> Result<(), Error> {
        let groups = match (self.old)(&Request::ReadMulticastGroups)? {
            Response::MulticastGroups(groups) => groups,
            other => unreachable!("multicast groups were asked for, and not {other:?}"),
        };
        for (number, replicas) in groups {
            let put = Request::MulticastGroup(number, ReplicationRequest::Put(replicas));
            self.put(&Part::MulticastGroup(number), &put);
        }
        let sessions = match (self.old)(&Request::ReadCloneSessions)? {
            Response::CloneSessions(sessions) => sessions,
            other => unreachable!("clone sessions were asked for, and not {other:?}"),
        };
        for (number, session) in sessions {
            let put = Request::CloneSession(number, ReplicationRequest::Put(session));
            self.put(&Part::CloneSession(number), &put);
        }
        Ok(())
    }

    fn put(&mut self, part: &Part, request: &Request) {
        match (self.new)(request) {
            Ok(_) => self.outcome.carry(part, What::Replication, 1),
            Err(error) => self.outcome.lose(part, &Misfit::Refused(error), What::Replication, || part.to_string()),
        }
    }
}
