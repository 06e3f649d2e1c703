#include "symbol/symboliser.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "model/stack_roots.h"
#include "parse/file_reader.h"
#include "process/timeline.h"
#include "support/clock.h"
#include "support/effort.h"
#include "support/fd.h"
#include "support/plural.h"
#include "support/privilege.h"
#include "symbol/asked_kernel.h"
#include "symbol/expired_frames.h"
#include "symbol/file_names.h"
#include "symbol/jit_names.h"
#include "symbol/kernel_names.h"
#include "symbol/symbol_cache.h"

namespace profile {
namespace {

// Programs of the other class (32-bit) lie below this address. Their vDSO is not the one that is read here.
constexpr std::uint64_t first_64bit_vdso = 1ULL << 32;

// How much is remembered from one batch to the next, in addresses, ranges, strings and the like, and in bytes of all
// strings. Programs come and go, and in a run of days it would grow without end. Beyond this, some 15 MB as a rule, all
// is forgotten and learnt again.
constexpr std::size_t most_remembered = 100'000;
constexpr std::size_t most_remembered_text_bytes = std::size_t{32} << 20;

// How much is read from the files of one owner in one batch, in steps of WorkBudget: a second or two of work. The
// smallest files are read first, so that large files wait and not the others. The symbols of the largest web browser,
// read completely, are half a gigabyte.
constexpr std::uint64_t most_file_steps = 1ULL << 30;

// In one table. The rows with the longest times come first, and nobody looks at more.
constexpr std::size_t most_variables = 1000;

std::string hex_of(std::uint64_t number) {
  char digits[16];  // as many as 2^64 - 1 has
  return {std::begin(digits), std::to_chars(std::begin(digits), std::end(digits), number, 16).ptr};
}

Fd open_kallsyms() { return Fd(::open("/proc/kallsyms", O_RDONLY | O_CLOEXEC)); }

}  // namespace

struct Symboliser::State {
  State(ProcessTimeline& process_timeline, FileReader& file_reader, const SymbolOptions& options)
      : timeline(process_timeline),
        reader(file_reader),
        is_repeated(options.repeated),
        file_effort(options.budget * most_file_steps, options.repeated),
        names(reader, strings, file_effort.budget(), {.lines = options.lines, .ranges = true}),
        jit(timeline, reader, strings, options),
        kernel_names(
            open_kallsyms, monotonic_ns,
            [this](auto addresses, auto answers) {
              // The kernel leaves it to us to keep to the rule of its list about hidden symbols.
              return !hidden_kernel_symbols() && asked_kernel.resolve(addresses, answers);
            },
            !options.repeated) {
    for (std::size_t i = 0; i < without_file.size(); ++i) without_file[i].unnamed = static_cast<Unnamed>(i);
  }

  // Where an answer is or will be, and what else is known of its file; null when it belongs to no file.
  struct Found {
    const Answer* answer = nullptr;
    const FileAnswers* file = nullptr;
  };

  void name(Profile& profile, std::span<Frame* const> frames) {
    std::vector<std::pair<Frame*, Found>> wanted;
    wanted.reserve(frames.size());
    timeline.wait_for_states(patience_with_files);
    for (Frame* const frame : frames) wanted.emplace_back(frame, answer_for(profile, *frame));
    if (vdso.answers.has_pending()) names.resolve_vdso(vdso);  // first, because the budget may be spent later
    resolve_files();
    jit.resolve(profile);
    resolve_kernel_addresses();
    reader.release_files();
    for (const auto& [frame, found] : wanted) {
      if (!is_postponed(*found.answer)) write(profile, *frame, found);
    }
    forget_passing();
  }

  // The place of an address in a process. One that lies in nothing known may be moved code, which no record reports and
  // which nobody can look for once the process is gone.
  CodeLocation locate(const Process& process, RuntimeAddress address) const {
    const CodeLocation location = timeline.locate(process.tgid, process.image, address);
    if (location.kind != CodeLocation::Kind::nowhere) return location;
    timeline.look_again(process.tgid);
    return timeline.locate(process.tgid, process.image, address);
  }

  bool is_ready(const Profile& profile, const Frame& frame) const {
    if (frame.unnamed != Unnamed::pending) return false;
    if (frame.kind == FrameKind::kernel) return true;
    const CodeLocation location = locate(profile.process(frame.space), call_address(frame.address, frame.is_return));
    return location.kind == CodeLocation::Kind::vdso ||
           (location.kind == CodeLocation::Kind::file && location.file->is_open());
  }

