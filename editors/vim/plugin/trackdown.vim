" Trackdown in Vim and Neovim: results in the quickfix list.
"
"   :Trackdown where is the session cookie signed?
"   :'<,'>TrackdownIssue          the selected lines are an issue
"   :TrackdownIssue 5049          issue 5049 of the origin remote, or an address
"
" g:trackdown_command is the program and its options, as a list.

if exists('g:loaded_trackdown') || &compatible
  finish
endif
let g:loaded_trackdown = 1
let g:trackdown_command = get(g:, 'trackdown_command', ['trackdown'])

command! -nargs=+ Trackdown call s:Search(['--', <q-args>], [], <q-args>)
command! -range -nargs=? TrackdownIssue call s:Issue(<range>, <line1>, <line2>, <q-args>)

function! s:Issue(range, first, last, name) abort
  if !empty(a:name)
    call s:Search(['--issue=' . a:name], [], 'issue ' . a:name)
  else
    let lines = a:range ? getline(a:first, a:last) : getline(1, '$')
    call s:Search(['--issue=-'], lines, get(filter(copy(lines), 'v:val =~# "\\S"'), 0, 'issue'))
  endif
endfunction

function! s:Search(arguments, input, title) abort
  let words = g:trackdown_command + ['search', '--format', 'lines'] + a:arguments
  let command = join(map(words, 'shellescape(v:val)'))
  let errors = tempname()
  let lines = systemlist(command . ' 2>' . shellescape(errors), a:input)
  let failed = v:shell_error
  let said = filereadable(errors) ? readfile(errors) : []
  call delete(errors)
  if failed
    echohl ErrorMsg | echomsg get(said, -1, 'trackdown failed') | echohl None
    return
  endif
  call setqflist([], ' ', {'title': 'Trackdown: ' . a:title, 'lines': lines, 'efm': '%f:%l:%m'})
  if empty(lines)
    echomsg 'Trackdown: nothing found'
  else
    botright copen
  endif
endfunction
