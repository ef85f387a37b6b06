//! Members take any bytes without harm.

use std::sync::Arc;

use basis::Instant;
use proptest::prelude::*;
use transports::Endpoint;
use transports::aggregation::atp::{AtpParameters, Server, Worker};
use transports::aggregation::{Collective, Outcomes, Tensor};
use wire::Atp;

use crate::gradients::Values;
use crate::packets::{FIRST_PORT, Fields, SERVER, setup, worker};
use crate::plan::Job;

proptest! {
    #[test]
    fn any_headers_are_taken_or_refused(
        packets in prop::collection::vec((prop::collection::vec(any::<u8>(), 16), any::<u16>(), 0..20u8, 0..400usize), 0..200),
    ) {
        let job = Job::new(1, vec![0, 1, 1]);
        let parameters = AtpParameters { dynamic_scale: true, ..job.parameters };
        let mut server = Server::new(SERVER, setup(&job), parameters);
        let values = Values { job: 1, rank: 0, bits: 24 };
        let mut worker = Worker::new(worker(0), setup(&job), Arc::new(values), parameters);
        worker.begin(Instant::ZERO, Tensor { number: 0, length: 100_000 });
        let mut outcomes = Outcomes::default();
        for (at, (header, port, keep, length)) in (0..).zip(packets) {
            let now = Instant::from_microseconds(at * 100);
            let mut packet = Fields::gradient(0, [1, 1], 1).packet();
            let bytes = packet.head.bytes_mut();
            bytes[42..58].copy_from_slice(&header);
            // Most packets are of the job and its setup, and of fragments near the beginning.
            let mut atp = Atp::new(&mut bytes[42..]).unwrap();
            if keep > 0 {
                atp.set_job_and_sequence((1 << 24) | (u32::from(port) % 300));
                atp.set_bitmap0(atp.bitmap0() & 3);
                atp.set_bitmap1(atp.bitmap1() & 3);
            }
            wire::Udp::new(&mut bytes[34..]).unwrap().set_source_port(if keep > 0 { FIRST_PORT } else { port });
            if keep == 1 {
                packet.truncate(length);
            }
            _ = server.receive(now, packet.clone(), &mut outcomes);
            _ = worker.receive(now, packet, &mut outcomes);
            outcomes.drain(|_| ());
            while server.transmit(now).is_some() {}
            (0..300).for_each(|_| _ = worker.transmit(now));
            worker.wake(now, &mut outcomes);
            _ = (server.waiting(now), worker.waiting(now), server.deadline(), worker.deadline());
        }
    }
}
