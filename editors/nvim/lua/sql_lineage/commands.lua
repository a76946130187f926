--- What `:SqlLineage` and the lenses do.
local compat = require('sql_lineage.compat')
local lineage = require('sql_lineage.lineage')

local M = {}

local DEPTH = 20
local GRAPH_DEPTH = 5
local RESTART_WAIT = 5000

local function say(text, level)
  vim.notify('sql-lineage: ' .. text, level or vim.log.levels.INFO)
end

local function warn(text)
  say(text, vim.log.levels.WARN)
end

local function client_here(bufnr)
  local client = compat.clients(bufnr)[1]
  if not client then
    warn('no server serves this buffer; :checkhealth sql_lineage tells why')
  end
  return client
end

--- Calls `ask` with the client and the position under the cursor; `ask` gets a function that tells failures.
local function at_cursor(ask)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_here(bufnr)
  if client then
    ask(client, bufnr, vim.lsp.util.make_position_params(0, client.offset_encoding))
  end
end

local function failed(err, found)
  if err then
    warn('the server answers: ' .. (err.message or vim.inspect(err)))
  elseif not found then
    warn('nothing with a lineage here; put the cursor on a table, a column or a field')
  end
  return err ~= nil or not found
end

local function names_of(roots)
  local names = {}
  for _, root in ipairs(roots) do
    names[#names + 1] = lineage.path(root.item)
  end
  return table.concat(names, ', ')
end

local function depth_of(text, default)
  local depth = tonumber(text)
  return depth and depth >= 1 and math.floor(depth) or default
end

local WAYS = {
  up = { title = 'Upstream of %s', arrow = '←', none = '%s is a source: nothing that was read writes it' },
  down = { title = 'Downstream of %s', arrow = '→', none = 'nothing uses %s' },
}

local function section(way, roots, cut)
  local words = WAYS[way]
  local none = true
  for _, root in ipairs(roots) do
    none = none and #root.children == 0
  end
  local title = (none and words.none or words.title):format(names_of(roots))
  if cut then
    title = ('%s (the first %d)'):format(title, lineage.MOST_NODES)
  end
  return { title = title, roots = roots, arrow = words.arrow }
end

local function show_trees(ways, depth)
  at_cursor(function(client, bufnr, position)
    local sections = {}
    local function next_way()
      local way = ways[#sections + 1]
      if not way then
        require('sql_lineage.tree').open(sections, client.offset_encoding)
        return
      end
      lineage.trees(client, bufnr, position, way, depth, function(err, roots, cut)
        if not failed(err, #roots > 0) then
          sections[#sections + 1] = section(way, roots, cut)
          next_way()
        end
      end)
    end
    next_way()
  end)
end

local function show_graph(depth)
  at_cursor(function(client, bufnr, position)
    lineage.mermaid(client, bufnr, position, depth, function(err, text)
      if err then
        failed(err)
      elseif text then
        require('sql_lineage.tree').scratch(vim.split(text, '\n'), 'mermaid')
      else
        show_trees({ 'up', 'down' }, depth)
      end
    end)
  end)
end

local function open_quickfix(title, items)
  vim.fn.setqflist({}, ' ', { title = title, items = items })
  vim.cmd('botright copen')
end

--- The uses of the server's answer, each with the relation that it goes into.
local function impact_items(groups, encoding)
  local items = {}
  for _, group in ipairs(groups) do
    for _, use in ipairs(group.uses) do
      for _, item in ipairs(vim.lsp.util.locations_to_items({ use.location }, encoding)) do
        local target = group.name ~= '' and '→ ' .. group.name .. ' │ ' or ''
        item.text = ('%s%s: %s'):format(target, use.usage, vim.trim(item.text))
        items[#items + 1] = item
      end
    end
  end
  return items
end

--- Has the server carry out a command for what is under the cursor.
local function execute_at_cursor(command, done)
  at_cursor(function(client, bufnr, position)
    local arguments = { position.textDocument.uri, position.position }
    compat.request(client, 'workspace/executeCommand', { command = command, arguments = arguments },
      function(err, found)
        -- JSON's null is `vim.NIL` before 0.10.
        if not failed(err, found and found ~= vim.NIL) then
          done(found, client)
        end
      end, bufnr)
  end)
end

local function show_impact()
  execute_at_cursor('sqlLineage.impact', function(found, client)
    local paths = table.concat(found.paths, ', ')
    if found.count == 0 then
      return say(('nothing uses %s'):format(paths))
    end
    open_quickfix(('Impact of %s: %d uses'):format(paths, found.count),
      impact_items(found.groups, client.offset_encoding))
  end)
end

local function copy_path(register)
  execute_at_cursor('sqlLineage.copyFieldPath', function(path)
    vim.fn.setreg(register or '"', path)
    if not register and vim.fn.has('clipboard') == 1 then
      pcall(vim.fn.setreg, '+', path)
    end
    say('copied ' .. path:gsub('\n', ', '))
  end)
end

local function show_status()
  local client = client_here(vim.api.nvim_get_current_buf()) or compat.clients()[1]
  if not client then
    return
  end
  compat.request(client, 'sqlLineage/status', vim.empty_dict(), function(err, status)
    if failed(err, status) then
      return
    end
    say(table.concat(M.status_lines(client, status), '\n'))
  end, vim.api.nvim_get_current_buf())
end

--- The server's state in words, a line each.
---@param client table
---@param status table the answer to `sqlLineage/status`
---@return string[]
function M.status_lines(client, status)
  return {
    ('sql-lineage-ls %s, %s'):format(status.version, status.complete and 'ready' or 'still reading the workspace'),
    'root: ' .. (client.config.root_dir or 'none, each file stands alone'),
    ('%d documents, %d of them open; %d statements, %d not read'):format(
      status.documents, status.openDocuments, status.statements, status.unparsedStatements),
    'dialects: ' .. table.concat(status.dialects, ', '),
  }
end

local function show_log()
  local file = require('vim.lsp.log').get_filename()
  if vim.fn.filereadable(file) == 0 then
    return say('nothing is logged yet; the file will be ' .. file)
  end
  vim.cmd('tabedit ' .. vim.fn.fnameescape(file))
  vim.cmd('normal! G')
end

local function attached_buffers(client)
  return vim.tbl_filter(function(bufnr)
    return vim.api.nvim_buf_is_loaded(bufnr) and vim.lsp.buf_is_attached(bufnr, client.id)
  end, vim.api.nvim_list_bufs())
end

local function restart()
  local clients = compat.clients()
  if #clients == 0 then
    -- What starts servers listens to this event, and says so where the program is missing.
    return vim.api.nvim_exec_autocmds('FileType', { pattern = vim.bo.filetype, modeline = false })
  end
  for _, client in ipairs(clients) do
    local buffers, config = attached_buffers(client), client.config
    compat.stop(client)
    if not vim.wait(RESTART_WAIT, function() return compat.is_stopped(client) end, 20) then
      return warn('the server does not stop')
    end
    for _, bufnr in ipairs(buffers) do
      compat.start(config, bufnr)
    end
  end
  say('restarted')
end

local COMMANDS = {
  up = function(argument) show_trees({ 'up' }, depth_of(argument, DEPTH)) end,
  down = function(argument) show_trees({ 'down' }, depth_of(argument, DEPTH)) end,
  graph = function(argument) show_graph(depth_of(argument, GRAPH_DEPTH)) end,
  impact = show_impact,
  path = copy_path,
  log = show_log,
  status = show_status,
  restart = restart,
}

local function names()
  local all = vim.tbl_keys(COMMANDS)
  table.sort(all)
  return all
end

--- Runs `:SqlLineage NAME [ARGUMENT]`.
---@param arguments string[]
function M.run(arguments)
  local command = COMMANDS[arguments[1]]
  if not command then
    return warn(('there is no :SqlLineage %s; there is %s'):format(arguments[1], table.concat(names(), ', ')))
  end
  command(arguments[2])
end

--- Completes the first word behind `:SqlLineage`.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  if not line:match('^%s*%S+%s+%S*$') then
    return {}
  end
  return vim.tbl_filter(function(name) return vim.startswith(name, lead) end, names())
end

--- The lens's command: lists its places in the quickfix list.
---@param command table an LSP Command
---@param context { client_id: integer }
function M.show_references(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if client then
    local locations = command.arguments[3]
    open_quickfix(command.title, vim.lsp.util.locations_to_items(locations, client.offset_encoding))
  end
end

return M
