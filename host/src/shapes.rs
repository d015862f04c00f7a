//! A tool in the shapes that the APIs of models take, and its answers in the shapes that they expect back.

use crate::{Outcome, tool::Tool};
use serde_json::{Value, json};

/// The longest description of a function that OpenAI's API takes, in characters.
const OPENAI_DESCRIPTION: usize = 1024;
const SCRIPT: &str = "The bash script to run. Several lines, pipes, here-documents, functions are fine.";

impl Tool {
    /// The JSON schema of the arguments: one string, `script`.
    pub fn schema(&self) -> Value {
        schema(SCRIPT)
    }

    /// For `tools` of OpenAI's chat completions. Their descriptions are limited to 1024 characters: a longer one
    /// begins in the function and goes on in its parameter.
    pub fn openai(&self) -> Value {
        json!({ "type": "function", "function": self.openai_function() })
    }

    /// For `tools` of OpenAI's responses API.
    pub fn openai_responses(&self) -> Value {
        let mut tool = self.openai_function();
        tool["type"] = "function".into();
        tool
    }

    fn openai_function(&self) -> Value {
        let whole = self.description();
        let (description, parameters) = match whole.char_indices().nth(OPENAI_DESCRIPTION) {
            None => (whole, self.schema()),
            Some(_) => {
                let more = "\n(More in the description of `script`.)";
                let at = whole.char_indices().nth(OPENAI_DESCRIPTION - more.len()).map_or(0, |(i, _)| i);
                let at = whole[..at].rfind('\n').unwrap_or(at);
                let rest = format!("{SCRIPT}\n{}", whole[at..].trim_start());
                (format!("{}{more}", &whole[..at]), schema(&rest))
            }
        };
        json!({ "name": self.name(), "description": description, "parameters": parameters })
    }

    /// For `tools` of Anthropic's messages API.
    pub fn anthropic(&self) -> Value {
        json!({ "name": self.name(), "description": self.description(), "input_schema": self.schema() })
    }

    /// For the answer to `tools/list` of the Model Context Protocol.
    pub fn mcp(&self) -> Value {
        json!({
            "name": self.name(),
            "description": self.description(),
            "inputSchema": self.schema(),
            "annotations": { "destructiveHint": false, "openWorldHint": false },
        })
    }
}

fn schema(script: &str) -> Value {
    json!({
        "type": "object",
        "properties": { "script": { "type": "string", "description": script } },
        "required": ["script"],
        "additionalProperties": false,
    })
}

impl Outcome {
    /// A message that answers a tool call of OpenAI's chat completions.
    pub fn openai(&self, tool_call_id: &str) -> Value {
        json!({ "role": "tool", "tool_call_id": tool_call_id, "content": self.text() })
    }

    /// A content block that answers a tool use of Anthropic's messages API.
    pub fn anthropic(&self, tool_use_id: &str) -> Value {
        json!({
            "type": "tool_result",
            "tool_use_id": tool_use_id,
            "content": self.text(),
            "is_error": !self.ok(),
        })
    }

    /// The result of `tools/call` of the Model Context Protocol.
    pub fn mcp(&self) -> Value {
        json!({
            "content": [{ "type": "text", "text": self.text() }],
            "structuredContent": self.to_json(),
            "isError": !self.ok(),
        })
    }
}
