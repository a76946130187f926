//! Starts sql-lineage-ls in Zed: the program that the user's settings name, or the one on PATH.

use zed_extension_api::{
    self as zed, serde_json, settings::LspSettings, Command, LanguageServerId, Result, Worktree,
};

struct SqlLineage;

impl zed::Extension for SqlLineage {
    fn new() -> Self {
        SqlLineage
    }

    fn language_server_command(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let binary = LspSettings::for_worktree(server.as_ref(), worktree)
            .ok()
            .and_then(|settings| settings.binary);
        let (path, arguments) = match binary {
            Some(binary) => (binary.path, binary.arguments),
            None => (None, None),
        };
        let command = path.or_else(|| worktree.which("sql-lineage-ls")).ok_or(
            "sql-lineage-ls is not on PATH: install it, or set lsp.sql-lineage-ls.binary.path",
        )?;
        Ok(Command {
            command,
            args: arguments.unwrap_or_default(),
            env: worktree.shell_env(),
        })
    }

    fn language_server_workspace_configuration(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        let settings = LspSettings::for_worktree(server.as_ref(), worktree)?.settings;
        Ok(Some(serde_json::json!({ "sqlLineage": settings })))
    }
}

zed::register_extension!(SqlLineage);
