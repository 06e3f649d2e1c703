// Tests what the symboliser remembers from one batch to the next. The addresses are those of this process, and the
// reader of its files makes the names up.
// Promise 5: naming is a batch.
#include "symbol/symboliser.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "parse/file_reader.h"
#include "process/timeline.h"
#include "support/clock.h"
#include "support/work_budget.h"
#include "timeline_fixture.h"

using namespace profile;
using namespace profile::test;

namespace {

// Gives every offset a name of its own, of that size.
class NameMaker final : public FileReader {
 public:
  explicit NameMaker(std::size_t name_bytes) : name_bytes_(name_bytes) {}
  NamesOfFile data_names(const FileRef&, std::span<const ElfAddress>, WorkBudget&) override { return {}; }
  NamesOfFile names(const FileRef&, std::span<const FileOffset> offsets, WorkBudget&) override {
    ++questions;
    NamesOfFile names;
    for (const FileOffset offset : offsets) {
      const StringId symbol = names.strings.intern(std::to_string(offset.value) + std::string(name_bytes_, 'x'));
      names.names.push_back(
          {.unnamed = Unnamed::named, .symbol = symbol, .start = offset.value, .address = {offset.value}});
    }
    names.valid_ranges.resize(offsets.size());
    return names;
  }
  LinesOfFile lines(const FileRef&, std::span<const ElfAddress>, WorkBudget&) override { return {}; }
  NamesOfFile vdso_names(std::span<const FileOffset>) override { return {}; }
  UnwindOfFile unwind_table(const FileRef&, WorkBudget&) override { return {}; }
  JitMapRef jit_dump(FileNumber) override { return {}; }
  JitMapRef perf_map_of(std::uint32_t, std::optional<std::uint32_t>) override { return {}; }
  NamesOfJit jit_names(std::uint32_t, const JitMapRef&, std::span<const RuntimeAddress>, WorkBudget&) override {
    return {};
  }
  std::vector<std::string> demangled(std::span<const std::string> names) override {
    return {names.begin(), names.end()};
  }
  void release_files() override {}

  int questions = 0;

 private:
  std::size_t name_bytes_;
};

void code_of_this_file() {}

}  // namespace

TEST_CASE("what is remembered is limited by the bytes of the names, too") {
  constexpr std::size_t places = 700;
  for (const std::size_t name_bytes : {10, 60'000}) {
    const auto tgid = static_cast<std::uint32_t>(::getpid());
    FakeKeeper keeper;
    ProcessTimeline timeline({.tgids = {tgid}, .command = {}, .tick_ns = {}}, {}, keeper);
    timeline.scan_proc();
    NameMaker reader(name_bytes);
    SymbolOptions options;
    options.repeated = true;
    Symboliser symboliser(timeline, reader, options);
    for (int batch = 0; batch < 2; ++batch) {
      Profile profile;
      const ProcessId process = profile.process(tgid, timeline.image_at(tgid, monotonic_ns()), "test");
      const auto first = reinterpret_cast<std::uint64_t>(&code_of_this_file);
      for (std::size_t i = 0; i < places; ++i) profile.frame(process, FrameKind::user, RuntimeAddress{first + i});
      symboliser.name(profile);
      REQUIRE(profile.frames()[0].unnamed == Unnamed::named);
      REQUIRE(profile.strings.view(profile.frames()[0].symbol).size() > name_bytes);
    }
    CHECK(reader.questions == (name_bytes == 10 ? 1 : 2));
  }
}
