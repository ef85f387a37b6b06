//! The calls of the service. What may take long is done on threads for that, so that no call waits for another one.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};
use tokio_stream::Stream;
use tonic::{Request, Response, Status, Streaming};

use super::device::Device;
use super::outgoing::{self, Incoming};
use super::stream;
use super::target::lock;
use crate::message::p4::v1::{
    CapabilitiesRequest, CapabilitiesResponse, GetForwardingPipelineConfigRequest, GetForwardingPipelineConfigResponse,
    ReadRequest, ReadResponse, SetForwardingPipelineConfigRequest, SetForwardingPipelineConfigResponse,
    StreamMessageRequest, WriteRequest, WriteResponse,
};

/// The version of the specification that this server follows (section 18).
pub const VERSION: &str = "1.4.0";
/// The most reads of one connection that are answered at once; more wait.
const MOST_READS: usize = 4;
/// The most messages of an answer that wait for the reader.
const MOST_PIECES: usize = 4;
/// The longest time for which a reader may take nothing of an answer.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The calls of the service.
pub struct Calls {
    device: Arc<Device>,
    /// The reads that each connection may begin.
    readers: Mutex<HashMap<Option<SocketAddr>, Weak<Semaphore>>>,
}

/// The messages of an answer to `Read`.
pub struct ReadResponses(mpsc::Receiver<Result<ReadResponse, Status>>);

impl Stream for ReadResponses {
    type Item = Result<ReadResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}

impl Calls {
    /// Returns the calls to a device.
    pub fn new(device: Arc<Device>) -> Self {
        Self { device, readers: Mutex::default() }
    }

    /// Does work on a thread that may wait.
    async fn apart<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Device) -> Result<R, Status> + Send + 'static,
    ) -> Result<R, Status> {
        let device = Arc::clone(&self.device);
        let done = tokio::task::spawn_blocking(move || work(&device)).await;
        done.unwrap_or_else(|_| Err(Status::internal("the request could not be carried out; please report it")))
    }

    /// `Write`.
    pub async fn write(&self, request: WriteRequest) -> Result<WriteResponse, Status> {
        self.apart(move |device| device.write(&request).map(|()| WriteResponse {})).await
    }

    /// `SetForwardingPipelineConfig`.
    pub async fn set_pipeline(
        &self,
        request: SetForwardingPipelineConfigRequest,
    ) -> Result<SetForwardingPipelineConfigResponse, Status> {
        self.apart(move |device| device.set_pipeline(request).map(|()| SetForwardingPipelineConfigResponse {})).await
    }

    /// `GetForwardingPipelineConfig`.
    pub async fn get_pipeline(
        &self,
        request: GetForwardingPipelineConfigRequest,
    ) -> Result<GetForwardingPipelineConfigResponse, Status> {
        self.apart(move |device| device.get_pipeline(&request)).await
    }

    /// `Capabilities`.
    pub async fn capabilities(&self, request: CapabilitiesRequest) -> Result<CapabilitiesResponse, Status> {
        // A device of number 0 is asked for by nobody: 0 is no device here (section 17).
        if request.device_id != 0 {
            self.device.sessions.check_device(request.device_id)?;
        }
        Ok(CapabilitiesResponse { p4runtime_api_version: VERSION.to_owned(), ..CapabilitiesResponse::default() })
    }

    /// `Read`.
    pub async fn read(&self, request: Request<ReadRequest>) -> Result<Response<ReadResponses>, Status> {
        let reads = self.reads_of(request.remote_addr());
        // It is never closed.
        let permit = reads.acquire_owned().await.map_err(|_| Status::unavailable("the server ends"))?;
        let request = request.into_inner();
        let (sender, receiver) = mpsc::channel(MOST_PIECES);
        let (device, runtime) = (Arc::clone(&self.device), tokio::runtime::Handle::current());
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let send = |piece| {
                let sent = tokio::time::timeout(LONGEST_PAUSE, sender.send(piece));
                runtime.block_on(async { matches!(sent.await, Ok(Ok(()))) })
            };
            let mut next =
                |response| if send(Ok(response)) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
            if let Err(status) = device.read(&request, &mut next) {
                send(Err(status));
            }
        });
        Ok(Response::new(ReadResponses(receiver)))
    }

    fn reads_of(&self, connection: Option<SocketAddr>) -> Arc<Semaphore> {
        let mut readers = lock(&self.readers);
        if let Some(known) = readers.get(&connection).and_then(Weak::upgrade) {
            return known;
        }
        readers.retain(|_, reads| reads.strong_count() > 0);
        let reads = Arc::new(Semaphore::new(MOST_READS));
        readers.insert(connection, Arc::downgrade(&reads));
        reads
    }

    /// `StreamChannel`.
    pub fn stream_channel(
        &self,
        request: Request<Streaming<StreamMessageRequest>>,
    ) -> Result<Response<Incoming>, Status> {
        let (outgoing, incoming) = outgoing::queue();
        tokio::spawn(stream::serve(Arc::clone(&self.device), request.into_inner(), outgoing));
        Ok(Response::new(incoming))
    }
}
