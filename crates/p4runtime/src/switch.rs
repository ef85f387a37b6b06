//! What a P4Runtime server needs of a switch.

use control::{DigestNumber, Entity, Error, RefusedRequest, Request, Response};

use crate::failure::Failure;
use crate::message::google::rpc::Code;
use crate::message::p4::v1::digest_entry;

/// A switch that carries out requests of the control plane, in order with its packets.
pub trait Switch {
    /// Carries out a request.
    ///
    /// # Errors
    /// Fails with the reason if the request is refused; nothing has changed then.
    fn execute(&mut self, request: &Request) -> Result<Response, Error>;

    /// Carries out requests in order, each for itself, between two packets.
    fn execute_each(&mut self, requests: &[Request]) -> Vec<Result<Response, Error>> {
        requests.iter().map(|request| self.execute(request)).collect()
    }

    /// Carries out requests in order between two packets: all of them, or none.
    ///
    /// # Errors
    /// Fails with the first request that is refused; nothing has changed then.
    fn execute_together(&mut self, requests: &[Request]) -> Result<Vec<Response>, RefusedRequest>;

    /// Returns how the digests of a kind are delivered to controllers; `None` if they are not.
    fn digest_config(&self, digest: DigestNumber) -> Option<digest_entry::Config>;

    /// Sets how the digests of a kind are delivered to controllers, or that they are not.
    fn set_digest_config(&mut self, digest: DigestNumber, config: Option<digest_entry::Config>);
}

/// What a controller may do, by its role (P4Runtime specification 1.4, section 5).
pub trait Access {
    /// Returns whether an entity of the program belongs to the role. `None` stands for multicast groups and clone
    /// sessions, which belong to no program.
    fn permits(&self, entity: Option<Entity>) -> bool;
}

/// The access of the default role: everything.
#[derive(Clone, Copy, Debug)]
pub struct Everything;

impl Access for Everything {
    fn permits(&self, _entity: Option<Entity>) -> bool {
        true
    }
}

/// Checks that a controller may write an entity.
pub(crate) fn check_access(access: &dyn Access, entity: Option<Entity>) -> Result<(), Failure> {
    match access.permits(entity) {
        true => Ok(()),
        false => Err(Failure::new(Code::PermissionDenied, "the entity does not belong to the controller's role")),
    }
}
