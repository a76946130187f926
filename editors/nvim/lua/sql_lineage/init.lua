--- Starts sql-lineage-ls in Neovim. 0.11 and newer: `vim.lsp.enable('sql_lineage_ls')` or `setup()`; older: `setup()`.
local compat = require('sql_lineage.compat')
local server = require('sql_lineage.server')

local M = {}

---@class sql_lineage.Options
---@field server_path string|nil the program, where it is not found by itself
---@field cmd string[]|nil the whole command, instead of `server_path`
---@field settings table|nil the server's settings, e.g. `{ dialect = 'trino' }`
---@field filetypes string[]|nil
---@field root_markers string[]|nil
---@field root_dir string|nil one folder for every file
---@field capabilities table|nil
---@field on_attach fun(client: table, bufnr: integer)|nil

---@type sql_lineage.Options
M.options = {}

local OPTIONS = { 'server_path', 'cmd', 'settings', 'filetypes', 'root_markers', 'root_dir', 'capabilities', 'on_attach' }
local told = false

local function tell_missing(looked)
  if not told then
    told = true
    vim.notify(server.missing(looked), vim.log.levels.WARN)
  end
end

--- The command that starts the server, or nil, and how it was found or where it was looked for.
---@return string[]|nil command, string how
function M.command()
  local given = M.options.cmd
  if given then
    local there = vim.fn.executable(given[1]) == 1
    return there and given or nil, there and 'cmd' or ('cmd (%s)'):format(given[1])
  end
  local path, how = server.find(M.options.server_path)
  return path and { path }, how
end

-- Neovim 0.11 leaves out, without a word, what has a command that is not there; a function it calls.
local function start_when_there(dispatchers)
  local command, how = M.command()
  return vim.lsp.rpc.start(command or error(server.missing(how)), dispatchers)
end

--- What both ways of starting have in common.
---@return table
function M.client_config()
  local options = M.options
  return {
    name = compat.NAME,
    cmd = M.command() or start_when_there,
    filetypes = options.filetypes or { 'sql', 'mysql', 'plsql' },
    settings = { sqlLineage = options.settings or vim.empty_dict() },
    capabilities = options.capabilities,
    on_attach = options.on_attach,
    commands = {
      ['sqlLineage.showReferences'] = function(command, context)
        require('sql_lineage.commands').show_references(command, context)
      end,
    },
  }
end

--- The root for a buffer of Neovim 0.11 and newer: `on_dir` is called only where the server can start.
---@param bufnr integer
---@param on_dir fun(root: string|nil)
function M.root_dir(bufnr, on_dir)
  local command, how = M.command()
  if not command and vim.lsp.config[compat.NAME].cmd == start_when_there then
    return tell_missing(how)
  end
  on_dir(M.options.root_dir or server.root(vim.api.nvim_buf_get_name(bufnr), M.options.root_markers))
end

local function attach(bufnr)
  local config = M.client_config()
  if not vim.tbl_contains(config.filetypes, vim.bo[bufnr].filetype) or vim.bo[bufnr].buftype ~= '' then
    return
  end
  local command, how = M.command()
  if not command then
    return tell_missing(how)
  end
  config.root_dir = M.options.root_dir or server.root(vim.api.nvim_buf_get_name(bufnr), M.options.root_markers)
  -- 0.7 tells its settings in no other way.
  config.init_options = config.settings
  -- These versions show lenses and do not say so.
  config.capabilities = vim.tbl_deep_extend('keep', config.capabilities or {}, {
    textDocument = { codeLens = { dynamicRegistration = false } },
  }, vim.lsp.protocol.make_client_capabilities())
  if not vim.lsp.start then
    -- 0.7 has no LspAttach.
    config.on_attach = function(client, buffer)
      compat.refresh_lenses(buffer)
      if M.options.on_attach then
        M.options.on_attach(client, buffer)
      end
    end
  end
  compat.start(config, bufnr)
end

--- Starts the server for SQL files, open ones and those to come.
---@param options sql_lineage.Options|nil
function M.setup(options)
  for key in pairs(options or {}) do
    if not vim.tbl_contains(OPTIONS, key) then
      vim.notify(('sql_lineage: setup() has no option %q; it has %s'):format(key, table.concat(OPTIONS, ', ')),
        vim.log.levels.WARN)
    end
  end
  M.options = options or {}
  told = false
  if compat.has_config() then
    local config = M.client_config()
    config.root_dir = M.root_dir
    vim.lsp.config(compat.NAME, config)
    vim.lsp.enable(compat.NAME)
    return
  end
  local group = vim.api.nvim_create_augroup('sql_lineage_start', { clear = true })
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = M.client_config().filetypes,
    callback = function(event) attach(event.buf) end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      attach(bufnr)
    end
  end
end

return M
