//! Errors as the specification has them (section 5, "Error").

use serde_json::{Value, json};

/// An error of the plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CniError {
    /// The number of the kind of error.
    pub code: u32,
    /// The message.
    pub message: String,
}

impl CniError {
    fn new(code: u32, message: impl Into<String>) -> Self {
        let message: String = message.into();
        Self { code, message: message.trim_end().to_owned() }
    }

    /// The version of the specification is not known.
    pub(super) fn version(message: impl Into<String>) -> Self {
        Self::new(1, message)
    }

    /// The runtime's container is not known.
    pub(super) fn unknown_container(message: impl Into<String>) -> Self {
        Self::new(3, message)
    }

    /// A variable of the environment is missing or wrong.
    pub(super) fn environment(message: impl Into<String>) -> Self {
        Self::new(4, message)
    }

    /// A program or a file could not be used.
    pub(super) fn io(message: impl Into<String>) -> Self {
        Self::new(5, message)
    }

    /// The input is no JSON.
    pub(super) fn undecodable(message: impl Into<String>) -> Self {
        Self::new(6, message)
    }

    /// The configuration of the network is wrong.
    pub(super) fn network(message: impl Into<String>) -> Self {
        Self::new(7, message)
    }

    /// The switch is busy: the runtime is to call again later.
    pub(super) fn later(message: impl Into<String>) -> Self {
        Self::new(11, message)
    }

    /// The plugin cannot add containers now.
    pub(super) fn unavailable(message: impl Into<String>) -> Self {
        Self::new(50, message)
    }

    /// The switch has refused; numbers from 100 on are the plugin's own.
    pub(super) fn refused(message: impl Into<String>) -> Self {
        Self::new(100, message)
    }

    /// An error that another plugin has printed.
    pub(super) fn of_plugin(name: &str, output: &str) -> Self {
        let printed = serde_json::from_str::<Value>(output).ok();
        let code = printed.as_ref().and_then(|error| error["code"].as_u64()).unwrap_or(5) as u32;
        let message = printed.as_ref().and_then(|error| error["msg"].as_str()).unwrap_or(output).to_owned();
        Self::new(code, format!("{name}: {message}"))
    }

    /// Returns the error as it is printed.
    pub fn to_json(&self, version: &str) -> Value {
        json!({ "cniVersion": version, "code": self.code, "msg": self.message })
    }
}
