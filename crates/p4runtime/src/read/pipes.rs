//! Answers of switches with several pipes, of which P4Runtime knows nothing.

use control::Response;

use crate::failure::Failure;
use crate::message::google::rpc::Code;

/// Returns the answer of all pipes as one: the sum of what they have counted, or what all of them hold.
///
/// # Errors
/// Fails if the pipes hold different values that cannot be added up.
pub(super) fn as_one(response: Response) -> Result<Response, Failure> {
    match response.merged() {
        Response::ByPipe(pipes) => {
            let message = format!(
                "the {} pipes of the switch hold different values, and P4Runtime cannot name a pipe; lines of the \
                 control plane can, such as `pipe 0 register_read NAME`",
                pipes.len()
            );
            Err(Failure::new(Code::FailedPrecondition, message))
        }
        response => Ok(response),
    }
}
