// --list-languages: prints which interpreters run now, and whether the functions of their scripts can be shown.
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>

#include "app/options.h"
#include "interpret/interpreter.h"
#include "output/clean_text.h"
#include "parse/children.h"
#include "parse/file_probes.h"
#include "parse/file_reader.h"
#include "process/proc_maps.h"
#include "process/proc_source.h"
#include "support/plural.h"
#include "support/work_budget.h"

namespace profile {
namespace {

struct Mapped {
  std::string path;
  MappedBy by;
  std::set<std::uint32_t> tgids;
};

// The files whose code the processes have mapped now.
std::map<FileIdentity, Mapped> mapped_files() {
  std::map<FileIdentity, Mapped> files;
  KernelProcSource proc;
  ProcSnapshot snapshot;
  const std::uint64_t own_mounts = proc.mount_namespace(0);
  for (const std::uint32_t tgid : proc.tgids()) {
    if (!proc.read(tgid, snapshot)) continue;
    const bool is_own = own_mounts != 0 && proc.mount_namespace(tgid) == own_mounts;
    std::string_view lines = snapshot.code_lines;
    while (const auto entry = next_code_mapping(lines)) {
      if (code_kind(entry->path, entry->file) != CodeKind::file) continue;
      Mapped& file = files[entry->file];
      if (file.tgids.empty()) {
        file.path = clean_path(entry->path);
        file.by = {.tgid = tgid, .own_mounts = is_own, .start = entry->start, .end = entry->end};
      }
      file.tgids.insert(tgid);
    }
  }
  return files;
}

Interpreter interpreter_in(Children& children, const FileIdentity& identity, const Mapped& file) {
  constexpr std::uint64_t most_steps = 1ULL << 28;  // of WorkBudget: as much as for the table of one file
  std::string why;
  const auto opened = children.probes().open_mapped(identity, file.path, file.by, why);
  if (!opened) return {};
  WorkBudget budget(most_steps);
  const FileRef ref{.number = opened->number, .path = file.path, .mapped_by = file.by};
  UnwindOfFile made = children.reader().unwind_table(ref, budget);
  children.probes().close(*opened);
  return std::move(made.interpreter);
}

}  // namespace

void print_languages(std::ostream& out) {
  Children children({}, false);
  bool any = false;
  for (const auto& [identity, file] : mapped_files()) {
    const Interpreter interpreter = interpreter_in(children, identity, file);
    if (interpreter.language == SCRIPT_NONE) continue;
    any = true;
    out << name_of(interpreter.language);
    if (!interpreter.version.empty()) out << ' ' << clean_text(interpreter.version);
    out << " in " << clean_text(file.path) << " (" << number_of(file.tgids.size(), "process", "processes")
        << "): " << (interpreter.has_layout() ? "functions of scripts are shown" : text_of(interpreter.fault)) << '\n';
  }
  if (any) return;
  out << "no interpreter of a known language runs now:";
  for (const std::string_view name : language_names()) out << ' ' << name;
  out << '\n';
}

}  // namespace profile
