# Completion of tollgate for fish: tollgate completion fish > ~/.config/fish/completions/tollgate.fish
function __tollgate_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l answer (tollgate complete -- $words[2..-1] 2>/dev/null)
  switch "$answer"
    case ':file'
      __fish_complete_path (commandline -ct)
    case ':folder'
      __fish_complete_directories (commandline -ct)
    case '*'
      printf '%s\n' $answer
  end
end
complete -c tollgate -f -a '(__tollgate_complete)'
