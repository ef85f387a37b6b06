//! The reasons why a request or a part of it is refused, with the code that the specification gives for each.

use control::{EntryError, PipeError, ProfileError};

use crate::message::google::rpc::{Code, Status};

/// The reason why an update, a request of a `Read`, or a whole call is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The code.
    pub code: Code,
    /// The description of the mistake and its place.
    pub message: String,
}

impl Failure {
    /// Creates a failure.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Creates a failure for a request that is wrong whatever the state.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// Creates a failure for what this server does not do.
    pub fn unimplemented(message: impl Into<String>) -> Self {
        Self::new(Code::Unimplemented, message)
    }

    /// Creates a failure for an entity that does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message)
    }

    /// Creates a failure for a value that does not fit.
    pub fn out_of_range(message: impl Into<String>) -> Self {
        Self::new(Code::OutOfRange, message)
    }

    /// Says in the message what the failure is about.
    pub fn about(self, place: impl std::fmt::Display) -> Self {
        Self { message: format!("{place}: {}", self.message), ..self }
    }
}

impl From<control::Error> for Failure {
    fn from(error: control::Error) -> Self {
        Self { code: code(&error), message: error.to_string() }
    }
}

/// Returns the code of an error: sections 9 and 12 of the specification give it for each entity.
fn code(error: &control::Error) -> Code {
    use control::Error;
    match error {
        Error::Entry { error, .. } => match error {
            EntryError::Full { .. } | EntryError::Exhausted => Code::ResourceExhausted,
            EntryError::Duplicate { .. } => Code::AlreadyExists,
            EntryError::Missing { .. } => Code::NotFound,
            EntryError::HitsNotRecorded => Code::Unimplemented,
            // A valid action in a place that its scope forbids is refused in the same way (section 9.1.2).
            EntryError::ConstantEntry { .. }
            | EntryError::ConstantTable
            | EntryError::ConstantDefault
            | EntryError::OnlyDefault { .. }
            | EntryError::OnlyEntries { .. } => Code::PermissionDenied,
            _ => Code::InvalidArgument,
        },
        Error::Profile { error, .. } => match error {
            ProfileError::Full { .. }
            | ProfileError::TooManyGroups { .. }
            | ProfileError::GroupFull { .. }
            | ProfileError::SelectorFull { .. }
            // A size above P4Info's is refused before; this one is the switch's own limit (section 9.2.4.1).
            | ProfileError::MaximumSizeTooLarge { .. } => Code::ResourceExhausted,
            ProfileError::MemberExists(_) | ProfileError::GroupExists(_) => Code::AlreadyExists,
            ProfileError::NoMember(_) | ProfileError::NoGroup(_) => Code::NotFound,
            ProfileError::MemberInUse(_) | ProfileError::GroupInUse(_) => Code::FailedPrecondition,
            _ => Code::InvalidArgument,
        },
        Error::OutOfRange { .. } => Code::OutOfRange,
        Error::ValueSetFull { .. } => Code::ResourceExhausted,
        Error::ReplicationExists { .. } => Code::AlreadyExists,
        Error::NoReplication { .. } => Code::NotFound,
        // The machine still has packets that must not see the change; later it can be made.
        Error::PacketsInside { .. } => Code::Unavailable,
        // What is written by pipe can be written to all pipes again after it was emptied.
        Error::Pipe(PipeError::ByPipe { .. } | PipeError::ToAll { .. }) => Code::FailedPrecondition,
        _ => Code::InvalidArgument,
    }
}

/// A failure of a whole call has no details.
impl From<Failure> for Status {
    fn from(failure: Failure) -> Self {
        Self { code: failure.code.into(), message: failure.message, details: Vec::new() }
    }
}
