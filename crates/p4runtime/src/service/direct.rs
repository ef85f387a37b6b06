//! The service without gRPC, for those who bring its messages another way, such as fuzzers.

use std::ops::ControlFlow;
use std::sync::Arc;

use live::MemoryInterface;
use switchd::SwitchHandle;
use tonic::Status;

use super::device::Device;
use super::outgoing::{self, Incoming};
use super::stream::Session;
use crate::message::p4::v1::{
    GetForwardingPipelineConfigRequest, GetForwardingPipelineConfigResponse, ReadRequest, ReadResponse,
    SetForwardingPipelineConfigRequest, StreamMessageRequest, StreamMessageResponse, WriteRequest,
};

/// The calls of the service as functions. They return once they are carried out.
pub struct DirectService(Arc<Device>);

/// The stream of a controller, which ends when this is dropped.
pub struct DirectStream {
    session: Session,
    incoming: Incoming,
}

impl DirectService {
    /// Returns the service of a switch, of whose link at the CPU port `cpu` is the far end. Packets that arrive there are not
    /// looked for.
    pub fn new(device_id: u64, handle: SwitchHandle, cpu: MemoryInterface) -> Self {
        Self(Arc::new(Device::new(device_id, handle, cpu)))
    }

    /// Carries out `SetForwardingPipelineConfig`.
    ///
    /// # Errors
    /// Fails with the status that the specification has.
    pub fn set_pipeline(&self, request: SetForwardingPipelineConfigRequest) -> Result<(), Status> {
        self.0.set_pipeline(request)
    }

    /// Carries out `GetForwardingPipelineConfig`.
    ///
    /// # Errors
    /// Fails with the status that the specification has.
    pub fn get_pipeline(
        &self,
        request: &GetForwardingPipelineConfigRequest,
    ) -> Result<GetForwardingPipelineConfigResponse, Status> {
        self.0.get_pipeline(request)
    }

    /// Carries out `Write`.
    ///
    /// # Errors
    /// Fails with the status that the specification has.
    pub fn write(&self, request: &WriteRequest) -> Result<(), Status> {
        self.0.write(request)
    }

    /// Carries out `Read`, and returns all messages of the answer.
    ///
    /// # Errors
    /// Fails with the status that the specification has.
    pub fn read(&self, request: &ReadRequest) -> Result<Vec<ReadResponse>, Status> {
        let mut all = Vec::new();
        self.0.read(request, &mut |response| {
            all.push(response);
            ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// Opens a stream.
    pub fn stream(&self) -> DirectStream {
        let (outgoing, incoming) = outgoing::queue();
        DirectStream { session: Session::begin(Arc::clone(&self.0), outgoing), incoming }
    }
}

impl DirectStream {
    /// Carries out a message of the controller.
    ///
    /// # Errors
    /// Fails with the status with which the stream ends; then it is to be dropped.
    pub fn send(&self, message: StreamMessageRequest) -> Result<(), Status> {
        self.session.receive(message)
    }

    /// Takes the next message for the controller, if one waits.
    pub fn next(&self) -> Option<StreamMessageResponse> {
        self.incoming.take()
    }
}
