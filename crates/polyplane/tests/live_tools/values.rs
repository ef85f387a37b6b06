//! redis, asked by its benchmark: many short requests and answers.

use std::process::Stdio;

use crate::site::{RIGHT, Site};
use crate::tool::{Server, said};

/// Stores and reads values over several connections.
pub fn requests(site: &Site) {
    let mut redis = site.right.command("redis-server");
    redis.args(["--bind", RIGHT, "--port", "6379", "--save", "", "--protected-mode", "no", "--dir"]).arg(&site.folder);
    let _redis = Server::start(redis);
    site.soon("redis answers", || {
        let ping = site.left.command("redis-cli").args(["-h", RIGHT, "ping"]).stderr(Stdio::null()).output();
        ping.is_ok_and(|output| output.stdout == b"PONG\n")
    });
    let mut benchmark = site.left.command("redis-benchmark");
    benchmark.args(["-h", RIGHT, "-c", "20", "-n", "2000", "-d", "2000", "-t", "set,get", "-q"]);
    let text = said(benchmark);
    assert_eq!(text.matches("requests per second").count(), 2, "{text}");
    let mut size = site.left.command("redis-cli");
    size.args(["-h", RIGHT, "strlen", "key:__rand_int__"]);
    assert_eq!(said(size), "2000\n");
}
