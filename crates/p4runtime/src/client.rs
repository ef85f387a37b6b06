//! A controller's end of the protocol: the calls of the service, and a stream whose messages can be awaited.
//!
//! It is for tests and measurements, and is there with the feature `client` alone, since a server connects to nobody.

use std::net::SocketAddr;
use std::time::Duration;

use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status, Streaming};
use tonic_prost::ProstCodec;

use crate::message::p4::v1::stream_message_request::Update as Asked;
use crate::message::p4::v1::stream_message_response::Update;
use crate::message::p4::v1::{MasterArbitrationUpdate, Role, StreamMessageRequest, StreamMessageResponse, Uint128};

/// The path of the call `Write`.
pub const WRITE: &str = "/p4.v1.P4Runtime/Write";
/// The path of the call `Read`.
pub const READ: &str = "/p4.v1.P4Runtime/Read";
/// The path of the call `SetForwardingPipelineConfig`.
pub const SET_PIPELINE: &str = "/p4.v1.P4Runtime/SetForwardingPipelineConfig";
/// The path of the call `GetForwardingPipelineConfig`.
pub const GET_PIPELINE: &str = "/p4.v1.P4Runtime/GetForwardingPipelineConfig";
/// The path of the call `Capabilities`.
pub const CAPABILITIES: &str = "/p4.v1.P4Runtime/Capabilities";
/// The path of the call `StreamChannel`.
const STREAM_CHANNEL: &str = "/p4.v1.P4Runtime/StreamChannel";

/// The longest time for which the next message of a stream is awaited.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// The largest message that is received.
const LARGEST_MESSAGE: usize = 64 << 20;
/// The bytes that a server may send before it hears that they were taken.
const WINDOW: u32 = 1 << 20;
/// The most messages of a stream that wait to be sent.
const MOST_WAITING: usize = 256;

/// A connection to a server. Clones share it.
#[derive(Clone, Debug)]
pub struct Client(Grpc<Channel>);

/// A stream of a controller, which ends when this is dropped.
#[derive(Debug)]
pub struct Stream {
    sender: mpsc::Sender<StreamMessageRequest>,
    messages: Streaming<StreamMessageResponse>,
}

fn unavailable(error: impl std::fmt::Display) -> Status {
    Status::unavailable(format!("there is no connection to the server: {error}"))
}

impl Client {
    /// Connects to the server at an address, without TLS.
    ///
    /// # Errors
    /// Fails with `UNAVAILABLE` if nobody listens there.
    pub async fn connect(address: SocketAddr) -> Result<Self, Status> {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).map_err(unavailable)?;
        let endpoint = endpoint.initial_stream_window_size(WINDOW).initial_connection_window_size(WINDOW);
        let channel = endpoint.tcp_nodelay(true).connect().await.map_err(unavailable)?;
        Ok(Self::over(channel))
    }

    /// Returns a client of a connection that was made already, such as one with TLS.
    pub fn over(channel: Channel) -> Self {
        Self(Grpc::new(channel).max_decoding_message_size(LARGEST_MESSAGE))
    }

    /// Makes a call with one response.
    ///
    /// # Errors
    /// Fails with the status of the server, or with `UNAVAILABLE` if the connection is over.
    pub async fn call<A, R>(&self, call: &'static str, request: A) -> Result<R, Status>
    where
        A: Message + 'static,
        R: Message + Default + 'static,
    {
        let mut grpc = self.0.clone();
        grpc.ready().await.map_err(unavailable)?;
        let codec: ProstCodec<A, R> = ProstCodec::default();
        let answered = grpc.unary(Request::new(request), PathAndQuery::from_static(call), codec).await;
        answered.map(tonic::Response::into_inner)
    }

    /// Makes a call with several responses, and returns all.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub async fn call_for_all<A, R>(&self, call: &'static str, request: A) -> Result<Vec<R>, Status>
    where
        A: Message + 'static,
        R: Message + Default + 'static,
    {
        let mut grpc = self.0.clone();
        grpc.ready().await.map_err(unavailable)?;
        let codec: ProstCodec<A, R> = ProstCodec::default();
        let answered = grpc.server_streaming(Request::new(request), PathAndQuery::from_static(call), codec).await?;
        let (mut responses, mut all) = (answered.into_inner(), Vec::new());
        while let Some(response) = responses.message().await? {
            all.push(response);
        }
        Ok(all)
    }

    /// Opens a stream.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub async fn stream(&self) -> Result<Stream, Status> {
        let (sender, requests) = mpsc::channel(MOST_WAITING);
        let mut grpc = self.0.clone();
        grpc.ready().await.map_err(unavailable)?;
        let codec: ProstCodec<StreamMessageRequest, StreamMessageResponse> = ProstCodec::default();
        let requests = Request::new(ReceiverStream::new(requests));
        let opened = grpc.streaming(requests, PathAndQuery::from_static(STREAM_CHANNEL), codec).await?;
        Ok(Stream { sender, messages: opened.into_inner() })
    }
}

/// Returns a claim in a role, of which the empty name is the default one.
pub fn claim(device_id: u64, role: &str, election_id: u64) -> Asked {
    let role = (!role.is_empty()).then(|| Role { name: role.to_owned(), ..Role::default() });
    let election_id = Some(Uint128 { high: 0, low: election_id });
    Asked::Arbitration(MasterArbitrationUpdate { device_id, role, election_id, status: None })
}

impl Stream {
    /// Sends a message, once there is room for it. A message to a server that has ended the stream is lost;
    /// [`Stream::next`] says why.
    pub async fn send(&self, update: Asked) {
        let _ = self.sender.send(StreamMessageRequest { update: Some(update) }).await;
    }

    /// Returns the next message; `None` at the end of the stream.
    ///
    /// # Errors
    /// Fails with the status with which the stream has ended, or with `DEADLINE_EXCEEDED` if nothing comes for 30 seconds.
    pub async fn next(&mut self) -> Result<Option<Update>, Status> {
        let next = tokio::time::timeout(LONGEST_WAIT, self.messages.message()).await;
        let next = next.map_err(|_| Status::deadline_exceeded("the server has sent nothing for a long time"))?;
        next.map(|message| message.and_then(|message| message.update))
    }

    /// Returns the code of the next message, which is a notice of arbitration: 0 for the primary.
    ///
    /// # Errors
    /// As [`Stream::next`], and with `INTERNAL` if it is no such notice.
    pub async fn standing(&mut self) -> Result<i32, Status> {
        match self.next().await? {
            Some(Update::Arbitration(MasterArbitrationUpdate { status: Some(status), .. })) => Ok(status.code),
            other => Err(Status::internal(format!("this is no notice of arbitration: {other:?}"))),
        }
    }
}
