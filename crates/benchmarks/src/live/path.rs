//! The paths between both hosts: a link, bridges and switches.

use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::Duration;

use diagnostics::Failure;

use super::guests::{self, Guests};
use super::host::Host;
use super::open_vswitch::{self, Ports};
use super::router::{self, Size, host_mac, router_mac};
use super::switch_process::SwitchProcess;
use super::workloads::{CLIENT, SERVER};
use super::{interfaces, ip, vxlan};

/// A path between two hosts, of which each has one end as `eth0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Path {
    /// One veth pair.
    Direct,
    /// Two veth pairs on a bridge of Linux.
    Bridge,
    /// Two veth pairs connected by [`super::cross_connect`].
    CrossConnect,
    /// Two TAP interfaces connected by it.
    Taps,
    /// Two veth pairs on a router in `polyplane live`, with the binary of the command.
    Polyplane(PathBuf, Size),
    /// The virtual switch, with the binary of the command.
    Vswitch(PathBuf, Guests),
    /// Two virtual switches with a tunnel between them, with the binary of the command.
    Overlay(PathBuf),
    /// Two bridges of Linux with a VXLAN tunnel between them.
    KernelOverlay,
    /// Open vSwitch in user space, as a bridge.
    OpenVswitch(Ports),
    /// The same router in BMv2, from the folder of its binaries.
    Bmv2(PathBuf),
}

impl Path {
    /// Returns the name in results.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Direct => "direct veth",
            Self::Bridge => "Linux bridge",
            Self::CrossConnect => "plain cross-connect",
            Self::Taps => "the same on TAP",
            Self::Polyplane(_, Size::MORE_ROUTES) => "ten times the entries",
            Self::Polyplane(_, Size::MORE_PORTS) => "ten times the ports",
            Self::Polyplane(..) => "polyplane live, router",
            Self::Vswitch(_, guests) => guests.name,
            Self::Overlay(_) => "vswitches, VXLAN",
            Self::KernelOverlay => "Linux bridges, VXLAN",
            Self::OpenVswitch(Ports::PacketSockets) => "OVS, AF_PACKET, TSO",
            Self::OpenVswitch(Ports::XdpNative) => "OVS, AF_XDP native",
            Self::OpenVswitch(Ports::XdpGeneric) => "OVS, AF_XDP generic",
            Self::Bmv2(_) => "simple_switch, router",
        }
    }

    /// Connects the hosts, which have no interface yet.
    ///
    /// # Errors
    /// If an interface cannot be made, or a switch not be started.
    pub fn connect(&self, client: &Host, server: &Host) -> Result<Connected, Failure> {
        let mut connected = Connected::default();
        match self {
            Self::Direct => {
                let (one, other) = (client.id(), server.id());
                ip(&format!("link add eth0 netns {one} type veth peer name eth0 netns {other}"))?;
            }
            Self::Taps => {
                connected.switches.push(cross_connect("taps", ["tap1", "tap2"])?);
                move_taps(client, server);
            }
            Self::Vswitch(binary, network) if network.makes_interfaces() => {
                connected.switches.push(guests::start(binary, network)?);
                move_taps(client, server);
            }
            _ => {
                for (port, host) in [(1, client), (2, server)] {
                    connected.veth(&format!("port{port}"), &format!("eth0 netns {}", host.id()))?;
                }
            }
        }
        self.configure(client, 1, CLIENT, 2, SERVER)?;
        self.configure(server, 2, SERVER, 1, CLIENT)?;
        match self {
            Self::Direct | Self::Taps => {}
            Self::Bridge => {
                connected.interfaces.push("bridge0".to_owned());
                ip("link add bridge0 type bridge")?;
                ip("link set port1 master bridge0")?;
                ip("link set port2 master bridge0")?;
                ip("link set bridge0 up")?;
            }
            Self::CrossConnect => connected.switches.push(cross_connect("packet-sockets", ["port1", "port2"])?),
            Self::Polyplane(binary, size) => {
                for port in 3..=size.ports {
                    connected.veth(&format!("port{port}"), &format!("far{port}"))?;
                    ip(&format!("link set far{port} up"))?;
                }
                connected.switches.push(router::polyplane(binary, *size)?);
            }
            Self::Vswitch(_, network) if network.makes_interfaces() => {}
            Self::Vswitch(binary, network) => {
                if network.routes > 0 {
                    connected.underlay()?;
                }
                if network.reads_whole_frames() {
                    whole_frames(client, server)?;
                }
                connected.switches.push(guests::start(binary, network)?);
            }
            Self::Overlay(binary) => {
                connected.underlay()?;
                connected.switches.extend(guests::start_with_tunnel(binary)?);
            }
            Self::KernelOverlay => connected.bridges.extend(vxlan::bridges()?),
            Self::OpenVswitch(ports) => {
                if *ports != Ports::PacketSockets {
                    whole_frames(client, server)?;
                }
                let [switch, data_base] = open_vswitch::start(*ports)?;
                connected.switches.push(switch);
                connected.beside = Some(data_base);
            }
            Self::Bmv2(folder) => {
                whole_frames(client, server)?;
                connected.switches.push(router::simple_switch(folder)?);
            }
        }
        Ok(connected)
    }

    /// Gives a host's interface its addresses, and tells it the MAC address by which it reaches the other host.
    fn configure(
        &self,
        host: &Host,
        port: u16,
        own: std::net::Ipv4Addr,
        other_port: u16,
        other: std::net::Ipv4Addr,
    ) -> Result<(), Failure> {
        let via = match self {
            Self::Polyplane(..) | Self::Bmv2(_) => router_mac(port),
            _ => host_mac(other_port),
        };
        host.run(|| {
            ip(&format!("link set eth0 address {} up", host_mac(port)))?;
            ip(&format!("address add {own}/16 dev eth0"))?;
            ip(&format!("neighbor replace {other} lladdr {via} dev eth0 nud permanent"))
        })
    }
}

