//! TCP in whole networks.

use basis::Duration;
use demand::AllToAll;
use netsim::switch::Spread;
use node::Reason;
use transports::tcp::{Algorithm, TcpParameters};

use crate::test_network::{Carrier, TestNetwork, assert_settled, disciplines, topology};

#[test]
fn every_queue_discipline_carries_every_kind_of_tcp() {
    for algorithm in [Algorithm::NEW_RENO, Algorithm::CUBIC, Algorithm::DCTCP] {
        // TIME-WAIT lasts only a millisecond, because nothing here depends on it.
        let parameters =
            TcpParameters { time_wait: Duration::from_microseconds(1000), ..TcpParameters::data_center(algorithm) };
        let packet = u64::from(parameters.packet_bytes) + 24;
        for discipline in disciplines(packet) {
            let mut plan = TestNetwork::new(topology("leaf-spine:leaves=2,spines=2,hosts=3"));
            (plan.carrier, plan.discipline, plan.spread) = (Carrier::Tcp(parameters), discipline, Spread::Flow);
            let (simulation, watch) = plan.run(AllToAll { bytes: 60_000, outstanding: 0 });
            assert_eq!(watch.assert_finished().0, 30, "{algorithm:?} over {:?}", plan.discipline);
            // A transport without trimming takes a trimmed segment for a damaged one, and discards a returned one.
            watch.assert_discarded_only(&[
                queues::reasons::QUEUE_FULL,
                queues::reasons::TRIMMED_QUEUE_FULL,
                queues::reasons::RANDOM_EARLY_DETECTION,
                Reason::MALFORMED,
                transports::reasons::UNEXPECTED,
            ]);
            assert_settled(&simulation, plan.topology.stations.len());
        }
    }
}
