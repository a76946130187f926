--- What differs between Neovim 0.7 and 0.12, and nothing else.
local M = {}

--- The client's name, as `vim.lsp.enable()` and `:checkhealth vim.lsp` know it.
M.NAME = 'sql_lineage_ls'

--- Whether `vim.lsp.config` and `vim.lsp.enable` are there (0.11 and newer).
---@return boolean
function M.has_config()
  return vim.lsp.config ~= nil and vim.lsp.enable ~= nil
end

--- Whether a client has ended, or its connection is closing.
---@param client table
---@return boolean
function M.is_stopped(client)
  if vim.fn.has('nvim-0.11') == 1 then
    return client:is_stopped()
  end
  return client.is_stopped()
end

--- The running clients of this server, all or those of one buffer.
---@param bufnr integer|nil
---@return table[]
function M.clients(bufnr)
  local found = {}
  for _, client in pairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
    local serves = bufnr == nil or vim.lsp.buf_is_attached(bufnr, client.id)
    if client.name == M.NAME and serves and not M.is_stopped(client) then
      found[#found + 1] = client
    end
  end
  return found
end

--- Asks the server; `answer` is called with an error or a result.
---@param client table
---@param method string
---@param params table
---@param answer fun(err: table|nil, result: any)
---@param bufnr integer
function M.request(client, method, params, answer, bufnr)
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, answer, bufnr)
  else
    client.request(method, params, answer, bufnr)
  end
end

--- Asks the server and waits; nil where no answer comes in time.
---@param client table
---@param method string
---@param params table
---@param timeout integer milliseconds
---@return any
function M.request_sync(client, method, params, timeout)
  local bufnr = vim.api.nvim_get_current_buf()
  local answered, result
  M.request(client, method, params, function(_, value)
    answered, result = true, value
  end, bufnr)
  vim.wait(timeout, function() return answered end, 10)
  return result
end

---@param client table
function M.stop(client)
  if vim.fn.has('nvim-0.11') == 1 then
    client:stop()
  else
    client.stop()
  end
end

-- For 0.7, which tells of no client before it has answered: the newest by root.
local started = {}

--- Starts the server for a buffer, or attaches the one that already serves its root.
---@param config table as `vim.lsp.start` takes it
---@param bufnr integer
function M.start(config, bufnr)
  if vim.lsp.start then
    return vim.api.nvim_buf_call(bufnr, function() return vim.lsp.start(config) end)
  end
  local root = config.root_dir or ''
  local known = started[root] and vim.lsp.get_client_by_id(started[root])
  if known and not M.is_stopped(known) then
    return vim.lsp.buf_attach_client(bufnr, known.id)
  end
  if config.root_dir then
    config = vim.tbl_extend('keep', config, {
      workspace_folders = { { uri = vim.uri_from_fname(config.root_dir), name = config.root_dir } },
    })
  end
  started[root] = vim.lsp.start_client(config)
  if started[root] then
    vim.lsp.buf_attach_client(bufnr, started[root])
  end
end

--- Goes to a location in the current window.
---@param location table an LSP Location
---@param encoding string the client's offset encoding
function M.jump(location, encoding)
  if vim.lsp.util.show_document then
    vim.lsp.util.show_document(location, encoding, { focus = true })
  else
    vim.lsp.util.jump_to_location(location, encoding)
  end
end

--- Asks for the lenses of the current buffer and shows them.
---@param bufnr integer
function M.refresh_lenses(bufnr)
  local lens = vim.lsp.codelens
  if lens.enable then
    -- 0.12 asks again by itself.
    if not lens.is_enabled({ bufnr = bufnr }) then
      lens.enable(true, { bufnr = bufnr })
    end
  elseif vim.fn.has('nvim-0.10') == 1 then
    lens.refresh({ bufnr = bufnr })
  else
    vim.api.nvim_buf_call(bufnr, lens.refresh)
  end
end

--- The functions of `vim.health`, whose names have changed twice.
---@return { start: function, ok: function, info: function, warn: function, error: function }
function M.health()
  local health = vim.health or require('health')
  return {
    start = health.start or health.report_start,
    ok = health.ok or health.report_ok,
    info = health.info or health.report_info,
    warn = health.warn or health.report_warn,
    error = health.error or health.report_error,
  }
end

return M
