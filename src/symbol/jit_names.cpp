#include "symbol/jit_names.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "process/timeline.h"
#include "support/clock.h"

namespace profile {
namespace {

// How many bytes are read in one batch for each user: a second or so of work. The smallest maps are read first, as with
// files.
constexpr std::uint64_t most_map_bytes = 1ULL << 29;
// When a map or its code is written again, all of the map is read again. The allowance is full again after this time:
// that is some 64 MB a second, a tenth of a CPU.
constexpr double map_bytes_whole_after_s = 8;

}  // namespace

JitNames::JitNames(ProcessTimeline& timeline, FileReader& reader, StringTable& strings, const SymbolOptions& options)
    : timeline_(timeline),
      reader_(reader),
      strings_(strings),
      map_bytes_(options.budget * most_map_bytes, map_bytes_whole_after_s),
      with_lines_(options.lines) {}

void JitNames::resolve(const Profile& profile) {
  struct Waiting {
    const Process* process = nullptr;
    CodeFile* dump = nullptr;
    FileReader::JitMapRef map;
    SymbolCache<RuntimeAddress>* answers = nullptr;
  };
  std::vector<Waiting> all;
  std::vector<CodeFile*> dumps;
  for (auto& [id, answers] : answers_) {
    const Process& process = profile.process(id);
    CodeFile* const dump = timeline_.jit_dump_of(process.tgid, process.image);
    all.push_back({.process = &process, .dump = dump, .map = {}, .answers = &answers});
    if (dump != nullptr) dumps.push_back(dump);
  }
  timeline_.wait_for_files(dumps, patience_with_files);
  for (Waiting& one : all) {
    if (one.dump != nullptr && one.dump->is_open()) one.map = reader_.jit_dump(one.dump->number);
    if (one.map.number == FileNumber::none) one.map = perf_map_of(*one.process);
  }
  std::ranges::sort(all, {}, [](const Waiting& one) { return one.map.size_bytes; });
  for (const Waiting& one : all) {
    std::vector<RuntimeAddress> places = one.answers->take_pending();
    places = ask(one.process->tgid, one.map, std::move(places), *one.answers);
    if (one.map.is_dump && !places.empty()) {
      ask(one.process->tgid, perf_map_of(*one.process), std::move(places), *one.answers);
    }
  }
}

FileReader::JitMapRef JitNames::perf_map_of(const Process& process) {
  if (timeline_.is_number_used_again(process.tgid, process.image)) return {};
  return reader_.perf_map_of(process.tgid, timeline_.jit_user_of(process.tgid));
}

// Returns the places that get no name from `map`.
std::vector<RuntimeAddress> JitNames::ask(std::uint32_t tgid, const FileReader::JitMapRef& map,
                                          std::vector<RuntimeAddress> places, SymbolCache<RuntimeAddress>& answers) {
  NamesOfJit read;
  Unnamed for_all = Unnamed::no_jit_map;
  if (map.number != FileNumber::none) {
    map_bytes_.begin(map.owner);
    read = reader_.jit_names(tgid, map, places, map_bytes_.budget());
    map_bytes_.end();
    for_all = unnamed_by(read.failed);
  }
  std::vector<RuntimeAddress> rest;
  for (std::size_t i = 0; i < places.size(); ++i) {
    Answer& answer = *answers.at(places[i]);
    const Unnamed unnamed = for_all != Unnamed::named ? for_all : read.names[i].unnamed;
    // The reason from the other form (too large, for example) tells more than the reason that this form is missing.
    if (unnamed != Unnamed::no_jit_map || answer.unnamed == Unnamed::pending) answer.unnamed = unnamed;
    if (unnamed != Unnamed::named) {
      rest.push_back(places[i]);
      continue;
    }
    const NameOfJit& name = read.names[i];
    answer.symbol = strings_.intern(read.strings.view(name.position.function));
    answer.module = strings_.intern(jit_module);
    answer.offset = places[i].value - name.start;
    if (!with_lines_ || name.position.file == StringId::empty) continue;
    const SourcePosition at{.function = answer.symbol,
                            .file = strings_.intern(read.strings.view(name.position.file)),
                            .line = name.position.line};
    answer.source = std::make_shared<const Chain>(1, at);
  }
  return rest;
}

void JitNames::forget() {
  answers_.clear();
  map_bytes_.renew(monotonic_ns());
}

}  // namespace profile
