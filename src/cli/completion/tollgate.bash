# Completion of tollgate for bash: source <(tollgate completion bash)
_tollgate() {
  local current="${COMP_WORDS[COMP_CWORD]}" answer words=()
  answer="$(tollgate complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
  COMPREPLY=()
  case "$answer" in
    :file) compopt -o default 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")); return ;;
    :folder) compopt -o default 2>/dev/null; COMPREPLY=($(compgen -d -- "$current")); return ;;
  esac
  while IFS=$'\t' read -r word _; do words+=("$word"); done <<< "$answer"
  COMPREPLY=($(compgen -W "${words[*]}" -- "$current"))
}
complete -F _tollgate tollgate
