// Tests the search for debug files: the order of the places, and the checks of a file that is found.
// Only regular files may be opened, because other users may have put the files there.
#include "parse/debug_files.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "direct_supplier.h"
#include "elf/debug_link.h"
#include "elf_fixture.h"

using namespace profile;
using namespace profile::test;
namespace fs = std::filesystem;

namespace {

struct Search {
  explicit Search(const std::vector<std::string>& directories) : supplier(directories, -1, "") {}
  DirectSupplier supplier;
  DebugFiles files{supplier};
};

// A stripped program with a link to "program.debug". Each test case has its own directories.
struct Program {
  fs::path home;    // the directory of `file`
  fs::path file;    // home/program
  fs::path debug;   // its debug file, in a directory that is not searched
  fs::path listed;  // an empty directory for debug files
  std::string build_id;

  explicit Program(const std::string& flags = "-Wl,--build-id=sha1",
                   const std::string& source = "int main(void) { return 0; }\n") {
    static int number = 0;
    const fs::path base = directory().file("case" + std::to_string(++number));
    home = base / "home";
    file = home / "program";
    debug = base / "made" / "program.debug";
    listed = base / "listed";
    fs::create_directories(home);
    fs::create_directories(debug.parent_path());
    fs::create_directories(listed);
    const std::string whole = compile("program.c", source, "-g " + flags);
    REQUIRE(!whole.empty());
    REQUIRE(run("objcopy --only-keep-debug " + whole + " " + debug.string() +
                " && objcopy -S --add-gnu-debuglink=" + debug.string() + " " + whole + " " + file.string()));
    const Fd fd = open_file(file);
    std::string why;
    build_id = ElfFile::read(fd.get(), why)->build_id();
  }

  [[nodiscard]] fs::path by_build_id(const fs::path& directory) const {
    return directory / ".build-id" / build_id.substr(0, 2) / (build_id.substr(2) + ".debug");
  }
  [[nodiscard]] DebugFile find(Search& search, const fs::path& seen_as) const {
    const Fd fd = open_file(file);
    std::string why;
    const auto elf = ElfFile::read(fd.get(), why);
    REQUIRE(elf);
    search.supplier.set(fd.get(), seen_as.string());
    return search.files.find(*elf, fd.get(), search.supplier.file());
  }
  // The file that is found; empty: none.
  [[nodiscard]] fs::path found(const std::vector<std::string>& directories) const {
    Search search(directories);
    const DebugFile found = find(search, file);
    return found ? fs::read_symlink("/proc/self/fd/" + std::to_string(found.fd.get())) : fs::path();
  }
  [[nodiscard]] fs::path found() const { return found({listed}); }
};

void put(const fs::path& from, const fs::path& to) {
  fs::create_directories(to.parent_path());
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
}

std::size_t open_descriptors() {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), {}));
}

}  // namespace

TEST_CASE("a debug file is found by build-id, in the first directory that has it") {
  const Program program;
  const fs::path second = program.listed / "second";
  CHECK(program.found() == "");
  put(program.debug, program.by_build_id(second));
  CHECK(program.found({program.listed, second}) == program.by_build_id(second));
  put(program.debug, program.by_build_id(program.listed));
  CHECK(program.found({program.listed, second}) == program.by_build_id(program.listed));
  CHECK(program.found({second / ".", program.listed}) == program.by_build_id(second));
  CHECK(program.found({program.listed.string() + "/missing", second.string() + "//"}) == program.by_build_id(second));
}

TEST_CASE("a debug file is found through the symbolic links of a distribution") {
  const Program program;
  const fs::path real = program.listed / "usr/bin/program.debug";
  put(program.debug, real);
  fs::create_directories(program.by_build_id(program.listed).parent_path());
  fs::create_symlink("../../usr/bin/program.debug", program.by_build_id(program.listed));
  CHECK(program.found() == real);
}

