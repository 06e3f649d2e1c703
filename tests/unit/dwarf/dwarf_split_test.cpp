// Tests split debug information: the inlined functions are in .dwo files or in a package, as g++ and clang++ write
// them. The answers must be those of the same program built as one file.
// Also tests split files that are missing or of another build.
#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "dwarf/lines.h"
#include "dwarf/sections.h"
#include "dwarf/split.h"
#include "elf_fixture.h"
#include "parse/debug_file_search.h"
#include "process/code_file.h"

using namespace profile;
using namespace profile::test;

namespace {

// Opens every requested file and counts the requests.
class AnySplits final : public SplitFiles {
 public:
  explicit AnySplits(std::string package = "") : package_(std::move(package)) {}
  Fd package(WorkBudget&) override {
    return package_.empty() ? Fd() : Fd(::open(package_.c_str(), O_RDONLY | O_CLOEXEC));
  }
  Fd open(const std::string& path, std::string& why, WorkBudget&) override {
    ++asked;
    Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) why = "not there";
    return fd;
  }
  int asked = 0;

 private:
  std::string package_;
};

// The tests depend on the line numbers of this text. X is the letter of the unit.
constexpr const char* source =
    R"(extern "C" __attribute__((noinline)) int sink_X(int a) { __asm__ volatile("" : : : "memory"); return a; }
struct Box_X {
  __attribute__((always_inline)) int get(int a) const {
    __asm__ volatile(MARK);
    return a + sink_X(a);
  }
};
__attribute__((always_inline)) static inline int middle_X(int a) {
  if (a > 3) a = sink_X(a * 2);
  return Box_X().get(sink_X(a));
}
__attribute__((noinline)) int outer_X(int a) {
  int sum = 0;
  for (int i = 0; i < a; ++i)
    sum += middle_X(i);
  return sum;
}
)";

std::string source_of(char letter) {
  std::string text = source;
  std::replace(text.begin(), text.end(), 'X', letter);
  return text;
}

// A program of two units with a section for each function, so that a unit's code is in several pieces. Returns "" if
// the compiler is missing.
std::string build(const std::string& name, const std::string& compiler, const std::string& flags) {
  const std::string folder = directory().file(name);
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/m.cpp")
      << "int outer_a(int); int outer_b(int);\nint main(int n, char**) { return outer_a(n) + outer_b(n); }\n";
  std::string objects;
  for (const char letter : {'a', 'b'}) {
    const std::string stem = folder + "/" + letter;
    // One directory for all builds, because the debug information contains this path.
    const std::string text = directory().file(std::string("split_") + letter + ".cpp");
    std::ofstream(text) << source_of(letter);
    const bool is_clang = compiler == "clang++";
    const std::string mark = is_clang
                                 ? R"(-DMARK='"nop"')"
                                 : std::string(R"(-DMARK='".globl in_)") + letter + R"(\nin_)" + letter + R"(: nop"')";
    if (!run("cd " + folder + " && " + compiler + " -O2 -ffunction-sections " + flags + " " + mark + " -c -o " + stem +
             ".o " + text))
      return "";
    objects += " " + stem + ".o";
  }
  if (!run("cd " + folder + " && " + compiler + " -O2 " + flags + " -o app m.cpp" + objects)) return "";
  return folder + "/app";
}

// The text of each chain: "function file:line; ", innermost first.
std::vector<std::string> chains_of(const SourceChains& chains, std::size_t count) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    for (const SourcePosition& position : chains.chain(i)) {
      text += std::string(chains.strings().view(position.function)) + " " +
              std::string(chains.strings().view(position.file)) + ":" + std::to_string(position.line) + "; ";
    }
    found.push_back(text);
  }
  return found;
}

std::vector<ElfAddress> code_of(const std::string& path) {
  std::vector<ElfAddress> addresses;
  for (const char* symbol : {"_Z7outer_ai", "_Z7outer_bi", "sink_a", "sink_b"}) {
    const auto [begin, size] = known(path).at(symbol);
    for (std::uint64_t i = 0; i < size; ++i) addresses.push_back({begin + i});
  }
  return addresses;
}

std::vector<std::string> read(const std::string& path, SplitFiles* splits, UnreadSplits* unread = nullptr) {
  const Fd fd = open_file(path);
  const auto addresses = code_of(path);
  const SourceChains chains = read_source_lines(fd.get(), -1, addresses, splits);
  CHECK_MESSAGE(chains.why().empty(), chains.why());
  if (unread != nullptr) *unread = chains.unread_splits();
  return chains_of(chains, addresses.size());
}

struct Kind {
  std::string compiler;
  std::string version;
  std::string more = {};
};
const std::vector<Kind> kinds{{"g++", "4"}, {"g++", "5"}, {"clang++", "4"}, {"clang++", "5"}};

