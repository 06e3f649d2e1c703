#include "symbol/symboliser.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "process/perf_map_file.h"
#include "process/timeline.h"
#include "support/clock.h"
#include "support/fd.h"
#include "symbol/answers.h"
#include "symbol/debug_files.h"
#include "symbol/debuginfod.h"
#include "symbol/file_names.h"
#include "symbol/kallsyms.h"
#include "symbol/kernel_names.h"
#include "symbol/perf_map.h"
#include "symbol/vdso.h"

namespace profile {
namespace {

constexpr const char* system_debug_directory = "/usr/lib/debug";
// Below it lie the programs of another class than ours, whose vDSO is another.
constexpr std::uint64_t first_64bit_vdso = 1ULL << 32;

// What is remembered from one time to the next, in addresses, ranges and strings. Programs come and go, and in a run of
// days it would be ever more; beyond this, some 15 MB, everything is learnt anew.
constexpr std::size_t most_remembered = 100'000;

// What is read at one time of files, in steps of WorkBudget, and of perf maps: a second or two of work, lest users who
// lay out file after file hold everybody's names up. The smallest are read first, so that it is theirs that wait. The
// symbols of the largest web browser, read for all that can be learnt of them, are half a gigabyte.
constexpr std::uint64_t most_file_steps = 1ULL << 30;
constexpr std::uint64_t most_map_bytes = 1ULL << 29;

std::uint64_t size_of(const Fd& file) {
  struct stat found {};
  return file && ::fstat(file.get(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
}

std::vector<RuntimeAddress> addresses_of(std::span<const Place> places) {
  std::vector<RuntimeAddress> addresses;
  addresses.reserve(places.size());
  for (const Place& place : places) addresses.push_back(RuntimeAddress{place.at});
  return addresses;
}

std::vector<std::string> debug_directories(const SymbolOptions& options) {
  std::vector<std::string> directories = options.debug_directories;
  directories.emplace_back(system_debug_directory);
  return directories;
}

Fd open_kallsyms() { return Fd(::open("/proc/kallsyms", O_RDONLY | O_CLOEXEC)); }

}  // namespace

struct Symboliser::State {
  State(ProcessTimeline& process_timeline, const SymbolOptions& options)
      : timeline(process_timeline),
        debuginfod(options.debuginfod ? std::make_unique<Debuginfod>() : nullptr),
        debug_files(debug_directories(options), debuginfod.get()),
        names(debug_files, strings, file_budget, {.lines = options.lines, .ranges = options.repeated}) {
    if (options.repeated) kernel_names.emplace(open_kallsyms, monotonic_ns);
    for (std::size_t i = 0; i < without_file.size(); ++i) without_file[i].unnamed = static_cast<Unnamed>(i);
  }

  // Where an answer is or will be, and what else is known of the file it is of; null where it is of none.
  struct Found {
    const Answer* answer = nullptr;
    const FileAnswers* file = nullptr;
  };

  Found answer_for(Profile& profile, const Frame& frame);
  Found answer_in(CodeFile& file, const Place& place);
  void resolve_files();
  void resolve_vdso();
  void resolve_jit(const Profile& profile);
  void resolve_jit(std::uint32_t tgid, Answers& answers, WorkBudget& budget);
  void resolve_kernel_addresses();
  void name_kernel_address(const Place& place, const KernelSymbol& symbol, Demangler& demangled);
  void write(Profile& profile, Frame& frame, const Found& found);
  SourcePlaceId source_of(Profile& profile, const Chain& chain);
  void forget_passing();
  void forget_if_much();

  ProcessTimeline& timeline;
  std::unique_ptr<Debuginfod> debuginfod;
  DebugFiles debug_files;
  StringTable strings;
  WorkBudget file_budget{most_file_steps};
  FileNames names;
  std::optional<KernelNames> kernel_names;  // for runs that ask again and again
  Answers kernel;
  std::vector<Place> unsettled;  // of the kernel's: another time the answer may be another
  FileAnswers vdso;
  struct KnownFile {
    std::uint64_t number = 0;  // of the CodeFile; another one's answers are of no use
    FileAnswers answers;
  };
  std::unordered_map<CodeFile*, KnownFile> files;
  std::vector<CodeFile*> pending_files;
  std::vector<CodeFile*> given_up;  // of this time, for want of budget
  // By process, of this drain only: a run-time reuses the memory of code it has thrown away.
  std::unordered_map<ProcessId, Answers> jit;
  std::unordered_map<std::uint32_t, PerfMap> perf_maps;  // by tgid
  // [Unnamed]: the answer for an address that lies in no file, by reason.
  std::array<Answer, static_cast<std::size_t>(Unnamed::count)> without_file;
};

// A new answer is pending and will be asked for.
Symboliser::State::Found Symboliser::State::answer_for(Profile& profile, const Frame& frame) {
  // Where the call stands, not where it returns to: it may be the last thing in its function, or in its file.
  const std::uint64_t address = frame.address.value - (frame.is_return ? 1 : 0);
  if (frame.kind == FrameKind::kernel) return {.answer = kernel.at({.at = address})};
  const Process& process = profile.process(frame.space);
  const CodeLocation location = timeline.locate(process.tgid, process.image, RuntimeAddress{address});
  const Place place{.at = location.offset.value, .is_return = frame.is_return};
  const auto reason = [&](Unnamed unnamed) {
    return Found{.answer = &without_file[static_cast<std::size_t>(unnamed)]};
  };
  switch (location.kind) {
    case CodeLocation::Kind::file:
      return answer_in(*location.file, place);
    case CodeLocation::Kind::vdso:
      if (frame.address.value < first_64bit_vdso) return reason(Unnamed::no_symbol);
      return {.answer = vdso.answers.at(place)};
    case CodeLocation::Kind::jit:
      return {.answer = jit[frame.space].at({.at = address})};
    case CodeLocation::Kind::nowhere:
      return reason(Unnamed::not_mapped);
    case CodeLocation::Kind::unknown:
      break;
  }
  return reason(Unnamed::process_gone);
}

Symboliser::State::Found Symboliser::State::answer_in(CodeFile& file, const Place& place) {
  KnownFile& known = files[&file];
  if (known.number != file.number) known = {.number = file.number, .answers = {}};
  Answers& answers = known.answers.answers;
  const bool is_listed = answers.has_pending();
  Answer* const answer = answers.at(place);
  if (!is_listed && answers.has_pending()) pending_files.push_back(&file);
  return {.answer = answer, .file = &known.answers};
}

void Symboliser::State::resolve_files() {
  std::ranges::sort(pending_files, {}, &CodeFile::size_bytes);
  for (CodeFile* const file : pending_files) {
    const int fd = file->fd();
    if (fd < 0)
      names.give_up(file->path, file->unreadable, files[file].answers);
    else
      names.resolve(fd, file->path, files[file].answers);
    if (file_budget.spent()) given_up.push_back(file);
  }
  pending_files.clear();
}

void Symboliser::State::resolve_vdso() {
  if (!vdso.answers.has_pending()) return;
  const Fd copy = copy_of_vdso();
  if (!copy) return names.give_up("vdso", Unnamed::no_symbol, vdso);
  names.resolve(copy.get(), "vdso", vdso);
}

void Symboliser::State::resolve_jit(const Profile& profile) {
  struct Waiting {
    std::uint64_t map_bytes = 0;
    std::uint32_t tgid = 0;
    Answers* answers = nullptr;
  };
  std::vector<Waiting> all;
  for (auto& [process, answers] : jit) {
    const std::uint32_t tgid = profile.process(process).tgid;
    all.push_back({.map_bytes = jit.size() > 1 ? size_of(open_perf_map(tgid)) : 0, .tgid = tgid, .answers = &answers});
  }
  std::ranges::sort(all, {}, &Waiting::map_bytes);
  WorkBudget budget(most_map_bytes);
  for (const Waiting& one : all) resolve_jit(one.tgid, *one.answers, budget);
}

void Symboliser::State::resolve_jit(std::uint32_t tgid, Answers& answers, WorkBudget& budget) {
  const std::vector<Place> places = answers.take_pending();
  std::vector<Symbol> symbols(places.size());
  if (const Fd map = open_perf_map(tgid))
    perf_maps[tgid].resolve(map.get(), addresses_of(places), symbols, budget);
  else
    perf_maps.erase(tgid);
  for (std::size_t i = 0; i < places.size(); ++i) {
    Answer& answer = *answers.at(places[i]);
    const bool is_named = symbols[i].unnamed == Unnamed::named;
    answer.unnamed = is_named ? Unnamed::named : Unnamed::no_jit_map;
    if (!is_named) continue;
    answer.symbol = strings.intern(symbols[i].name);
    answer.module = strings.intern(jit_module);
    answer.offset = places[i].at - symbols[i].start;
  }
}

void Symboliser::State::resolve_kernel_addresses() {
  const std::vector<Place> places = kernel.take_pending();
  if (places.empty()) return;
  const std::vector<RuntimeAddress> addresses = addresses_of(places);
  Demangler demangled(strings);  // the kernel has Rust in it
  if (kernel_names) {
    const auto found = kernel_names->resolve(addresses);
    for (std::size_t i = 0; i < places.size(); ++i) {
      name_kernel_address(places[i], found[i].symbol, demangled);
      if (!found[i].is_settled) unsettled.push_back(places[i]);
    }
    return;
  }
  std::vector<KernelSymbol> symbols(places.size());
  if (const Fd fd = open_kallsyms()) symbols = resolve_kernel(fd.get(), addresses);
  for (std::size_t i = 0; i < places.size(); ++i) name_kernel_address(places[i], symbols[i], demangled);
}

void Symboliser::State::name_kernel_address(const Place& place, const KernelSymbol& symbol, Demangler& demangled) {
  Answer& answer = *kernel.at(place);
  answer.unnamed = symbol.unnamed == Unnamed::pending ? Unnamed::kernel_hidden : symbol.unnamed;
  const bool is_named = answer.unnamed == Unnamed::named;
  answer.module = strings.intern(is_named ? std::string_view(symbol.module) : kernel_itself);
  if (is_named) answer.symbol = demangled(symbol.name);
  answer.offset = place.at - (is_named ? symbol.start : 0);
}

// What is good for this time only.
void Symboliser::State::forget_passing() {
  for (const Place& place : unsettled) kernel.forget(place);
  unsettled.clear();
  jit.clear();
  for (CodeFile* const file : given_up) files.erase(file);
  given_up.clear();
  file_budget = WorkBudget(most_file_steps);
}

// Between one time and the next, when no answer is pending.
void Symboliser::State::forget_if_much() {
  std::size_t remembered = strings.size() + kernel.size() + vdso.answers.size();
  for (const auto& [file, known] : files) remembered += known.answers.answers.size() + known.answers.ranges.size();
  for (const auto& [tgid, map] : perf_maps) remembered += map.size();
  if (remembered <= most_remembered) return;
  kernel = Answers();
  vdso = FileAnswers();
  files.clear();
  perf_maps.clear();
  debug_files.forget();
  strings = StringTable();
}

SourcePlaceId Symboliser::State::source_of(Profile& profile, const Chain& chain) {
  const auto moved = [&](StringId id) { return profile.strings.intern(strings.view(id)); };
  boost::container::small_vector<InlinedFunction, 8> inlined;
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    inlined.push_back(
        {.symbol = moved(chain[i].function), .at = {.file = moved(chain[i].file), .line = chain[i].line}});
  }
  const Position& own = chain.back();
  return profile.source(
      {.at = {.file = moved(own.file), .line = own.line}, .inlined = std::span(inlined.data(), inlined.size())});
}

void Symboliser::State::write(Profile& profile, Frame& frame, const Found& found) {
  const Answer& answer = *found.answer;
  const auto moved = [&](StringId id) { return profile.strings.intern(strings.view(id)); };
  frame.unnamed = answer.unnamed;
  frame.symbol = profile.strings.intern(strings.view(answer.symbol));
  frame.module = profile.strings.intern(strings.view(answer.module));
  frame.offset = answer.offset + (frame.is_return ? 1 : 0);
  if (answer.source) frame.source = source_of(profile, *answer.source);
  // Where the file could not be read there is no telling how it counts addresses.
  if (found.file == nullptr || (answer.unnamed != Unnamed::named && answer.unnamed != Unnamed::no_symbol)) return;
  frame.binary = profile.binary({.path = moved(found.file->path), .build_id = moved(found.file->build_id)});
  frame.binary_address = ElfAddress{answer.address.value + (frame.is_return ? 1 : 0)};
}

Symboliser::Symboliser(ProcessTimeline& timeline, const SymbolOptions& options)
    : state_(std::make_unique<State>(timeline, options)) {}

Symboliser::~Symboliser() = default;

void Symboliser::name(Profile& profile) {
  state_->forget_if_much();
  std::vector<std::pair<Frame*, State::Found>> wanted;
  for (Frame& frame : profile.frames()) {
    if (frame.unnamed == Unnamed::pending) wanted.emplace_back(&frame, state_->answer_for(profile, frame));
  }
  state_->resolve_vdso();  // before the budget may be spent
  state_->resolve_files();
  state_->resolve_jit(profile);
  state_->resolve_kernel_addresses();
  for (const auto& [frame, found] : wanted) state_->write(profile, *frame, found);
  state_->forget_passing();
}

}  // namespace profile
