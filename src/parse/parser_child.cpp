#include "parse/parser_child.h"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "demangle/demangle.h"
#include "parse/allocator_functions.h"
#include "parse/answers_wire.h"
#include "parse/channel.h"
#include "parse/debug_files.h"
#include "parse/file_answers.h"
#include "parse/file_symbols.h"
#include "parse/function_lookup.h"
#include "parse/jit_map.h"
#include "parse/parser_calls.h"
#include "parse/sandbox.h"
#include "parse/vdso.h"
#include "parse/wire.h"
#include "support/priority.h"
#include "unwind/build.h"

namespace profile {
namespace {

// The most stretches of perf maps that are remembered. Beyond this all are forgotten and learnt again.
constexpr std::size_t most_remembered = 100'000;

template <class Address>
std::vector<Address> take_addresses(WireReader& in) {
  std::vector<Address> addresses(in.count(sizeof(std::uint64_t)));
  for (Address& address : addresses) address.value = in.number<std::uint64_t>();
  return addresses;
}

class Parser final : public DebugSupplier {
 public:
  Parser(Fd questions, Fd files, Fd served)
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

  DebugFile open(const DebugQuestion& question, std::uint64_t base, unsigned& next, std::string& why) override {
    WireWriter out;
    out.put(ParserWord::wants);
    out.put(question.kind);
    out.text(question.text);
    out.put(base);
    out.put(static_cast<std::uint32_t>(next));
    return supplied(out, files_, next, why);
  }

  DebugFile from_server(const std::string& build_id) override {
    if (!served_) return {};
    WireWriter out;
    out.put(ParserWord::wants_served);
    out.text(build_id);
    unsigned next = 0;
    std::string why;
    return supplied(out, *served_, next, why);
  }

 private:
  // The file in question, and what was learnt about it so far.
  struct Asked {
    Asked(std::uint64_t number, std::string its_path, bool own_mounts, Fd its_fd, DebugFiles& debug_files)
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

  void say(const WireWriter& words) {
    if (!questions_.send(words.bytes())) ::_exit(0);
  }

  static WireWriter answer() {
    WireWriter out;
    out.put(ParserWord::answer);
    return out;
  }

