-- Drives headless Neovim on the example workspace. Prints one line of JSON for each thing seen, then quits.
-- usage: nvim --headless -i NONE -n -c "luafile nvim.lua", with WORKSPACE set and the plugin installed and started by
-- init.lua. Runs in Neovim 0.7 and newer.
local workspace = vim.env.WORKSPACE
local WAIT = 60000
local STEP = 100

local function report(what, value)
  io.stdout:write(vim.json.encode({ what = what, value = value }) .. '\n')
end

local function wait(what, condition)
  assert(vim.wait(WAIT, condition, 20), 'waited in vain for ' .. what)
end

local messages = {}
vim.notify = function(message) messages[#messages + 1] = message end

local function client_of(buf)
  return require('sql_lineage.compat').clients(buf)[1]
end

local function open(file)
  vim.cmd('edit ' .. workspace .. '/' .. file)
  local buf = vim.api.nvim_get_current_buf()
  wait('the server', function()
    local client = client_of(buf)
    return client and client.initialized
  end)
  return buf
end

local function lines(buf)
  return vim.api.nvim_buf_get_lines(buf or 0, 0, -1, false)
end

-- Puts the cursor on `word` in the first line that contains `text`; counts in bytes, as Neovim does.
local function go(text, word)
  for number, line in ipairs(lines()) do
    local at = line:find(text, 1, true)
    if at then
      local column = line:find(word, at, true)
      vim.api.nvim_win_set_cursor(0, { number, column - 1 })
      return
    end
  end
  error('no line with ' .. text)
end

local function file_of(buf)
  return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buf), ':t')
end

local function place()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  return { file = file_of(0), line = row, column = column + 1, word = vim.fn.expand('<cword>') }
end

local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return window
    end
  end
end

