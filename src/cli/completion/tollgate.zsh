#compdef tollgate
# Completion of tollgate for zsh: source <(tollgate completion zsh)
_tollgate() {
  local answer line
  local -a candidates
  answer="$(tollgate complete -- "${(@)words[2,$CURRENT]}" 2>/dev/null)"
  case "$answer" in
    :file) _files; return ;;
    :folder) _files -/; return ;;
  esac
  for line in "${(@f)answer}"; do
    [[ -n "$line" ]] && candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  _describe tollgate candidates
}
compdef _tollgate tollgate
