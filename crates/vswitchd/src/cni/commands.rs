//! The commands of runtimes (section 2).

use serde_json::Value;

use super::attachment::Attachment;
use super::network::Network;
use super::{Call, CniError, ipam, links, result};
use crate::message::{Answer, Request};

/// ADD: gives a container a vNIC. What was made is removed again if any part of it fails.
pub(super) fn add(call: &Call<'_>, network: &Network, attachment: &Attachment) -> Result<Value, CniError> {
    attachment.namespace()?;
    // What an earlier call has made is not this one's to remove (section 2, "ADD": runtimes do not add twice without DEL).
    if is_attached(network, attachment)? {
        let vnic = attachment.vnic();
        return Err(CniError::refused(format!(
            "the container has its vNIC `{vnic}` already: DEL comes before another ADD"
        )));
    }
    let given = ipam::add(call, network)?;
    let mac = network.of_runtime("mac").as_str().map_or_else(|| attachment.mac(), str::to_owned);
    let made = links::add(network, attachment, &mac, &given).and_then(|()| {
        let vnic = section(network, attachment, &mac, &given);
        network.ask(&Request::Attach { vnic })
    });
    match made {
        Ok(_) => Ok(result::of(network, attachment, &mac, &given)),
        Err(error) => {
            // The first error is the one to be told.
            let _ = links::remove(attachment);
            let _ = ipam::delegate(call, network, "DEL");
            Err(error)
        }
    }
}

/// Returns the `[[vnic]]` of a container.
fn section(network: &Network, attachment: &Attachment, mac: &str, given: &ipam::Given) -> String {
    let text = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let texts = |texts: &mut dyn Iterator<Item = String>| texts.map(|own| text(&own)).collect::<Vec<_>>().join(", ");
    let addresses = texts(&mut given.addresses.iter().map(|address| address.address.to_string()));
    let groups = texts(&mut network.own.security_groups.iter().cloned());
    format!(
        "[[vnic]]\nname = {}\ninterface = {}\nvpc = {}\nmac = {}\naddresses = [{addresses}]\nsecurity_groups = [{groups}]\n\
         mtu = {}\n",
        text(&attachment.vnic()),
        text(&format!("packet:{}", attachment.host_interface())),
        text(&network.own.vpc),
        text(mac),
        network.own.mtu
    )
}

/// DEL: removes the vNIC of a container. What is gone already is no error, nor is a switch that does not run.
pub(super) fn del(call: &Call<'_>, network: &Network, attachment: &Attachment) -> Result<(), CniError> {
    detach(network, attachment)?;
    links::remove(attachment)?;
    ipam::delegate(call, network, "DEL").map(|_| ())
}

/// Returns true if the vNIC of a container is attached to the switch.
fn is_attached(network: &Network, attachment: &Attachment) -> Result<bool, CniError> {
    let answer = network.ask(&Request::Attached {})?;
    Ok(matches!(answer, Answer::Attached(names) if names.contains(&attachment.vnic())))
}

fn detach(network: &Network, attachment: &Attachment) -> Result<(), CniError> {
    let unavailable = CniError::unavailable("").code;
    let detached = is_attached(network, attachment).and_then(|is_there| {
        let detached =
            if is_there { network.ask(&Request::Detach { name: attachment.vnic() }).map(|_| ()) } else { Ok(()) };
        // Another call may have been faster.
        detached.or_else(|error| if is_attached(network, attachment)? { Err(error) } else { Ok(()) })
    });
    detached.or_else(|error| if error.code == unavailable { Ok(()) } else { Err(error) })
}

/// CHECK: whether a container still has what ADD gave it.
pub(super) fn check(call: &Call<'_>, network: &Network, attachment: &Attachment) -> Result<(), CniError> {
    let earlier = &network.input["prevResult"];
    if !earlier.is_object() {
        return Err(CniError::network("CHECK needs the result of ADD as \"prevResult\""));
    }
    if !is_attached(network, attachment)? {
        return Err(CniError::unknown_container(format!("the switch has no vNIC `{}`", attachment.vnic())));
    }
    links::check(attachment, &result::addresses(earlier))?;
    ipam::delegate(call, network, "CHECK").map(|_| ())
}

/// GC: removes the vNICs of containers of this network that the runtime does not list.
pub(super) fn gc(call: &Call<'_>, network: &Network) -> Result<(), CniError> {
    let valid = network.input["cni.dev/valid-attachments"].as_array().cloned().unwrap_or_default();
    let is_valid = |attachment: &Attachment| {
        let is_it = |own: &Value| {
            own["containerID"].as_str() == Some(&attachment.container)
                && own["ifname"].as_str() == Some(&attachment.interface)
        };
        valid.iter().any(is_it)
    };
    let Answer::Attached(names) = network.ask(&Request::Attached {})? else { return Ok(()) };
    let mut first_error = None;
    for attachment in names.iter().filter_map(|name| Attachment::of_vnic(name, network)) {
        if !is_valid(&attachment) {
            // As many as can be are removed.
            let removed = detach(network, &attachment).and_then(|()| links::remove(&attachment));
            first_error = first_error.or(removed.err());
        }
    }
    let delegated = ipam::delegate(call, network, "GC").map(|_| ());
    first_error.map_or(delegated, Err)
}

/// STATUS: whether containers can be added.
pub(super) fn status(call: &Call<'_>, network: &Network) -> Result<(), CniError> {
    network.ask(&Request::Switch {})?;
    ipam::delegate(call, network, "STATUS").map(|_| ())
}