local function quickfix()
  wait('the quickfix list', function() return #vim.fn.getqflist() > 0 end)
  local places = {}
  for _, item in ipairs(vim.fn.getqflist()) do
    places[#places + 1] = { place = ('%s:%d:%d'):format(file_of(item.bufnr), item.lnum, item.col), text = item.text }
  end
  local title = vim.fn.getqflist({ title = 1 }).title
  vim.cmd('cclose')
  vim.fn.setqflist({}, 'f')
  return { title = title, places = places }
end

local function lenses()
  local buf = open('bigquery/tables.sql')
  -- Nobody asks for them: the plugin does.
  wait('lenses', function()
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
  report('lens places', quickfix())
end

local function hover_and_jump()
  open('bigquery/order_lines.sql')
  go('o.customer.address.city', 'city')
  vim.lsp.buf.hover()
  wait('the hover', float)
  report('hover', lines(vim.api.nvim_win_get_buf(float())))
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

local function tree(command, title)
  vim.cmd('SqlLineage ' .. command)
  wait('the tree', function() return vim.bo.filetype == 'sqllineage' and lines()[1]:find(title, 1, true) end)
  local folds = {}
  for number = 1, vim.fn.line('$') do
    folds[number] = vim.fn.foldlevel(number)
  end
  return { lines = lines(), folds = folds }
end

local function press(key)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(key, true, false, true), 'xm', false)
end

local function hints()
  local inlay = vim.lsp.inlay_hint
  local buf = open('bigquery/order_lines.sql')
  if inlay then
    inlay.enable(true)
    wait('inlay hints', function() return #inlay.get({ bufnr = buf }) > 0 end)
    inlay.enable(false)
  end
  report('hints', inlay ~= nil)
end

local function trees()
  open('bigquery/city_revenue.sql')
  go('SELECT city, category', 'city')
  report('up', tree('up', 'Upstream'))
  vim.fn.search('orders_raw')
  press('<CR>')
  report('up jump', place())

  open('bigquery/tables.sql')
  go('city STRING, country', 'city')
  report('down', tree('down', 'Downstream'))
  vim.fn.search('shop.city_revenue.city')
  press('o')
  report('down use', place())
  vim.cmd('only')
end

local function other_commands()
  open('bigquery/tables.sql')
  go('city STRING, country', 'city')
  vim.cmd('SqlLineage impact')
  report('impact', quickfix())
  vim.fn.setreg('a', '')
  vim.cmd('SqlLineage path a')
  wait('the path', function() return vim.fn.getreg('a') ~= '' end)
  report('path', vim.fn.getreg('a'))
  vim.cmd('SqlLineage graph')
  wait('the graph', function() return vim.bo.buftype == 'nofile' end)
  report('graph', { filetype = vim.bo.filetype, lines = lines() })
  vim.cmd('only')
  messages = {}
  open('bigquery/tables.sql')
  vim.cmd('SqlLineage status')
  wait('the status', function() return #messages > 0 end)
  report('status', messages[1])
  vim.cmd('SqlLineage nothing')
  report('no such command', messages[2])
  report('command names', vim.fn.getcompletion('SqlLineage ', 'cmdline'))
  vim.fn.cursor(1, 1)
  vim.cmd('SqlLineage up')
  wait('the message', function() return #messages > 2 end)
  report('nothing here', messages[3])
end

local function health()
  vim.cmd('checkhealth sql_lineage')
  report('health', lines())
  vim.cmd('bwipeout!')
end

-- The declaration of a field changes in one buffer, and the warning of the other goes and comes.
local function warnings()
  local alerts = open('trino/alerts.sql')
  wait('the warning', function() return #vim.diagnostic.get(alerts) > 0 end)
  local found = {}
  for _, item in ipairs(vim.diagnostic.get(alerts)) do
    found[#found + 1] = { line = item.lnum + 1, column = item.col + 1, code = item.code, message = item.message }
  end
  report('warnings', found)
  open('trino/tables.sql')
  vim.cmd([[%s/room VARCHAR/room VARCHAR, floor VARCHAR/e]])
  wait('the warning to go', function() return #vim.diagnostic.get(alerts) == 0 end)
  vim.cmd('undo')
  wait('the warning to come', function() return #vim.diagnostic.get(alerts) == 1 end)
end

local function rename()
  local tables = open('bigquery/tables.sql')
  local writer = open('bigquery/send_parcels.sql')
  go('p.receiver.city', 'city')
  vim.lsp.buf.rename('town')
  wait('the rename', function()
    return table.concat(lines(tables), '\n'):find('name STRING, town STRING', 1, true)
      and table.concat(lines(writer), '\n'):find('SET p.receiver.town', 1, true)
  end)
  report('renamed', { tables = lines(tables), writer = lines(writer) })
end

-- A name is mistyped, found out, and mended by the first quick fix.
local function quick_fix()
  local buf = open('bigquery/send_parcels.sql')
  vim.cmd([[%s/p\.receiver\.city/p.receiver.citty/]])
  wait('the warning', function() return #vim.diagnostic.get(buf) > 0 end)
  go('p.receiver.citty', 'citty')
  vim.ui.select = function(items, _, choose) choose(items[1], 1) end
  vim.lsp.buf.code_action()
  wait('the quick fix', function() return not table.concat(lines(buf), '\n'):find('citty', 1, true) end)
  report('mended', lines(buf))
end

local function restart()
  local buf = open('bigquery/order_lines.sql')
  local before = client_of(buf).id
  vim.cmd('SqlLineage restart')
  wait('the new server', function()
    local client = client_of(buf)
    return client and client.id ~= before and client.initialized
  end)
  report('restarted', #require('sql_lineage.compat').clients())
end

local function quit(ok, message)
  if not ok then
    io.stderr:write(tostring(message) .. '\n')
  end
  vim.cmd(ok and 'qall!' or 'cquit!')
end

-- In insert mode Neovim's own loop has to run: steps by timers, the last one quits.
local function complete()
  open('bigquery/order_lines.sql')
  vim.cmd('normal! Go')
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'SELECT o.customer.address.' , 'FROM shop.orders_raw AS o' })
  vim.fn.cursor(vim.fn.line('$') - 1, 1)
  vim.bo.omnifunc = 'v:lua.vim.lsp.omnifunc'
  vim.o.completeopt = 'menuone,noinsert'
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('A<C-x><C-o>', true, false, true), 'n', false)
  local tries = 0
  local function look()
    tries = tries + 1
    local words = vim.tbl_map(function(item) return item.word end, vim.fn.complete_info({ 'items' }).items)
    if #words == 0 and tries < WAIT / STEP then
      return vim.defer_fn(look, STEP)
    end
    report('completion', words)
    quit(true)
  end
  vim.defer_fn(look, STEP)
end

local function main()
  vim.opt.hidden = true
  vim.opt.swapfile = false
  lenses()
  hover_and_jump()
  hints()
  trees()
  other_commands()
  warnings()
  health()
  quick_fix()
  rename()
  restart()
end

-- Behind 'VimEnter', as for a person: `vim.lsp.enable` starts nothing before.
vim.schedule(function()
  local ok, message = xpcall(main, debug.traceback)
  if not ok then
    return quit(ok, message)
  end
  ok, message = xpcall(complete, debug.traceback)
  if not ok then
    quit(ok, message)
  end
end)
