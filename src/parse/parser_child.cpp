#include "parse/parser_child.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "children/channel.h"
#include "children/wire.h"
#include "demangle/demangle.h"
#include "parse/allocator_functions.h"
#include "parse/answers_wire.h"
#include "parse/debug_files.h"
#include "parse/file_answers.h"
#include "parse/file_listing.h"
#include "parse/file_symbols.h"
#include "parse/function_lookup.h"
#include "parse/jit_map.h"
#include "parse/opener_calls.h"
#include "parse/parser_calls.h"
#include "support/file_bytes.h"
#include "unwind/build.h"

namespace profile {
namespace {

// The most stretches of perf maps that are remembered. Beyond this all are forgotten and learnt again.
constexpr std::size_t most_jit_stretches = 100'000;

// This process's vDSO, to be read like any ELF file. It is the same in every process of our class, because the kernel
// maps the same pages. Without bytes where there is no vDSO.
FileBytes vdso_bytes() {
  const auto* image =
      reinterpret_cast<const std::byte*>(::getauxval(AT_SYSINFO_EHDR));  // NOLINT(performance-no-int-to-ptr)
  if (image == nullptr) return {};
  // The section headers stand at the end of the image. The kernel maps whole pages, so the whole image is there.
  const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(image);
  const std::size_t size = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  return FileBytes(std::span(image, size));
}

class ParserProcess final : public DebugSupplier {
 public:
  ParserProcess(Fd questions, Fd files, Fd served)
      : questions_(std::move(questions)), files_(std::move(files)), debug_files_(*this) {
    if (served) served_.emplace(std::move(served));
  }

  [[noreturn]] void run() {
    while (const auto message = questions_.receive()) {
      WireReader in(message->bytes);
      answer(in.one_of(ParserCall::count), in);
    }
    ::_exit(0);
  }

  DebugFile open(const DebugQuestion& question, FileNumber base, unsigned& next, std::string& why) override {
    say(ParserWord::wants, question.kind, question.text, base, next);
    return supplied(files_, take_file, next, why);
  }

  DebugFile from_server(const std::string& build_id) override {
    if (!served_) return {};
    say(ParserWord::wants_served, build_id);
    unsigned next = 0;
    std::string why;
    // The fetcher may lie: it has sent the file before it says so, or never.
    return supplied(*served_, take_over_at_once, next, why);
  }

 private:
  // The file in question, and what was learnt about it so far.
  struct Asked {
    Asked(FileNumber number, std::string its_path, bool own_mounts, Fd its_fd, DebugFiles& debug_files)
        : path(std::move(its_path)),
          fd(std::move(its_fd)),
          file{.number = number, .path = path, .mapped_by = {.own_mounts = own_mounts}},
          symbols(FileBytes(fd.get()), file, debug_files, budget) {}
    std::string path;
    Fd fd;
    WorkBudget budget{UINT64_MAX};  // set for each question
    FileRef file;
    FileSymbols symbols;
  };

  template <class... Values>
  void say(ParserWord word, const Values&... values) {
    if (!questions_.send(message_of(word, values...))) ::_exit(0);
  }

  // An answer of names. One that has more bytes than it may have fails as a whole.
  template <class Answer>
  void say_answer(ParserCall call, std::size_t places, const WorkBudget& budget, const Answer& answer) {
    const std::string message = message_of(ParserWord::answer, budget.left(), answer);
    if (message.size() > most_answer_bytes(call, places)) {
      Answer failed;
      failed.failed = FileFault::too_large;
      return say(ParserWord::answer, budget.left(), failed);
    }
    if (!questions_.send(message)) ::_exit(0);
  }

  void answer(ParserCall call, WireReader& in) {
    switch (call) {
      case ParserCall::names:
        return answer_places(call, in, names_of);
      case ParserCall::data:
        return answer_places(call, in, data_names_of);
      case ParserCall::lines:
        return answer_places(call, in, lines_of);
      case ParserCall::vdso:
        return vdso(in);
      case ParserCall::jit:
        return jit(in);
      case ParserCall::demangle:
        return demangle_all(in);
      case ParserCall::search:
        return search(in);
      case ParserCall::unwind:
        return unwind(in);
      case ParserCall::vdso_unwind:
        return vdso_unwind(in);
      case ParserCall::allocators:
        return allocators(in);
      case ParserCall::code:
        return code(in);
      case ParserCall::source:
        return source(in);
      case ParserCall::release_files:
        asked_.reset();
        return;
      case ParserCall::plainly:
        is_plain_ = true;
        return;
      case ParserCall::supplied:
      case ParserCall::count:
        return;
    }
  }

