//! The kernel's side: a thread with a socket of the standard library.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread::JoinHandle;

/// Sends given bytes and closes that direction, while it receives until the peer has closed.
pub fn exchange(stream: TcpStream, to_send: Vec<u8>) -> Vec<u8> {
    let mut writer = stream.try_clone().expect("a socket can be cloned");
    let writing = std::thread::spawn(move || {
        writer.write_all(&to_send).expect("the peer receives");
        writer.shutdown(Shutdown::Write).expect("the socket is open");
    });
    let mut received = Vec::new();
    (&stream).read_to_end(&mut received).expect("the peer closes");
    writing.join().expect("the writing thread has finished");
    received
}

/// Accepts one connection to a port, then calls [`exchange`].
pub fn serve(port: u16, to_send: Vec<u8>) -> JoinHandle<Vec<u8>> {
    let listener = TcpListener::bind((crate::host::LINUX, port)).expect("the port is free in this namespace");
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("the peer connects");
        exchange(stream, to_send)
    })
}

/// Connects to one of our ports, then calls [`exchange`].
pub fn connect(port: u16, to_send: Vec<u8>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let stream = TcpStream::connect((crate::host::OURS, port)).expect("our host listens");
        exchange(stream, to_send)
    })
}
