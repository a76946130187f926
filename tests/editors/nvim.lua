-- Drives headless Neovim on the example workspace. Prints one line of JSON for each thing seen, then quits.
-- usage: nvim --headless -u NONE -i NONE -n -c "luafile nvim.lua", with EDITOR_CONFIG, SERVER and WORKSPACE set.
local config, server, workspace = vim.env.EDITOR_CONFIG, vim.env.SERVER, vim.env.WORKSPACE
local WAIT = 60000

local function report(what, value)
  io.stdout:write(vim.json.encode({ what = what, value = value }) .. '\n')
end

local function wait(what, condition)
  assert(vim.wait(WAIT, condition, 20), 'waited in vain for ' .. what)
end

local function open(file)
  vim.cmd.edit(workspace .. '/' .. file)
  local buf = vim.api.nvim_get_current_buf()
  wait('the server', function()
    local client = vim.lsp.get_clients({ bufnr = buf })[1]
    return client and client.initialized
  end)
  return buf
end

-- Puts the cursor on `word` in the first line that contains `text`; counts in bytes, as Neovim does.
local function go(text, word)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local at = line:find(text, 1, true)
    if at then
      local column = line:find(word, at, true)
      vim.api.nvim_win_set_cursor(0, { number, column - 1 })
      return
    end
  end
  error('no line with ' .. text)
end

local function place()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  return {
    file = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ':t'),
    line = row,
    column = column + 1,
    word = vim.fn.expand('<cword>'),
  }
end

local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return window
    end
  end
end

local function lenses()
  local buf = open('bigquery/tables.sql')
  -- Counts are complete only once the whole workspace is read.
  wait('lenses', function()
    vim.lsp.codelens.refresh({ bufnr = buf })
    vim.wait(200)
    local found = vim.lsp.codelens.get(buf)
    return #found > 0 and found[1].command ~= nil
  end)
  local titles = {}
  for _, lens in ipairs(vim.lsp.codelens.get(buf)) do
    titles[#titles + 1] = { line = lens.range.start.line + 1, title = lens.command.title }
  end
  report('lenses', titles)

  go('CREATE TABLE shop.orders_raw', 'orders_raw')
  vim.lsp.codelens.run()
  wait('the quickfix list', function() return #vim.fn.getqflist() > 0 end)
  local places = {}
  for _, item in ipairs(vim.fn.getqflist()) do
    local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(item.bufnr), ':t')
    places[#places + 1] = ('%s:%d:%d'):format(name, item.lnum, item.col)
  end
  report('places', places)
  vim.cmd.cclose()
end

local function hover_and_jump()
  open('bigquery/order_lines.sql')
  go('o.customer.address.city', 'city')
  vim.lsp.buf.hover()
  wait('the hover', float)
  report('hover', vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float()), 0, -1, false))
  vim.api.nvim_win_close(float(), true)

  vim.lsp.buf.definition()
  wait('the jump', function() return place().file == 'tables.sql' end)
  report('definition', place())

  open('bigquery/city_revenue.sql')
  go('SELECT city, category', 'city')
  vim.lsp.buf.declaration()
  wait('the jump', function() return place().file == 'tables.sql' end)
  report('declaration', place())
end

local function warnings()
  local buf = open('trino/alerts.sql')
  wait('the warning', function() return #vim.diagnostic.get(buf) > 0 end)
  local found = {}
  for _, item in ipairs(vim.diagnostic.get(buf)) do
    found[#found + 1] = { line = item.lnum + 1, column = item.col + 1, code = item.code, message = item.message }
  end
  report('warnings', found)
end

local function main()
  vim.opt.runtimepath:prepend(config)
  vim.opt.hidden = true
  vim.opt.swapfile = false
  vim.cmd('filetype on')
  vim.lsp.config('sql_lineage_ls', { cmd = { server } })
  vim.lsp.enable('sql_lineage_ls')
  lenses()
  hover_and_jump()
  warnings()
end

local ok, message = xpcall(main, debug.traceback)
if not ok then
  io.stderr:write(tostring(message) .. '\n')
end
vim.cmd(ok and 'qall!' or 'cquit!')
