#include "symbol/symboliser.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "process/perf_map_file.h"
#include "process/timeline.h"
#include "support/fd.h"
#include "symbol/debug_files.h"
#include "symbol/debuginfod.h"
#include "symbol/demangle.h"
#include "symbol/file_symbols.h"
#include "symbol/kallsyms.h"
#include "symbol/perf_map.h"
#include "symbol/vdso.h"

namespace profile {
namespace {

constexpr const char* system_debug_directory = "/usr/lib/debug";
// Below it lie the programs of another class than ours, whose vDSO is another.
constexpr std::uint64_t first_64bit_vdso = 1ULL << 32;

// A function at a place, and where in the source: the inlined ones first, innermost first, then the one with the code.
struct Position {
  StringId function = StringId::empty;
  StringId file = StringId::empty;
  std::uint32_t line = 0;
};
// Most places have no inlined function, or one or two.
using Chain = boost::container::small_vector<Position, 3>;

// What is remembered of a place: as Frame, with strings of the symboliser's own table.
struct Answer {
  Unnamed unnamed = Unnamed::pending;
  StringId symbol = StringId::empty;
  StringId module = StringId::empty;
  std::uint64_t offset = 0;             // of the place that was looked up
  std::shared_ptr<const Chain> source;  // none: not asked for, or not known
};

// Answers by place: the file offset in one file, or the address in the kernel or in JIT code. For a return address that
// is the byte before it. Pending ones are asked for in the next batch.
using Answers = std::unordered_map<std::uint64_t, Answer>;

std::vector<std::uint64_t> pending_of(const Answers& answers) {
  std::vector<std::uint64_t> places;
  for (const auto& [place, answer] : answers) {
    if (answer.unnamed == Unnamed::pending) places.push_back(place);
  }
  std::sort(places.begin(), places.end());
  return places;
}

template <class Address>
std::vector<Address> as(std::span<const std::uint64_t> places) {
  std::vector<Address> addresses;
  addresses.reserve(places.size());
  for (const std::uint64_t place : places) addresses.push_back(Address{place});
  return addresses;
}

// "libc.so.6" of "/usr/lib/libc.so.6 (deleted)".
std::string_view short_name(std::string_view path) {
  constexpr std::string_view deleted = " (deleted)";
  if (path.ends_with(deleted)) path.remove_suffix(deleted.size());
  return path.substr(path.rfind('/') + 1);
}

// Demangles each spelling once: neighbouring addresses share their symbol, and so do files.
class Demangler {
 public:
  explicit Demangler(StringTable& strings) : strings_(strings) {}
  StringId operator()(const std::string& raw) {
    const auto [found, is_new] = known_.try_emplace(raw);
    if (is_new) found->second = strings_.intern(demangle(raw));
    return found->second;
  }

 private:
  StringTable& strings_;
  std::unordered_map<std::string, StringId> known_;
};

std::vector<std::string> debug_directories(const SymbolOptions& options) {
  std::vector<std::string> directories = options.debug_directories;
  directories.emplace_back(system_debug_directory);
  return directories;
}

}  // namespace

struct Symboliser::State {
  State(ProcessTimeline& process_timeline, const SymbolOptions& options)
      : timeline(process_timeline),
        lines(options.lines),
        debuginfod(options.debuginfod ? std::make_unique<Debuginfod>() : nullptr),
        debug_files(debug_directories(options), debuginfod.get()) {
    for (std::size_t i = 0; i < without_file.size(); ++i) without_file[i].unnamed = static_cast<Unnamed>(i);
  }

  Answer* answer_for(Profile& profile, const Frame& frame);
  void resolve_code_file(CodeFile& file, Answers& answers);
  void resolve_elf(int fd, std::string_view path, Answers& answers);
  void add_lines(int fd, std::string_view path, std::span<const std::uint64_t> places,
                 std::span<const ElfAddress> addresses, Answers& answers, Demangler& demangled);
  SourcePlaceId source_of(Profile& profile, const Chain& chain);
  void resolve_vdso();
  void resolve_jit(std::uint32_t tgid, Answers& answers);
  void resolve_kernel_addresses();
  void give_up(Answers& answers, std::string_view path, Unnamed reason);