  // Takes a file from the opener. Ends the process when the other end is gone.
  static Fd take_file(const WaitingChannel& from, std::uint64_t tag) {
    Fd file = take_over(from, tag);
    if (!file) ::_exit(0);
    return file;
  }

  Asked& take_asked(WireReader& in) {
    const auto number = in.get<FileNumber>();
    const auto path = in.get<std::string>();
    const bool own_mounts = in.get<bool>();
    if (asked_ && asked_->file.number != number) asked_.reset();
    Fd fd = take_file(files_, value_of(number));
    if (!asked_) {
      say(ParserWord::begun);
      asked_ = std::make_unique<Asked>(number, path, own_mounts, std::move(fd), debug_files_);
    } else {
      fd.reset();
      say(ParserWord::begun);
    }
    return *asked_;
  }

  // The answer to what was said last.
  DebugFile supplied(const WaitingChannel& from, Fd (*take)(const WaitingChannel&, std::uint64_t), unsigned& next,
                     std::string& why) {
    const auto message = questions_.receive();
    if (!message) ::_exit(0);
    WireReader in(message->bytes);
    const bool is_right = in.get<ParserCall>() == ParserCall::supplied;
    const bool is_found = in.get<bool>();
    const auto number = in.get<FileNumber>();
    in.read(next, why);
    if (!is_right || !is_found) return {};
    Fd fd = take(from, value_of(number));
    const bool has_come = static_cast<bool>(fd);
    return {.fd = std::move(fd), .number = has_come ? number : FileNumber::none};
  }

  template <class Place, class Answer>
  void answer_places(ParserCall call, WireReader& in,
                     Answer (*answer_of)(FileSymbols&, std::span<const Place>, const Spelling&)) {
    Asked& asked = take_asked(in);
    asked.budget = WorkBudget(in.get<std::uint64_t>());
    const auto places = in.get<std::vector<Place>>();
    say_answer(call, places.size(), asked.budget, answer_of(asked.symbols, places, spelling()));
  }

  void vdso(WireReader& in) {
    const auto offsets = in.get<std::vector<FileOffset>>();
    NamesOfFile names;
    const FileBytes bytes = vdso_bytes();
    if (bytes) {
      WorkBudget budget(UINT64_MAX);
      FileSymbols file(bytes, {}, debug_files_, budget);
      names = names_of(file, offsets, spelling());
    } else {
      for (const FileOffset offset : offsets) {
        names.names.push_back({.unnamed = Unnamed::no_symbol, .address = ElfAddress{offset.value}});
      }
      names.valid_ranges.resize(offsets.size());
    }
    say_answer(ParserCall::vdso, offsets.size(), WorkBudget(0), names);
  }

  void jit(WireReader& in) {
    const auto number = in.get<FileNumber>();
    const auto tgid = in.get<std::uint32_t>();
    const bool is_dump = in.get<bool>();
    WorkBudget budget(in.get<std::uint64_t>());
    const auto addresses = in.get<std::vector<RuntimeAddress>>();
    std::size_t remembered = 0;
    for (const auto& [process, map] : jit_maps_) remembered += map.size();
    if (remembered > most_jit_stretches) jit_maps_.clear();
    asked_.reset();
    const Fd fd = take_file(files_, value_of(number));
    say(ParserWord::begun);
    std::vector<JitSymbol> symbols(addresses.size());
    jit_maps_[{tgid, is_dump}].resolve(fd.get(), addresses, symbols, budget);
    NamesOfJit names;
    for (const JitSymbol& symbol : symbols) {
      const bool is_named = symbol.unnamed == Unnamed::named;
      const Unnamed none = symbol.unnamed == Unnamed::too_large ? Unnamed::too_large : Unnamed::no_jit_map;
      names.names.push_back({.unnamed = is_named ? Unnamed::named : none,
                             .start = symbol.start,
                             .position = {.function = is_named ? names.strings.intern(symbol.name) : StringId::empty,
                                          .file = is_named ? names.strings.intern(symbol.file) : StringId::empty,
                                          .line = symbol.line}});
    }
    say_answer(ParserCall::jit, addresses.size(), budget, names);
  }

