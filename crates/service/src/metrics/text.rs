//! The text format of Prometheus (version 0.0.4).

use std::fmt::Write;

/// The kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// A number that only grows.
    Counter,
    /// A number that may also fall.
    Gauge,
}

/// A sample: its labels and its value.
pub type Sample = (Vec<(&'static str, String)>, f64);

/// Samples of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// The name.
    pub name: &'static str,
    /// What the numbers are, in one sentence.
    pub help: &'static str,
    /// The kind.
    pub kind: MetricKind,
    /// The labels of each sample, and its value.
    pub samples: Vec<Sample>,
}

impl Family {
    /// Returns a family of samples.
    pub fn new(name: &'static str, kind: MetricKind, help: &'static str, samples: Vec<Sample>) -> Self {
        Self { name, help, kind, samples }
    }
}

/// Writes families of samples; those without samples are left out.
pub fn write(families: impl IntoIterator<Item = Family>) -> String {
    let mut text = String::new();
    for Family { name, help, kind, samples } in families {
        if samples.is_empty() {
            continue;
        }
        let kind = match kind {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
        };
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in samples {
            text.push_str(name);
            for (place, (label, value)) in labels.iter().enumerate() {
                let open = if place == 0 { '{' } else { ',' };
                let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
                let _ = write!(text, "{open}{label}=\"{value}\"");
            }
            text.push_str(if labels.is_empty() { " " } else { "} " });
            let _ = writeln!(text, "{value}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_help_are_escaped() {
        let samples =
            vec![(vec![("reason", "a \"b\" \\ c\nd".to_owned()), ("port", "1".to_owned())], 3.0), (Vec::new(), 0.5)];
        let family = Family { name: "x_total", help: "one\ntwo \\", kind: MetricKind::Counter, samples };
        let empty = Family { name: "y", help: "nothing", kind: MetricKind::Gauge, samples: Vec::new() };
        let expected = "# HELP x_total one\\ntwo \\\\\n# TYPE x_total counter\n\
                        x_total{reason=\"a \\\"b\\\" \\\\ c\\nd\",port=\"1\"} 3\nx_total 0.5\n";
        assert_eq!(write([family, empty]), expected);
    }
}
