//! The configuration of a network.

use std::path::PathBuf;
use std::time::Instant;

use serde::Deserialize;
use serde_json::Value;

use super::CniError;
use crate::message::{Answer, Request};
use crate::socket::{Messages, PLACES};

/// The configuration of a network, as a runtime passes it on.
pub(super) struct Network {
    /// The version of the specification.
    pub version: String,
    pub name: String,
    pub own: Own,
    /// The plugin that gives addresses.
    pub ipam: Option<String>,
    /// The whole input, for that plugin.
    pub input: Value,
    /// The time until which the switch is asked again while it is busy.
    end: Instant,
}

/// The entries that this plugin reads.
#[derive(Deserialize)]
pub(super) struct Own {
    /// The VPC.
    pub vpc: String,
    /// The control socket of the switch, or its name.
    #[serde(default)]
    pub switch: Option<PathBuf>,
    #[serde(default)]
    pub security_groups: Vec<String>,
    /// The longest IP packet that containers take, in bytes.
    #[serde(default = "usual_mtu")]
    pub mtu: u32,
}

const fn usual_mtu() -> u32 {
    1500
}

impl Network {
    pub fn read(input: &Value, version: String, end: Instant) -> Result<Self, CniError> {
        let name = input["name"].as_str().unwrap_or_default().to_owned();
        // Section 1, "Network configuration": letters and digits, and then also these.
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        if !name.chars().all(is_letter) || !name.starts_with(|letter: char| letter.is_ascii_alphanumeric()) {
            return Err(CniError::network(format!("`{name}` is no name of a network")));
        }
        let own = Own::deserialize(input).map_err(|error| {
            CniError::network(format!("{error}; a network of a virtual switch has \"vpc\": \"NAME\""))
        })?;
        let ipam = input["ipam"]["type"].as_str().map(str::to_owned);
        Ok(Self { version, name, own, ipam, input: input.clone(), end })
    }

    /// Returns an entry that the runtime passes for one container (section 3, "runtimeConfig").
    pub fn of_runtime(&self, name: &str) -> &Value {
        &self.input["runtimeConfig"][name]
    }

    /// Asks the switch of the network, and again while it is busy.
    pub fn ask(&self, request: &Request) -> Result<Answer, CniError> {
        let unavailable = |failure: diagnostics::Failure| {
            let text = failure.to_string();
            let first = text.lines().next().unwrap_or_default();
            CniError::unavailable(first.strip_prefix("error: ").unwrap_or(first))
        };
        let path = PLACES.named(self.own.switch.as_deref()).map_err(unavailable)?;
        let mut client = service::socket::Client::<Messages>::connect(&path).map_err(unavailable)?;
        let answered = client
            .ask_until(request, self.end)
            .map_err(|error| CniError::io(format!("the switch did not answer: {error}")))?;
        match answered {
            service::Answered::Ok { ok } => Ok(ok),
            service::Answered::Refused(refusal) if refusal.busy => {
                Err(CniError::later(format!("the switch is busy: {}", refusal.reason())))
            }
            service::Answered::Refused(refusal) => Err(CniError::refused(refusal.reason())),
        }
    }
}
