// Tests that giving pages back changes nothing, neither data nor code in which something was written.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <iterator>
#include <string>

#include "support/fd.h"
#include "support/read_pages.h"

using namespace profile;

namespace {

// Data that is only read, data that is written before it is protected, and data that is written.
constexpr char table[1 << 16] = "read only";
const char* const volatile places[] = {table, table + 1};
int written = 1;

// Nothing calls it.
[[gnu::noinline, gnu::used]] int place_for_a_breakpoint(int of) { return of * 7; }

}  // namespace

// Which pages are in memory afterwards is the kernel's matter: a page that is read brings its neighbours.
TEST_CASE("all data is the same after pages were given back") {
  const std::string before(std::begin(table), std::end(table));
  written = 2;
  give_back_read_pages();
  CHECK(std::string(std::begin(table), std::end(table)) == before);
  CHECK(places[0] == table);
  CHECK(places[1] == table + 1);
  CHECK(written == 2);
}

TEST_CASE("a breakpoint in the code stays when pages are given back") {
  // As a debugger does it.
  const Fd memory(::open("/proc/self/mem", O_RDWR | O_CLOEXEC));
  REQUIRE(memory.get() >= 0);
  const auto place = static_cast<off_t>(reinterpret_cast<std::uintptr_t>(&place_for_a_breakpoint));
  const volatile auto* const code = reinterpret_cast<const unsigned char*>(&place_for_a_breakpoint);
  const unsigned char before = *code;
  const unsigned char breakpoint = before ^ 0xffU;
  REQUIRE(::pwrite(memory.get(), &breakpoint, 1, place) == 1);
  give_back_read_pages();
  CHECK(*code == breakpoint);
  REQUIRE(::pwrite(memory.get(), &before, 1, place) == 1);
  CHECK(*code == before);
}
