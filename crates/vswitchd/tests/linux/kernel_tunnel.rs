//! Connections and datagrams through the kernel's VXLAN, which leaves checksums and cutting to whoever receives its frames if that is on
//! the same computer.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::Duration;

use crate::guest::Guest;
use crate::namespace::{ip, within};
use crate::{Started, VPC, cable, host};

/// The bytes that cross in each direction.
const BYTES: usize = 4 << 20;
pub const LONGEST: Duration = Duration::from_secs(20);

/// The byte at each place of what crosses.
pub fn byte(at: usize) -> u8 {
    ((at * 31) >> 7) as u8 ^ at as u8
}

/// Sends all bytes over one end of a connection, and returns what arrives at the other one.
pub fn arrived(mut from: TcpStream, mut to: TcpStream) -> std::io::Result<Vec<u8>> {
    to.set_read_timeout(Some(LONGEST))?;
    from.set_write_timeout(Some(LONGEST))?;
    let sent = thread::spawn(move || from.write_all(&(0..BYTES).map(byte).collect::<Vec<_>>()));
    let mut bytes = vec![0; BYTES];
    let read = to.read_exact(&mut bytes);
    sent.join().expect("no panic")?;
    read.map(|()| bytes)
}

/// Carries a connection between the guest and the kernel of this namespace, and a datagram each way.
fn exchanges(guest: &Guest) -> std::io::Result<()> {
    let in_guest = guest.path();
    let listener = TcpListener::bind("10.0.1.9:0")?;
    let to = listener.local_addr()?;
    let ours = live::namespace::within(Some(&in_guest), || TcpStream::connect_timeout(&to, LONGEST))?;
    let (theirs, _) = listener.accept()?;
    for (from, to) in [(&ours, &theirs), (&theirs, &ours)] {
        let bytes = arrived(from.try_clone()?, to.try_clone()?)?;
        assert!(bytes.iter().enumerate().all(|(at, it)| *it == byte(at)));
    }
    let [here, there] =
        [UdpSocket::bind("10.0.1.9:0"), live::namespace::within(Some(&in_guest), || UdpSocket::bind("10.0.1.1:0"))];
    let (here, there) = (here?, there?);
    for (from, to) in [(&here, &there), (&there, &here)] {
        to.set_read_timeout(Some(LONGEST))?;
        from.send_to(b"question", to.local_addr()?)?;
        let mut bytes = [0; 16];
        let length = to.recv(&mut bytes)?;
        assert_eq!(bytes[..length], *b"question");
    }
    Ok(())
}

#[test]
fn the_kernels_vxlan_carries_connections_of_a_guest() {
    within("kernel_tunnel::the_kernels_vxlan_carries_connections_of_a_guest", || {
        cable();
        for (mtu, inner) in [(1600, 1500), (9000, 8900)] {
            for end in ["underlay1", "underlay2"] {
                ip(&format!("link set {end} mtu {mtu}"));
            }
            for checksum in ["noudpcsum", "udpcsum"] {
                let one = Guest::new(1);
                one.ip(&format!("link set eth0 mtu {inner}"));
                ip(&format!("link set guest1 mtu {inner}"));
                if checksum == "noudpcsum" && mtu == 1600 {
                    ip("address add 192.0.2.2/24 dev underlay2");
                    ip("neighbor add 192.0.2.1 lladdr 02:00:00:01:00:01 dev underlay2 nud permanent");
                }
                ip(&format!(
                    "link add kernel0 mtu {inner} address 02:00:00:00:00:09 type vxlan id 7001 local 192.0.2.2 remote 192.0.2.1 dstport 4789 dev underlay2 {checksum}"
                ));
                ip("address add 10.0.1.9/24 dev kernel0");
                ip("link set kernel0 up");
                ip("neighbor add 10.0.1.1 lladdr 02:00:00:00:00:fe dev kernel0 nud permanent");
                let own = format!(
                    "[underlay]\ninterface = \"underlay1\"\nmac = \"02:00:00:01:00:01\"\naddresses = [\"192.0.2.1\"]\n\
                     mtu = {mtu}\nnext_hop = \"02:00:00:01:00:02\"\n{VPC}\
                     [[vpc.route]]\nprefix = \"10.0.1.9\"\nendpoint = \"192.0.2.2\"\nmac = \"02:00:00:00:00:09\"\n"
                );
                let text = host("near", &[1], &own) + &format!("mtu = {inner}\n");
                let switch = Started::new(&text);
                exchanges(&one).unwrap_or_else(|error| panic!("{checksum}, {mtu}: {error}"));
                ip("link del kernel0");
                switch.end();
            }
        }
    });
}
