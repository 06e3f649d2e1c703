// Tests debug files from a server. One server is a directory, because libdebuginfod takes file:// addresses; another
// server never answers.
#include "parse/debuginfod.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "direct_supplier.h"
#include "elf_fixture.h"
#include "parse/debug_files.h"
#include "support/error.h"

using namespace profile;
using namespace profile::test;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

bool is_installed() {
  const bool found = ::dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_NODELETE) != nullptr;
  if (!found) MESSAGE("no libdebuginfod here");
  return found;
}

void use_server(const std::string& url) {
  ::setenv("DEBUGINFOD_URLS", url.c_str(), 1);
  // Each call sets a new cache, so that no answer comes from an earlier case.
  static int number = 0;
  ::setenv("DEBUGINFOD_CACHE_PATH", directory().file("cache" + std::to_string(++number)).c_str(), 1);
  ::unsetenv("DEBUGINFOD_PROGRESS");
}

struct Served {
  std::string program;  // stripped
  std::string debug;
  std::string build_id;
  fs::path server = directory().file("server");

  Served() {
    const std::string whole = compile("served.c", "int main(void) { return 0; }", "-g -Wl,--build-id=sha1");
    REQUIRE(!whole.empty());
    program = whole + ".stripped";
    debug = whole + ".debug";
    REQUIRE(run("objcopy --only-keep-debug " + whole + " " + debug + " && strip -o " + program + " " + whole));
    const Fd fd = open_file(program);
    std::string why;
    build_id = ElfFile::read(fd.get(), why)->build_id();
  }
  void serve(const std::string& file) const {
    fs::create_directories(server / "buildid" / build_id);
    fs::copy_file(file, server / "buildid" / build_id / "debuginfo", fs::copy_options::overwrite_existing);
  }
  [[nodiscard]] std::string url() const { return "file://" + server.string() + "/"; }
};

constexpr std::uint64_t root = 0;

// The only server from now on. It takes connections and says nothing.
class SilentServer {
 public:
  SilentServer() : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    REQUIRE(::bind(listening_.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0);
    REQUIRE(::listen(listening_.get(), 8) == 0);
    REQUIRE(::getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
    use_server("http://127.0.0.1:" + std::to_string(::ntohs(address.sin_port)) + "/");
  }
  // Whether it got connections since the last call.
  [[nodiscard]] bool was_asked() const {
    bool any = false;
    while (Fd(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC))) any = true;
    return any;
  }

 private:
  Fd listening_;
};

}  // namespace

TEST_CASE("the error of --debuginfod without a server names DEBUGINFOD_URLS") {
  ::unsetenv("DEBUGINFOD_URLS");
  CHECK_THROWS_WITH_AS(Debuginfod{""}, doctest::Contains("DEBUGINFOD_URLS"), Error);
  ::setenv("DEBUGINFOD_URLS", "", 1);
  CHECK_THROWS_AS(Debuginfod{""}, Error);
}

TEST_CASE("a debug file comes from the server if no directory has it and the served file is the right one") {
  if (!is_installed()) return;
  const Served served;
  const Fd fd = open_file(served.program);
  std::string why;
  const auto file = ElfFile::read(fd.get(), why);
  REQUIRE(file);
  const auto finds = [&] {
    use_server(served.url());
    Debuginfod server(Debuginfod::make_cache());
    DirectSupplier supplier({directory().file("none")}, fd.get(), served.program, &server);
    DebugFiles files(supplier);
    const DebugFile found = files.find(*file, fd.get(), supplier.file());
    if (found) CHECK((::fcntl(found.fd.get(), F_GETFD) & FD_CLOEXEC) != 0);
    return static_cast<bool>(found);
  };
  CHECK_FALSE(finds());
  served.serve(compile("other.c", "int main(void) { return 1; }", "-g -Wl,--build-id=sha1"));
  CHECK_FALSE(finds());
  served.serve(served.debug);
  CHECK(finds());
}

TEST_CASE("a server that does not answer costs the allowed time only once") {
  if (!is_installed()) return;
  const SilentServer silent;
  Debuginfod server("", {.with_one = 1500ms, .with_all = 1500ms});
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(server.find(std::string(40, 'a'), root));
  const auto first = std::chrono::steady_clock::now();
  CHECK(first - start >= 1500ms);
  CHECK(first - start < 60s);
  // After the first timeout the server is not asked again: a hundred more searches open no connection.
  CHECK(silent.was_asked());
  for (int i = 0; i < 100; ++i) CHECK_FALSE(server.find(std::string(38, 'b') + std::to_string(i % 90 + 10), root));
  CHECK_FALSE(silent.was_asked());
}

TEST_CASE("a user's files take only a share of the time for the servers") {
  if (!is_installed()) return;
  const SilentServer silent;
  Debuginfod server("", {.with_one = 1500ms, .with_all = 4000ms});  // a user's share is three eighths
  CHECK_FALSE(server.find(std::string(40, 'a'), 1000));
  CHECK(silent.was_asked());
  CHECK_FALSE(server.find(std::string(40, 'b'), 1000));
  CHECK_FALSE(silent.was_asked());
  CHECK_FALSE(server.find(std::string(40, 'c'), root));
  CHECK(silent.was_asked());
}
