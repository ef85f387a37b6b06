//! The service `p4.v1.P4Runtime` of gRPC: which path is which call. It is written by hand, since five calls need less than
//! a generator and the build script that would run it.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use prost::Message;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::server::{Grpc, ServerStreamingService, StreamingService, UnaryService};
use tonic::{Request, Response, Status, Streaming};
use tonic_prost::ProstCodec;

use super::calls::{Calls, ReadResponses};
use super::outgoing::Incoming;
use crate::message::p4::v1::{
    CapabilitiesRequest, CapabilitiesResponse, GetForwardingPipelineConfigRequest, GetForwardingPipelineConfigResponse,
    ReadRequest, ReadResponse, SetForwardingPipelineConfigRequest, SetForwardingPipelineConfigResponse,
    StreamMessageRequest, StreamMessageResponse, WriteRequest, WriteResponse,
};

/// The largest message that is received: a batch of some hundred thousand entries, or a long program. The specification
/// wants no less than 4 MiB (section 24.3.2).
const LARGEST_MESSAGE: usize = 64 << 20;

/// The calls as a service that tonic's server runs.
#[derive(Clone)]
pub struct P4RuntimeService(pub Arc<Calls>);

type Answer<T> = Pin<Box<dyn Future<Output = Result<Response<T>, Status>> + Send>>;

struct ReadCall(Arc<Calls>);

impl ServerStreamingService<ReadRequest> for ReadCall {
    type Response = ReadResponse;
    type ResponseStream = ReadResponses;
    type Future = Answer<ReadResponses>;

    fn call(&mut self, request: Request<ReadRequest>) -> Self::Future {
        let calls = Arc::clone(&self.0);
        Box::pin(async move { calls.read(request).await })
    }
}

struct StreamCall(Arc<Calls>);

impl StreamingService<StreamMessageRequest> for StreamCall {
    type Response = StreamMessageResponse;
    type ResponseStream = Incoming;
    type Future = Answer<Incoming>;

    fn call(&mut self, request: Request<Streaming<StreamMessageRequest>>) -> Self::Future {
        let calls = Arc::clone(&self.0);
        Box::pin(async move { calls.stream_channel(request) })
    }
}

/// Returns the encoding of a call's messages, with the limit of what is received.
fn grpc<A, R>() -> Grpc<ProstCodec<R, A>>
where
    A: Message + Default + 'static,
    R: Message + 'static,
{
    Grpc::new(ProstCodec::default()).apply_max_message_size_config(Some(LARGEST_MESSAGE), None)
}

impl P4RuntimeService {
    async fn answer(self, request: http::Request<Body>) -> http::Response<Body> {
        let calls = self.0;
        macro_rules! unary {
            ($call:ident, $request:ty, $response:ty) => {{
                struct Call(Arc<Calls>);
                impl UnaryService<$request> for Call {
                    type Response = $response;
                    type Future = Answer<$response>;

                    fn call(&mut self, request: Request<$request>) -> Self::Future {
                        let calls = Arc::clone(&self.0);
                        Box::pin(async move { calls.$call(request.into_inner()).await.map(Response::new) })
                    }
                }
                grpc::<$request, $response>().unary(Call(calls), request).await
            }};
        }
        match request.uri().path() {
            "/p4.v1.P4Runtime/Write" => unary!(write, WriteRequest, WriteResponse),
            "/p4.v1.P4Runtime/Read" => grpc().server_streaming(ReadCall(calls), request).await,
            "/p4.v1.P4Runtime/SetForwardingPipelineConfig" => {
                unary!(set_pipeline, SetForwardingPipelineConfigRequest, SetForwardingPipelineConfigResponse)
            }
            "/p4.v1.P4Runtime/GetForwardingPipelineConfig" => {
                unary!(get_pipeline, GetForwardingPipelineConfigRequest, GetForwardingPipelineConfigResponse)
            }
            "/p4.v1.P4Runtime/StreamChannel" => grpc().streaming(StreamCall(calls), request).await,
            "/p4.v1.P4Runtime/Capabilities" => unary!(capabilities, CapabilitiesRequest, CapabilitiesResponse),
            _ => Status::unimplemented("this server has the service p4.v1.P4Runtime alone").into_http(),
        }
    }
}

impl Service<http::Request<Body>> for P4RuntimeService {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.answer(request).await) })
    }
}
