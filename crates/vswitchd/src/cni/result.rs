//! What ADD prints (section 5, "Success").

use std::net::IpAddr;

use serde_json::{Map, Value, json};

use super::attachment::Attachment;
use super::ipam::{Address, Given};
use super::network::Network;

/// Returns the result of a container that was added.
pub(super) fn of(network: &Network, attachment: &Attachment, mac: &str, given: &Given) -> Value {
    let has_version_of_ip = network.version.starts_with("0.");
    let ip = |Address { address, length, gateway }: &Address| {
        let mut ip = Map::new();
        if has_version_of_ip {
            ip.insert("version".to_owned(), json!(if address.is_ipv4() { "4" } else { "6" }));
        }
        // The container's interface is the second one.
        ip.insert("interface".to_owned(), json!(1));
        ip.insert("address".to_owned(), json!(format!("{address}/{length}")));
        if let Some(gateway) = gateway {
            ip.insert("gateway".to_owned(), json!(gateway));
        }
        Value::Object(ip)
    };
    let namespace = attachment.namespace.as_ref().map_or(String::new(), |path| path.display().to_string());
    let mut inside = json!({ "name": attachment.interface, "mac": mac, "sandbox": namespace });
    if network.version == "1.1.0" {
        inside["mtu"] = json!(network.own.mtu);
    }
    json!({
        "cniVersion": network.version,
        "interfaces": [{ "name": attachment.host_interface() }, inside],
        "ips": given.addresses.iter().map(ip).collect::<Vec<_>>(),
        "routes": given.routes,
        "dns": if given.dns.is_object() { given.dns.clone() } else { json!({}) },
    })
}

/// Returns the addresses of an earlier result.
pub(super) fn addresses(result: &Value) -> Vec<IpAddr> {
    let ips = result["ips"].as_array().cloned().unwrap_or_default();
    let address = |ip: &Value| ip["address"].as_str()?.split('/').next()?.parse().ok();
    ips.iter().filter_map(address).collect()
}