  // Whether a later batch may still find a name.
  bool is_postponed(const Answer& answer) const {
    return may_go_on != nullptr && (answer.unnamed == Unnamed::pending || answer.unnamed == Unnamed::too_large ||
                                    answer.unnamed == Unnamed::no_answer || answer.unnamed == Unnamed::not_opened);
  }

  // A new answer is pending; resolving it comes later.
  Found answer_for(Profile& profile, const Frame& frame) {
    const RuntimeAddress address = call_address(frame.address, frame.is_return);
    if (frame.kind == FrameKind::kernel) return {.answer = kernel.at(address)};
    const auto exec = [&] {
      in_exec.unnamed = Unnamed::named;
      in_exec.symbol = strings.intern(exec_frame);
      return Found{.answer = &in_exec};
    };
    if (frame.address == exec_address) return exec();
    const Process& process = profile.process(frame.space);
    const CodeLocation location = locate(process, address);
    const CodeOffset place{.at = location.offset, .is_return = frame.is_return};
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
        return {.answer = jit.at(frame.space, address)};
      case CodeLocation::Kind::nowhere:
        if (!frame.is_return && timeline.is_of_replaced_program(process.tgid, process.image, frame.address)) {
          return exec();
        }
        return reason(Unnamed::not_mapped);
      case CodeLocation::Kind::unfollowed:
        return reason(Unnamed::not_followed);
      case CodeLocation::Kind::unknown:
        break;
    }
    return reason(Unnamed::process_gone);
  }

  Found answer_in(CodeFile& file, const CodeOffset& place) {
    KnownFile& known = files[&file];
    if (known.number != file.number) known = {.number = file.number, .answers = {}};
    SymbolCache<CodeOffset>& answers = known.answers.answers;
    const bool is_listed = answers.has_pending();
    Answer* const answer = answers.at(place);
    if (!is_listed && answers.has_pending()) pending_files.push_back(&file);
    return {.answer = answer, .file = &known.answers};
  }

  void resolve_files() {
    timeline.wait_for_files(pending_files, patience_with_files);
    std::ranges::sort(pending_files, {}, [](const CodeFile* file) { return file->stamp().size_bytes; });
    for (CodeFile* const file : pending_files) {
      FileAnswers& answers = files[file].answers;
      if (!file->is_open()) {
        names.give_up(file->path, file->unreadable, answers);
        if (may_open_later(file->unreadable)) given_up.push_back(file);
        continue;
      }
      const FileRef ref{.number = file->number, .path = file->path, .mapped_by = file->mapped_by()};
      if (may_go_on != nullptr && !(*may_go_on)()) {
        given_up.push_back(file);
        continue;
      }
      if (!file_effort.begin(file->owner(), value_of(file->number))) {
        names.recall(ref, answers);
        given_up.push_back(file);
        continue;
      }
      const FileFault failed = names.resolve(ref, answers);
      // The same failure would come again.
      if (failed == FileFault::out_of_time || may_open_later(failed)) {
        given_up.push_back(file);
      } else if (failed != FileFault::none) {
        file->give_up(failed);
      }
      const Effort::Verdict verdict = file_effort.end();
      if (verdict == Effort::Verdict::too_large && failed == FileFault::none) file->give_up(FileFault::too_large);
      if (verdict == Effort::Verdict::later) given_up.push_back(file);
    }
    pending_files.clear();
  }