TEST_CASE("a debug file with another build-id is ignored") {
  const Program program;
  const Program other("-Wl,--build-id=sha1", "int main(void) { return 1; }\n");
  REQUIRE(program.build_id != other.build_id);
  const fs::path second = program.listed / "second";
  put(other.debug, program.by_build_id(program.listed));
  CHECK(program.found() == "");
  put(program.debug, program.by_build_id(second));
  CHECK(program.found({program.listed, second}) == program.by_build_id(second));
}

TEST_CASE("a debug file is found by its link, first beside the file, then in .debug, then in the directories") {
  const Program program;
  const fs::path below = program.listed.string() + program.home.string() + "/program.debug";
  put(program.debug, below);
  CHECK(program.found() == below);
  put(program.debug, program.home / ".debug" / "program.debug");
  CHECK(program.found() == program.home / ".debug" / "program.debug");
  put(program.debug, program.home / "program.debug");
  CHECK(program.found() == program.home / "program.debug");
  put(program.debug, program.by_build_id(program.listed));
  CHECK(program.found() == program.by_build_id(program.listed));
}

TEST_CASE("a linked file with another build-id is ignored, even with the right checksum") {
  const Program program;
  const Program other("-Wl,--build-id=sha1", "int main(void) { return 1; }\n");
  put(other.debug, program.home / "program.debug");
  CHECK(program.found() == "");
  put(program.debug, program.home / ".debug" / "program.debug");
  CHECK(program.found() == program.home / ".debug" / "program.debug");
}

TEST_CASE("the checksum decides for files without a build-id") {
  const Program program("-Wl,--build-id=none");
  REQUIRE(program.build_id == "");
  const fs::path beside = program.home / "program.debug";
  put(program.debug, beside);
  CHECK(program.found() == beside);
  std::ofstream(beside, std::ios::app) << 'x';
  CHECK(program.found() == "");
}

TEST_CASE("the program itself is not its own debug file") {
  const Program program;
  fs::create_hard_link(program.file, program.home / "program.debug");
  CHECK(program.found() == "");
}

TEST_CASE("the search does not look beside another file that has the same path here") {
  const Program program;
  const Program elsewhere;
  put(elsewhere.debug, elsewhere.home / "program.debug");
  Search files({program.listed});
  CHECK_FALSE(program.find(files, elsewhere.file));
  Search again({program.listed});
  CHECK(elsewhere.find(again, elsewhere.file));
}

TEST_CASE("an invalid path finds no debug file") {
  const Program program;
  put(program.debug, program.home / "program.debug");
  put(program.debug, program.listed.parent_path() / "program.debug");
  using namespace std::string_literals;
  for (const std::string& path :
       {""s, "program"s, "/"s, "[vdso]"s, "//anon"s, "/x/../../program"s, program.file.string() + " (deleted)",
        program.home.string(), program.home.string() + "/", program.home.string() + "/\0/program"s,
        "/proc/self/root" + program.file.string() + "/"}) {
    CAPTURE(path);
    Search files({program.listed});
    CHECK_FALSE(program.find(files, path));
  }
}

TEST_CASE("a symbolic link beside a file is not followed") {
  const Program program;
  fs::create_symlink(program.debug, program.home / "program.debug");
  fs::create_directory_symlink(program.debug.parent_path(), program.home / ".debug");
  CHECK(program.found() == "");
}

TEST_CASE("a debug file beside a program counts only if root or the owner of the program owns it") {
  if (::geteuid() != 0) return;
  const Program program;
  const fs::path beside = program.home / "program.debug";
  put(program.debug, beside);
  REQUIRE(::chown(beside.c_str(), 1000, 1000) == 0);
  CHECK(program.found() == "");
  REQUIRE(::chown(program.file.c_str(), 1000, 1000) == 0);
  CHECK(program.found() == beside);
  REQUIRE(::chmod(beside.c_str(), 0600) == 0);
  CHECK(program.found() == "");
  REQUIRE(::chmod(beside.c_str(), 0644) == 0);
  REQUIRE(::chown(beside.c_str(), 0, 0) == 0);
  CHECK(program.found() == beside);
}

