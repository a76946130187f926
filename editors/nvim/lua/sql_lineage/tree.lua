--- Shows lineage trees in a buffer: a node a line, folds by depth, jumps to what a line names.
local compat = require('sql_lineage.compat')
local lineage = require('sql_lineage.lineage')

local M = {}

local MOST_HEIGHT = 15
local SPACE = vim.api.nvim_create_namespace('sql_lineage_tree')
local HELP = '<CR> go to the declaration · o go to where it is used · <Tab> fold · q close'
-- Of each tree buffer: what its lines are about, and where jumps go.
local shown = {}

local function place_text(location)
  local ok, name = pcall(vim.uri_to_fname, location.uri)
  local file = ok and vim.fn.fnamemodify(name, ':.') or location.uri
  return ('%s:%d'):format(file, location.range.start.line + 1)
end

--- The lines of a tree, with what each is about.
---@param sections { title: string, roots: sql_lineage.Node[], arrow: string }[]
local function render(sections)
  local lines, about = {}, {}
  local function add(text, entry)
    lines[#lines + 1] = text
    about[#lines] = entry
  end
  local function add_node(node, depth, arrow)
    local home = { uri = node.item.uri, range = node.item.selectionRange }
    local circle = (node.item.detail or ''):find('· seen above', 1, true) and ' (seen above)' or ''
    local text = ('  '):rep(depth) .. (depth > 0 and arrow .. ' ' or '') .. lineage.path(node.item) .. circle
    add(text .. '  ' .. place_text(home), {
      depth = depth + 1, folds = #node.children > 0, tail = #text, home = home, use = node.places[1] or home,
    })
    for _, below in ipairs(node.children) do
      add_node(below, depth + 1, arrow)
    end
  end
  for _, section in ipairs(sections) do
    add(section.title, { depth = 0, folds = false, title = true })
    for _, root in ipairs(section.roots) do
      add_node(root, 0, section.arrow)
    end
  end
  return lines, about
end

--- The fold level of a line of the current tree buffer; for 'foldexpr'.
---@param line integer
---@return string
function M.fold(line)
  local known = shown[vim.api.nvim_get_current_buf()]
  local entry = known and known.about[line]
  if not entry then
    return '0'
  end
  return entry.folds and '>' .. entry.depth or tostring(math.max(entry.depth - 1, 0))
end

local function go(kind)
  local known = shown[vim.api.nvim_get_current_buf()]
  local entry = known and known.about[vim.api.nvim_win_get_cursor(0)[1]]
  if not entry or not entry[kind] then
    return
  end
  if vim.api.nvim_win_is_valid(known.origin) then
    vim.api.nvim_set_current_win(known.origin)
  else
    vim.cmd('leftabove split')
    known.origin = vim.api.nvim_get_current_win()
  end
  compat.jump(entry[kind], known.encoding)
end

local function set_keys(bufnr)
  local function key(lhs, rhs, desc)
    vim.keymap.set('n', lhs, rhs, { buffer = bufnr, nowait = true, silent = true, desc = desc })
  end
  key('<CR>', function() go('home') end, 'Go to the declaration')
  key('o', function() go('use') end, 'Go to where it is used')
  key('<Tab>', function() pcall(vim.cmd, 'normal! za') end, 'Fold or unfold')
  key('q', '<Cmd>close<CR>', 'Close')
end

local function paint(bufnr, about)
  for number, entry in pairs(about) do
    local group = entry.title and 'Title' or 'Comment'
    vim.api.nvim_buf_set_extmark(bufnr, SPACE, number - 1, entry.tail or 0, {
      end_row = number, end_col = 0, hl_group = group,
    })
  end
end

--- A scratch buffer in a window below, in place of the one that was shown before.
---@param lines string[]
---@param filetype string
---@return integer bufnr
function M.scratch(lines, filetype)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.api.nvim_buf_set_name(bufnr, ('sql-lineage://%s/%d'):format(filetype, bufnr))
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.w[window].sql_lineage then
      vim.api.nvim_set_current_win(window)
    end
  end
  if not vim.w.sql_lineage then
    vim.cmd('botright split')
    vim.w.sql_lineage = true
  end
  vim.cmd(('resize %d'):format(math.min(#lines + 1, MOST_HEIGHT)))
  vim.api.nvim_win_set_buf(0, bufnr)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].filetype = filetype
  vim.bo[bufnr].modifiable = false
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = bufnr, nowait = true, silent = true, desc = 'Close' })
  return bufnr
end

--- Opens the trees in a window below.
---@param sections { title: string, roots: sql_lineage.Node[], arrow: string }[]
---@param encoding string the client's offset encoding
---@return integer bufnr
function M.open(sections, encoding)
  local origin = vim.api.nvim_get_current_win()
  local lines, about = render(sections)
  local bufnr = M.scratch(lines, 'sqllineage')
  if origin == vim.api.nvim_get_current_win() then
    origin = -1
  end
  shown[bufnr] = { about = about, origin = origin, encoding = encoding }
  vim.api.nvim_create_autocmd('BufWipeout', { buffer = bufnr, once = true, callback = function() shown[bufnr] = nil end })
  set_keys(bufnr)
  paint(bufnr, about)
  vim.cmd([[setlocal foldmethod=expr foldexpr=v:lua.require'sql_lineage.tree'.fold(v:lnum) foldlevel=99 nowrap]])
  vim.cmd('setlocal nonumber norelativenumber cursorline')
  vim.api.nvim_win_set_cursor(0, { math.min(2, #lines), 0 })
  vim.api.nvim_echo({ { HELP, 'Comment' } }, false, {})
  return bufnr
end

return M
