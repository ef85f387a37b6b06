//! Behaviour of peers beside transfers: they refuse connections, stop reading for a while, and reset connections.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::time::Duration;

use demand::Wanted;
use transports::tcp::{Algorithm, TcpParameters};
use transports::{Endpoint, Transport};

use crate::faults::Faults;
use crate::host::{Exchange, LINUX, Live, OURS};
use crate::linux;
use crate::namespace::within;
use crate::transfers::random_bytes;

const PORT: u16 = 80;

fn live(parameters: TcpParameters) -> Live {
    Live::new(parameters, Faults::default(), Faults::default(), 1)
}

fn data_center() -> TcpParameters {
    TcpParameters::data_center(Algorithm::CUBIC)
}

#[test]
fn a_port_without_a_listener_refuses() {
    within("peers::a_port_without_a_listener_refuses", || {
        let mut live = live(data_center());
        let thread = std::thread::spawn(|| TcpStream::connect((OURS, PORT)).map_err(|error| error.kind()));
        live.run(|_, _| if thread.is_finished() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
        assert_eq!(thread.join().unwrap().err(), Some(ErrorKind::ConnectionRefused));
        // And in the opposite direction.
        let mut socket = None;
        let status = live.run(|tcp, now| {
            let socket = *socket.get_or_insert_with(|| tcp.open(now, LINUX.to_bits(), PORT).unwrap());
            let status = tcp.status(socket);
            if status.is_over { ControlFlow::Break(status) } else { ControlFlow::Continue(()) }
        });
        assert!(status.is_broken && !status.is_open);
        assert_eq!((live.counter("resets_sent"), live.counter("resets_received")), (1, 1));
    });
}

/// The kernel's window closes: data waits in both hosts, and the window is probed until there is room.
#[test]
fn waits_for_a_kernel_application_that_does_not_read() {
    within("peers::waits_for_a_kernel_application_that_does_not_read", || {
        let bytes = random_bytes(1, 16 << 20);
        let listener = TcpListener::bind((LINUX, PORT)).unwrap();
        let thread = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            std::thread::sleep(Duration::from_millis(500));
            let mut received = Vec::new();
            stream.read_to_end(&mut received).unwrap();
            received
        });
        let mut live = live(data_center());
        let mut rest = &bytes[..];
        let mut socket = None;
        live.run(|tcp, now| {
            let socket = *socket.get_or_insert_with(|| tcp.open(now, LINUX.to_bits(), PORT).unwrap());
            rest = &rest[tcp.send(now, socket, rest)..];
            if rest.is_empty() {
                tcp.close(now, socket);
            }
            let status = tcp.status(socket);
            assert!(!status.is_broken);
            if status.is_closed { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(thread.join().unwrap() == bytes);
    });
}

/// Our window closes, and opens again when the application has read.
#[test]
fn the_kernel_waits_for_our_slow_application() {
    within("peers::the_kernel_waits_for_our_slow_application", || {
        let bytes = random_bytes(1, 1 << 20);
        let mut live = live(TcpParameters { receive_buffer: 100_000, ..data_center() });
        let (mut exchange, mut thread) = (None, None);
        let mut pauses = 0;
        let received = live.run(|tcp, now| {
            thread.get_or_insert_with(|| {
                tcp.listen(PORT);
                linux::connect(PORT, bytes.clone())
            });
            exchange = exchange.take().or_else(|| tcp.accept().map(|(socket, _)| Exchange::new(socket, &[])));
            let Some(exchange) = &mut exchange else { return ControlFlow::Continue(()) };
            let unread = tcp.status(exchange.socket).unread;
            if unread == 100_000 {
                // Everything is full, and the kernel has time to notice.
                std::thread::sleep(Duration::from_millis(1));
                pauses += 1;
            } else if exchange.received.len() + unread < bytes.len() {
                return ControlFlow::Continue(());
            }
            let status = exchange.turn(tcp, now);
            assert!(!status.is_broken);
            if !(status.has_ended && status.is_closed) {
                return ControlFlow::Continue(());
            }
            ControlFlow::Break(std::mem::take(&mut exchange.received))
        });
        assert!(received == bytes);
        assert!(pauses >= 10, "the window closed {pauses} times");
        thread.unwrap().join().unwrap();
    });
}

/// The kernel resets the connection if an application closes with unread bytes.
#[test]
fn a_reset_breaks_the_connection() {
    within("peers::a_reset_breaks_the_connection", || {
        let mut live = live(data_center());
        let listener = TcpListener::bind((LINUX, PORT)).unwrap();
        let thread = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(b"hello").unwrap();
            std::thread::sleep(Duration::from_millis(20));
        });
        let mut socket = None;
        let mut received = Vec::new();
        let status = live.run(|tcp, now| {
            let is_new = socket.is_none();
            let socket = *socket.get_or_insert_with(|| tcp.open(now, LINUX.to_bits(), PORT).unwrap());
            if is_new {
                tcp.send(now, socket, b"nobody reads this");
            }
            tcp.receive_bytes(now, socket, &mut received);
            let status = tcp.status(socket);
            if status.is_over { ControlFlow::Break(status) } else { ControlFlow::Continue(()) }
        });
        thread.join().unwrap();
        assert!(status.is_broken && !status.has_ended);
        assert_eq!(received, b"hello");
    });
}

/// As in simulations, the FIN determines the length, every service listens, and the bytes of a message of which only
/// the length matters are zeros.
#[test]
fn messages_are_connections_for_the_kernel() {
    within("peers::messages_are_connections_for_the_kernel", || {
        let mut live = live(data_center());
        let receiver = |port: u16| {
            let listener = TcpListener::bind((LINUX, port)).unwrap();
            std::thread::spawn(move || {
                let mut received = Vec::new();
                listener.accept().unwrap().0.read_to_end(&mut received).unwrap();
                received
            })
        };
        let receivers = [receiver(5007), receiver(5008)];
        let bytes = random_bytes(1, 1 << 20);
        let length = Wanted { service: 7, ..Wanted::of_length(LINUX.to_bits(), 1 << 20) };
        let content = Wanted { service: 8, content: bytes.clone().into(), ..length.clone() };
        let mut is_submitted = false;
        let sender = linux::connect(5003, vec![1; 1 << 20]);
        live.run(|tcp, now| {
            if !is_submitted {
                is_submitted = true;
                tcp.submit(now, length.clone().numbered(0)).expect("messages may be lengths for one host");
                tcp.submit(now, content.clone().numbered(1)).expect("TCP carries bytes");
            }
            let is_received = receivers.iter().all(|receiver| receiver.is_finished());
            let is_done = is_received && sender.is_finished() && tcp.waiting(now).is_empty();
            if is_done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let [of_length, of_content] = receivers.map(|receiver| receiver.join().unwrap());
        assert!(of_length == vec![0; 1 << 20]);
        assert!(of_content == bytes);
        assert_eq!(sender.join().unwrap(), [0; 0]);
        assert_eq!((live.counter("messages_delivered"), live.counter("bytes_delivered")), (1, 1 << 20));
        assert_eq!((live.counter("messages_completed"), live.counter("messages_abandoned")), (2, 0));
    });
}