  ProcessTimeline& timeline;
  bool lines;
  std::unique_ptr<Debuginfod> debuginfod;
  DebugFiles debug_files;
  StringTable strings;
  Answers kernel;
  Answers vdso;
  std::unordered_map<CodeFile*, Answers> files;
  // By process, of this drain only: a run-time reuses the memory of code it has thrown away.
  std::unordered_map<ProcessId, Answers> jit;
  // [Unnamed]: the answer for an address that lies in no file, by reason.
  std::array<Answer, static_cast<std::size_t>(Unnamed::count)> without_file;
};

// Where the answer for `frame` is or will be; a new one is pending and will be asked for.
Answer* Symboliser::State::answer_for(Profile& profile, const Frame& frame) {
  const std::uint64_t back = frame.is_return ? 1 : 0;
  if (frame.kind == FrameKind::kernel) return &kernel[frame.address.value - back];
  const Process& process = profile.process(frame.space);
  // Where the call stands, not where it returns to: it may be the last thing in its function, or in its file.
  const CodeLocation location =
      timeline.locate(process.tgid, process.image, RuntimeAddress{frame.address.value - back});
  const auto reason = [&](Unnamed unnamed) { return &without_file[static_cast<std::size_t>(unnamed)]; };
  switch (location.kind) {
    case CodeLocation::Kind::file:
      return &files[location.file][location.offset.value];
    case CodeLocation::Kind::vdso:
      if (frame.address.value < first_64bit_vdso) return reason(Unnamed::no_symbol);
      return &vdso[location.offset.value];
    case CodeLocation::Kind::jit:
      return &jit[frame.space][frame.address.value - back];
    case CodeLocation::Kind::nowhere:
      return reason(Unnamed::not_mapped);
    case CodeLocation::Kind::unknown:
      break;
  }
  return reason(Unnamed::process_gone);
}

void Symboliser::State::give_up(Answers& answers, std::string_view path, Unnamed reason) {
  const StringId module = strings.intern(short_name(path));
  for (const std::uint64_t place : pending_of(answers)) {
    Answer& answer = answers[place];
    answer.unnamed = reason;
    answer.module = module;
    answer.offset = place;
  }
}

void Symboliser::State::resolve_code_file(CodeFile& file, Answers& answers) {
  if (pending_of(answers).empty()) return;
  const int fd = file.fd();
  if (fd < 0) return give_up(answers, file.path, file.unreadable);
  resolve_elf(fd, file.path, answers);
}

void Symboliser::State::resolve_vdso() {
  if (pending_of(vdso).empty()) return;
  const Fd copy = copy_of_vdso();
  if (!copy) return give_up(vdso, "vdso", Unnamed::no_symbol);
  resolve_elf(copy.get(), "vdso", vdso);
}

void Symboliser::State::resolve_elf(int fd, std::string_view path, Answers& answers) {
  const std::vector<std::uint64_t> places = pending_of(answers);
  // The return address of a signal handler is the first byte of the trampoline, with nothing before it; so what a place
  // in no function is followed by is asked for as well.
  std::vector<std::uint64_t> asked;
  for (const std::uint64_t place : places) {
    if (asked.empty() || asked.back() != place) asked.push_back(place);
    asked.push_back(place + 1);
  }
  std::vector<ElfAddress> addresses(asked.size());
  std::vector<Symbol> symbols(asked.size());
  resolve_file(fd, path, debug_files, as<FileOffset>(asked), addresses, symbols);

  const StringId module = strings.intern(short_name(path));
  Demangler demangled(strings);
  std::vector<std::uint64_t> answered;
  std::vector<ElfAddress> answered_addresses;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto found = answers.find(asked[i]);
    if (found == answers.end() || found->second.unnamed != Unnamed::pending) continue;
    Answer& answer = found->second;
    const bool is_trampoline = symbols[i].unnamed != Unnamed::named && i + 1 < asked.size() &&
                               asked[i + 1] == asked[i] + 1 && symbols[i + 1].unnamed == Unnamed::named &&
                               symbols[i + 1].start == addresses[i + 1].value;
    const Symbol& symbol = symbols[is_trampoline ? i + 1 : i];
    answer.module = module;
    answer.unnamed = symbol.unnamed;
    const bool is_named = symbol.unnamed == Unnamed::named;
    if (is_named) answer.symbol = demangled(symbol.name);
    answer.offset = addresses[i].value - (is_named ? symbol.start : 0);
    answered.push_back(asked[i]);
    answered_addresses.push_back(addresses[i]);
  }
  if (lines) add_lines(fd, path, answered, answered_addresses, answers, demangled);
}

