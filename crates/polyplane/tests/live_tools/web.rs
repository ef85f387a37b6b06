//! nginx, asked by wrk: many connections with short and long answers.

use std::fs;
use std::process::Stdio;

use crate::site::{RIGHT, Site};
use crate::tool::{Server, said};

/// Serves a file of 100,000 bytes and asks for it for a second over several connections.
pub fn requests(site: &Site) {
    let folder = site.folder.display();
    fs::write(site.folder.join("index.html"), vec![b'p'; 100_000]).expect("a file can be written");
    let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|of| format!("{of}_temp_path {folder}/{of};"));
    let configuration = format!(
        "daemon off; master_process off; pid {folder}/pid; error_log {folder}/errors;\n\
         events {{ worker_connections 256; }}\n\
         http {{ access_log off; {} server {{ listen {RIGHT}:80; root {folder}; }} }}\n",
        paths.join(" ")
    );
    let file = site.folder.join("nginx.conf");
    fs::write(&file, configuration).expect("a file can be written");
    let mut nginx = site.right.command("nginx");
    nginx.arg("-p").arg(&site.folder).arg("-c").arg(&file);
    let _nginx = Server::start(nginx);
    let url = format!("http://{RIGHT}/index.html");
    site.soon("nginx listens", || {
        let connect = format!("exec 3<>/dev/tcp/{RIGHT}/80");
        let bash = site.left.command("bash").args(["-c", &connect]).stderr(Stdio::null()).status();
        bash.is_ok_and(|status| status.success())
    });
    let mut wrk = site.left.command("wrk");
    wrk.args(["-t", "1", "-c", "20", "-d", "1", &url]);
    let text = said(wrk);
    assert!(answered(&text) > 0, "{text}");
    assert!(!text.contains("Non-2xx") && !text.contains("Socket errors"), "{text}");
}

/// Returns the number of requests that were answered, from `123 requests in 1.01s, …`.
fn answered(text: &str) -> u64 {
    let line = text.lines().find(|line| line.contains(" requests in "));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
