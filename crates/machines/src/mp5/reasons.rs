//! Reasons for which MP5 discards packets.

node::reasons! { "mp5":
    /// The queue in front of a stateful stage was full when the packet arrived (phantoms not in use).
    STAGE_QUEUE_FULL = (100, "stage queue full");
    /// The packet's phantom found the queue of a stateful stage full, so the packet had no place there (MP5 section
    /// 3.4).
    PHANTOM_LOST = (110, "phantom lost");
    /// The packet was stateless and gave way to a stateful packet that had waited too long (MP5 section 3.4).
    STARVATION_GUARD = (120, "gave way to a starving packet");
    /// The queue in front of a recirculation port was full.
    RECIRCULATION_QUEUE_FULL = (140, "recirculation queue full");
}
