//! The first inputs of what reads files of chips and their changes.

use std::path::Path;

use crate::{Corpus, files, read};

/// Files of our own that together name every entry.
const FILES: [&str; 3] = [
    "pipes = 2\ncpu_port = 192\nclock = \"1 GHz\"\ningress_buffer = 9\n[latency]\ningress = \"200 ns\"\n[ghost]\nstage = 3\nlatency = \"5 ns\"\n\
     [[port]]\nports = [0, 4, 128]\nrate = \"10 Gb/s\"\nup = false\nmetadata = \"0x0a1b\"\n[port.queue]\nqueues = 2\n\
     [[port.queue.class]]\nqueues = [1]\nweight = 3\npriority = 1\nlimit = 20\n[memory]\ncell = \"80 B\"\n[[memory.pool]]\nsize = \"1 MB\"\n",
    "global_rid = 9\n[[deflection]]\nport = 8\nqueue = 1\nlength = 64\n[[multicast]]\ngroup = 3\n[[multicast.node]]\nrid = 1\nports = [0, 4]\n\
     lags = [7]\nexclusion = 5\n[[multicast.ecmp]]\nexclusion = 2\n[[multicast.ecmp.node]]\nports = [8]\n[[lag]]\nnumber = 7\nports = [12, 16]\n\
     [[exclusion]]\nnumber = 3\nports = [4]\n",
    "[[mirror]]\nsession = 5\ndirection = \"ingress\"\nport = 4\nqueue = 1\nlength = 60\ncolor = \"red\"\ncopy_to_cpu = true\n\
     icos_for_copy_to_cpu = 2\nmcast_grp_a = 3\nrid = 1\ningress_cos = 1\ndeflect_on_drop = true\n[[generator]]\napplication = 1\n\
     pipes = [0]\ntrigger = \"recirculation\"\npattern = \"0x01020304\"\nmask = \"0xffff0000\"\npacket = \"0x0a\"\nlength = 64\n\
     triggers = 3\nbatches = 2\npackets = 2\nbatch_gap = \"5 us\"\npacket_gap = \"1 us\"\nport = 60\nincrement_port = true\n\
     [[generator]]\napplication = 2\ntrigger = \"periodic\"\ntimer = \"1 ms\"\npacket = \"0x00\"\n\
     [[generator]]\napplication = 3\ntrigger = \"port_down\"\nports = [1, 2]\npacket = \"0x00\"\n",
];

/// Changes of a chip while it runs.
const CHANGES: [&str; 3] = [
    "port = [{ ports = [4], up = true, metadata = \"0x01\", queue = { rate = \"1 Gb/s\" } }]",
    "mirror = [{ session = 5, direction = \"none\" }]\nmulticast = [{ group = 3 }]\npipes = 4\n",
    "generator = [{ application = 1, trigger = \"one_shot\", timer = \"1 ns\", packet = \"0x00\", enabled = false }]",
];

/// Adds all of them.
pub fn add(project: &Path, corpus: &Corpus) {
    let shipped = files(project, "programs/p4", "toml").into_iter().map(|path| read(&path));
    let own = FILES.iter().map(|text| text.as_bytes().to_vec());
    for file in shipped.chain(own) {
        corpus.add("chip_file", &file);
        for change in CHANGES {
            corpus.add("chip_file", &[&file, &[0][..], change.as_bytes()].concat());
        }
    }
}
