//! `StreamChannel`: the messages of one controller (P4Runtime specification 1.4, section 16).

use std::sync::Arc;

use tonic::{Status, Streaming};
use wire::Packet;

use super::device::{Device, count};
use super::outgoing::Outgoing;
use super::target::lock;
use crate::Failure;
use crate::arbitration::Client;
use crate::message::google::protobuf::Any;
use crate::message::google::rpc::Code;
use crate::message::p4::v1::stream_error::Details;
use crate::message::p4::v1::stream_message_request::Update as Asked;
use crate::message::p4::v1::stream_message_response::Update;
use crate::message::p4::v1::{
    DigestListAck, DigestListAckError, PacketOut, PacketOutError, StreamError, StreamMessageRequest, StreamOtherError,
};

/// The session of a controller: its stream, whose messages somebody brings. It ends when this is dropped.
pub struct Session {
    device: Arc<Device>,
    client: Client,
    outgoing: Outgoing,
}

impl Session {
    /// Returns the session of a controller that has not said anything yet.
    pub fn begin(device: Arc<Device>, outgoing: Outgoing) -> Self {
        let client = device.sessions.join(outgoing.clone());
        Self { device, client, outgoing }
    }

    /// Carries out a message.
    ///
    /// # Errors
    /// Fails with the status with which the stream ends.
    pub fn receive(&self, message: StreamMessageRequest) -> Result<(), Status> {
        handle(&self.device, self.client, message, &self.outgoing)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.device.sessions.leave(self.client) {
            lock(&self.device.digests).forget_sent();
        }
    }
}

/// Serves the stream of a controller until either end closes it.
pub async fn serve(device: Arc<Device>, mut messages: Streaming<StreamMessageRequest>, outgoing: Outgoing) {
    let session = Session::begin(device, outgoing.clone());
    let end = loop {
        match messages.message().await {
            Ok(Some(message)) => {
                if let Err(status) = session.receive(message) {
                    break Err(status);
                }
            }
            Ok(None) => break Ok(()),
            // The connection is broken, or a message was none.
            Err(status) => break Err(status),
        }
        // A controller that sends without pause shares the thread with the others.
        tokio::task::consume_budget().await;
    };
    drop(session);
    outgoing.end(end);
}

/// Carries out a message. Fails with the status with which the stream ends.
fn handle(device: &Device, client: Client, message: StreamMessageRequest, outgoing: &Outgoing) -> Result<(), Status> {
    let refused = match message.update {
        None => {
            return Err(Status::invalid_argument("the message is empty, or of a kind that this server does not know"));
        }
        Some(Asked::Arbitration(update)) => {
            if device.sessions.claim(client, update)? {
                // The new primary has not been sent what the one before was.
                lock(&device.digests).forget_sent();
            }
            return Ok(());
        }
        Some(Asked::Packet(packet)) => packet_out(device, client, packet).err(),
        Some(Asked::DigestAck(ack)) => acknowledge(device, client, ack).err(),
        Some(Asked::Other(other)) => Some(unknown(other)),
    };
    if let Some((failure, details)) = refused {
        // It is for people who look for a mistake, and lost if the controller takes nothing.
        outgoing.send(Update::Error(StreamError {
            canonical_code: failure.code.into(),
            message: failure.message,
            details: Some(details),
            ..StreamError::default()
        }));
    }
    Ok(())
}

type Refused = (Failure, Details);

fn packet_out(device: &Device, client: Client, packet: PacketOut) -> Result<(), Refused> {
    let refuse = |failure| (failure, Details::PacketOut(PacketOutError { packet_out: Some(packet.clone()) }));
    if !device.sessions.is_primary(client) {
        let message = "only the primary controller of a role may send packets";
        return Err(refuse(Failure::new(Code::PermissionDenied, message)));
    }
    let no_program = || Failure::new(Code::FailedPrecondition, "the device has no program yet");
    let view = device.running().ok_or_else(|| refuse(no_program()))?;
    let bytes = view.headers.packet_out(&packet).map_err(refuse)?;
    if device.cpu.send_packet(Packet::of_bytes(&bytes)).is_err() {
        count(&device.packets.refused, 1);
        let message = "the switch has no room for the packet: it gets more than it can take";
        let failure = Failure::new(Code::ResourceExhausted, message);
        return Err((failure, Details::PacketOut(PacketOutError::default())));
    }
    count(&device.packets.received, 1);
    Ok(())
}

fn acknowledge(device: &Device, client: Client, ack: DigestListAck) -> Result<(), Refused> {
    let refuse = |code, message: String| {
        (Failure::new(code, message), Details::DigestListAck(DigestListAckError { digest_list_ack: Some(ack.clone()) }))
    };
    if !device.sessions.is_primary(client) {
        return Err(refuse(
            Code::PermissionDenied,
            "only the primary controller of a role acknowledges digests".into(),
        ));
    }
    let view = device.running();
    let digest = view.and_then(|view| view.info().digest_with_id(ack.digest_id));
    let unknown = || refuse(Code::InvalidArgument, format!("the program has no digest with id {}", ack.digest_id));
    lock(&device.digests).acknowledge(digest.ok_or_else(unknown)?, ack.list_id);
    Ok(())
}

fn unknown(other: Any) -> Refused {
    let message = format!("this server knows no stream messages of the type {}", other.type_url);
    (Failure::unimplemented(message), Details::Other(StreamOtherError { other: Some(other) }))
}
