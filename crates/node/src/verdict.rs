//! Why a packet was not forwarded. A packet that is not forwarded is never an error; it is counted here.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a node discarded a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Reason {
    /// The program said so.
    Program,
    /// The queue in front of a stateful stage was full when the packet came (no placeholders in use).
    StageQueueFull,
    /// Its phantom found the queue of a stateful stage full, so the packet had no place there (MP5 section 3.4).
    PhantomLost,
    /// It was stateless and gave way to a stateful packet that had waited too long (MP5 section 3.4).
    StarvationGuard,
    /// It would have been recirculated more often than the machine allows.
    RecirculationLimit,
    /// The queue in front of a recirculation port was full.
    RecirculationQueueFull,
    /// It came in, or would have gone out, on a port that nothing is behind.
    NoSuchPort,
    /// The program sent it to a multicast group that the control plane has not set up.
    UnknownMulticastGroup,
    /// The program sent it to a multicast group that makes no copies.
    EmptyMulticastGroup,
    /// It is the clone that the program asked for, of a session that the control plane has not set up.
    UnknownCloneSession,
    /// It would have been resubmitted more often than the machine allows.
    ResubmitLimit,
    /// It is a clone of a clone, and so on, more often than the machine allows.
    CloneLimit,
    /// One packet became more copies than the machine allows.
    CopyLimit,
    /// Something that an `assert` or `assume` of the program takes to be true was not.
    AssertionFailed,
    /// The program took more steps than any that comes to its end.
    Unfinished,
    /// The queue of its output port was full.
    QueueFull,
    /// It was trimmed, and the queue for trimmed packets was full.
    TrimmedQueueFull,
    /// The buffer that the ports of a switch share had no room for it.
    SharedBufferFull,
    /// Its priority loses nothing, but its port had no headroom left: it came too long after the pause was asked for.
    HeadroomFull,
    /// Random early detection chose it, and it could not be marked.
    RandomEarlyDetection,
    /// No route leads to its destination.
    NoRoute,
    /// It had made as many hops as it may.
    TimeToLiveExceeded,
    /// It is longer than the line to its next hop carries.
    TooLong,
    /// It is no packet that the node reads.
    Malformed,
    /// It reached a host to which it was not addressed, or that expects nothing of the kind.
    Unexpected,
    /// Its link was down.
    LinkDown,
    /// A rule of the plan lost it.
    InjectedLoss,
    /// Its check sequence was wrong where it came in.
    CheckSequence,
    /// The ring in which its host keeps packets until a core takes them was full.
    ReceiveRingFull,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Program => "dropped by the program",
            Self::StageQueueFull => "stage queue full",
            Self::PhantomLost => "phantom lost",
            Self::StarvationGuard => "gave way to a starving packet",
            Self::RecirculationLimit => "recirculated too often",
            Self::RecirculationQueueFull => "recirculation queue full",
            Self::NoSuchPort => "no such port",
            Self::UnknownMulticastGroup => "unknown multicast group",
            Self::EmptyMulticastGroup => "multicast group without copies",
            Self::UnknownCloneSession => "unknown clone session",
            Self::ResubmitLimit => "resubmitted too often",
            Self::CloneLimit => "cloned too often",
            Self::CopyLimit => "too many copies",
            Self::AssertionFailed => "assertion failed",
            Self::Unfinished => "the program did not end",
            Self::QueueFull => "queue full",
            Self::TrimmedQueueFull => "queue for trimmed packets full",
            Self::SharedBufferFull => "shared buffer full",
            Self::HeadroomFull => "no headroom left for a lossless priority",
            Self::RandomEarlyDetection => "random early detection",
            Self::NoRoute => "no route",
            Self::TimeToLiveExceeded => "time to live exceeded",
            Self::TooLong => "longer than the line carries",
            Self::Malformed => "malformed",
            Self::Unexpected => "unexpected at its host",
            Self::LinkDown => "link down",
            Self::InjectedLoss => "lost by a rule of the plan",
            Self::CheckSequence => "check sequence wrong",
            Self::ReceiveRingFull => "receive ring full",
        })
    }
}
