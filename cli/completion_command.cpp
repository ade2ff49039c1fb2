// grappa completion: the script with which a shell completes the words of the tool.
//
// It has three parts: the tables (completion.hpp); how one looks up in them what the next word may
// be, which bash and zsh read alike; and how this shell is told.

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/completion.hpp"
#include "cli/standard_output.hpp"
#include "grappa/base/config.hpp"
#include "grappa/base/error.hpp"
#include "grappa/graph/io/format.hpp"

namespace grappa::cli {
namespace {

constexpr std::string_view kUsage =
    "Usage: grappa completion bash|zsh\n\n"
    "Prints a script with which the shell completes commands, benchmarks, options, their values "
    "and\n"
    "the names of graphs. An installed Grappa has it in its place; from a clone:\n\n"
    "  source <(./grappa completion bash)       # in ~/.bashrc with the full path, to have it "
    "always\n"
    "  source <(./grappa completion zsh)        # after compinit\n";

// A table has lines of a name, a tab, what follows the name, a tab and a short help.
constexpr std::string_view kWalk = R"SCRIPT(
# Sets kind: what follows the word $1, by the table in $lines. Fails for a word that is not there.
_grappa_find() {
  local name rest
  while IFS=$'\t' read -r name kind rest; do
    [[ $name == "$1" ]] && return
  done <<<"$lines"
  return 1
}

# Sets, by the words before the one to complete: lines, the table of the command; takes, the kind of
# value that an option waits for, or nothing; given, how many arguments there were.
_grappa_walk() {
  local word kind command=''
  lines=$(_grappa_table '') takes='' given=0
  for word; do
    case $takes in
      '') ;;
      SWITCH*) takes='' && [[ $word == on || $word == off ]] && continue ;;
      *) takes='' && continue ;;
    esac
    if [[ $word == -*=* ]]; then
      continue
    elif _grappa_find "$word"; then
      case $kind in
        COMMAND) command=${command:+$command }$word lines=$(_grappa_table "$command") ;;
        NONE) ;;
        *) takes=$kind ;;
      esac
    elif [[ $word != -?* ]]; then
      given=$((given + 1))
    fi
  done
}

# Sets kind to that of the argument that comes next, if there is one.
_grappa_argument() {
  local name rest n=$given
  while IFS=$'\t' read -r name kind rest; do
    [[ $name == '<'* ]] && ((n-- == 0)) && return
  done <<<"$lines"
  kind=''
}
)SCRIPT";

