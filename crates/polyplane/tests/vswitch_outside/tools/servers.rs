//! The servers of one guest.

use std::fs;
use std::net::{IpAddr, TcpStream};
use std::time::Duration;

use polyplane::rooms::live::namespace::within;
use tempfile::TempDir;

use crate::guest::Guest;
use crate::process::{Server, comes};
use crate::tools::site::Site;

/// The length of the long page that nginx has, in bytes.
pub const PAGE: usize = 100_000;

/// The ports of nginx, redis and memcached. A server of iperf3 is started for each client, for it takes one that only connects for a test
/// that has gone wrong.
const PORTS: [u16; 3] = [80, 6379, 11211];

/// nginx, redis and memcached, for all addresses of a guest.
pub struct Servers {
    _processes: Vec<Server>,
    _folder: TempDir,
}

impl Servers {
    pub fn start(guest: &Guest) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().display();
        fs::write(folder.path().join("long"), page()).expect("a file can be written");
        fs::write(folder.path().join("short"), "short\n").expect("a file can be written");
        let paths =
            ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|of| format!("{of}_temp_path {path}/{of};"));
        let configuration = format!(
            "daemon off; master_process off; pid {path}/pid; error_log {path}/errors;\n\
             events {{ worker_connections 256; }}\n\
             http {{ access_log off; keepalive_requests 1000000; {} server {{ listen [::]:80 ipv6only=off; root {path}; }} }}\n",
            paths.join(" ")
        );
        fs::write(folder.path().join("nginx.conf"), configuration).expect("a file can be written");
        let start = |program: &str, words: &[&str]| {
            let mut command = guest.command(program);
            command.args(words).current_dir(folder.path());
            Server::start(command)
        };
        let path = path.to_string();
        let processes = vec![
            start("nginx", &["-p", &path, "-c", "nginx.conf"]),
            start("redis-server", &["--bind", "*", "-::*", "--save", "", "--protected-mode", "no", "--dir", &path]),
            start("memcached", &["-u", "root", "-m", "32"]),
        ];
        Self { _processes: processes, _folder: folder }
    }

    /// Waits until a guest reaches all servers at an address.
    pub fn wait(&self, site: &Site, address: &str) {
        let address: IpAddr = address.parse().expect("an address");
        for port in PORTS {
            let answers = comes(|| {
                let connect = || TcpStream::connect_timeout(&(address, port).into(), Duration::from_millis(500));
                within(Some(&site.client.path()), connect).is_ok()
            });
            let drops =
                || site.switches.iter().map(|switch| switch.asks(&["show", "drops"]).to_string()).collect::<Vec<_>>();
            assert!(answers, "port {port} of {address} does not answer; the switches drop {}", drops().join(" and "));
        }
    }
}

/// Returns the bytes of the long page.
pub fn page() -> Vec<u8> {
    (0..PAGE as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}
