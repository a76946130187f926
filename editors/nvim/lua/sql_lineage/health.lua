--- `:checkhealth sql_lineage`: is the server there, does it run, what does it read, which settings are wrong.
local compat = require('sql_lineage.compat')
local plugin = require('sql_lineage')
local server = require('sql_lineage.server')

local M = {}

local STATUS_WAIT = 3000

local function check_editor(health)
  if compat.has_config() then
    health.ok('Neovim has vim.lsp.enable')
  elseif vim.fn.has('nvim-0.7') == 1 then
    health.ok('Neovim is older than 0.11: require("sql_lineage").setup() starts the server')
  else
    health.error('Neovim is older than 0.7')
  end
end

-- What `vim.lsp.config` says wins over what the plugin finds.
local function configured_command()
  local configured = compat.has_config() and vim.lsp.config[compat.NAME]
  if configured and type(configured.cmd) == 'table' then
    local there = vim.fn.executable(configured.cmd[1]) == 1
    return there and configured.cmd or nil, there and 'vim.lsp.config' or ('cmd (%s)'):format(configured.cmd[1])
  end
end

local function check_server(health)
  local own, found = plugin.command()
  local command, how = configured_command()
  if not how or (command and own and command[1] == own[1]) then
    command, how = own, found
  end
  if not command then
    return health.error(server.missing(how))
  end
  local version = vim.trim(vim.fn.system({ command[1], '--version' }))
  if vim.v.shell_error ~= 0 then
    return health.error(('%s does not run: %s'):format(command[1], version))
  end
  health.ok(('server %s found (%s), version %s'):format(command[1], how, version))
end

local function check_client(health, client)
  local root = client.config.root_dir
  health.ok(('client %d is attached to %d buffers'):format(client.id, vim.tbl_count(client.attached_buffers or {})))
  if root then
    health.info('workspace: ' .. root)
  else
    health.warn('no workspace: each file stands alone. Make a sql-lineage.toml (it may be empty) in the folder to read')
  end
  local status = compat.request_sync(client, 'sqlLineage/status', vim.empty_dict(), STATUS_WAIT)
  if not status then
    return health.error('the server does not answer; :SqlLineage log may tell why, :SqlLineage restart starts it again')
  end
  health.ok(table.concat(require('sql_lineage.commands').status_lines(client, status), '; '))
  for _, problem in ipairs(status.settingsProblems or {}) do
    health.warn('setting: ' .. problem)
  end
  if #(status.settingsProblems or {}) == 0 then
    health.ok('no setting is wrong')
  end
end

function M.check()
  local health = compat.health()
  health.start('sql_lineage')
  check_editor(health)
  check_server(health)
  local clients = compat.clients()
  if #clients == 0 then
    health.warn('no client is attached: open a .sql file, and see that '
      .. 'vim.lsp.enable("sql_lineage_ls") or require("sql_lineage").setup() is in your init.lua')
  end
  for _, client in ipairs(clients) do
    check_client(health, client)
  end
end

return M
