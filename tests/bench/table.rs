//! Columns of text, for the terminal or as Markdown.

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Aligned columns.
    Plain,
    /// A Markdown table, aligned as well.
    Markdown,
}

/// A table whose cells are text; columns of numbers are aligned at the right.
#[derive(Debug)]
pub struct Table {
    heading: Vec<&'static str>,
    numbers: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns, each with its heading and whether it holds numbers.
    pub fn new(columns: &[(&'static str, bool)]) -> Self {
        Self {
            heading: columns.iter().map(|column| column.0).collect(),
            numbers: columns.iter().map(|column| column.1).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row of as many cells as there are columns.
    pub fn push(&mut self, row: Vec<String>) {
        debug_assert_eq!(row.len(), self.heading.len());
        self.rows.push(row);
    }

    /// The whole table, a newline after each row.
    pub fn render(&self, style: Style) -> String {
        let heading: Vec<String> = self.heading.iter().map(|&cell| cell.to_owned()).collect();
        let widths: Vec<usize> = (0..heading.len())
            .map(|column| {
                std::iter::once(&heading)
                    .chain(&self.rows)
                    .map(|row| row[column].chars().count())
                    .max()
                    .unwrap_or(0)
                    .max(3)
            })
            .collect();
        let rule = |(width, number): (&usize, &bool)| match (style, number) {
            (Style::Markdown, true) => format!("{}:", "-".repeat(width - 1)),
            _ => "-".repeat(*width),
        };
        let rules: Vec<String> = widths.iter().zip(&self.numbers).map(rule).collect();
        let mut text = String::new();
        for row in [&heading, &rules].into_iter().chain(&self.rows) {
            text.push_str(&self.line(row, &widths, style));
            text.push('\n');
        }
        text
    }

    fn line(&self, row: &[String], widths: &[usize], style: Style) -> String {
        let cells: Vec<String> = row
            .iter()
            .zip(widths)
            .zip(&self.numbers)
            .map(
                |((cell, width), number)| {
                    if *number { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
                },
            )
            .collect();
        match style {
            Style::Plain => cells.join("  ").trim_end().to_owned(),
            Style::Markdown => format!("| {} |", cells.join(" | ")),
        }
    }
}