void Symboliser::State::add_lines(int fd, std::string_view path, std::span<const std::uint64_t> places,
                                  std::span<const ElfAddress> addresses, Answers& answers, Demangler& demangled) {
  const SourceChains chains = resolve_lines(fd, path, debug_files, addresses);
  const StringTable& texts = chains.strings();
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto chain = std::make_shared<Chain>();
    for (const SourcePosition& position : chains.chain(i)) {
      chain->push_back({.function = demangled(std::string(texts.view(position.function))),
                        .file = strings.intern(texts.view(position.file)),
                        .line = position.line});
    }
    if (!chain->empty()) answers[places[i]].source = std::move(chain);
  }
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

void Symboliser::State::resolve_jit(std::uint32_t tgid, Answers& answers) {
  const std::vector<std::uint64_t> places = pending_of(answers);
  std::vector<Symbol> symbols(places.size());
  if (const Fd map = open_perf_map(tgid)) resolve_perf_map(map.get(), as<RuntimeAddress>(places), symbols);
  for (std::size_t i = 0; i < places.size(); ++i) {
    Answer& answer = answers[places[i]];
    const bool is_named = symbols[i].unnamed == Unnamed::named;
    answer.unnamed = is_named ? Unnamed::named : Unnamed::no_jit_map;
    if (!is_named) continue;
    answer.symbol = strings.intern(symbols[i].name);
    answer.module = strings.intern("jit");
    answer.offset = places[i] - symbols[i].start;
  }
}

void Symboliser::State::resolve_kernel_addresses() {
  const std::vector<std::uint64_t> places = pending_of(kernel);
  if (places.empty()) return;
  const Fd fd(::open("/proc/kallsyms", O_RDONLY | O_CLOEXEC));
  std::vector<KernelSymbol> symbols(places.size());
  if (fd) symbols = resolve_kernel(fd.get(), as<RuntimeAddress>(places));
  Demangler demangled(strings);  // the kernel has Rust in it
  for (std::size_t i = 0; i < places.size(); ++i) {
    Answer& answer = kernel[places[i]];
    answer.unnamed = symbols[i].unnamed == Unnamed::pending ? Unnamed::kernel_hidden : symbols[i].unnamed;
    const bool is_named = answer.unnamed == Unnamed::named;
    answer.module = strings.intern(is_named ? symbols[i].module : "kernel");
    if (is_named) answer.symbol = demangled(symbols[i].name);
    answer.offset = places[i] - (is_named ? symbols[i].start : 0);
  }
}

Symboliser::Symboliser(ProcessTimeline& timeline, const SymbolOptions& options)
    : state_(std::make_unique<State>(timeline, options)) {}

Symboliser::~Symboliser() = default;

void Symboliser::name(Profile& profile) {
  std::vector<std::pair<Frame*, Answer*>> wanted;
  for (Frame& frame : profile.frames()) {
    if (frame.unnamed == Unnamed::pending) wanted.emplace_back(&frame, state_->answer_for(profile, frame));
  }
  for (auto& [file, answers] : state_->files) state_->resolve_code_file(*file, answers);
  for (auto& [process, answers] : state_->jit) state_->resolve_jit(profile.process(process).tgid, answers);
  state_->resolve_vdso();
  state_->resolve_kernel_addresses();
  for (const auto& [frame, answer] : wanted) {
    frame->unnamed = answer->unnamed;
    frame->symbol = profile.strings.intern(state_->strings.view(answer->symbol));
    frame->module = profile.strings.intern(state_->strings.view(answer->module));
    frame->offset = answer->offset + (frame->is_return ? 1 : 0);
    if (answer->source) frame->source = state_->source_of(profile, *answer->source);
  }
  state_->jit.clear();
}

}  // namespace profile
