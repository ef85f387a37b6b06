//! Binding of fields by name: the edge of programs without parser and deparser.

use basis::Instant;
use runtime::ProgramState;
use runtime::binding::{Binding, Departure};
use wire::Packet;

use super::Edge;
use crate::trace::Recorder;

impl Edge for Binding {
    fn load(
        &mut self,
        packet: &Packet,
        port: u16,
        _now: Instant,
        values: &mut [u64],
        _recorder: Option<&mut Recorder>,
    ) -> bool {
        Binding::load(self, packet, port, values)
    }

    fn store(
        &mut self,
        fields: &[u64],
        packet: &mut Packet,
        _tables: Option<&ProgramState>,
        _recorder: Option<&mut Recorder>,
    ) -> Departure {
        Binding::store(self, fields, packet)
    }
}
