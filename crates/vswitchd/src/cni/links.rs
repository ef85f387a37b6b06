//! The link between a container and the host, made by `ip` of iproute2.

use std::net::IpAddr;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::attachment::Attachment;
use super::ipam::{Address, Given};
use super::{CniError, network::Network};

/// Runs `ip`, in a network namespace if one is given: `ip -n` takes names alone, and not the paths that runtimes give.
fn ip(namespace: Option<&Path>, arguments: &[&str]) -> Result<String, CniError> {
    let mut command = Command::new(if namespace.is_some() { "nsenter" } else { "ip" });
    if let Some(namespace) = namespace {
        let mut of_path = std::ffi::OsString::from("--net=");
        of_path.push(namespace);
        command.arg(of_path).args(["--", "ip"]);
    }
    let output =
        command.args(arguments).output().map_err(|error| CniError::io(format!("`ip` cannot be run: {error}")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let error = String::from_utf8_lossy(&output.stderr);
    Err(CniError::io(format!("ip {}: {}", arguments.join(" "), error.trim())))
}

/// Makes the link of an attachment: the container's end has the addresses and routes, the host's end is up.
pub(super) fn add(network: &Network, attachment: &Attachment, mac: &str, given: &Given) -> Result<(), CniError> {
    let namespace = attachment.namespace()?;
    let (host, inside) = (attachment.host_interface(), &attachment.interface);
    let (mtu, path) = (network.own.mtu.to_string(), namespace.display().to_string());
    ip(
        None,
        &[
            "link", "add", &host, "mtu", &mtu, "type", "veth", "peer", "name", inside, "address", mac, "mtu", &mtu,
            "netns", &path,
        ],
    )?;
    ip(None, &["link", "set", &host, "up"])?;
    let inside_it = |arguments: &[&str]| ip(Some(namespace), arguments);
    for Address { address, length, .. } in &given.addresses {
        let (family, text) = (if address.is_ipv4() { "-4" } else { "-6" }, format!("{address}/{length}"));
        let mut arguments = vec![family, "address", "add", &text, "dev", inside];
        if address.is_ipv6() {
            // The switch knows that nobody else has it.
            arguments.push("nodad");
        }
        inside_it(&arguments)?;
    }
    inside_it(&["link", "set", inside, "up"])?;
    for route in &given.routes {
        let destination = route["dst"].as_str().unwrap_or_default();
        let is_ipv4 = !destination.contains(':');
        let of_address = || {
            let gateways = given.addresses.iter().filter_map(|address| address.gateway);
            gateways.into_iter().find(|gateway| gateway.is_ipv4() == is_ipv4)
        };
        let gateway = route["gw"].as_str().and_then(|gateway| gateway.parse::<IpAddr>().ok()).or_else(of_address);
        let mut arguments = vec![if is_ipv4 { "-4" } else { "-6" }, "route", "replace", destination, "dev", inside];
        let via = gateway.map(|gateway| gateway.to_string());
        if let Some(via) = &via {
            arguments.extend(["via", via]);
        }
        inside_it(&arguments)?;
    }
    Ok(())
}

/// Removes the link of an attachment; it is no error if it is gone.
pub(super) fn remove(attachment: &Attachment) -> Result<(), CniError> {
    let host = attachment.host_interface();
    if ip(None, &["link", "show", &host]).is_err() {
        return Ok(());
    }
    match ip(None, &["link", "delete", &host]) {
        // It may go with its container at the same moment.
        Err(_) if ip(None, &["link", "show", &host]).is_err() => Ok(()),
        removed => removed.map(|_| ()),
    }
}

/// Checks that both ends of the link are there, and the container's addresses.
pub(super) fn check(attachment: &Attachment, addresses: &[IpAddr]) -> Result<(), CniError> {
    ip(None, &["link", "show", &attachment.host_interface()])?;
    let shown = ip(Some(attachment.namespace()?), &["-json", "address", "show", "dev", &attachment.interface])?;
    let shown: Value =
        serde_json::from_str(&shown).map_err(|error| CniError::io(format!("`ip` has printed no JSON: {error}")))?;
    let of_link = shown[0]["addr_info"].as_array().cloned().unwrap_or_default();
    for wanted in addresses {
        let is_there =
            of_link.iter().any(|own| own["local"].as_str().and_then(|own| own.parse().ok()) == Some(*wanted));
        if !is_there {
            let interface = &attachment.interface;
            return Err(CniError::unknown_container(format!("{interface} of the container has lost {wanted}")));
        }
    }
    Ok(())
}
