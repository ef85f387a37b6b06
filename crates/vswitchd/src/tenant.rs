//! What the tenant of a vNIC may ask: what concerns that vNIC, and nothing of any other.

use service::Cancel;
use service::socket::{Answers, Begun, Manner};

use crate::handle::SwitchHandle;
use crate::message::{Answer, Refusal, Request};
use crate::show::{flows_as, sessions_as};
use crate::socket::Messages;
use crate::tenant_view;

/// A handle for the tenant of one vNIC, which a control socket can be served with.
#[derive(Clone)]
pub struct Tenant {
    handle: SwitchHandle,
    vnic: String,
}

impl SwitchHandle {
    /// Returns a handle for the tenant of a vNIC. The vNIC need not be there yet, and may go and return.
    pub fn tenant(&self, vnic: impl Into<String>) -> Tenant {
        Tenant { handle: self.clone(), vnic: vnic.into() }
    }
}

impl Tenant {
    /// Returns a request as it is meant for the tenant's own vNIC.
    fn own(&self, request: Request) -> Result<Request, Refusal> {
        let is_other = |vnic: &Option<String>| vnic.as_ref().is_some_and(|vnic| *vnic != self.vnic);
        let own = Some(self.vnic.clone());
        match request {
            Request::Sessions { vnic, most } if !is_other(&vnic) => Ok(Request::Sessions { vnic: own, most }),
            Request::Flows { vnic, most } if !is_other(&vnic) => Ok(Request::Flows { vnic: own, most }),
            Request::Events { vnic } if !is_other(&vnic) => Ok(Request::Events { vnic: own }),
            _ => Err(Refusal::new(format!(
                "this socket answers requests for sessions, flows and events of the vNIC `{}` alone\n",
                self.vnic
            ))),
        }
    }
}

impl Answers for Tenant {
    type Messages = Messages;

    fn manner(&self, request: &Request) -> Manner {
        self.handle.manner(request)
    }

    fn answer(&self, request: Request, cancel: &Cancel) -> Result<Answer, Refusal> {
        let own = Some(self.vnic.as_str());
        match self.own(request)? {
            Request::Sessions { most, .. } => sessions_as(&self.handle, own, most, tenant_view::session),
            Request::Flows { most, .. } => flows_as(&self.handle, own, most, tenant_view::flow),
            request => self.handle.answer(request, cancel),
        }
    }

    fn stream(&self, request: Request, notify: Box<dyn Fn() + Send + Sync>) -> Result<Begun<Answer>, Refusal> {
        self.handle.stream(self.own(request)?, notify)
    }
}
