//! The kernel's side: a thread with a socket of the standard library.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread::JoinHandle;

/// Sends given bytes and closes that way, while it takes what comes until the other side has closed.
pub fn exchange(stream: TcpStream, to_send: Vec<u8>) -> Vec<u8> {
    let mut writer = stream.try_clone().expect("a socket can be doubled");
    let writing = std::thread::spawn(move || {
        writer.write_all(&to_send).expect("the other side listens");
        writer.shutdown(Shutdown::Write).expect("it is open");
    });
    let mut received = Vec::new();
    (&stream).read_to_end(&mut received).expect("the other side closes");
    writing.join().expect("everything was written");
    received
}

/// Waits for one connection to a port, then [`exchange`].
pub fn serve(port: u16, to_send: Vec<u8>) -> JoinHandle<Vec<u8>> {
    let listener = TcpListener::bind((crate::host::LINUX, port)).expect("nobody else is here");
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("somebody comes");
        exchange(stream, to_send)
    })
}

/// Opens a connection to a port of ours, then [`exchange`].
pub fn connect(port: u16, to_send: Vec<u8>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let stream = TcpStream::connect((crate::host::OURS, port)).expect("somebody listens");
        exchange(stream, to_send)
    })
}
