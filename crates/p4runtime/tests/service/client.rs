//! A controller for tests: the calls of the service, and a stream whose messages can be awaited.

use std::time::Duration;

use p4runtime::message::p4::v1::stream_message_request::Update as Asked;
use p4runtime::message::p4::v1::stream_message_response::Update;
use p4runtime::message::p4::v1::{MasterArbitrationUpdate, Role, StreamMessageRequest, StreamMessageResponse, Uint128};
use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;
use tonic::{Request, Status, Streaming};
use tonic_prost::ProstCodec;

/// The time after which a test is considered hung.
pub const LONG: Duration = Duration::from_secs(30);

/// A connection of a controller.
#[derive(Clone)]
pub struct Client(Grpc<Channel>);

/// A stream of a controller.
pub struct Stream {
    sender: mpsc::UnboundedSender<StreamMessageRequest>,
    messages: Streaming<StreamMessageResponse>,
}

fn path(call: &'static str) -> PathAndQuery {
    PathAndQuery::from_static(call)
}

impl Client {
    pub async fn connect(address: std::net::SocketAddr) -> Self {
        let channel = Channel::from_shared(format!("http://{address}")).expect("an address").connect().await;
        Self(Grpc::new(channel.expect("the server listens")).max_decoding_message_size(64 << 20))
    }

    /// Makes a call with one response.
    pub async fn call<A, R>(&self, call: &'static str, request: A) -> Result<R, Status>
    where
        A: Message + 'static,
        R: Message + Default + 'static,
    {
        let mut grpc = self.0.clone();
        grpc.ready().await.expect("the connection lasts");
        let codec: ProstCodec<A, R> = ProstCodec::default();
        grpc.unary(Request::new(request), path(call), codec).await.map(tonic::Response::into_inner)
    }

    /// Makes a call with several responses, and returns all.
    pub async fn call_for_all<A, R>(&self, call: &'static str, request: A) -> Result<Vec<R>, Status>
    where
        A: Message + 'static,
        R: Message + Default + 'static,
    {
        let mut grpc = self.0.clone();
        grpc.ready().await.expect("the connection lasts");
        let codec: ProstCodec<A, R> = ProstCodec::default();
        let answered = grpc.server_streaming(Request::new(request), path(call), codec).await?;
        let (mut responses, mut all) = (answered.into_inner(), Vec::new());
        while let Some(response) = responses.message().await? {
            all.push(response);
        }
        Ok(all)
    }

    /// Opens a stream.
    pub async fn stream(&self) -> Stream {
        let (sender, requests) = mpsc::unbounded_channel();
        let mut grpc = self.0.clone();
        grpc.ready().await.expect("the connection lasts");
        let codec: ProstCodec<StreamMessageRequest, StreamMessageResponse> = ProstCodec::default();
        let requests = Request::new(UnboundedReceiverStream::new(requests));
        let opened = grpc.streaming(requests, path("/p4.v1.P4Runtime/StreamChannel"), codec).await;
        Stream { sender, messages: opened.expect("the stream opens").into_inner() }
    }
}

/// Returns a claim in a role.
pub fn claim(device_id: u64, role: &str, election_id: u64) -> Asked {
    let role = (!role.is_empty()).then(|| Role { name: role.to_owned(), ..Role::default() });
    let election_id = Some(Uint128 { high: 0, low: election_id });
    Asked::Arbitration(MasterArbitrationUpdate { device_id, role, election_id, status: None })
}

impl Stream {
    /// Sends a message.
    pub fn send(&self, update: Asked) {
        self.sender.send(StreamMessageRequest { update: Some(update) }).expect("the stream is open");
    }

    /// Returns the next message, or the status with which the stream has ended.
    pub async fn next(&mut self) -> Result<Option<Update>, Status> {
        let next = tokio::time::timeout(LONG, self.messages.message()).await.expect("a message comes in time");
        next.map(|message| message.and_then(|message| message.update))
    }

    /// Returns the code of the next message, which is a notice of arbitration.
    pub async fn standing(&mut self) -> i32 {
        match self.next().await {
            Ok(Some(Update::Arbitration(update))) => update.status.expect("a notice has a status").code,
            other => panic!("{other:?}"),
        }
    }
}
