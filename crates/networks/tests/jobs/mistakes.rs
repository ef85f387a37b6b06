//! Jobs that cannot be are refused at their places.

use super::try_plan;

/// Returns the diagnostics of a plan of six hosts around a switch with this job.
fn mistakes(job: &str) -> String {
    let text =
        format!("[topology]\nkind = \"single-switch\"\nhosts = 6\n[transport]\nkind = \"dctcp\"\n[[job]]\n{job}\n");
    let text = if job.contains("scheme") { text } else { text.replace("[[job]]\n", "[[job]]\nscheme = \"ring\"\n") };
    match try_plan(&text) {
        Ok(_) => panic!("{job} is accepted"),
        Err(failure) => failure,
    }
}

#[track_caller]
fn refused(job: &str, message: &str, line: &str) {
    let found = mistakes(job);
    assert!(found.contains(message), "{found}");
    assert!(found.contains(line), "{found}");
}

#[test]
fn hosts_that_do_not_exist_are_named() {
    refused("workers = [\"host-0\", \"host-9\"]", "there is no host called `host-9`", "workers = [");
    refused("workers = [\"switch\"]", "there is no host called `switch`", "workers = [");
    refused("workers = [\"host-0\", \"host-0\"]", "`host-0` is named twice", "workers = [");
    refused("count = 7", "there are only 6 hosts for 7 workers", "count = 7");
    refused("scheme = \"parameter-servers\"", "parameter servers without a server", "[[job]]");
    refused("scheme = \"ring\"\nservers = [\"host-1\"]", "a ring has no servers", "servers = [");
}

#[test]
fn jobs_differ_in_number_and_name() {
    refused("name = \"a\"\n[[job]]\nnumber = 1", "this job has the number 1 of the job `a`", "number = 1");
    refused("name = \"a\"\n[[job]]\nname = \"a\"", "another job is called `a`", "name = \"a\"");
    refused("number = 256", "256", "number = 256");
}

#[test]
fn numbers_must_fit() {
    refused("size = 1e9", "the sum of 6 integers of up to 1000000000 can exceed 32 bits", "size = 1e9");
    refused("scale = 1e8", "integers have no scale", "scale = 1e8");
    refused("bytes = \"4 MB\"\nvalues = 3", "`values` and `bytes` exclude each other", "bytes = ");
    refused("start = \"2 ms\"\nend = \"1 ms\"", "this job ends before it begins", "end = ");
    refused("scheme = \"tree\"", "there is no `scheme` called `tree`", "scheme = ");
    refused("bytes = \"40 GB\"", "carries at most 1073741824 B", "bytes = ");
}

#[test]
fn a_transport_that_carries_only_lengths_cannot_carry_sums() {
    let text = "[topology]\nkind = \"single-switch\"\nhosts = 4\n[[job]]\nscheme = \"ring\"\n";
    let found = try_plan(text).expect_err("NDP carries no content");
    assert!(found.contains("the transport of `host-0` carries only the lengths of messages"), "{found}");
}

#[test]
fn faults_of_processes_and_memory_name_what_is_there() {
    let process = "\n[[fault]]\nkind = \"process-failure\"\nwhere = [\"host-0\"]\nfrom = \"1 ms\"";
    refused(&format!("count = 2{process}"), "`ring` cannot go on without it", "scheme = ");
    refused(
        &format!("workers = [\"host-1\", \"host-2\"]{process}"),
        "no process of a job runs at these hosts",
        "[[fault]]",
    );
    refused(&format!("{process}\nelsewhere = \"host-5\""), "nobody starts these processes again", "elsewhere");
    let memory = "\n[[fault]]\nkind = \"memory-loss\"\nfrom = \"1 ms\"";
    refused(&format!("{memory}\nwhere = [\"host-0\"]"), "no switch is among these", "where");
    refused(&format!("{memory}\nwhere = [\"switch\"]"), "`switch` has no memory that could be lost", "[[fault]]");
    refused(memory, "`where`", "[[fault]]");
}

/// Returns the diagnostics of a plan of ATP on leaves and spines.
fn of_atp(switch: &str, hosts: u32, job: &str) -> String {
    let text = format!(
        "[topology]\nkind = \"leaf-spine\"\nleaves = 3\nspines = 1\nhosts = {hosts}\n{switch}\n[[job]]\nscheme = \"atp\"\n{job}\n"
    );
    match try_plan(&text) {
        Ok(_) => panic!("{job} is accepted"),
        Err(failure) => failure,
    }
}