/// Both hosts connected. When this is dropped they have no interface any more.
#[derive(Default)]
pub struct Connected {
    /// The processes that carry packets, if the kernel does not.
    pub switches: Vec<SwitchProcess>,
    /// A process that the switch needs.
    beside: Option<SwitchProcess>,
    /// The interfaces to remove, of this namespace.
    interfaces: Vec<String>,
    /// The namespaces of bridges, with the port of the client and that of the server.
    bridges: Vec<Host>,
}

impl Connected {
    /// Makes a veth pair, one end of which is in this namespace.
    fn veth(&mut self, name: &str, peer: &str) -> Result<(), Failure> {
        ip(&format!("link add {name} type veth peer name {peer}"))?;
        self.interfaces.push(name.to_owned());
        ip(&format!("link set {name} up"))
    }

    /// Makes the link of the underlay.
    fn underlay(&mut self) -> Result<(), Failure> {
        let [one, other] = guests::UNDERLAYS;
        self.veth(one, other)?;
        ip(&format!("link set {other} up"))?;
        guests::UNDERLAYS.iter().try_for_each(|name| ip(&format!("link set {name} mtu {}", vxlan::UNDERLAY_MTU)))
    }

    /// Returns the processor time that the switches have used, in nanoseconds; `None` if the kernel carries packets.
    pub fn processor_time(&self) -> Option<u64> {
        let times = self.switches.iter().map(SwitchProcess::processor_time);
        if self.switches.is_empty() { None } else { times.sum() }
    }

    /// Removes the interfaces of the hosts as well, of which one may be left.
    pub fn remove(self, client: &Host) {
        drop(self);
        // Most have gone with the other end of their pair or with their process.
        let _ = client.run(|| ip("link delete eth0"));
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        self.switches.clear();
        self.beside = None;
        for (side, bridge) in self.bridges.iter().enumerate() {
            let _ = bridge.run(|| ip(&format!("link delete port{}", side + 1)));
        }
        for name in &self.interfaces {
            // What is left is gone with the namespace.
            let _ = ip(&format!("link delete {name}"));
        }
    }
}

/// Gives the hosts the TAP interfaces `tap1` and `tap2`, which the switch may not have made yet.
fn move_taps(client: &Host, server: &Host) {
    for (name, host) in [("tap1", client), ("tap2", server)] {
        let moved = || ip(&format!("link set {name} netns {} name eth0", host.id()));
        (0..200).find_map(|_| moved().map_err(|_| thread::sleep(Duration::from_millis(10))).ok());
    }
}

/// Lets both hosts complete checksums and cut segments, for a switch that reads frames without their virtio headers and would
/// pass on checksums that are still to be made.
fn whole_frames(client: &Host, server: &Host) -> Result<(), Failure> {
    for host in [client, server] {
        let switched = host.run(|| interfaces::whole_frames("eth0"));
        switched.map_err(|error| Failure::plain(format!("offloads cannot be switched off: {error}")))?;
    }
    Ok(())
}

/// Starts the cross-connect in a process of its own, as the other switches have one.
fn cross_connect(kind: &str, ports: [&str; 2]) -> Result<SwitchProcess, Failure> {
    let this = env::current_exe().map_err(|error| Failure::plain(format!("cannot locate this executable: {error}")))?;
    SwitchProcess::start(Command::new(this).args(["--live-process", kind]).args(ports))
}
