-- What Neovim says where no server is installed. Prints one line of JSON for each thing seen, then quits.
local messages = {}
vim.notify = function(message) messages[#messages + 1] = message end
local function report(what, value)
  io.stdout:write(vim.json.encode({ what = what, value = value }) .. '\n')
end

vim.schedule(function()
  for _, file in ipairs({ 'order_lines', 'tables' }) do
    vim.cmd(('edit %s/bigquery/%s.sql'):format(vim.env.WORKSPACE, file))
    vim.wait(200)
  end
  report('messages', messages)
  vim.cmd('SqlLineage up')
  report('up', messages[#messages])
  vim.cmd('checkhealth sql_lineage')
  report('health', vim.api.nvim_buf_get_lines(0, 0, -1, false))
  vim.cmd('qall!')
end)
