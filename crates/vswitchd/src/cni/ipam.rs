//! Addresses of containers: from a plugin for that, to which the specification lets others delegate (section 4).

use std::io::Write;
use std::net::IpAddr;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::network::Network;
use super::{Call, CniError};

/// An address of a container, with the length of its subnet's prefix and perhaps the gateway.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub address: IpAddr,
    pub length: u8,
    pub gateway: Option<IpAddr>,
}

/// What a plugin for addresses has given.
#[derive(Default)]
pub(super) struct Given {
    pub addresses: Vec<Address>,
    /// The routes of the container, as the plugin has printed them.
    pub routes: Vec<Value>,
    /// The settings of its name service.
    pub dns: Value,
}

/// Calls the plugin for addresses of a network with the runtime's command, if there is one. Returns what it has printed.
pub(super) fn delegate(call: &Call<'_>, network: &Network, command: &str) -> Result<Option<Value>, CniError> {
    let Some(name) = &network.ipam else { return Ok(None) };
    if name.contains('/') || name.is_empty() {
        return Err(CniError::network(format!("`{name}` is no name of a plugin for addresses")));
    }
    let folders = call.needed("CNI_PATH")?;
    let file = std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|file| file.is_file());
    let file = file.ok_or_else(|| CniError::io(format!("there is no plugin `{name}` in {folders}")))?;
    let cannot = |error: std::io::Error| CniError::io(format!("{}: {error}", file.display()));
    let mut plugin = Command::new(&file);
    plugin.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    for variable in ["CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME", "CNI_ARGS", "CNI_PATH"] {
        if let Some(value) = (call.variable)(variable) {
            plugin.env(variable, value);
        }
    }
    let mut child = plugin.env("CNI_COMMAND", command).spawn().map_err(cannot)?;
    if let Some(mut input) = child.stdin.take() {
        // A plugin that reads nothing says in its answer what is wrong.
        let _ = input.write_all(network.input.to_string().as_bytes());
    }
    let output = child.wait_with_output().map_err(cannot)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        return Err(CniError::of_plugin(name, &text));
    }
    if text.trim().is_empty() {
        return Ok(None);
    }
    let printed = serde_json::from_str(&text);
    printed.map(Some).map_err(|error| CniError::undecodable(format!("{name} has printed no JSON: {error}")))
}

/// Asks for the addresses of a container: those that the runtime wants itself if no plugin gives any.
pub(super) fn add(call: &Call<'_>, network: &Network) -> Result<Given, CniError> {
    let printed = match delegate(call, network, "ADD")? {
        Some(printed) => printed,
        None => {
            let wanted = network.of_runtime("ips").as_array().cloned().unwrap_or_default();
            let ips: Vec<Value> = wanted.into_iter().map(|address| json!({ "address": address })).collect();
            json!({ "ips": ips })
        }
    };
    let ips = printed["ips"].as_array().cloned().unwrap_or_default();
    let addresses = ips.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    if addresses.is_empty() {
        return Err(CniError::network(
            "a container needs an address: give the network an \"ipam\", such as host-local",
        ));
    }
    let routes = printed["routes"].as_array().cloned().unwrap_or_default();
    Ok(Given { addresses, routes, dns: printed["dns"].clone() })
}

fn read(ip: &Value) -> Result<Address, CniError> {
    let wrong = || CniError::network(format!("`{}` is no address with the length of a prefix", ip["address"]));
    let (address, length) = ip["address"].as_str().and_then(|text| text.split_once('/')).ok_or_else(wrong)?;
    let address: IpAddr = address.parse().map_err(|_| wrong())?;
    let length: u8 = length.parse().map_err(|_| wrong())?;
    if length > if address.is_ipv4() { 32 } else { 128 } {
        return Err(wrong());
    }
    let gateway = ip["gateway"].as_str().and_then(|gateway| gateway.parse().ok());
    Ok(Address { address, length, gateway })
}
