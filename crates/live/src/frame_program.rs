//! Programs that look at the frames of an interface inside the kernel.

/// A program of BPF that sees each frame of an interface before its socket does, and may write something about it in front of it.
/// Interfaces by AF_XDP run it; others take no notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameProgram {
    /// The instructions. They find the context of the frame (`struct xdp_md`) in R1 and R6, leave it in R6, and go on behind their
    /// last one, where the frame is given to its socket.
    pub instructions: Vec<bpf::Instruction>,
    /// The number of bytes that the program puts in front of a frame with `bpf_xdp_adjust_meta`: a multiple of 4, at most 32. They are the metadata of
    /// the packet's head ([`wire::Head::metadata`]). Nobody else's bytes are found there, but zeros or what the program did not
    /// overwrite if it has written none: whoever reads them must know its own.
    pub metadata: usize,
}
