//! The pages of `sim`, `reproduce` and `demo` in a browser: headless Chromium renders each in light and in dark, and
//! must find nothing to complain about. Where there is no Chromium, the test says so and passes.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{absent_folder, run_line};

/// Names under which systems install the browser.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// A browser that takes longer than this for a page hangs.
const LONGEST: Duration = Duration::from_secs(120);
/// A picture of so many pixels with less than this in its file shows nothing: one colour takes a few kilobytes.
const LEAST_BYTES: u64 = 40_000;

/// A plan small enough for a test, with everything that a page of `sim` can show.
const PLAN: &str = "experiments/trimming/incast.toml";

#[test]
fn a_browser_renders_every_page_in_light_and_dark_without_a_complaint() {
    let Some(browser) = browser() else {
        println!("skipped: none of {BROWSERS:?} is on the PATH");
        return;
    };
    let out = absent_folder();
    let folder = |name: &str| out.join(name).display().to_string();
    for line in [
        format!("sim {PLAN} --out-dir {}", folder("sim")),
        format!("reproduce mp5 --quick --only figure-7a --out-dir {}", folder("reproduce")),
        format!("demo --out-dir {}", folder("demo")),
    ] {
        let ran = run_line(&line);
        assert_eq!(ran.status, 0, "{line}: {ran:?}");
    }
    for page in ["sim/index.html", "reproduce/index.html", "demo/report.html"] {
        let page = out.join(page);
        let [light, dark] = [1, 0].map(|scheme| {
            let picture = page.with_extension(format!("{scheme}.png"));
            render(&browser, &page, scheme, &picture, &out);
            fs::read(&picture).expect("the browser writes a picture")
        });
        for picture in [&light, &dark] {
            assert!(picture.len() as u64 > LEAST_BYTES, "{}: an empty picture", page.display());
        }
        assert!(light != dark, "{}: light and dark look the same", page.display());
    }
    // A page must do without the network and without scripts, also in a figure as a file of its own.
    for file in common::files_below(&out) {
        let is_shown = file.extension().is_some_and(|ending| ending == "html" || ending == "svg");
        let text = if is_shown { fs::read_to_string(&file).expect("a text") } else { String::new() };
        for foreign in ["<script", "src=\"http", "href=\"http", "@import", "url("] {
            assert!(!text.contains(foreign), "{} contains {foreign}", file.display());
        }
    }
}

/// A complaint is found, or the test above would prove nothing.
#[test]
fn a_page_with_a_broken_script_is_found() {
    let Some(browser) = browser() else {
        println!("skipped: none of {BROWSERS:?} is on the PATH");
        return;
    };
    let out = absent_folder();
    fs::create_dir_all(&*out).expect("a folder");
    let page = out.join("broken.html");
    fs::write(&page, "<!DOCTYPE html><title>broken</title><script>nothing.there()</script>").expect("a file");
    let told = told(&browser, &page, 1, &out.join("broken.png"), &out);
    assert!(complaints(&told).count() > 0, "{told}");
}

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let places = || std::env::split_paths(&path);
    BROWSERS.iter().find_map(|name| places().map(|folder| folder.join(name)).find(|file| file.is_file()))
}

/// Renders a page, and fails if the browser complains.
fn render(browser: &Path, page: &Path, scheme: u8, picture: &Path, out: &Path) {
    let told = told(browser, page, scheme, picture, out);
    let complaints: Vec<&str> = complaints(&told).collect();
    assert!(complaints.is_empty(), "{}: {complaints:?}", page.display());
}

/// What the browser says while it renders a page; in dark if `scheme` is 0, in light if it is 1, as Blink numbers them.
fn told(browser: &Path, page: &Path, scheme: u8, picture: &Path, out: &Path) -> String {
    let log = fs::File::create(out.join("log")).expect("the folder can be written");
    let child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--v=0"])
        .args(["--disable-dev-shm-usage", "--no-first-run", "--window-size=1280,2400", "--virtual-time-budget=2000"])
        .arg(format!("--user-data-dir={}", out.join("profile").display()))
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(format!("file://{}", page.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("the browser can be started");
    let is_done = wait(child);
    let told = String::from_utf8_lossy(&fs::read(out.join("log")).unwrap_or_default()).into_owned();
    assert!(is_done, "{}: the browser was not done after {LONGEST:?}: {told}", page.display());
    told
}

/// Waits until the browser is done, and says whether it was in time.
fn wait(mut child: Child) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < LONGEST {
        if child.try_wait().expect("a child can be waited for").is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let _ = child.kill();
    let _ = child.wait();
    false
}

/// The lines of the log that a page caused, which are those of its console. Every one counts: a page without scripts
/// has nothing to say there, and Chromium logs even an exception that nobody caught as `INFO:CONSOLE`.
fn complaints(told: &str) -> impl Iterator<Item = &str> {
    told.lines().filter(|line| line.contains("CONSOLE"))
}
