//! Everything by which a switch is reached from outside beside its packets: its control socket, the sockets of tenants, and metrics.
//! They are opened in one order, before a switch passes packets, whether it starts or takes over from another process.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use diagnostics::{Failure, did_you_mean};
use service::metrics::{MetricsServer, listen};
use service::socket::{Claim, SocketFile};
use vswitch::configuration::Configuration;

use crate::handle::SwitchHandle;
use crate::metrics;
use crate::socket::{Server, serve};
use crate::upgrade::UpgradeReport;

/// The time for which a switch tries to have the address of the process that it has taken over from.
const LONGEST_TRY: Duration = Duration::from_secs(5);

/// The places at which a switch is served.
#[derive(Clone, Debug)]
pub struct ServedPlaces {
    /// The control socket.
    pub socket: PathBuf,
    /// The sockets of tenants, by the names of their vNICs.
    pub tenants: Vec<(String, PathBuf)>,
    /// The address of metrics.
    pub metrics: Option<SocketAddr>,
}

/// Places that are open, where clients wait until they are served.
pub struct Serving {
    socket: SocketFile,
    tenants: Vec<(String, SocketFile)>,
    claims: Vec<Claim>,
    metrics: Option<Metrics>,
}

/// The metrics of a switch.
enum Metrics {
    Listening(TcpListener),
    /// At an address that the process still has from which the switch takes over.
    Later(SocketAddr),
}

/// A switch that is served. Dropping it ends the service.
pub struct Served {
    /// Held until the service ends.
    _servers: Vec<Server>,
    metrics: Option<MetricsServer>,
    claims: Vec<Claim>,
    later: Option<SocketAddr>,
}

impl ServedPlaces {
    /// Returns what is allowed and may not be meant, a sentence each: sockets of tenants whose vNICs a configuration does not have. They
    /// may be attached later.
    pub fn notes(&self, configuration: &Configuration) -> Vec<String> {
        let names = || configuration.vnics.iter().map(|vnic| vnic.name.as_str());
        let missing = self.tenants.iter().filter(|(vnic, _)| !names().any(|name| name == vnic));
        let note = |(vnic, path): &(String, PathBuf)| {
            let hint = did_you_mean(vnic, names()).map_or(String::new(), |hint| format!("; {hint}"));
            format!("there is no vNIC `{vnic}` yet, whose tenant is served at {}{hint}", path.display())
        };
        missing.map(note).collect()
    }
}

impl Serving {
    /// Opens the places of a switch that starts.
    ///
    /// # Errors
    /// Fails if one of them is taken, or the system refuses; then none is open.
    pub fn open(places: &ServedPlaces) -> Result<Self, Failure> {
        let listen_at = |path: &PathBuf| SocketFile::listen(path).map(|file| (file, None));
        Self::of(places, listen_at, |address| listen(address).map(Metrics::Listening))
    }

    /// Opens the places of a switch that takes over from another process, which goes on to be served at them until
    /// [`Served::take_places`].
    ///
    /// # Errors
    /// Fails if one of them is taken by somebody else, or the system refuses; then none is open.
    pub fn open_beside(places: &ServedPlaces, other: &UpgradeReport) -> Result<Self, Failure> {
        let listen_beside = |path: &PathBuf| SocketFile::beside(path).map(|(file, claim)| (file, Some(claim)));
        Self::of(places, listen_beside, |address| match listen(address) {
            // Its port is that process's own, and becomes free.
            Err(_) if other.metrics.is_some_and(|metrics| metrics.port() == address.port()) => {
                Ok(Metrics::Later(address))
            }
            listening => listening.map(Metrics::Listening),
        })
    }

    fn of(
        places: &ServedPlaces,
        open: impl Fn(&PathBuf) -> Result<(SocketFile, Option<Claim>), Failure>,
        listen: impl Fn(SocketAddr) -> Result<Metrics, Failure>,
    ) -> Result<Self, Failure> {
        let (socket, claim) = open(&places.socket)?;
        let (mut tenants, mut claims) = (Vec::new(), Vec::from_iter(claim));
        for (vnic, path) in &places.tenants {
            let (file, claim) = open(path)?;
            tenants.push((vnic.clone(), file));
            claims.extend(claim);
        }
        let metrics = places.metrics.map(listen).transpose()?;
        Ok(Self { socket, tenants, claims, metrics })
    }

    /// Serves a switch. Requests are answered while it runs.
    ///
    /// # Errors
    /// Fails if the system has no threads left.
    pub fn serve(self, handle: &SwitchHandle) -> Result<Served, Failure> {
        let Self { socket, tenants, claims, metrics } = self;
        let (mut listening, mut later) = (None, None);
        match metrics {
            Some(Metrics::Listening(listener)) => listening = Some(serve_metrics(listener, handle)?),
            Some(Metrics::Later(address)) => later = Some(address),
            None => {}
        }
        let mut servers = vec![serve(socket, handle.clone())?];
        for (vnic, file) in tenants {
            servers.push(serve(file, handle.tenant(vnic))?);
        }
        Ok(Served { _servers: servers, metrics: listening, claims, later })
    }
}

fn serve_metrics(listener: TcpListener, handle: &SwitchHandle) -> Result<MetricsServer, Failure> {
    let server = metrics::serve(listener, handle.clone())?;
    handle.set_metrics(server.address());
    Ok(server)
}

impl Served {
    /// Returns the address of the metrics, if they are served.
    pub fn metrics(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().map(MetricsServer::address)
    }

    /// Takes the places of sockets over from the other process, which has stopped. Returns what is wrong with those that cannot be taken:
    /// the switch goes on without them.
    pub fn take_places(&mut self) -> Vec<Failure> {
        self.claims.drain(..).filter_map(|claim| claim.take().err()).collect()
    }

    /// Serves metrics at the address that the other process has had, which has ended; does nothing if that was not wanted.
    ///
    /// # Errors
    /// Fails if somebody else has taken the address; the switch goes on without metrics.
    pub fn serve_the_rest(&mut self, handle: &SwitchHandle) -> Result<(), Failure> {
        let Some(address) = self.later.take() else { return Ok(()) };
        let began = Instant::now();
        let listener = loop {
            match listen(address) {
                Err(_) if began.elapsed() < LONGEST_TRY => thread::sleep(Duration::from_millis(5)),
                outcome => break outcome,
            }
        };
        self.metrics = Some(listener.and_then(|listener| serve_metrics(listener, handle))?);
        Ok(())
    }
}