TEST_CASE("a debug file in a listed directory counts only if the program's user may read it, also behind a link") {
  const Program program;
  const fs::path place = program.by_build_id(program.listed);
  put(program.debug, place);
  REQUIRE(::chmod(place.c_str(), 0600) == 0);
  CHECK(program.found() == "");
  REQUIRE(::chmod(place.c_str(), 0644) == 0);
  CHECK(program.found() == place);

  fs::create_directory_symlink(program.debug.parent_path(), program.listed / "link");
  const Fd fd = open_file(program.file);
  const DebugFileSearch places({program.listed});
  const auto is_given = [&] {
    unsigned next = 0;
    std::string why;
    const DebugQuestion question{.kind = DebugQuestion::Kind::alternate,
                                 .text = program.listed / "link" / "program.debug"};
    return static_cast<bool>(places.open(
        question, {.fd = fd.get(), .path = program.file, .mapped_by = {.own_mounts = true}},
        [](const std::string&) { return true; }, next, why));
  };
  REQUIRE(::chmod(program.debug.c_str(), 0600) == 0);
  CHECK_FALSE(is_given());
  REQUIRE(::chmod(program.debug.c_str(), 0644) == 0);
  CHECK(is_given());
}

TEST_CASE("the search ignores FIFOs, directories, empty files, loops and devices, and does not wait for them") {
  const Program program;
  const std::vector<fs::path> places = {program.by_build_id(program.listed), program.home / "program.debug",
                                        program.home / ".debug" / "program.debug",
                                        program.listed.string() + program.home.string() + "/program.debug"};
  for (const fs::path& place : places) fs::create_directories(place.parent_path());
  const auto check_with = [&](const char* what, const auto& make) {
    CAPTURE(what);
    for (const fs::path& place : places) make(place);
    CHECK(program.found() == "");
    for (const fs::path& place : places) fs::remove_all(place);
  };
  check_with("FIFO", [](const fs::path& place) { REQUIRE(::mkfifo(place.c_str(), 0600) == 0); });
  check_with("directory", [](const fs::path& place) { fs::create_directory(place); });
  check_with("empty file", [](const fs::path& place) { std::ofstream{place}; });
  check_with("loop", [](const fs::path& place) { fs::create_symlink(place.filename(), place); });
  check_with("device", [](const fs::path& place) { fs::create_symlink("/dev/zero", place); });
  check_with("text", [](const fs::path& place) { std::ofstream(place) << "no ELF file\n"; });
  for (const fs::path& place : places) put(program.debug, place);
  CHECK(program.found() == places[0]);  // the places are right: a good file is found there
}

TEST_CASE("the search remembers that a file has no debug file, and keeps no descriptor") {
  const Program program;
  Search files({program.listed});
  const std::size_t before = open_descriptors();
  CHECK_FALSE(program.find(files, program.file));
  put(program.debug, program.by_build_id(program.listed));
  put(program.debug, program.home / "program.debug");
  CHECK_FALSE(program.find(files, program.file));
  CHECK(program.found() == program.by_build_id(program.listed));
  CHECK(open_descriptors() == before);
}

TEST_CASE("a copy beside its debug file has the debug file, even if another copy has none") {
  const Program program;
  Search files({program.listed});
  CHECK_FALSE(program.find(files, program.file));
  Program copy = program;
  copy.home = program.home / "copy";
  copy.file = copy.home / "program";
  put(program.file, copy.file);
  put(program.debug, copy.home / "program.debug");
  CHECK(copy.find(files, copy.file));
}

// --- what several debug files share ----------------------------------------------------------------------------------
namespace {

constexpr const char* much =
    "struct shared { int a; struct shared* next; char name[10]; double d; };\n"
    "int work(struct shared* s) { return s->a + s->name[2]; }\n"
    "int main(int argc, char** argv) { struct shared s = {argc, 0, {0}, 0}; (void)argv; return work(&s); }\n";

// Two debug files and their common file, which their links call `called`.
struct Shared {
  Program one{"-O1", much};
  Program two{"-O2", much};
  fs::path common;
  bool made = false;

