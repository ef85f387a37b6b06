//! The page: headings, tables and figures in one HTML text that needs nothing else.

use maud::{DOCTYPE, PreEscaped, html};

/// A table of a page.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What the columns are.
    pub header: Vec<String>,
    /// The rows, each with a cell for every column.
    pub rows: Vec<Vec<String>>,
}

/// A figure of a page.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What its file is called, without the ending.
    pub name: String,
    /// What it shows, in one line above it.
    pub title: String,
    /// What to see in it, below it.
    pub caption: String,
    /// The figure as SVG.
    pub svg: String,
}

/// A report.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Its heading.
    pub title: String,
    /// What was done, in a few sentences.
    pub summary: Vec<String>,
    /// The main tables, each under a heading.
    pub tables: Vec<(String, Table)>,
    /// What the columns of the tables mean.
    pub explanations: Vec<(String, String)>,
    /// The figures.
    pub figures: Vec<Figure>,
    /// Texts under headings, such as a stage map.
    pub texts: Vec<(String, String)>,
    /// Version, plan, seed, parameters, hash of inputs: what it takes to make the same bytes again.
    pub manifest: String,
}

const STYLE: &str = "
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; } th, td { padding: .35rem .8rem; border-bottom: 1px solid #ddd; text-align: right; }
th:first-child, td:first-child { text-align: left; } th { border-bottom: 2px solid #999; vertical-align: bottom; }
pre { background: #f6f6f6; padding: 1rem; overflow-x: auto; font-size: .8rem; line-height: 1.35; }
figure { margin: 0; } figcaption, dl { color: #555; font-size: .9rem; } svg { max-width: 100%; height: auto; }
dt { font-weight: 600; } dd { margin: 0 0 .4rem 1rem; }
";

impl Page {
    /// The page as HTML.
    pub fn to_html(&self) -> String {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width";
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    h1 { (self.title) }
                    @for sentence in &self.summary { p { (sentence) } }
                    @for (heading, table) in &self.tables {
                        h2 { (heading) }
                        table {
                            thead { tr { @for cell in &table.header { th { (cell) } } } }
                            tbody { @for row in &table.rows { tr { @for cell in row { td { (cell) } } } } }
                        }
                    }
                    dl { @for (term, meaning) in &self.explanations { dt { (term) } dd { (meaning) } } }
                    @for figure in &self.figures {
                        h2 { (figure.title) }
                        figure { (PreEscaped(&figure.svg)) figcaption { (figure.caption) } }
                    }
                    @for (heading, text) in &self.texts { h2 { (heading) } pre { (text) } }
                    h2 { "Manifest" }
                    pre { (self.manifest) }
                }
            }
        }
        .into_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_figures_are_not() {
        let figure = Figure { name: "n".into(), title: "t".into(), caption: "c".into(), svg: "<svg></svg>".into() };
        let page = Page { title: "a < b".into(), figures: vec![figure], ..Page::default() };
        let html = page.to_html();
        assert!(html.contains("<h1>a &lt; b</h1>") && html.contains("<svg></svg>"), "{html}");
    }
}
