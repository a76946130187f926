" Drives Vim and ALE on the example workspace. Prints one line of JSON for each thing seen.
" usage: vim -es -N -u vim.vim, with PLUGIN, ALE, SERVER and WORKSPACE set.
set nocompatible hidden noswapfile nobackup viminfo=
let &runtimepath = $PLUGIN . ',' . $ALE . ',' . $VIMRUNTIME
filetype plugin on
let g:ale_linters = {'sql': ['sql_lineage_ls']}
let g:ale_sql_sql_lineage_ls_executable = $SERVER
let g:ale_hover_to_preview = 1
let g:ale_completion_enabled = 0
runtime! plugin/ale.vim

function! s:Report(what, value) abort
  call writefile([json_encode({'what': a:what, 'value': a:value})], '/dev/stdout', 'a')
endfunction

function! s:Wait(what, Condition) abort
  for l:try in range(1200)
    if a:Condition()
      return
    endif
    sleep 50m
  endfor
  throw 'waited in vain for ' . a:what
endfunction

function! s:Open(name) abort
  execute 'edit' fnameescape($WORKSPACE . '/' . a:name)
  ALELint
endfunction

function! s:Go(text, word) abort
  call cursor(1, 1)
  call search('\V' . a:text, 'cW')
  call search('\V' . a:word, 'cW', line('.'))
endfunction

function! s:Preview() abort
  for l:window in range(1, winnr('$'))
    if getwinvar(l:window, '&previewwindow')
      return getbufline(winbufnr(l:window), 1, '$')
    endif
  endfor
  return []
endfunction

function! s:Main() abort
  call s:Open('trino/alerts.sql')
  call s:Wait('the warning', {-> !empty(getloclist(0)) || !empty(ale#engine#GetLoclist(bufnr('')))})
  call s:Report('warnings', map(copy(ale#engine#GetLoclist(bufnr(''))), 'v:val.text'))

  call s:Open('bigquery/order_lines.sql')
  call s:Go('o.customer.address.city', 'city')
  ALEHover
  call s:Wait('the hover', {-> !empty(s:Preview())})
  call s:Report('hover', join(s:Preview(), "\n"))
  pclose
  ALEGoToDefinition
  call s:Wait('the jump', {-> expand('%:t') ==# 'tables.sql'})
  call s:Report('definition', {'file': expand('%:t'), 'line': line('.'), 'column': col('.'), 'word': expand('<cword>')})
endfunction

try
  call s:Main()
catch
  call s:Report('failed', v:exception . ' ' . v:throwpoint)
  cquit
endtry
qall!
