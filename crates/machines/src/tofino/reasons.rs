//! Reasons for which the chip discards packets.

node::reasons! { "tofino":
    /// The ingress parser ended with an error, and the program does not look at `parser_err`.
    PARSER_ERROR = (700, "parser error");
    /// Ingress named no port, no multicast group and no copy for the CPU.
    NO_DESTINATION = (710, "no destination");
    /// The program sent the packet to a multicast group that the control plane has not set up.
    UNKNOWN_MULTICAST_GROUP = (720, "unknown multicast group");
    /// The packet leaves out all copies of its multicast group (`level1_exclusion_id`, `level2_exclusion_id`).
    EXCLUDED = (725, "all multicast copies excluded");
    /// The packet is mirrored to a session that the control plane has not set up.
    UNKNOWN_MIRROR_SESSION = (730, "unknown mirror session");
    /// A packet that was resubmitted was to be resubmitted again.
    RESUBMIT_LIMIT = (740, "resubmitted twice");
    /// The packet was recirculated, or mirrored from a mirrored packet, more often than the machine allows.
    ROUND_LIMIT = (750, "recirculated too often");
    /// One packet became more copies than the machine allows.
    COPY_LIMIT = (760, "too many copies");
    /// The packet found no room in its queue, was deflected, and found no room at the deflection port either.
    DEFLECTION_FULL = (765, "no room at the deflection port");
    /// Too many packets wait in front of ingress of the pipe for a cycle.
    INGRESS_FULL = (767, "no room in front of ingress");
    /// The port is down.
    PORT_DOWN = (768, "port down");
    /// The condition of an `assert` or `assume` in the program did not hold.
    ASSERTION_FAILED = (770, "assertion failed");
    /// The program took more steps than any program that terminates.
    UNFINISHED = (780, "the program did not end");
}