  explicit Shared(const std::string& called) : common(one.debug.parent_path() / "common") {
    made = run("dwz -m " + common.string() + " -M '" + called + "' " + one.debug.string() + " " + two.debug.string());
    if (!made) MESSAGE("no dwz here");
  }
  // The file that is found for the debug file at `debug`; empty: none.
  [[nodiscard]] fs::path found(const fs::path& debug, const std::vector<std::string>& directories) const {
    const Fd fd = open_file(debug);
    std::string why;
    const auto elf = ElfFile::read(fd.get(), why);
    REQUIRE(elf);
    REQUIRE(read_alternate_link(*elf));
    DirectSupplier supplier(directories, fd.get(), debug);
    DebugFiles files(supplier);
    const DebugFile alternate = files.find_alternate(*elf, DirectSupplier::the_file, supplier.file());
    return alternate ? fs::read_symlink("/proc/self/fd/" + std::to_string(alternate.fd.get())) : fs::path();
  }
};

}  // namespace

TEST_CASE("the shared part of debug files is found by a path relative to the debug files") {
  const Shared shared("../../.dwz/common");
  if (!shared.made) return;
  const fs::path& listed = shared.one.listed;
  const fs::path debug = listed / ".build-id/ab/cdef.debug";
  put(shared.one.debug, debug);
  CHECK(shared.found(debug, {listed}) == "");
  put(shared.common, listed / ".dwz/common");
  CHECK(shared.found(debug, {listed}) == listed / ".dwz/common");
  CHECK(shared.found(debug, {listed / "other"}) == "");  // the path leads out of the listed directory
}

TEST_CASE("the shared part of debug files is found at the stored path inside a listed directory") {
  const Shared shared("/usr/lib/debug/.dwz/triplet/common");
  if (!shared.made) return;
  const fs::path& listed = shared.one.listed;
  put(shared.common, listed / ".dwz/triplet/common");
  // The common file was unpacked into another directory than /usr/lib/debug.
  CHECK(shared.found(shared.one.debug, {listed}) == listed / ".dwz/triplet/common");
  CHECK(shared.found(shared.two.debug, {listed}) == listed / ".dwz/triplet/common");
}

TEST_CASE("the shared part of debug files can lie beside one of them, under a bare name") {
  const Shared shared("common");
  if (!shared.made) return;
  CHECK(shared.found(shared.one.debug, {}) == shared.common);
  fs::rename(shared.common, shared.common.string() + ".moved");
  fs::create_symlink("common.moved", shared.common);
  CHECK(shared.found(shared.one.debug, {}) == "");
}

TEST_CASE("a path of the shared part that leaves the listed directories is not followed") {
  const std::string outside = directory().file("outside");
  for (const std::string& called : {outside, "../../../../../../../../../.." + outside}) {
    const Shared shared(called);
    if (!shared.made) return;
    put(shared.common, outside);
    put(shared.one.debug, shared.one.listed / "one.debug");
    CHECK(shared.found(shared.one.listed / "one.debug", {shared.one.listed}) == "");
    CHECK(shared.found(shared.one.listed / "one.debug", {directory().file("")}) == outside);
    fs::remove(outside);
  }
}

TEST_CASE("a shared part with another build-id is refused") {
  const Shared shared("common");
  const Shared other("../common");
  if (!shared.made) return;
  std::string bytes;
  {
    // The same content with one bit of its build-id changed.
    std::ifstream in(shared.common, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
    const auto note = bytes.find(std::string("GNU\0", 4));
    REQUIRE(note != std::string::npos);
    bytes[note + 4] ^= 1;
  }
  std::ofstream(shared.common, std::ios::binary) << bytes;
  CHECK(shared.found(shared.one.debug, {}) == "");
}