  void resolve_kernel_addresses() {
    const std::vector<RuntimeAddress> places = kernel.take_pending();
    if (places.empty()) return;
    const auto found = kernel_names.resolve(places);
    std::vector<std::string> mangled;  // the kernel has Rust in it
    std::vector<Answer*> theirs;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const KernelSymbol& symbol = found[i].symbol;
      if (!found[i].is_final) not_final.push_back(places[i]);
      Answer& answer = *kernel.at(places[i]);
      answer.unnamed = symbol.unnamed == Unnamed::pending ? Unnamed::kernel_hidden : symbol.unnamed;
      const bool is_named = answer.unnamed == Unnamed::named;
      answer.module = strings.intern(is_named ? std::string_view(symbol.module) : kernel_itself);
      answer.offset = places[i].value - (is_named ? symbol.start : 0);
      if (!is_named) continue;
      answer.symbol = strings.intern(symbol.name);
      if (!symbol.name.starts_with("_R") && !symbol.name.starts_with("_Z")) continue;
      mangled.push_back(symbol.name);
      theirs.push_back(&answer);
    }
    if (mangled.empty()) return;
    const std::vector<std::string> demangled = reader.demangled(mangled);
    for (std::size_t i = 0; i < theirs.size(); ++i) theirs[i]->symbol = strings.intern(demangled[i]);
  }

  // The file whose memory in that process holds the address, if a file's does, and the place as the file counts. Memory
  // behind the last variable of a file is taken for the file's, too, and has no name there.
  std::optional<std::pair<CodeFile*, ElfAddress>> variable_in_file(const DurationTable::Row::Variable& variable) {
    const MappedFile* below = nullptr;
    const std::vector<MappedFile> mapped = timeline.files_of(variable.tgid, variable.image);
    for (const MappedFile& one : mapped) {
      if (one.start.value <= variable.address && (below == nullptr || below->start < one.start)) below = &one;
    }
    if (below == nullptr || !below->file->is_open()) return std::nullopt;
    const CodeLocation location = timeline.locate(variable.tgid, variable.image, below->start);
    if (location.kind != CodeLocation::Kind::file || location.file != below->file) return std::nullopt;
    const auto [known, is_new] = segments.try_emplace(value_of(below->file->number));
    if (is_new) known->second = reader.names(ref_of(*below->file), {}, file_effort.budget()).code;
    for (const CodeSegment& segment : known->second) {
      if (location.offset < segment.offset) continue;
      const ElfAddress start{segment.start.value + (location.offset.value - segment.offset.value)};
      if (!segment.holds(start)) continue;
      return std::pair(below->file, ElfAddress{start.value + (variable.address - below->start.value)});
    }
    return std::nullopt;
  }

  static FileRef ref_of(const CodeFile& file) {
    return {.number = file.number, .path = file.path, .mapped_by = file.mapped_by()};
  }

  void name_data(Profile& profile, DurationTable& table) {
    std::map<CodeFile*, std::vector<std::pair<ElfAddress, DurationTable::Row*>>> by_file;
    const std::size_t most = std::min(table.rows.size(), most_variables);
    for (DurationTable::Row& row : std::span(table.rows).first(most)) {
      if (!row.variable) continue;
      if (const auto place = variable_in_file(*row.variable)) by_file[place->first].emplace_back(place->second, &row);
    }
    for (auto& [file, places] : by_file) {
      std::vector<ElfAddress> addresses;
      for (const auto& [address, row] : places) addresses.push_back(address);
      std::ranges::sort(addresses);
      addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
      if (!file_effort.begin(file->owner(), value_of(file->number))) continue;
      const NamesOfFile found = reader.data_names(ref_of(*file), addresses, file_effort.budget());
      if (file_effort.end() == Effort::Verdict::too_large) file->give_up(FileFault::too_large);
      if (found.failed != FileFault::none) continue;
      for (const auto& [address, row] : places) {
        const auto at = std::ranges::lower_bound(addresses, address) - addresses.begin();
        const NameOfCode& name = found.names[static_cast<std::size_t>(at)];
        if (name.unnamed != Unnamed::named || name.start > address.value) continue;
        std::string text(found.strings.view(name.symbol));
        if (name.start != address.value) text += "+0x" + hex_of(address.value - name.start);
        text.append(" [").append(short_name(file->path)).append("]");
        row->labels.back() = profile.strings.intern(text);
      }
    }
    reader.release_files();
  }

  // Forgets what is valid for this batch only.
  void forget_passing() {
    for (const RuntimeAddress address : not_final) kernel.forget(address);
    not_final.clear();
    jit.forget();
    for (CodeFile* const file : given_up) files[file].answers.answers = {};
    given_up.clear();
    file_effort.renew(monotonic_ns());
  }

  // Call it between two batches, when no answer is pending, and only if more batches follow.
  void forget_if_much() {
    std::size_t remembered = strings.size() + kernel.size() + vdso.size();
    for (const auto& [file, known] : files) remembered += known.answers.size();
    for (; measured < strings.size(); ++measured) text_bytes += strings.view(static_cast<StringId>(measured)).size();
    if (remembered <= most_remembered && text_bytes <= most_remembered_text_bytes) return;
    kernel = {};
    vdso = FileAnswers();
    files.clear();
    segments.clear();
    strings = StringTable();
    measured = 0;
    text_bytes = 0;
  }

  SourceLocationId source_of(Profile& profile, const Chain& chain) {
    const auto moved = [&](StringId id) { return profile.strings.intern(strings.view(id)); };
    boost::container::small_vector<InlinedFunction, 8> inlined;
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      inlined.push_back(
          {.symbol = moved(chain[i].function), .at = {.file = moved(chain[i].file), .line = chain[i].line}});
    }
    const SourcePosition& own = chain.back();
    return profile.source(
        {.at = {.file = moved(own.file), .line = own.line}, .inlined = std::span(inlined.data(), inlined.size())});
  }

  void write(Profile& profile, Frame& frame, const Found& found) {
    const Answer& answer = *found.answer;
    const auto moved = [&](StringId id) { return profile.strings.intern(strings.view(id)); };
    frame.unnamed = answer.unnamed;
    frame.symbol = moved(answer.symbol);
    frame.module = moved(answer.module);
    frame.offset = return_address(answer.offset, frame.is_return);
    frame.function = answer.function;
    if (answer.source) frame.source = source_of(profile, *answer.source);
    // If the file could not be read, it is not known how it counts addresses.
    if (found.file == nullptr || (answer.unnamed != Unnamed::named && answer.unnamed != Unnamed::no_symbol)) return;
    frame.binary = profile.binary({.path = moved(found.file->path),
                                   .build_id = moved(found.file->build_id),
                                   .code = found.file->segment_of(answer.address)});
    frame.binary_address = return_address(answer.address, frame.is_return);
  }

  ProcessTimeline& timeline;
  FileReader& reader;
  bool is_repeated;
  StringTable strings;
  std::size_t measured = 0;  // how many of them are counted in text_bytes
  std::size_t text_bytes = 0;
  OwnerEfforts file_effort;
  FileNames names;
  JitNames jit;
  AskedKernel asked_kernel;
  KernelNames kernel_names;
  SymbolCache<RuntimeAddress> kernel;
  std::vector<RuntimeAddress> not_final;  // those whose answer may be different in the next batch
  FileAnswers vdso;
  struct KnownFile {
    FileNumber number = FileNumber::none;  // of the CodeFile; the answers of a file with another number are useless
    FileAnswers answers;
  };
  std::unordered_map<CodeFile*, KnownFile> files;
  std::unordered_map<std::uint64_t, std::vector<CodeSegment>> segments;  // by number, of files with named variables
  std::vector<CodeFile*> pending_files;
  ExpiredFrames expired;
  std::size_t ready = 0;                             // how many of the profile's frames name_ready() has looked at
  const std::function<bool()>* may_go_on = nullptr;  // not null while another batch follows; null: the last one
  std::vector<CodeFile*> given_up;                   // in this batch, because the budget or an answer was missing
  Answer in_exec;                                    // for the moment between two programs
  // [Unnamed]: the answer for an address that lies in no file, by reason.
  std::array<Answer, static_cast<std::size_t>(Unnamed::count)> without_file;
};