#[test]
fn jobs_of_atp_need_servers_switches_bits_and_aggregators() {
    let switch = "[switch]\naggregator = \"atp\"\naggregators = 100";
    let servers = "servers = [\"host-0-0\"]";
    for (switch, hosts, job, message) in [
        (switch, 3, String::new(), "a job of ATP has at least one server"),
        (
            switch,
            3,
            "servers = [\"host-0-0\", \"host-1-0\"]".into(),
            "`host-0-0` and `host-1-0` are at different switches",
        ),
        ("", 3, servers.into(), "cannot replicate packets"),
        (
            "[[switch]]\n[[switch]]\nwhere = [\"leaf-*\"]\naggregator = \"atp\"",
            3,
            servers.into(),
            "`spine-0` lies on the way",
        ),
        (switch, 33, servers.into(), "33 workers below `leaf-1` are too many"),
        (switch, 32, servers.into(), "33 switches and workers at `leaf-0`"),
        (switch, 3, format!("{servers}\naggregators = 101"), "has the aggregators 0 to 99, and this job uses 0 to 100"),
        (switch, 3, format!("{servers}\nfirst_aggregator = 100"), "has the aggregators 0 to 99"),
        (switch, 3, format!("{servers}\nindex = \"static\""), "`aggregators`"),
        (
            switch,
            3,
            format!("{servers}\ntensors = 1000\nvalues = 1_100_000_000"),
            "too many for the numbers of fragments",
        ),
        (switch, 3, format!("{servers}\ninitial_window = 9\nlargest_window = 8"), "the window begins above its limit"),
        (
            "[link]\nmtu = 300\n[transport]\npacket = 200\n[switch]\naggregator = \"atp\"",
            3,
            servers.into(),
            "packets of atp have 306 B, more than the MTU",
        ),
        (
            switch,
            3,
            format!(
                "{servers}\nindex = \"static\"\naggregators = 60\n[[job]]\n{servers}\nindex = \"static\"\nscheme = \"atp\"\naggregators = 50\nfirst_aggregator = 50"
            ),
            "the aggregators of this job overlap with those of the job `job-1`",
        ),
        (
            "[switch]\naggregator = \"atp\"\nprogram = \"a.p4\"",
            3,
            servers.into(),
            "`aggregator` and `program` exclude each other",
        ),
        ("[switch]\naggregator = \"sharp\"", 3, servers.into(), "there is no `aggregator` called `sharp`"),
        ("[switch]\naggregator = \"atp\"\nage = \"1 h\"", 3, servers.into(), "`age`"),
    ] {
        let found = of_atp(switch, hosts, &job);
        assert!(found.contains(message), "{switch} {job}: {found}");
    }
}

#[test]
fn jobs_of_switchml_need_slots_and_one_switch() {
    for (job, message) in [
        ("servers = [\"host-0-0\"]", "SwitchML has no servers"),
        ("", "36 workers are too many: a bitmap has 32 bits"),
        ("count = 4\nslots = 700", "`leaf-0` has 600 slots, and this job uses 0 to 699"),
        ("count = 4\nswitch = \"leaf-9\"", "there is no switch called `leaf-9`"),
        ("count = 4\nfirst_slot = 16000", "slots 16000 to 16511 are too many"),
        ("count = 4\narithmetic = \"floats\"\nsize = 100", "can exceed 32 bits"),
        (
            "count = 4\nslots = 300\n[[job]]\nscheme = \"switchml\"\ncount = 3\nslots = 300\nfirst_slot = 299",
            "the aggregators of this job overlap with those of the job `job-1`",
        ),
    ] {
        let text = format!(
            "[topology]\nkind = \"leaf-spine\"\nleaves = 3\nspines = 1\nhosts = 12\n[switch]\naggregator = \"switchml\"\nslots = 600\n\
             [[job]]\nscheme = \"switchml\"\n{job}\n"
        );
        let found = try_plan(&text).err().unwrap_or_else(|| panic!("{job} is accepted"));
        assert!(found.contains(message), "{job}: {found}");
    }
}

/// What a job needs whether packets move or not is counted before the run begins: the results of its tensors, and its servers.
#[test]
fn a_job_that_does_not_fit_into_memory_is_refused_before_it_runs() {
    let text = "[topology]\nkind = \"single-switch\"\nhosts = 1000\n[transport]\nkind = \"dctcp\"\n[[job]]\nname = \"endless\"\nscheme = \"ring\"\n\
                tensors = 16_777_216\nvalues = 1000\n";
    let running = networks::Running::through(std::path::Path::new(""), std::num::NonZeroUsize::MIN);
    let refused = networks::run(super::plan(text), &running, &mut |_| networks::Next::GoOn).err();
    let told = refused.expect("1,000 workers have 1.2 TB of results").render(false);
    assert!(told.contains("does not fit into memory"), "{told}");
    assert!(told.contains("the job `endless` with 16777216 tensors, 1000 workers and 0 servers: 1.2 TB"), "{told}");
}
