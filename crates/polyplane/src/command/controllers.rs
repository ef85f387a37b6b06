//! The options about P4Runtime controllers.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use polyplane::rooms::switchd::plan::{P4RuntimePlan, TlsFiles};
use polyplane::{Diagnostic, Failure};

/// The heading of options about controllers.
const CONTROLLERS: &str = "Controllers";

/// The server for controllers.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = CONTROLLERS)]
pub struct ControllersArguments {
    /// Serve P4Runtime controllers at this address, such as 127.0.0.1:9559.
    #[arg(long, value_name = "ADDRESS")]
    pub p4runtime: Option<SocketAddr>,
    /// The number of the device for controllers [default: 1].
    #[arg(long, value_name = "NUMBER")]
    pub device_id: Option<u64>,
    /// The certificate for TLS, a file in PEM. Without TLS the address must be one of this computer itself.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// The private key of the certificate, a file in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// The certificate of the authority that has to issue those of controllers, a file in PEM [default: any controller may
    /// connect].
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub client_ca: Option<PathBuf>,
}

impl ControllersArguments {
    /// Returns whether any of the options is given.
    pub fn are_given(&self) -> bool {
        self.p4runtime.is_some() || self.device_id.is_some() || self.tls_certificate.is_some()
    }

    /// Returns the plan of the server, which is `given` with what the options change.
    ///
    /// # Errors
    /// Fails if there are options and no server.
    pub fn plan(&self, given: Option<P4RuntimePlan>) -> Result<Option<P4RuntimePlan>, Failure> {
        let plan = match (self.p4runtime, given) {
            (Some(listen), given) => {
                Some(P4RuntimePlan { listen, ..given.unwrap_or_else(|| P4RuntimePlan::at(listen)) })
            }
            (None, given) => given,
        };
        let has_options = self.device_id.is_some() || self.tls_certificate.is_some();
        if plan.is_none() && has_options {
            let error = Diagnostic::without_place("there is no server for controllers");
            return Err(error.hint("`--p4runtime 127.0.0.1:9559` says where it listens").into());
        }
        let tls = self.tls_certificate.clone().zip(self.tls_key.clone());
        let tls = tls.map(|(certificate, key)| TlsFiles { certificate, key, client_ca: self.client_ca.clone() });
        Ok(plan.map(|plan| P4RuntimePlan {
            device_id: self.device_id.unwrap_or(plan.device_id),
            tls: tls.or(plan.tls),
            ..plan
        }))
    }
}
