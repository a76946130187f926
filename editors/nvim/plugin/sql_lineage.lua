-- The command :SqlLineage, and lenses that keep up with the text. Nothing is loaded before it is used.
if vim.g.loaded_sql_lineage then
  return
end
vim.g.loaded_sql_lineage = true

vim.api.nvim_create_user_command('SqlLineage', function(call)
  require('sql_lineage.commands').run(call.fargs)
end, {
  nargs = '+',
  desc = 'Lineage of the column, field or table under the cursor',
  complete = function(lead, line) return require('sql_lineage.commands').complete(lead, line) end,
})

local group = vim.api.nvim_create_augroup('sql_lineage', { clear = true })
local events = { 'BufEnter', 'InsertLeave', 'TextChanged', 'BufWritePost' }
if vim.fn.exists('##LspAttach') == 1 then
  events[#events + 1] = 'LspAttach'
end
vim.api.nvim_create_autocmd(events, {
  group = group,
  callback = function(event)
    local compat = require('sql_lineage.compat')
    if vim.bo[event.buf].buftype == '' and #compat.clients(event.buf) > 0 then
      compat.refresh_lenses(event.buf)
    end
  end,
})
