//! Two bridges of the kernel with a VXLAN tunnel between them, each in a namespace of its own.

use diagnostics::Failure;

use super::guests::UNDERLAYS;
use super::host::Host;
use super::ip;

/// The bytes of a frame on the underlay: what a host sends in 1,500 bytes fits with the headers of a tunnel.
pub const UNDERLAY_MTU: u16 = 1600;

/// Makes both bridges, and gives each the port of a host, `port1` and `port2` of this namespace. They are gone when their
/// namespaces are, and the ports with them.
///
/// # Errors
/// If the kernel has no VXLAN, or an interface cannot be made.
pub fn bridges() -> Result<[Host; 2], Failure> {
    let hosts = [Host::new()?, Host::new()?];
    let [one, other] = UNDERLAYS;
    let [first, second] = hosts.each_ref().map(Host::id);
    ip(&format!("link add {one} netns {first} type veth peer name {other} netns {second}"))?;
    for (side, host) in hosts.iter().enumerate() {
        let (interface, own, far) = (UNDERLAYS[side], side + 1, 2 - side);
        ip(&format!("link set port{own} netns {}", host.id()))?;
        host.run(|| {
            ip(&format!("link set {interface} mtu {UNDERLAY_MTU} up"))?;
            ip(&format!("address add 192.0.2.{own}/24 dev {interface}"))?;
            let tunnel = format!("id 7001 local 192.0.2.{own} remote 192.0.2.{far} dstport 4789 dev {interface}");
            ip(&format!("link add vxlan0 mtu 1500 type vxlan {tunnel}"))?;
            ip("link add bridge0 type bridge")?;
            for name in ["vxlan0", &format!("port{own}")] {
                ip(&format!("link set {name} master bridge0 up"))?;
            }
            ip("link set bridge0 up")
        })?;
    }
    Ok(hosts)
}
