//! The four workloads between two hosts, with ordinary sockets.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::host::Host;

/// The address of the host that asks.
pub const CLIENT: Ipv4Addr = Ipv4Addr::new(10, 0, 1, 2);
/// The address of the host that is asked.
pub const SERVER: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 2);
/// Another address that frames for that host may have. No interface has it, so that the host counts and drops their packets.
pub const NOBODY: Ipv4Addr = Ipv4Addr::new(10, 0, 2, 3);

const SINK: SocketAddrV4 = SocketAddrV4::new(SERVER, 1001);
const ECHO: SocketAddrV4 = SocketAddrV4::new(SERVER, 1002);
const GREETER: SocketAddrV4 = SocketAddrV4::new(SERVER, 1003);
const DATAGRAMS: SocketAddrV4 = SocketAddrV4::new(SERVER, 1004);

/// The data of a datagram, with which its frame has the least length of Ethernet.
const DATAGRAM: [u8; 18] = [5; 18];
/// How long a host waits for an answer before the measurement is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// The traffic that got from host to host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The bytes of one TCP connection, in 10^9 bits per second.
    pub tcp_gigabits_per_second: f64,
    /// The UDP datagrams of 18 bytes that arrived per second.
    pub datagrams_per_second: f64,
    /// The exchanges of one byte each way per second, one after the other over one TCP connection.
    pub exchanges_per_second: f64,
    /// The TCP connections per second, one after the other, each with one such exchange.
    pub connections_per_second: f64,
}

impl Figures {
    /// Returns the figures in the order in which they are measured.
    pub fn all(self) -> [f64; 4] {
        let Self { tcp_gigabits_per_second, datagrams_per_second, exchanges_per_second, connections_per_second } = self;
        [tcp_gigabits_per_second, datagrams_per_second, exchanges_per_second, connections_per_second]
    }

    /// Returns figures from what [`Figures::all`] returns.
    pub fn of([tcp, datagrams, exchanges, connections]: [f64; 4]) -> Self {
        Self {
            tcp_gigabits_per_second: tcp,
            datagrams_per_second: datagrams,
            exchanges_per_second: exchanges,
            connections_per_second: connections,
        }
    }
}

/// The servers on one host, for all of its addresses. Their threads live until the process ends.
pub struct Servers {
    datagrams: Arc<AtomicU64>,
}

impl Servers {
    /// Starts the servers on a host.
    ///
    /// # Errors
    /// If a port is taken.
    pub fn start(host: &Host) -> io::Result<Self> {
        let any = |address: SocketAddrV4| SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, address.port());
        host.run(|| {
            serve(TcpListener::bind(any(SINK))?, sink);
            serve(TcpListener::bind(any(ECHO))?, echo);
            serve(TcpListener::bind(any(GREETER))?, greet);
            let socket = UdpSocket::bind(any(DATAGRAMS))?;
            let datagrams = Arc::new(AtomicU64::new(0));
            let count = Arc::clone(&datagrams);
            thread::spawn(move || {
                let mut datagram = [0; 64];
                while socket.recv(&mut datagram).is_ok() {
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
            Ok(Self { datagrams })
        })
    }

    /// Waits until a connection gets through.
    ///
    /// # Errors
    /// If none does within ten seconds.
    pub fn wait(&self, client: &Host) -> io::Result<()> {
        client.run(|| {
            let end = Instant::now() + PATIENCE;
            loop {
                match TcpStream::connect_timeout(&ECHO.into(), Duration::from_millis(200)) {
                    Ok(_) => return Ok(()),
                    Err(error) if Instant::now() > end => return Err(error),
                    Err(_) => thread::sleep(Duration::from_millis(10)),
                }
            }
        })
    }

    /// Runs the four workloads one after the other, each for a time.
    ///
    /// # Errors
    /// If a connection breaks or nothing comes for ten seconds.
    pub fn measure(&self, client: &Host, time: Duration) -> io::Result<Figures> {
        client.run(|| {
            Ok(Figures {
                tcp_gigabits_per_second: transfer(time)?,
                datagrams_per_second: self.flood(time)?,
                exchanges_per_second: exchange(time)?,
                connections_per_second: connect(time)?,
            })
        })
    }

    /// Sends datagrams as fast as the host can, and returns how many arrive per second while it sends.
    fn flood(&self, time: Duration) -> io::Result<f64> {
        let socket = UdpSocket::bind((CLIENT, 0))?;
        socket.connect(DATAGRAMS)?;
        let (before, start) = (self.datagrams.load(Ordering::Relaxed), Instant::now());
        while start.elapsed() < time {
            for _ in 0..16 {
                // A full queue of the interface refuses one, which is lost then as others are.
                let _ = socket.send(&DATAGRAM);
            }
        }
        let rate = (self.datagrams.load(Ordering::Relaxed) - before) as f64 / start.elapsed().as_secs_f64();
        // What waits somewhere is not to disturb the next workload.
        thread::sleep(Duration::from_millis(50));
        Ok(rate)
    }
}

/// Answers each connection on a thread of its own.
fn serve(listener: TcpListener, answer: fn(TcpStream) -> io::Result<()>) {
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that breaks off concerns nobody else, and says so itself.
            thread::spawn(move || answer(stream));
        }
    });
}

/// Reads everything, and says how much it was.
fn sink(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 17];
    let mut total = 0u64;
    loop {
        match stream.read(&mut buffer)? {
            0 => return stream.write_all(&total.to_be_bytes()),
            length => total += length as u64,
        }
    }
}

/// Sends each byte back.
fn echo(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut byte = [0];
    while stream.read(&mut byte)? == 1 {
        stream.write_all(&byte)?;
    }
    Ok(())
}

/// Sends one byte back and closes first, so that the ports of the client are free again at once.
fn greet(mut stream: TcpStream) -> io::Result<()> {
    let mut byte = [0];
    stream.read_exact(&mut byte)?;
    stream.write_all(&byte)
}

fn open(address: SocketAddrV4) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address.into(), PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Returns the gigabits per second that one connection carries.
fn transfer(time: Duration) -> io::Result<f64> {
    let mut stream = open(SINK)?;
    let data = vec![7; 1 << 17];
    let start = Instant::now();
    while start.elapsed() < time {
        stream.write_all(&data)?;
    }
    stream.shutdown(Shutdown::Write)?;
    let mut total = [0; 8];
    stream.read_exact(&mut total)?;
    Ok(u64::from_be_bytes(total) as f64 * 8e-9 / start.elapsed().as_secs_f64())
}

/// Returns the exchanges of a byte each way per second.
fn exchange(time: Duration) -> io::Result<f64> {
    let mut stream = open(ECHO)?;
    let mut byte = [0];
    rate(time, || {
        stream.write_all(&[1])?;
        stream.read_exact(&mut byte)
    })
}

/// Returns the connections per second.
fn connect(time: Duration) -> io::Result<f64> {
    rate(time, || {
        let mut stream = open(GREETER)?;
        stream.write_all(&[1])?;
        let answer = stream.read_to_end(&mut Vec::new())?;
        if answer == 1 { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    })
}

/// Repeats something for a time, and returns how often it happened per second.
fn rate(time: Duration, mut body: impl FnMut() -> io::Result<()>) -> io::Result<f64> {
    let (start, mut count) = (Instant::now(), 0u64);
    while start.elapsed() < time {
        body()?;
        count += 1;
    }
    Ok(count as f64 / start.elapsed().as_secs_f64())
}