// Keeps the .dwo files. Returns "" if the compiler is missing.
std::string build_split(const Kind& kind, const std::string& name) {
  return build(name + kind.compiler + kind.version + kind.more, kind.compiler,
               "-gsplit-dwarf -gdwarf-" + kind.version + " " + kind.more);
}

}  // namespace

TEST_CASE("split debug information gives the same lines as a file with everything in it") {
  for (const Kind& kind : kinds) {
    CAPTURE(kind.compiler);
    CAPTURE(kind.version);
    const std::string split = build_split(kind, "split");
    if (split.empty() && kind.compiler == "clang++") continue;
    REQUIRE(!split.empty());
    const std::string whole =
        build("whole" + kind.compiler + kind.version, kind.compiler, "-g -gdwarf-" + kind.version);
    REQUIRE(code_of(split) == code_of(whole));
    AnySplits files;
    UnreadSplits unread;
    const auto found = read(split, &files, &unread);
    CHECK(unread.empty());
    CHECK(found == read(whole, nullptr));
    std::size_t deepest = 0;
    for (const std::string& chain : found)
      deepest = std::max<std::size_t>(deepest, std::count(chain.begin(), chain.end(), ';'));
    CHECK(deepest == 3);
    if (kind.compiler != "g++") continue;
    const Fd fd = open_file(split);
    for (const char letter : {'a', 'b'}) {
      const std::string name(1, letter);
      const SourceChains chains =
          read_source_lines(fd.get(), -1, std::vector<ElfAddress>{{known(split).at("in_" + name).first}}, &files);
      const std::string file = directory().file("split_" + name + ".cpp");
      const std::string chain = chains_of(chains, 1)[0];
      CHECK(chain.starts_with("_ZNK5Box_" + name + "3getEi " + file + ":4; "));
      CHECK(chain.find("middle_" + name) != std::string::npos);
      CHECK(chain.ends_with(" " + file + ":10; _Z7outer_" + name + "i " + file + ":15; "));
    }
  }
}

TEST_CASE("a package gives the lines of .dwo files that no longer exist") {
  std::size_t packed = 0;
  std::vector<Kind> packable = kinds;
  // Macros have their own column in the index of a package.
  packable.push_back({"g++", "4", "-g3"});
  packable.push_back({"g++", "5", "-g3"});
  for (const Kind& kind : packable) {
    for (const std::string tool : {"llvm-dwp", "dwp"}) {
      CAPTURE(kind.compiler);
      CAPTURE(kind.version);
      CAPTURE(kind.more);
      CAPTURE(tool);
      const std::string path = build_split(kind, tool);
      // Some tools cannot pack some versions, or they never end: one second of CPU time is the limit.
      if (path.empty() || !run("ulimit -t 1 && " + tool + " -e " + path + " -o " + path + ".dwp")) continue;
      AnySplits files;
      const auto with_files = read(path, &files);
      const std::string folder = std::filesystem::path(path).parent_path();
      REQUIRE(run("rm " + folder + "/*.dwo"));
      AnySplits package(path + ".dwp");
      UnreadSplits unread;
      CHECK(read(path, &package, &unread) == with_files);
      CHECK(unread.empty());
      ++packed;
    }
  }
  if (run("command -v llvm-dwp >/dev/null")) CHECK(packed >= 2);
}

TEST_CASE("column 8 of a package's index holds range lists in version 5 and not in version 2") {
  for (const std::uint32_t version : {2U, 5U}) {
    // Columns, units, slots; the id, its row; the sections' numbers; offsets; sizes.
    const std::vector<std::uint32_t> words{version, 3, 1, 1, 0x1234, 0, 1, 1, 3, 8, 100, 200, 300, 10, 20, 30};
    const auto bytes = std::as_bytes(std::span(words));
    DwarfSections::InMemory sections;
    sections[static_cast<std::size_t>(DwarfSectionId::cu_index)].assign(bytes.begin(), bytes.end());
    WorkBudget budget(1 << 20);
    DwarfFile package(DwarfSections(std::move(sections)), budget);
    const auto part = find_in_index(package, 0x1234);
    REQUIRE(part);
    CHECK(part->info == 100);
    CHECK(part->abbrevs == 200);
    CHECK(part->range_lists == (version == 5 ? 300 : 0));
    CHECK_FALSE(find_in_index(package, 0x1235));
  }
}

TEST_CASE("a path that fails to open is tried once, and the sections of a file count against the budget") {
  const std::string path = build_split(kinds[1], "cost");
  REQUIRE(!path.empty());
  const std::string folder = std::filesystem::path(path).parent_path();
  const std::string dwo = folder + "/a.dwo";
  const Fd fd = open_file(dwo);
  std::string why;
  WorkBudget poor(100);
  CHECK_FALSE(DwarfSections::read(fd.get(), why, &poor));
  CHECK(why == "too much to read");
  WorkBudget rich(1 << 20);
  CHECK(DwarfSections::read(fd.get(), why, &rich));
  CHECK(rich.left() < (1 << 20) - 1000);

  // Both skeleton units name the same file now.
  REQUIRE(run("cd " + folder + " && sed -i 's/b\\.dwo/a.dwo/g' app && rm " + dwo));
  AnySplits files;
  UnreadSplits unread;
  read(path, &files, &unread);
  CHECK(unread.size() == 1);
  CHECK(files.asked == 1);
}

