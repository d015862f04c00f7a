//! Kinds of documents that a conversation can publish.

use serde::{Deserialize, Serialize};

/// A kind of document that scripts of a sandbox may publish to the reader of the chat.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ArtifactType {
    /// A page, shown in a frame that can reach nothing.
    Html,
    /// A document for print.
    Pdf,
    /// Formatted text.
    Markdown,
    /// An image.
    Png,
    /// A drawing.
    Svg,
    /// A table.
    Csv,
}

impl ArtifactType {
    /// The file extension, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            ArtifactType::Html => "html",
            ArtifactType::Pdf => "pdf",
            ArtifactType::Markdown => "md",
            ArtifactType::Png => "png",
            ArtifactType::Svg => "svg",
            ArtifactType::Csv => "csv",
        }
    }

    /// The media type, e.g. `text/html`.
    pub fn media_type(self) -> &'static str {
        match self {
            ArtifactType::Html => "text/html",
            ArtifactType::Pdf => "application/pdf",
            ArtifactType::Markdown => "text/markdown",
            ArtifactType::Png => "image/png",
            ArtifactType::Svg => "image/svg+xml",
            ArtifactType::Csv => "text/csv",
        }
    }
}
