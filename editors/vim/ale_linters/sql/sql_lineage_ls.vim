" sql-lineage-ls for ALE, which finds this file in any folder of 'runtimepath'.

call ale#Set('sql_sql_lineage_ls_executable', 'sql-lineage-ls')
call ale#Set('sql_sql_lineage_ls_settings', {})

let s:markers = ['sql-lineage.toml', 'dbt_project.yml', 'pyproject.toml', '.git']

" The folder that is read: the first marker that is found upwards wins; without one, the file's own.
function! s:Root(buffer) abort
    for l:marker in s:markers
        let l:found = ale#path#FindNearestFile(a:buffer, l:marker)
        if empty(l:found)
            let l:found = ale#path#FindNearestDirectory(a:buffer, l:marker)
        endif
        if !empty(l:found)
            return fnamemodify(substitute(l:found, '[/\\]$', '', ''), ':h')
        endif
    endfor
    return fnamemodify(bufname(a:buffer), ':p:h')
endfunction

call ale#linter#Define('sql', {
\   'name': 'sql_lineage_ls',
\   'lsp': 'stdio',
\   'executable': {buffer -> ale#Var(buffer, 'sql_sql_lineage_ls_executable')},
\   'command': '%e',
\   'project_root': function('s:Root'),
\   'initialization_options': {buffer -> ale#Var(buffer, 'sql_sql_lineage_ls_settings')},
\})