  void demangle_all(WireReader& in) {
    auto names = in.get<std::vector<std::string>>();
    demangles_(names.size());
    for (std::string& name : names) name = demangle(name);
    say(ParserWord::answer, names);
  }

  Spelling spelling() { return {.is_plain = std::exchange(is_plain_, false), .demangles = demangles_}; }

  static std::uint8_t class_of(const std::optional<ElfFile>& elf) {
    return static_cast<std::uint8_t>(!elf ? 0 : elf->is_64bit() ? 64 : 32);
  }

  void search(WireReader& in) {
    Asked& asked = take_asked(in);
    asked.budget = WorkBudget(UINT64_MAX);
    const auto name = in.get<std::string>();
    const auto added = in.get<std::uint64_t>();
    NameSearch found;
    if (asked.symbols.elf() && !name.empty()) {
      found = find_by_name(*asked.symbols.elf(), asked.fd.get(), asked.file, debug_files_, name, added, demangles_);
    }
    say(ParserWord::answer, class_of(asked.symbols.elf()), found);
  }

  void say_unwind(const std::optional<ElfFile>& elf, std::string_view path, const WorkBudget& budget) {
    UnwindAnswer answered = elf ? unwind_table_of(*elf) : UnwindAnswer{.fault = UnwindFault::no_code, .table = {}};
    Interpreter interpreter;
    if (answered.fault == UnwindFault::none) interpreter = find_interpreter(*elf, path, answered.table);
    std::string message = message_of(ParserWord::answer, budget.left());
    append_unwind(message, answered.fault, answered.table, interpreter);
    if (!questions_.send(message)) ::_exit(0);
  }

  void unwind(WireReader& in) {
    Asked& asked = take_asked(in);
    asked.budget = WorkBudget(in.get<std::uint64_t>());
    say_unwind(asked.symbols.elf(), asked.path, asked.budget);
  }

  void vdso_unwind(WireReader& in) {
    WorkBudget budget(in.get<std::uint64_t>());
    std::string why;
    say_unwind(ElfFile::read(vdso_bytes(), why, &budget), {}, budget);
  }

  void allocators(WireReader& in) {
    Asked& asked = take_asked(in);
    asked.budget = WorkBudget(UINT64_MAX);
    std::vector<AllocatorFunction> functions;
    if (asked.symbols.elf()) functions = allocator_functions(*asked.symbols.elf());
    say(ParserWord::answer, functions);
  }

  void code(WireReader& in) {
    Asked& asked = take_asked(in);
    asked.budget = WorkBudget(in.get<std::uint64_t>());
    const auto ranges = in.get<std::vector<AddressRange>>();
    CodeOfFile code;
    if (asked.symbols.elf()) code = code_of(*asked.symbols.elf(), ranges);
    say_answer(ParserCall::code, ranges.size(), asked.budget, code);
  }

  void source(WireReader& in) {
    Asked& asked = take_asked(in);
    asked.budget = WorkBudget(in.get<std::uint64_t>());
    const auto path = in.get<std::string>();
    const auto ranges = in.get<std::vector<LineRange>>();
    SourceOfFile source;
    if (path.empty()) source = source_of(asked.fd.get(), asked.fd.get(), ranges);
    if (path.empty()) return say_answer(ParserCall::source, ranges.size(), asked.budget, source);
    unsigned next = 0;
    const DebugFile file =
        open({.kind = DebugQuestion::Kind::source, .text = path}, asked.file.number, next, source.why);
    if (file) source = source_of(file.fd.get(), asked.fd.get(), ranges);
    say_answer(ParserCall::source, ranges.size(), asked.budget, source);
  }

  WaitingChannel questions_;
  // Tells the main process that demangling begins. It allows less time for that than for counted steps.
  const std::function<void(std::size_t)> demangles_ = [this](std::size_t names) {
    say(ParserWord::demangles, static_cast<std::uint32_t>(std::min<std::size_t>(names, UINT32_MAX)));
  };
  WaitingChannel files_;
  std::optional<WaitingChannel> served_;
  DebugFiles debug_files_;
  std::unique_ptr<Asked> asked_;
  bool is_plain_ = false;                                      // demangle nothing in the next answer
  std::map<std::pair<std::uint32_t, bool>, JitMap> jit_maps_;  // by tgid and kind
};

}  // namespace

void run_parser(Fd questions, Fd files, Fd served) {
  (new ParserProcess(std::move(questions), std::move(files), std::move(served)))->run();
}

}  // namespace profile
