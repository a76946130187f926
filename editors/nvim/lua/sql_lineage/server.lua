--- Finds the server's program and the folder that it is to read.
local M = {}

local PROGRAM = 'sql-lineage-ls'
local WINDOWS = vim.fn.has('win32') == 1
-- The first of these that is found upwards of a file is in the root, so a settings file wins over a repository.
M.ROOT_MARKERS = { 'sql-lineage.toml', 'dbt_project.yml', 'pyproject.toml', '.git' }

--- Where the server may be, in the order of looking. A virtual environment inside a workspace is left out: what a folder
--- brings along is not run for opening one of its files.
---@param setting string|nil the user's `server_path`
---@return { how: string, path: string }[]
local function places(setting)
  if setting and setting ~= '' then
    return { { how = 'server_path', path = vim.fn.expand(setting) } }
  end
  local function inside(how, folder)
    return { how = how, path = vim.fn.expand(folder) .. (WINDOWS and '/Scripts/' or '/bin/') .. PROGRAM }
  end
  local found = { { how = 'PATH', path = PROGRAM } }
  if vim.env.VIRTUAL_ENV and vim.env.VIRTUAL_ENV ~= '' then
    found[#found + 1] = inside('VIRTUAL_ENV', vim.env.VIRTUAL_ENV)
  end
  found[#found + 1] = inside("the README's virtual environment", '~/.sql-lineage')
  found[#found + 1] = { how = 'where uv and pipx install', path = vim.fn.expand('~/.local/bin/') .. PROGRAM }
  return found
end

--- The server's program.
---@param setting string|nil the user's `server_path`
---@return string|nil path, string text how it was found, or where it was looked for in vain
function M.find(setting)
  local looked = {}
  for _, place in ipairs(places(setting)) do
    local path = vim.fn.exepath(place.path)
    if path ~= '' then
      return path, place.how
    end
    looked[#looked + 1] = ('%s (%s)'):format(place.how, place.path)
  end
  return nil, table.concat(looked, ', ')
end

--- What to tell a user whose server is missing.
---@param looked string the second result of `find`
---@return string
function M.missing(looked)
  return ('%s is not installed, or not where it was looked for: %s. Install it with "uv tool install", "pipx install" '
    .. 'or pip from a clone of the project, or set server_path; see :help sql_lineage-install and '
    .. ':checkhealth sql_lineage'):format(PROGRAM, looked)
end

local function is_too_wide(folder)
  local home = vim.loop.os_homedir()
  return folder == '' or folder == '/' or folder:match('^%a:[/\\]?$') ~= nil
    or (home ~= nil and folder == vim.fn.fnamemodify(home, ':p'):gsub('[/\\]$', ''))
end

local function without_slash(folder)
  return #folder > 1 and (folder:gsub('[/\\]$', '')) or folder
end

--- The folder to read for a file: that of a root marker, else the current directory if the file is in it, else the
--- file's own folder. Never a whole home or disk; nil then, and the file stands alone.
---@param file string a full path
---@param markers string[]|nil
---@return string|nil
function M.root(file, markers)
  local folder = without_slash(vim.fn.fnamemodify(file, ':p:h'))
  for _, marker in ipairs(markers or M.ROOT_MARKERS) do
    local here = folder
    while true do
      if vim.loop.fs_stat(here .. '/' .. marker) and not is_too_wide(here) then
        return here
      end
      local above = vim.fn.fnamemodify(here, ':h')
      if above == here then
        break
      end
      here = above
    end
  end
  local current = without_slash(vim.fn.getcwd())
  for _, candidate in ipairs({ current, folder }) do
    local holds = folder == candidate or vim.startswith(folder, candidate .. '/')
    if holds and not is_too_wide(candidate) then
      return candidate
    end
  end
  return nil
end

return M
