//! A plugin for the Container Network Interface (specification 1.1.0): containers get a vNIC of a switch that runs.
//!
//! A runtime calls the plugin with a command in its environment and the network's configuration as JSON on its standard input.
//! The plugin makes a veth pair, gives one end to the container, and attaches the other to the switch by its control socket.

mod attachment;
mod commands;
mod error;
mod ipam;
mod links;
mod network;
mod result;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub use error::CniError;

use attachment::Attachment;
use network::Network;

/// The versions of the specification that the plugin knows, from the oldest on.
const VERSIONS: [&str; 5] = ["0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"];

/// What a runtime calls the plugin with.
pub struct Call<'a> {
    /// The variables of the environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The configuration of the network: JSON from standard input.
    pub input: &'a str,
    /// The longest time for which a switch that is busy is asked again, by all questions of the call together; [`PATIENCE`] unless somebody
    /// wants another one.
    pub patience: Duration,
}

/// The time for which a switch that is busy is asked again. The specification knows no time; the runtimes that bound a call (kubelet, two
/// minutes) are to hear in time that it is busy, and to call again.
pub const PATIENCE: Duration = Duration::from_secs(60);

impl Call<'_> {
    /// Returns a variable that the command needs.
    fn needed(&self, name: &str) -> Result<String, CniError> {
        let value = (self.variable)(name).filter(|value| !value.is_empty());
        value.ok_or_else(|| CniError::environment(format!("the variable {name} is missing")))
    }
}

/// A call that was read, and of which nothing was carried out yet.
pub struct Asked {
    command: String,
    version: String,
    /// The network, for every command but `VERSION`.
    network: Option<Network>,
    /// The container's attachment, for the commands about one.
    attachment: Option<Attachment>,
}

/// Carries out the command of a runtime, and returns what is to be printed, if anything is.
///
/// # Errors
/// Fails with what is to be printed as the error: [`CniError::to_json`].
pub fn run(call: &Call<'_>) -> Result<Option<Value>, CniError> {
    let asked = read(call)?;
    let Some(network) = &asked.network else {
        return Ok(Some(json!({ "cniVersion": asked.version, "supportedVersions": VERSIONS })));
    };
    match (asked.command.as_str(), &asked.attachment) {
        ("ADD", Some(attachment)) => commands::add(call, network, attachment).map(Some),
        ("DEL", Some(attachment)) => commands::del(call, network, attachment).map(|()| None),
        ("CHECK", Some(attachment)) => commands::check(call, network, attachment).map(|()| None),
        ("GC", _) => commands::gc(call, network).map(|()| None),
        _ => commands::status(call, network).map(|()| None),
    }
}

/// Reads the command of a runtime.
///
/// # Errors
/// Fails as [`run`], if there is no such command, or something is wrong with the configuration or the environment.
pub fn read(call: &Call<'_>) -> Result<Asked, CniError> {
    let command = call.needed("CNI_COMMAND")?;
    let input: Value = serde_json::from_str(call.input)
        .map_err(|error| CniError::undecodable(format!("the configuration is no JSON: {error}")))?;
    let version = input["cniVersion"].as_str().unwrap_or(VERSIONS[0]).to_owned();
    if command == "VERSION" {
        return Ok(Asked { command, version, network: None, attachment: None });
    }
    if !VERSIONS.contains(&version.as_str()) {
        let known = VERSIONS.join(", ");
        return Err(CniError::version(format!("version {version} is not known; the versions are {known}")));
    }
    let network = Network::read(&input, version.clone(), Instant::now() + call.patience)?;
    let attachment = match command.as_str() {
        "ADD" | "DEL" | "CHECK" => Some(Attachment::of(call, &network)?),
        "GC" | "STATUS" => None,
        other => return Err(CniError::environment(format!("there is no command {other}"))),
    };
    Ok(Asked { command, version, network: Some(network), attachment })
}

impl Asked {
    /// Returns the names that the container's attachment has at the switch and on this computer, if the command is about one: of
    /// the vNIC, and of the host's interface.
    pub fn names(&self) -> Option<[String; 2]> {
        self.attachment.as_ref().map(|attachment| [attachment.vnic(), attachment.host_interface()])
    }
}

/// Returns the version in which an error is printed: that of the configuration if it can be read.
pub fn version_of(input: &str) -> String {
    let read = serde_json::from_str::<Value>(input).ok();
    read.and_then(|input| Some(input["cniVersion"].as_str()?.to_owned())).unwrap_or_else(|| VERSIONS[4].to_owned())
}
