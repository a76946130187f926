-- sql-lineage-ls for Neovim 0.11 and newer. Put this file into ~/.config/nvim/lsp/ and write
--   vim.lsp.enable('sql_lineage_ls')
-- into your init.lua. Code lenses: vim.lsp.codelens.refresh() shows them, vim.lsp.codelens.run() lists the places.

---@param command lsp.Command
---@param ctx { client_id: integer }
local function show_references(command, ctx)
  local client = assert(vim.lsp.get_client_by_id(ctx.client_id))
  local locations = command.arguments[3]
  local items = vim.lsp.util.locations_to_items(locations, client.offset_encoding)
  vim.fn.setqflist({}, ' ', { title = command.title, items = items })
  vim.cmd('botright copen')
end

---@type vim.lsp.Config
return {
  cmd = { 'sql-lineage-ls' },
  filetypes = { 'sql', 'mysql', 'plsql' },
  root_markers = { 'sql-lineage.toml', 'dbt_project.yml', 'pyproject.toml', '.git' },
  commands = { ['sqlLineage.showReferences'] = show_references },
  settings = {
    sqlLineage = {},
  },
}
