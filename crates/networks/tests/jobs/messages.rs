//! Jobs whose sums are messages: ring all-reduce and parameter servers.

use super::{bytes_of, finished, ran_by};

const LOSSLESS: &str = "[transport]\nkind = \"rocev2\"\n[switch.flow_control]\nlossless = [0]\n";

fn text(transport: &str, job: &str) -> String {
    format!(
        "[topology]\nkind = \"single-switch\"\nhosts = 6\n{transport}\n[[job]]\ntensors = 3\nbytes = \"120 kB\"\n{job}\n"
    )
}

/// A ring of n workers sends and receives 4 (n-1) U / n at each, of which half is sent (ATP, section A.5).
#[test]
fn a_ring_sends_as_much_as_the_paper_says() {
    for transport in ["[transport]\nkind = \"dctcp\"\n", LOSSLESS] {
        for (workers, integers) in [(2, "integers"), (5, "integers"), (6, "floats")] {
            let job = format!("scheme = \"ring\"\ncount = {workers}\narithmetic = \"{integers}\"\n");
            let outcome = finished(&text(transport, &job));
            assert_eq!(outcome.flows.len(), 3 * workers * 2 * (workers - 1));
            let values: u64 = outcome.flows.iter().map(|flow| flow.bytes - 16).sum();
            assert_eq!(values, 3 * 2 * (workers as u64 - 1) * 120_000);
            let payload = 3 * 2 * (workers as u64 - 1) * 120_000 / workers as u64;
            for host in 0..workers {
                let (sent, received) = bytes_of(&outcome, &format!("host-{host}"));
                // Headers, framing and acknowledgements of the other direction come on top.
                assert!((payload..payload * 5 / 4).contains(&sent), "{sent} of {payload}");
                assert!((payload..payload * 5 / 4).contains(&received), "{received} of {payload}");
            }
        }
    }
}

#[test]
fn parameter_servers_are_hosts_of_their_own_or_those_of_workers() {
    for transport in ["[transport]\nkind = \"newreno\"\n", LOSSLESS] {
        let one = finished(&text(transport, "scheme = \"parameter-servers\"\nservers = [\"host-5\"]\n"));
        let (sent, received) = bytes_of(&one, "host-5");
        assert!(sent > 3 * 5 * 120_000 && received > 3 * 5 * 120_000, "the server gets and sends it all");
        let each = finished(&text(
            transport,
            "scheme = \"parameter-servers\"\nworkers = [\"host-0\", \"host-1\", \"host-2\"]\nservers = [\"host-0\", \"host-1\", \"host-2\"]\n",
        ));
        let (sent, _) = bytes_of(&each, "host-1");
        // Two thirds of a tensor go to the other servers, and a third goes to each of the two other workers.
        let payload = 3 * 120_000 * 4 / 3;
        assert!((payload..payload * 5 / 4).contains(&sent), "{sent} of {payload}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let text = text(
        "[transport]\nkind = \"cubic\"\n[[workload]]\nkind = \"permutation\"\n[[fault]]\nkind = \"loss\"\nprobability = 0.01",
        "scheme = \"ring\"\npause = \"20 us\"\nstart = \"5 us\"\noutstanding = 2",
    );
    let rows = |threads| -> Vec<String> {
        let outcome = ran_by(&text, threads);
        assert_eq!(outcome.exit_status(), 0);
        outcome.tables.iter().map(|table| table.to_csv()).collect()
    };
    assert_eq!(rows(1), rows(3));
}