TEST_CASE("a split file that is missing or from another build is named, and the lines of the code stay") {
  const std::string path = build_split(kinds[1], "gone");
  REQUIRE(!path.empty());
  const std::string folder = std::filesystem::path(path).parent_path();
  REQUIRE(run("mv " + folder + "/a.dwo " + folder + "/kept && cp " + folder + "/b.dwo " + folder + "/a.dwo && rm " +
              folder + "/b.dwo"));
  AnySplits files;
  UnreadSplits unread;
  const auto found = read(path, &files, &unread);
  REQUIRE(unread.size() == 2);
  CHECK(unread.begin()->first.ends_with("/a.dwo"));
  CHECK(unread.begin()->second == "of another build");
  CHECK(std::next(unread.begin())->second == "not there");
  CHECK(found[0].find("split_a.cpp:") != std::string::npos);
  std::ofstream(folder + "/a.dwo") << "no program";
  read(path, &files, &unread);
  CHECK(unread.begin()->second == "is not an ELF file of this machine's kind");
}

TEST_CASE("a split file is opened only if it is regular, has the right owner and lies inside the process's root") {
  const std::string folder = directory().file("places");
  std::filesystem::create_directories(folder + "/inner");
  // Everyone may come as far as the folder.
  REQUIRE(::chmod(std::filesystem::path(folder).parent_path().c_str(), 0755) == 0);
  const auto file = [&](const std::string& name) { return folder + "/" + name; };
  for (const char* name : {"app", "app.dwp", "good.dwo", "inner/deep.dwo", "others.dwo"})
    std::ofstream(file(name)) << ELFMAG "x";
  std::ofstream(file("text.dwo")) << "root:x:0:0:";
  std::ofstream(file("closed.dwo")) << ELFMAG "x";
  REQUIRE(::chmod(file("closed.dwo").c_str(), 0600) == 0);
  std::ofstream(file("empty.dwo")).flush();
  REQUIRE(::mkfifo(file("fifo.dwo").c_str(), 0600) == 0);
  std::filesystem::create_symlink(file("good.dwo"), file("link.dwo"));
  std::filesystem::create_symlink(folder + "/inner", file("linked"));
  REQUIRE(run("truncate -s 17G " + file("huge.dwo")));
  const Fd app = open_file(file("app"));
  const DebugFileSearch places({});
  const auto open = [&](const DebugQuestion& question, std::uint32_t tgid, std::string& reason) {
    unsigned next = 0;
    return places.open(
        question, {.fd = app.get(), .path = file("app"), .mapped_by = {.tgid = tgid, .own_mounts = true}},
        [](const std::string&) { return true; }, next, reason);
  };
  const auto why = [&](const std::string& path, std::uint32_t tgid) {
    std::string reason;
    if (open({.kind = DebugQuestion::Kind::split, .text = path}, tgid, reason)) reason.clear();
    return reason;
  };
  const auto self = static_cast<std::uint32_t>(::getpid());
  CHECK(why(file("good.dwo"), self).empty());
  CHECK(why(file("inner/../inner/./deep.dwo"), self).empty());
  CHECK(why(file("absent.dwo"), self) == "not there");
  CHECK(why("good.dwo", self) == "not there");
  CHECK(why("", self) == "not there");
  CHECK(why("/", self) == "a directory");
  CHECK(why(file("empty.dwo"), self) == "empty");
  CHECK(why(file("text.dwo"), self) == "no ELF file");
  CHECK(why(file("closed.dwo"), self) == "closed to the program's own user");
  CHECK(why(file("fifo.dwo"), self) == "not a regular file");
  CHECK(why(folder, self) == "a directory");
  CHECK(why(file("link.dwo"), self) == "behind a symbolic link");
  CHECK(why(file("linked/deep.dwo"), self) == "behind a symbolic link");
  CHECK(why("/proc/self/root" + file("good.dwo"), self) == "behind a symbolic link");
  CHECK(why(file("huge.dwo"), self) == "too large");
  std::filesystem::create_directories(folder + "/closed");
  std::ofstream(file("closed/good.dwo")) << ELFMAG "x";
  REQUIRE(::chmod(file("closed").c_str(), 0700) == 0);
  CHECK(why(file("closed/good.dwo"), self) == "closed to the program's own user");
  if (::geteuid() == 0) {
    REQUIRE(::chown(file("others.dwo").c_str(), 65534, 65534) == 0);
    CHECK(why(file("others.dwo"), self) == "of another owner than the program");
  }
  std::string reason;
  CHECK(open({.kind = DebugQuestion::Kind::package, .text = {}}, self, reason));
}
