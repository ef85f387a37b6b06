//! Rendering of diagnostics as text, by the Rust compiler's own renderer (annotate-snippets).

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::{Diagnostic, Diagnostics, Severity, SourceId, Sources, Span};

pub(crate) fn render(diagnostics: &Diagnostics, sources: &Sources, coloured: bool) -> String {
    let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
    let mut text = String::new();
    for diagnostic in diagnostics.iter() {
        text.push_str(&render_one(diagnostic, sources, &renderer));
        text.push_str("\n\n");
    }
    text
}

fn render_one(diagnostic: &Diagnostic, sources: &Sources, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group =
        level.primary_title(&diagnostic.message).elements(std::iter::empty::<annotate_snippets::Element<'_>>());
    let mut places: Vec<(Span, AnnotationKind, &str)> = Vec::new();
    places.extend(diagnostic.span.map(|span| (span, AnnotationKind::Primary, diagnostic.label.as_str())));
    places.extend(diagnostic.related.iter().map(|(span, words)| (*span, AnnotationKind::Context, words.as_str())));
    let mut order: Vec<SourceId> = Vec::new();
    for (span, ..) in &places {
        if !order.contains(&span.source) {
            order.push(span.source);
        }
    }
    for source in order {
        let text = sources.text(source);
        let mut snippet = Snippet::source(text).path(sources.name(source));
        for (span, kind, label) in places.iter().filter(|(span, ..)| span.source == source) {
            let start = text.floor_char_boundary(span.start as usize);
            let end = text.ceil_char_boundary((span.end as usize).max(start));
            let annotation = kind.span(start..end);
            snippet = snippet.annotation(if label.is_empty() { annotation } else { annotation.label(*label) });
        }
        group = group.element(snippet);
    }
    if let Some(hint) = &diagnostic.hint {
        group = group.element(Level::HELP.message(hint));
    }
    renderer.render(&[group])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_file_line_column_underline_and_hint() {
        let mut sources = Sources::new();
        let id = sources.add("count.c", "int count = 0;\ncuont += 1;\n");
        let mut found = Diagnostics::new();
        found.push(
            Diagnostic::error(Span::new(id, 15, 20), "`cuont` is not declared")
                .label("unknown name")
                .hint("did you mean `count`?"),
        );
        let text = found.render(&sources, false);
        assert!(text.contains("count.c:2:1"), "{text}");
        assert!(text.contains("^^^^^ unknown name"), "{text}");
        assert!(text.contains("help: did you mean `count`?"), "{text}");
    }

    #[test]
    fn spans_off_character_boundaries_do_not_panic() {
        let mut sources = Sources::new();
        let id = sources.add("x", "é");
        let found = Diagnostics::from(Diagnostic::error(Span::new(id, 1, 1), "here"));
        assert!(found.render(&sources, false).contains("here"));
        let found = Diagnostics::from(Diagnostic::error(Span::new(id, 2, 9), "there"));
        assert!(found.render(&sources, false).contains("there"));
    }
}
