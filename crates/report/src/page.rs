//! The page: sections of texts, tables and figures in one HTML text that needs nothing else, in one style for all
//! reports.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::table::Table;

/// A figure of a page.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// The name of its file, without the ending.
    pub name: String,
    /// The subject of the figure, in one line above it.
    pub title: String,
    /// The text below the title, which says what to see in it; may be empty.
    pub caption: String,
    /// The figure as SVG.
    pub svg: String,
    /// Whether it is as wide as the page.
    pub is_wide: bool,
}

/// A part of a page.
#[derive(Clone, Debug)]
pub enum Block {
    /// A heading below that of the section.
    Heading(String),
    /// A paragraph: a few words in bold, which may be empty, and a text.
    Paragraph(String, String),
    /// The same in smaller letters.
    Note(String, String),
    /// A file beside the page, with words before its name.
    File(String, String),
    /// Terms and what they mean.
    Terms(Vec<(String, String)>),
    /// Figures, beside each other where there is room.
    Figures(Vec<Figure>),
    /// A table.
    Table(Table),
    /// A text as it stands, such as a stage map.
    Text(String),
    /// Blocks that unfold on a click, and are printed in any case.
    Folded(String, Vec<Block>),
}

/// A section of a page.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// By what links find it; may be empty.
    pub id: String,
    /// Its heading.
    pub heading: String,
    /// From where it is; may be empty.
    pub source: String,
    /// The blocks of the section.
    pub blocks: Vec<Block>,
}

/// A card of the overview at the top of a page.
#[derive(Clone, Debug, Default)]
pub struct Card {
    /// To which section it leads.
    pub section: String,
    /// A few words above the title.
    pub place: String,
    /// Its title.
    pub title: String,
    /// A number out of a total, drawn as a bar; `None` for no bar.
    pub share: Option<(usize, usize)>,
    /// A few words below the bar.
    pub words: String,
}

/// A report.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Its heading.
    pub title: String,
    /// A few sentences about the run and its outcome.
    pub summary: Vec<Block>,
    /// The sections at a glance; empty for none.
    pub cards: Vec<Card>,
    /// The sections.
    pub sections: Vec<Section>,
    /// Version, plan, seed, parameters, hashes of inputs: what it takes to make the same bytes again.
    pub manifest: String,
}

const STYLE: &str = include_str!("style.css");

impl Section {
    /// A section without a name for links.
    pub fn new(heading: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { heading: heading.into(), blocks, ..Self::default() }
    }
}

impl Page {
    /// All figures, in their order.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        let mut figures = Vec::new();
        collect(&self.summary, &mut figures);
        self.sections.iter().for_each(|section| collect(&section.blocks, &mut figures));
        figures.into_iter()
    }

    /// The page as HTML.
    pub fn to_html(&self) -> String {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    header { h1 { (self.title) } (blocks(&self.summary)) }
                    @if !self.cards.is_empty() { nav { @for card in &self.cards { (overview(card)) } } }
                    @for part in &self.sections { (section(part)) }
                    section {
                        details {
                            summary { "Manifest: what it takes to make the same bytes again" }
                            pre { (self.manifest) }
                        }
                    }
                }
            }
        }
        .into_string()
    }
}

fn collect<'p>(blocks: &'p [Block], figures: &mut Vec<&'p Figure>) {
    for block in blocks {
        match block {
            Block::Figures(of_block) => figures.extend(of_block),
            Block::Folded(_, folded) => collect(folded, figures),
            _ => {}
        }
    }
}

fn overview(card: &Card) -> Markup {
    html! {
        a.card href=(format!("#{}", card.section)) {
            span.place { (card.place) }
            span.title { (card.title) }
            @if let Some((part, all)) = card.share.filter(|(_, all)| *all > 0) {
                span.meter { span style=(format!("width:{}%", 100 * part / all)) {} }
            }
            span.count { (card.words) }
        }
    }
}

fn section(section: &Section) -> Markup {
    let id = Some(&section.id).filter(|id| !id.is_empty());
    html! {
        section id=[id] {
            h2 { (section.heading) }
            @if !section.source.is_empty() { p.source { (section.source) } }
            (blocks(&section.blocks))
        }
    }
}

fn blocks(blocks: &[Block]) -> Markup {
    html! { @for part in blocks { (block(part)) } }
}

fn block(block: &Block) -> Markup {
    let bold = |words: &str| html! { @if !words.is_empty() { b { (words) } " " } };
    match block {
        Block::Heading(text) => html! { h3 { (text) } },
        Block::Paragraph(words, text) => html! { p { (bold(words)) (prose(text)) } },
        Block::Note(words, text) => html! { p.note { (bold(words)) (prose(text)) } },
        Block::File(words, name) => html! { p.note { (words) " " a href=(name) { (name) } } },
        Block::Terms(terms) => html! { dl { @for (term, meaning) in terms { dt { (term) } dd { (meaning) } } } },
        Block::Figures(figures) => html! { div.figures { @for shown in figures { (figure(shown)) } } },
        Block::Table(table) => table.to_markup(),
        Block::Text(text) => html! { pre { (text) } },
        Block::Folded(words, folded) => html! { details { summary { (words) } (blocks(folded)) } },
    }
}

/// A text of sentences, in which words of programs stand between grave accents.
fn prose(text: &str) -> Markup {
    let parts = text.split('`').enumerate();
    html! { @for (number, part) in parts { @if number % 2 == 1 { code { (part) } } @else { (part) } } }
}

fn figure(figure: &Figure) -> Markup {
    html! {
        figure.wide[figure.is_wide] {
            figcaption {
                b { (figure.title) }
                @if !figure.caption.is_empty() { p { (figure.caption) } }
            }
            div.drawing { (PreEscaped(&figure.svg)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_figures_are_not() {
        let figure = Figure { name: "n".into(), title: "t".into(), svg: "<svg></svg>".into(), ..Figure::default() };
        let folded = Block::Folded("more".into(), vec![Block::Figures(vec![figure])]);
        let sections = vec![Section::new("c & d", vec![folded])];
        let page = Page { title: "a < b".into(), sections, ..Page::default() };
        let html = page.to_html();
        assert!(html.contains("<h1>a &lt; b</h1>") && html.contains("<h2>c &amp; d</h2>"), "{html}");
        assert!(html.contains("<svg></svg>") && !html.contains("<script"), "{html}");
        assert_eq!(page.figures().count(), 1);
    }
}
