-- For Neovim 0.11 and newer: `vim.lsp.enable('sql_lineage_ls')` finds this file on the runtime path.
-- Older ones: `require('sql_lineage').setup()`.
local plugin = require('sql_lineage')

---@type vim.lsp.Config
local config = plugin.client_config()
config.root_dir = plugin.root_dir
return config