  void answer(ParserCall call, WireReader& in) {
    switch (call) {
      case ParserCall::names:
        return names(in);
      case ParserCall::lines:
        return lines(in);
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
      case ParserCall::rest:
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

  // Takes a file from the opener or from the fetcher. Ends the process when the other end is gone.
  static Fd take_file(const WaitingChannel& from, std::uint64_t number) {
    Fd file = take_over(from, number);
    if (!file) ::_exit(0);
    return file;
  }

  void begun() {
    WireWriter out;
    out.put(ParserWord::begun);
    say(out);
  }

  Asked& take_asked(WireReader& in) {
    const auto number = in.number<std::uint64_t>();
    const std::string path(in.text());
    const bool own_mounts = in.number<std::uint8_t>() != 0;
    if (asked_ && asked_->file.number != number) asked_.reset();
    Fd fd = take_file(files_, number);
    if (!asked_) {
      begun();
      asked_ = std::make_unique<Asked>(number, path, own_mounts, std::move(fd), debug_files_);
    } else {
      fd.reset();
      begun();
    }
    return *asked_;
  }

  DebugFile supplied(const WireWriter& question, const WaitingChannel& from, unsigned& next, std::string& why) {
    say(question);
    const auto message = questions_.receive();
    if (!message) ::_exit(0);
    WireReader in(message->bytes);
    const bool is_right = in.one_of(ParserCall::count) == ParserCall::supplied;
    const bool is_found = in.number<std::uint8_t>() != 0;
    const auto number = in.number<std::uint64_t>();
    next = in.number<std::uint32_t>();
    why = in.text();
    if (!is_right || !is_found) return {};
    return {.fd = take_file(from, number), .number = number};
  }

  void names(WireReader& in) {
    Asked& asked = take_asked(in);
    asked.budget = WorkBudget(in.number<std::uint64_t>());
    const auto offsets = take_addresses<FileOffset>(in);
    const NamesOfFile names = names_of(asked.symbols, offsets, spelling());
    WireWriter out = answer();
    out.put(asked.budget.left());
    put_names(names, out);
    say(out);
  }

  void lines(WireReader& in) {
    Asked& asked = take_asked(in);
    asked.budget = WorkBudget(in.number<std::uint64_t>());
    const auto addresses = take_addresses<ElfAddress>(in);
    const LinesOfFile lines = lines_of(asked.symbols, addresses, spelling());
    WireWriter out = answer();
    out.put(asked.budget.left());
    put_lines(lines, out);
    say(out);
  }

  void vdso(WireReader& in) {
    const auto offsets = take_addresses<FileOffset>(in);
    NamesOfFile names;
    const FileBytes bytes = vdso_bytes();
    if (bytes) {
      WorkBudget budget(UINT64_MAX);
      FileSymbols file(bytes, {}, debug_files_, budget);
      names = names_of(file, offsets, spelling());
    } else {
      names.failed = Unnamed::no_symbol;
    }
    WireWriter out = answer();
    out.put(std::uint64_t{0});
    put_names(names, out);
    say(out);
  }

  void jit(WireReader& in) {
    const auto number = in.number<std::uint64_t>();
    const auto tgid = in.number<std::uint32_t>();
    const bool is_dump = in.number<std::uint8_t>() != 0;
    WorkBudget budget(in.number<std::uint64_t>());
    const auto addresses = take_addresses<RuntimeAddress>(in);
    std::size_t remembered = 0;
    for (const auto& [process, map] : jit_maps_) remembered += map.size();
    if (remembered > most_remembered) jit_maps_.clear();
    asked_.reset();
    const Fd fd = take_file(files_, number);
    begun();
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
    WireWriter out = answer();
    out.put(budget.left());
    put_jit(names, out);
    say(out);
  }

  void demangle_all(WireReader& in) {
    const std::size_t count = in.count(sizeof(std::uint32_t));
    demangles_(count);
    WireWriter out = answer();
    out.put(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) out.text(demangle(in.text()));
    say(out);
  }

  Spelling spelling() { return {.is_plain = std::exchange(is_plain_, false), .demangles = demangles_}; }

  void put_class(const std::optional<ElfFile>& elf, WireWriter& out) {
    out.put(static_cast<std::uint8_t>(!elf ? 0 : elf->is_64bit() ? 64 : 32));
  }

  void search(WireReader& in) {
    Asked& asked = take_asked(in);
    asked.budget = WorkBudget(UINT64_MAX);
    const std::string name(in.text());
    const auto added = in.number<std::uint64_t>();
    WireWriter out = answer();
    put_class(asked.symbols.elf(), out);
    NameSearch found;
    if (asked.symbols.elf() && !name.empty()) {
      found = find_by_name(*asked.symbols.elf(), asked.fd.get(), asked.file, debug_files_, name, added, demangles_);
    }
    put_search(found, out);
    say(out);
  }

  void say_unwind(const std::optional<ElfFile>& elf, const WorkBudget& budget) {
    const UnwindAnswer answered =
        elf ? unwind_table_of(*elf) : UnwindAnswer{.fault = UnwindFault::no_code, .table = {}};
    WireWriter out = answer();
    out.put(budget.left());
    put_unwind(answered.fault, answered.table, out);
    say(out);
  }

  void unwind(WireReader& in) {
    Asked& asked = take_asked(in);
    asked.budget = WorkBudget(in.number<std::uint64_t>());
    say_unwind(asked.symbols.elf(), asked.budget);
  }

  void vdso_unwind(WireReader& in) {
    WorkBudget budget(in.number<std::uint64_t>());
    std::string why;
    say_unwind(ElfFile::read(vdso_bytes(), why, &budget), budget);
  }

  void allocators(WireReader& in) {
    Asked& asked = take_asked(in);
    asked.budget = WorkBudget(UINT64_MAX);
    WireWriter out = answer();
    put_class(asked.symbols.elf(), out);
    std::vector<AllocatorFunction> functions;
    if (asked.symbols.elf()) functions = allocator_functions(*asked.symbols.elf());
    put_allocators(functions, out);
    say(out);
  }

  WaitingChannel questions_;
  // Tells the main process that demangling begins. It allows less time for that than for counted steps.
  const std::function<void(std::size_t)> demangles_ = [this](std::size_t names) {
    WireWriter out;
    out.put(ParserWord::demangles);
    out.put(static_cast<std::uint32_t>(std::min<std::size_t>(names, UINT32_MAX)));
    say(out);
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
  // The main process waits for the answers, and it has more urgent work.
  const RaisedPriority raised;
  auto* const parser = new Parser(std::move(questions), std::move(files), std::move(served));
  enter_sandbox();
  parser->run();
}

}  // namespace profile
