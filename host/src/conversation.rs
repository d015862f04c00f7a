//! The tools of one conversation.

use crate::{Outcome, RunError, Tool};
use sandshell_api::Scope;
use serde_json::Value;

/// Several tools under distinct names, with one conversation's sessions.
#[derive(Debug, Clone)]
pub struct Conversation {
    id: String,
    tools: Vec<Tool>,
}

/// Two tools of one name: the model could not tell them apart.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two tools are named `{0}`: give one of the sandboxes another function name")]
pub struct DuplicateName(pub String);

impl Conversation {
    /// A conversation with these tools. Refuses two tools of one function name.
    pub fn new(
        id: impl Into<String>,
        tools: impl IntoIterator<Item = Tool>,
    ) -> Result<Conversation, DuplicateName> {
        let mut all: Vec<Tool> = Vec::new();
        for tool in tools {
            let name = tool.name();
            match all.iter().find(|t| t.name() == name) {
                Some(same) if same.id() == tool.id() => {}
                Some(_) => return Err(DuplicateName(name)),
                None => all.push(tool),
            }
        }
        Ok(Conversation { id: id.into(), tools: all })
    }

    /// The tools.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// For `tools` of OpenAI's chat completions.
    pub fn openai(&self) -> Value {
        self.tools.iter().map(Tool::openai).collect()
    }

    /// For `tools` of Anthropic's messages API.
    pub fn anthropic(&self) -> Value {
        self.tools.iter().map(Tool::anthropic).collect()
    }

    /// For the answer to `tools/list` of the Model Context Protocol.
    pub fn mcp(&self) -> Value {
        self.tools.iter().map(Tool::mcp).collect()
    }

    /// Runs a model's call; `None` when no tool has this name.
    pub async fn call(
        &self,
        name: &str,
        scope: Scope,
        arguments: &Value,
    ) -> Option<Result<Outcome, RunError>> {
        let tool = self.tools.iter().find(|t| t.name() == name)?;
        Some(tool.call(&self.id, scope, arguments).await)
    }
}
