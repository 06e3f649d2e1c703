#include "symbol/symboliser.h"

#include <fcntl.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "process/perf_map_file.h"
#include "process/timeline.h"
#include "support/fd.h"
#include "symbol/demangle.h"
#include "symbol/elf_file.h"
#include "symbol/elf_symbols.h"
#include "symbol/kallsyms.h"
#include "symbol/perf_map.h"
#include "symbol/vdso.h"

namespace profile {
namespace {

// What is remembered of an address: as Frame, with strings of the symboliser's own table.
struct Answer {
  Unnamed unnamed = Unnamed::pending;
  StringId symbol = StringId::empty;
  StringId module = StringId::empty;
  std::uint64_t offset = 0;
};

// Answers of one file by file offset, or of the kernel by address. Pending ones are asked for in the next batch.
using Answers = std::unordered_map<std::uint64_t, Answer>;

std::vector<std::uint64_t> pending_of(const Answers& answers) {
  std::vector<std::uint64_t> keys;
  for (const auto& [key, answer] : answers) {
    if (answer.unnamed == Unnamed::pending) keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
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

}  // namespace

struct Symboliser::State {
  explicit State(ProcessTimeline& process_timeline) : timeline(process_timeline) {}

  Answer* answer_for(Profile& profile, const Frame& frame);
  void resolve_file(CodeFile& file, Answers& answers);
  void resolve_elf(int fd, StringId module, Answers& answers);
  void resolve_vdso();
  void resolve_jit(std::uint32_t tgid, Answers& answers);
  void resolve_kernel_addresses();

  ProcessTimeline& timeline;
  StringTable strings;
  Answers kernel;
  Answers vdso;
  std::unordered_map<CodeFile*, Answers> files;
  // By process, of this drain only: a run-time reuses the memory of code it has thrown away.
  std::unordered_map<ProcessId, Answers> jit;
  std::vector<Answer> without_file;  // [Unnamed]: the answer for an address that lies in no file, by reason
};

namespace {

void give_up(Answers& answers, StringId module, Unnamed reason) {
  for (const std::uint64_t key : pending_of(answers)) {
    answers[key] = Answer{.unnamed = reason, .symbol = StringId::empty, .module = module, .offset = key};
  }
}

// Below it lie the programs of another class than ours, whose vDSO is another.
constexpr std::uint64_t first_64bit_vdso = 1ULL << 32;

}  // namespace

// Where the answer for `frame` is or will be; a new one is pending and will be asked for.
Answer* Symboliser::State::answer_for(Profile& profile, const Frame& frame) {
  if (frame.kind == FrameKind::kernel) return &kernel[frame.address.value];
  const Process& process = profile.process(frame.space);
  const CodeLocation location = timeline.locate(process.tgid, process.image, frame.address);
  const auto reason = [&](Unnamed unnamed) { return &without_file[static_cast<std::size_t>(unnamed)]; };
  switch (location.kind) {
    case CodeLocation::Kind::file:
      return &files[location.file][location.offset.value];
    case CodeLocation::Kind::vdso:
      if (frame.address.value < first_64bit_vdso) return reason(Unnamed::no_symbol);
      return &vdso[location.offset.value];
    case CodeLocation::Kind::jit:
      return &jit[frame.space][frame.address.value];
    case CodeLocation::Kind::nowhere:
      return reason(Unnamed::not_mapped);
    case CodeLocation::Kind::unknown:
      break;
  }
  return reason(Unnamed::process_gone);
}

void Symboliser::State::resolve_file(CodeFile& file, Answers& answers) {
  if (pending_of(answers).empty()) return;
  const StringId module = strings.intern(short_name(file.path));
  const int fd = file.fd();
  if (fd < 0) return give_up(answers, module, file.unreadable);
  resolve_elf(fd, module, answers);
}

void Symboliser::State::resolve_vdso() {
  if (pending_of(vdso).empty()) return;
  const StringId module = strings.intern("vdso");
  const Fd copy = copy_of_vdso();
  if (!copy) return give_up(vdso, module, Unnamed::no_symbol);
  resolve_elf(copy.get(), module, vdso);
}

void Symboliser::State::resolve_jit(std::uint32_t tgid, Answers& answers) {
  std::vector<RuntimeAddress> addresses;
  for (const std::uint64_t address : pending_of(answers)) addresses.push_back(RuntimeAddress{address});
  std::vector<Symbol> symbols(addresses.size());
  if (const Fd map = open_perf_map(tgid)) resolve_perf_map(map.get(), addresses, symbols);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    Answer& answer = answers[addresses[i].value];
    if (symbols[i].unnamed != Unnamed::named) {
      answer.unnamed = Unnamed::no_jit_map;
      continue;
    }
    answer.unnamed = Unnamed::named;
    answer.symbol = strings.intern(symbols[i].name);
    answer.module = strings.intern("jit");
    answer.offset = addresses[i].value - symbols[i].start;
  }
}

// Answers are keyed by offset in the file `fd`.
void Symboliser::State::resolve_elf(int fd, StringId module, Answers& answers) {
  std::string why;
  const auto elf = ElfFile::read(fd, why);
  if (!elf) return give_up(answers, module, Unnamed::file_malformed);

  // Sorted by ELF address, which need not be the order of offsets.
  std::vector<std::pair<ElfAddress, std::uint64_t>> wanted;
  for (const std::uint64_t offset : pending_of(answers)) {
    if (const auto address = elf->address_of(FileOffset{offset})) {
      wanted.emplace_back(*address, offset);
    } else {
      answers[offset] =
          Answer{.unnamed = Unnamed::no_symbol, .symbol = StringId::empty, .module = module, .offset = offset};
    }
  }
  std::sort(wanted.begin(), wanted.end());
  std::vector<ElfAddress> addresses;
  for (const auto& [address, offset] : wanted) {
    if (addresses.empty() || addresses.back() != address) addresses.push_back(address);
  }
  std::vector<Symbol> symbols(addresses.size());
  ElfSymbols(*elf).resolve(addresses, symbols);

  Demangler demangled(strings);
  for (const auto& [address, offset] : wanted) {
    const auto at = std::lower_bound(addresses.begin(), addresses.end(), address) - addresses.begin();
    const Symbol& symbol = symbols[static_cast<std::size_t>(at)];
    Answer& answer = answers[offset];
    answer.module = module;
    answer.unnamed = symbol.unnamed == Unnamed::pending ? Unnamed::no_symbol : symbol.unnamed;
    const bool is_named = answer.unnamed == Unnamed::named;
    if (is_named) answer.symbol = demangled(symbol.name);
    answer.offset = address.value - (is_named ? symbol.start : 0);
  }
}

void Symboliser::State::resolve_kernel_addresses() {
  const std::vector<std::uint64_t> pending = pending_of(kernel);
  if (pending.empty()) return;
  std::vector<RuntimeAddress> addresses;
  addresses.reserve(pending.size());
  for (const std::uint64_t address : pending) addresses.push_back(RuntimeAddress{address});
  const Fd fd(::open("/proc/kallsyms", O_RDONLY | O_CLOEXEC));
  const std::vector<KernelSymbol> symbols =
      fd ? resolve_kernel(fd.get(), addresses) : std::vector<KernelSymbol>(addresses.size());
  Demangler demangled(strings);  // the kernel has Rust in it
  for (std::size_t i = 0; i < pending.size(); ++i) {
    Answer& answer = kernel[pending[i]];
    answer.unnamed = symbols[i].unnamed == Unnamed::pending ? Unnamed::kernel_hidden : symbols[i].unnamed;
    const bool is_named = answer.unnamed == Unnamed::named;
    answer.module = strings.intern(is_named ? symbols[i].module : "kernel");
    if (is_named) answer.symbol = demangled(symbols[i].name);
    answer.offset = pending[i] - (is_named ? symbols[i].start : 0);
  }
}

Symboliser::Symboliser(ProcessTimeline& timeline) : state_(std::make_unique<State>(timeline)) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Unnamed::count); ++i) {
    state_->without_file.push_back(Answer{.unnamed = static_cast<Unnamed>(i)});
  }
}

Symboliser::~Symboliser() = default;

void Symboliser::name(Profile& profile) {
  std::vector<std::pair<Frame*, Answer*>> wanted;
  for (Frame& frame : profile.frames()) {
    if (frame.unnamed == Unnamed::pending) wanted.emplace_back(&frame, state_->answer_for(profile, frame));
  }
  for (auto& [file, answers] : state_->files) state_->resolve_file(*file, answers);
  for (auto& [process, answers] : state_->jit) state_->resolve_jit(profile.process(process).tgid, answers);
  state_->resolve_vdso();
  state_->resolve_kernel_addresses();
  for (const auto& [frame, answer] : wanted) {
    frame->unnamed = answer->unnamed;
    frame->symbol = profile.strings.intern(state_->strings.view(answer->symbol));
    frame->module = profile.strings.intern(state_->strings.view(answer->module));
    frame->offset = answer->offset;
  }
  state_->jit.clear();
}

}  // namespace profile
