//! `[p4runtime]`: where controllers reach the switch, and the port by which packets go to them.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use machines::Device;
use plans::Section;

use super::SwitchPlan;
use super::read::{file, listen};

/// The CPU port of a switch with P4Runtime if neither plan nor machine names one, and the program can name it: the one
/// that programs for BMv2 and Stratum use.
const USUAL_CPU_PORT: u16 = 510;

/// What a server of P4Runtime is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct P4RuntimePlan {
    /// The address at which it listens.
    pub listen: SocketAddr,
    /// The number of the device.
    pub device_id: u64,
    /// The port of the controller; `None` for that of the machine, or the usual one.
    pub cpu_port: Option<u16>,
    /// The files for TLS; `None` for plain connections, which only an address of this computer itself may take.
    pub tls: Option<TlsFiles>,
}

/// The files for TLS, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate of the server with those that lead to its issuer.
    pub certificate: PathBuf,
    /// The private key of the certificate.
    pub key: PathBuf,
    /// The certificate of the authority that issues those of controllers; `None` if any controller may connect.
    pub client_ca: Option<PathBuf>,
}

impl P4RuntimePlan {
    /// The number of the device, unless the user names another.
    pub const USUAL_DEVICE_ID: u64 = 1;

    /// Returns the plan of a server at an address, with everything else as usual.
    pub fn at(listen: SocketAddr) -> Self {
        Self { listen, device_id: Self::USUAL_DEVICE_ID, cpu_port: None, tls: None }
    }

    /// Returns why the server may not listen at its address, if that is so.
    pub fn unprotected(&self) -> Option<String> {
        let is_open = self.tls.is_none() && !self.listen.ip().is_loopback();
        is_open.then(|| format!("whoever reaches {} could control the switch", self.listen))
    }
}

/// Says what to do about a server that nothing protects.
pub const PROTECT: &str =
    "listen at an address of this computer itself, such as 127.0.0.1:9559, or name `tls_certificate` and `tls_key`";

/// Reads the section; `None` if there is none.
pub(super) fn p4runtime(section: Section<'_>, folder: &Path, text: &mut String) -> Option<P4RuntimePlan> {
    if !section.is_given() {
        return None;
    }
    let listen = listen(&section);
    let device_id = section.count("device_id", 0..=u64::MAX, P4RuntimePlan::USUAL_DEVICE_ID);
    let cpu_port = section.optional_count("cpu_port", 0..=u64::from(u16::MAX)).map(|port| port as u16);
    let named = |name| section.text(name).map(|found| file(&section, folder, found));
    let (certificate, key, client_ca) = (named("tls_certificate"), named("tls_key"), named("client_ca"));
    let tls = match (certificate, key) {
        (Some(certificate), Some(key)) => Some(TlsFiles { certificate, key, client_ca }),
        (None, None) => {
            if client_ca.is_some() {
                let message = "`client_ca` needs a certificate of the server";
                section.error(&section.span_of("client_ca"), message, "add `tls_certificate` and `tls_key`");
            }
            None
        }
        (certificate, _) => {
            let (given, missing) = match certificate {
                Some(_) => ("tls_certificate", "tls_key"),
                None => ("tls_key", "tls_certificate"),
            };
            section.error(&section.span_of(given), format!("`{given}` needs `{missing}`"), "both are files in PEM");
            section.end(text);
            return None;
        }
    };
    let plan = listen.map(|listen| P4RuntimePlan { listen, device_id, cpu_port, tls });
    if let Some(why) = plan.as_ref().and_then(P4RuntimePlan::unprotected) {
        section.error(&section.span_of("listen"), why, PROTECT);
    }
    section.end(text);
    plan
}

impl SwitchPlan {
    /// Returns the port by which packets go to a controller and come from it; `None` if the plan has no P4Runtime.
    pub fn cpu_port(&self, device: &dyn Device) -> Option<u16> {
        let plan = self.p4runtime.as_ref()?;
        let usual =
            || device.ports().map_or(USUAL_CPU_PORT, |ports| USUAL_CPU_PORT.min(ports.saturating_sub(1) as u16));
        let of_device = || device.cpu_port().map(|port| port.0);
        Some(plan.cpu_port.or_else(of_device).unwrap_or_else(usual))
    }
}
