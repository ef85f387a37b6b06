//! What a P4Runtime server needs of a switch.

use control::{DigestNumber, Entity, Error, RefusedRequest, Request, Response};

use crate::failure::Failure;
use crate::message::google::rpc::Code;
use crate::message::p4::v1::digest_entry;

/// A switch that carries out requests of the control plane, in order with its packets.
pub trait Switch {
    /// Carries out requests in order, each for itself, between two packets. Returns as many results as there are requests;
    /// a request that is refused has changed nothing.
    ///
    /// # Errors
    /// Fails if the switch has carried out none of them.
    fn execute_each(&mut self, requests: Vec<Request>) -> Result<Vec<Result<Response, Error>>, Unavailable>;

    /// Carries out requests in order between two packets: all of them, or none. Returns the first request that is refused,
    /// if there is one; nothing has changed then.
    ///
    /// # Errors
    /// Fails if the switch has carried out none of them.
    fn execute_together(
        &mut self,
        requests: Vec<Request>,
    ) -> Result<Result<Vec<Response>, RefusedRequest>, Unavailable>;

    /// Returns whether the switch has a port.
    fn has_port(&self, port: u32) -> bool;

    /// Returns how the digests of a kind are delivered to controllers; `None` if they are not.
    fn digest_config(&self, digest: DigestNumber) -> Option<digest_entry::Config>;

    /// Sets how the digests of a kind are delivered to controllers, or that they are not.
    fn set_digest_config(&mut self, digest: DigestNumber, config: Option<digest_entry::Config>);
}

/// The reason why a switch carries out no requests: it has ended, or another program runs there than the one that the
/// requests are for. A call that meets it ends with `UNAVAILABLE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable(pub String);

impl From<Unavailable> for Failure {
    fn from(unavailable: Unavailable) -> Self {
        Self::new(Code::Unavailable, unavailable.0)
    }
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
