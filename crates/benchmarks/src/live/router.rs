//! The router of `programs/p4/router` between both hosts: its tables, and the switches that run it.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use diagnostics::Failure;

use super::switch_process::SwitchProcess;

/// The program, from the project's folder on.
pub const PROGRAM: &str = "programs/p4/router/router.p4";
/// The folder for files of the measurement.
pub const FOLDER: &str = "out/bench";

/// The size of a router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The number of routes.
    pub routes: u32,
    /// The number of ports, of which the first two lead to hosts.
    pub ports: u16,
}

impl Size {
    /// The router that is compared with other switches.
    pub const USUAL: Self = Self { routes: 400, ports: 2 };
    /// Ten times the entries; the table has room for 4,096.
    pub const MORE_ROUTES: Self = Self { routes: 4000, ..Self::USUAL };
    /// Ten times the ports.
    pub const MORE_PORTS: Self = Self { ports: 20, ..Self::USUAL };
}

/// Returns the MAC address of the router on a port.
pub fn router_mac(port: u16) -> String {
    format!("02:00:00:00:00:{port:02x}")
}

/// Returns the MAC address of the host on a port.
pub fn host_mac(port: u16) -> String {
    format!("02:00:00:00:01:{port:02x}")
}

/// Starts `polyplane live` with the router as machine code, on the interfaces `port1`, `port2`, …
///
/// # Errors
/// If the tables cannot be written, or the command cannot be started.
pub fn polyplane(binary: &Path, size: Size) -> Result<SwitchProcess, Failure> {
    let tables = write_tables(size)?;
    let mut command = Command::new(binary);
    command.args(["live", PROGRAM, "--machine", "native", "--tables"]).arg(tables);
    // Its control socket, which stays when it is killed, lies beside the tables.
    command.env("XDG_RUNTIME_DIR", FOLDER);
    for port in 1..=size.ports {
        command.args(["--port", &format!("{port}=port{port}")]);
    }
    SwitchProcess::start(&mut command)
}

/// Compiles the router with `p4c-bm2-ss` of a folder, starts its `simple_switch`, and fills the tables by its
/// `simple_switch_CLI`.
///
/// # Errors
/// If one of them fails.
pub fn simple_switch(folder: &Path) -> Result<SwitchProcess, Failure> {
    let tables = write_tables(Size::USUAL)?;
    let json = Path::new(FOLDER).join("router.json");
    super::succeed(Command::new(folder.join("p4c-bm2-ss")).arg(PROGRAM).arg("-o").arg(&json))?;
    let mut command = Command::new(folder.join("simple_switch"));
    let mut switch = SwitchProcess::start(command.args(["-i", "1@port1", "-i", "2@port2"]).arg(&json))?;
    for _ in 0..100 {
        let commands = File::open(&tables).map_err(|error| cannot_write(&tables, &error))?;
        let mut client = Command::new(folder.join("simple_switch_CLI"));
        let filled = client.stdin(commands).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if filled.is_ok_and(|status| status.success()) {
            return Ok(switch);
        }
        switch.check()?;
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    Err(Failure::plain("simple_switch_CLI does not reach simple_switch"))
}

/// Writes the entries into a file, and returns it.
fn write_tables(size: Size) -> Result<PathBuf, Failure> {
    let path = Path::new(FOLDER).join(format!("router-{}-{}.txt", size.routes, size.ports));
    let written = fs::create_dir_all(FOLDER).and_then(|()| fs::write(&path, tables(size)));
    written.map_err(|error| cannot_write(&path, &error))?;
    Ok(path)
}

/// Returns the entries as commands of `simple_switch_CLI`.
fn tables(Size { routes, ports }: Size) -> String {
    let mut text = String::new();
    for port in 1..=ports {
        let (own, host) = (router_mac(port), host_mac(port));
        // Writing into a string cannot fail.
        let _ = writeln!(text, "table_add RouterIngress.stations NoAction {port} {own} =>");
        let _ = writeln!(text, "table_add RouterIngress.interfaces set_source {port} => {own}");
        let _ = writeln!(text, "table_add RouterIngress.next_hops forward {port} => {port} {host}");
    }
    for route in 0..routes {
        // 10.0.1.0/24 and 10.0.2.0/24 lead to the hosts; nobody sends to the others.
        let (prefix, port) = match route {
            0 | 1 => (format!("10.0.{}.0", route + 1), route + 1),
            _ => (format!("100.{}.{}.0", 64 + route / 256, route % 256), 1 + route % u32::from(ports)),
        };
        let _ = writeln!(text, "table_add RouterIngress.routes to_next_hop {prefix}/24 => {port}");
    }
    text
}

/// Returns the failure that a file cannot be written.
pub fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::plain(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routers_differ_only_in_their_numbers_of_routes_and_ports() {
        for size in [Size::USUAL, Size::MORE_ROUTES, Size::MORE_PORTS] {
            let text = tables(size);
            let lines = |word: &str| text.lines().filter(|line| line.contains(word)).collect::<Vec<_>>();
            for table in [".stations ", ".interfaces ", ".next_hops "] {
                assert_eq!(lines(table).len(), usize::from(size.ports));
            }
            let mut routes = lines(".routes ");
            assert_eq!(
                routes[..2],
                [
                    "table_add RouterIngress.routes to_next_hop 10.0.1.0/24 => 1",
                    "table_add RouterIngress.routes to_next_hop 10.0.2.0/24 => 2",
                ]
            );
            routes.sort_unstable();
            routes.dedup();
            assert_eq!(routes.len(), size.routes as usize, "no route is there twice");
        }
    }
}