Symboliser::Symboliser(ProcessTimeline& timeline, FileReader& reader, const SymbolOptions& options)
    : state_(std::make_unique<State>(timeline, reader, options)) {}

Symboliser::~Symboliser() = default;

std::vector<std::string> Symboliser::notes() const { return state_->names.notes(); }

std::vector<std::string> Symboliser::details() const {
  const KernelNames& kernel = state_->kernel_names;
  return {"kernel names: " + std::to_string(kernel.named()) + " asked for, the list read " +
          number_of(kernel.readings(), "time")};
}

void Symboliser::name(Profile& profile) {
  state_->expired.clear();
  state_->ready = 0;
  if (state_->is_repeated) state_->forget_if_much();
  std::vector<Frame*> pending;
  for (Frame& frame : profile.frames()) {
    if (frame.unnamed == Unnamed::pending) pending.push_back(&frame);
  }
  // Where each sample is wanted this is called fifty times a second, and each naming writes to the parser.
  if (!pending.empty()) state_->name(profile, pending);
}

void Symboliser::name_data(Profile& profile) {
  for (DurationTable& table : profile.duration_tables) state_->name_data(profile, table);
}

void Symboliser::name_ready(Profile& profile, const std::function<bool()>& may_go_on) {
  std::vector<Frame*> ready;
  for (; state_->ready < profile.frames().size(); ++state_->ready) {
    if (Frame& frame = profile.frames()[state_->ready]; state_->is_ready(profile, frame)) ready.push_back(&frame);
  }
  if (ready.empty()) return;
  state_->forget_if_much();
  state_->may_go_on = &may_go_on;
  state_->name(profile, ready);
  state_->may_go_on = nullptr;
}

void Symboliser::name_expired(Profile& profile) {
  const std::vector<Frame*> expired = state_->expired.take(profile, state_->timeline);
  if (expired.empty()) return;
  state_->forget_if_much();
  state_->name(profile, expired);
}

}  // namespace profile