constexpr std::string_view kBash = R"SCRIPT(
_grappa_offer() {  # kind
  local file
  case $1 in
    WORDS* | SWITCH*) COMPREPLY+=($(compgen -W "${1#* }" -- "$current")) ;;
    FILE | DIR)
      compopt -o filenames
      [[ $1 == DIR ]] && local only=-d || local only=-f
      while read -r file; do COMPREPLY+=("$file"); done < <(compgen "$only" -- "$current")
      ;;
    GRAPH | SPEC)
      COMPREPLY+=($(compgen -W 'kron: urand: grid:' -- "$current"))
      ((${#COMPREPLY[@]} == 0)) || compopt -o nospace
      [[ $1 == GRAPH ]] || return
      local all=() file
      while read -r file; do
        all+=("$file")
        [[ -d $file || $file =~ $_grappa_graphs ]] && COMPREPLY+=("$file")
      done < <(compgen -f -- "$current")
      ((${#COMPREPLY[@]} > 0)) || COMPREPLY=("${all[@]}")
      ((${#all[@]} == 0)) || compopt -o filenames
      ;;
  esac
}

_grappa() {
  # Words as they were typed: bash breaks them at "=" and ":", too.
  local current='' glued='' word words=() lines takes given kind name rest
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if ((${#words[@]} > 0)) && [[ $word == [=:]* || -n $glued ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
    glued=''
    [[ $word == *[=:] ]] && glued=yes
  done
  current=${words[-1]-}
  _grappa_walk "${words[@]:0:${#words[@]}-1}"
  COMPREPLY=()
  if [[ $takes == '' && $current == -*=* ]]; then
    _grappa_find "${current%%=*}" || return
    takes=${kind/SWITCH/WORDS}
    current=${current#*=}
  fi
  if [[ -n $takes && $takes != SWITCH* ]]; then
    _grappa_offer "$takes"
    return
  fi
  current=${current##*[=:]}
  [[ -z $takes ]] || _grappa_offer "$takes"
  while IFS=$'\t' read -r name kind rest; do
    [[ $kind == COMMAND || $current == -* ]] && [[ $name == "$current"* ]] && COMPREPLY+=("$name")
  done <<<"$lines"
  _grappa_argument
  [[ $current == -* || -z $kind || ${words[-1]} == *:* ]] || _grappa_offer "$kind"
}

complete -F _grappa grappa
)SCRIPT";

constexpr std::string_view kZsh = R"SCRIPT(
_grappa_offer() {  # kind
  case $1 in
    WORDS* | SWITCH*) compadd -- ${=1#* } ;;
    FILE) _files ;;
    DIR) _files -/ ;;
    SPEC) compadd -S '' -- kron: urand: grid: ;;
    GRAPH)
      compadd -S '' -- kron: urand: grid:
      _files -g "$_grappa_globs"
      ;;
  esac
}

_grappa() {
  local lines takes given kind name rest
  local -a options commands
  _grappa_walk "${(@)words[2,CURRENT-1]}"
  if [[ -z $takes && $PREFIX == -*=* ]] && _grappa_find "${PREFIX%%=*}"; then
    compset -P '*='
    takes=${kind/SWITCH/WORDS}
  fi
  if [[ -n $takes && $takes != SWITCH* ]]; then
    _grappa_offer "$takes"
    return
  fi
  [[ -z $takes ]] || _grappa_offer "$takes"
  while IFS=$'\t' read -r name kind rest; do
    case $name in
      -*) options+=("$name:$rest") ;;
      *) [[ $kind != COMMAND ]] || commands+=("$name:$rest") ;;
    esac
  done <<<"$lines"
  ((${#commands} == 0)) || _describe -t commands command commands
  [[ $PREFIX != -* ]] || _describe -o -t options option options
  _grappa_argument
  [[ $PREFIX == -* || -z $kind ]] || _grappa_offer "$kind"
}

# Installed as the file _grappa, it is the function's first call.
if [[ $funcstack[1] == _grappa ]]; then _grappa "$@"; else compdef _grappa grappa; fi
)SCRIPT";

void print_tables() {
  StandardOutput& out = standard_output();
  const std::string table(kCompletionTable);
  out.write("_grappa_table() {  # command\n  case $1 in\n");
  std::vector<CompletionEntry> first;
  for (const Command& command : commands()) {
    first.push_back(
        {std::string(command.name), std::string(kCommandValue), std::string(command.summary)});
    command.run({table});
  }
  first.push_back({"--help", "", "list the commands"});
  first.push_back({"--version", "", "print which version this is"});
  print_completion_table("", first, false);
  out.write("  esac\n}\n\n");
}

void print_runtime_table() {
  StandardOutput& out = standard_output();
  std::vector<CompletionEntry> entries;
  for (const OptionInfo& info : config_options()) {
    entries.push_back(
        {fmt::format("--{}", info.name), std::string(info.value), std::string(info.help)});
  }
  out.write("_grappa_runtime_table() {\n");
  print_completion_lines(entries);
  out.write("}\n");
}

// The extensions of graph files, with `between` between them.
std::string extensions(std::string_view between) {
  std::string text;
  for (const graph::FormatInfo& format : graph::format_names()) {
    if (!text.empty()) text.append(between);
    text.append(format.name);
  }
  return text;
}

}  // namespace

int run_completion(const Arguments& arguments) {
  StandardOutput& out = standard_output();
  const std::string_view shell = arguments.empty() ? "" : std::string_view(arguments.front());
  if (shell == kCompletionTable) {
    print_completion_table("completion", {{"<SHELL>", "bash|zsh", "the shell"}}, false);
    return 0;
  }
  if (shell == "--help" || shell == "-h") {
    out.write(kUsage);
    return 0;
  }
  if (arguments.size() != 1 || (shell != "bash" && shell != "zsh")) {
    throw UsageError("completion: give the shell: grappa completion bash, or zsh");
  }
  if (shell == "zsh") out.write("#compdef grappa\n");
  out.print("# Completion of {} for grappa, as `grappa completion {}` prints it.\n\n", shell,
            shell);
  print_tables();
  print_runtime_table();
  out.write(kWalk);
  if (shell == "bash") {
    out.print("\n_grappa_graphs='\\.({})(\\.gz|\\.zst)?$'\n{}", extensions("|"), kBash);
  } else {
    out.print("\n_grappa_globs='*.({})(|.gz|.zst)'\n{}", extensions("|"), kZsh);
  }
  return 0;
}

}  // namespace grappa::cli
