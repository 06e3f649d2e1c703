#include "demangle/demangle.h"

// Without this, libiberty's header declares a basename() that conflicts with the C library's.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>
#include <setjmp.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace profile {
namespace {

// Libraries of expression templates have names of 30 KB. libiberty's stack grows with the name: 5.6 MB for the deepest
// name of this length (measured), plus the tables below.
constexpr std::size_t max_mangled_bytes = 32768;
// 256 bytes can unfold to 109 MB. With marks of clones and stubs, a name must not be longer than a text on the wire.
constexpr std::size_t max_bytes = 60 << 10;
// libiberty puts a table of this many 16-byte entries on the stack: at most 1 MB.
constexpr std::size_t max_scope_entries = 65536;

struct Output {
  explicit Output(char* to) : text(to) {}
  char* text;  // max_bytes long
  std::size_t size = 0;
  bool is_full = false;
  jmp_buf escape{};
};

// libiberty has no other way to stop. The jump happens at the next piece, not at once: libiberty may hold memory while
// it passes a piece (an identifier from punycode), and it never passes two such pieces in a row.
void append(const char* text, std::size_t size, void* opaque) {
  Output& output = *static_cast<Output*>(opaque);
  if (output.is_full) longjmp(output.escape, 1);
  output.is_full = size > max_bytes - output.size;
  if (output.is_full) return;
  std::copy_n(text, size, output.text + output.size);
  output.size += size;
}

enum class Scheme { cxx, rust };

// No object with a destructor may live in this function, because longjmp() leaves libiberty in the middle.
bool run_libiberty(const char* mangled, Scheme scheme, Output& output) noexcept {
  if (setjmp(output.escape) != 0) return false;
  const int done =
      scheme == Scheme::rust
          ? rust_demangle_callback(mangled, DMGL_PARAMS, append, &output)
          : cplus_demangle_v3_callback(mangled, DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT, append, &output);
  return done != 0 && !output.is_full && output.size > 0;  // "_RC0" gives no text: a crate without a name
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

// The table has one row for each reference to a template parameter and one column for each template, at most twice of
// each.
bool fits_the_stack(std::string_view mangled) {
  return count(mangled, "I") * (count(mangled, "RT") + count(mangled, "OT")) * 4 <= max_scope_entries;
}

std::optional<std::string> libiberty(const std::string& mangled, Scheme scheme) {
  if (scheme == Scheme::cxx && !fits_the_stack(mangled)) return std::nullopt;
  const auto text = std::make_unique_for_overwrite<char[]>(max_bytes);
  Output output(text.get());
  if (!run_libiberty(mangled.c_str(), scheme, output)) return std::nullopt;
  return std::string(text.get(), output.size);
}

// Removes LLVM's suffix: ".llvm." and a hash of the whole module. It makes a local name unique for the linker, changes
// with every build, and does not help the reader.
std::string without_hash(std::string_view mangled) {
  constexpr std::string_view mark = ".llvm.";
  std::string name(mangled);
  const auto begin = name.find(mark);
  if (begin == std::string::npos) return name;
  const auto end = std::min(name.find_first_not_of("0123456789", begin + mark.size()), name.size());
  return name.erase(begin, end - begin);
}

// Demangles `size` bytes. What follows them is the suffix of a clone, and is written as libiberty writes it.
std::optional<std::string> with_clone(std::string_view mangled, std::size_t size, Scheme scheme) {
  auto name = libiberty(std::string(mangled.substr(0, size)), scheme);
  if (name && size < mangled.size()) name->append(" [clone ").append(mangled.substr(size)).append("]");
  return name;
}

// A name of the older Rust scheme is a C++ name that ends in a hash: "17h", 16 digits and "E". The name may have dots
// in it, so the suffix begins after the "E".
std::optional<std::string> rust_legacy(std::string_view mangled) {
  constexpr std::size_t tail_bytes = 3 + 16 + 1;
  const auto tail = mangled.rfind("17h");
  if (!mangled.starts_with("_ZN") || tail == std::string_view::npos) return std::nullopt;
  if (mangled.size() - tail < tail_bytes || mangled[tail + tail_bytes - 1] != 'E') return std::nullopt;
  const std::string_view suffix = mangled.substr(tail + tail_bytes);
  if (!suffix.empty() && suffix[0] != '.') return std::nullopt;
  return with_clone(mangled, tail + tail_bytes, Scheme::rust);
}

std::optional<std::string> cxx(std::string_view mangled) {
  if (auto name = libiberty(std::string(mangled), Scheme::cxx)) return name;  // it knows the suffixes of compilers
  const auto dot = mangled.find('.');
  return dot == std::string_view::npos ? std::nullopt : with_clone(mangled, dot, Scheme::cxx);
}

std::optional<std::string> demangled(std::string_view symbol) {
  if (symbol.size() > max_mangled_bytes || symbol.find('\0') != std::string_view::npos) return std::nullopt;
  const bool rust = symbol.starts_with("_R");
  if (!rust && !symbol.starts_with("_Z")) return std::nullopt;
  const std::string mangled = without_hash(symbol);
  if (rust) return with_clone(mangled, mangled.find_first_of(".$"), Scheme::rust);
  auto name = rust_legacy(mangled);
  return name ? name : cxx(mangled);
}

}  // namespace

std::string demangle(std::string_view raw) {
  constexpr std::string_view plt = "@plt";
  const bool is_stub = raw.size() > plt.size() && raw.ends_with(plt);
  const std::string_view symbol = is_stub ? raw.substr(0, raw.size() - plt.size()) : raw;
  std::string name = demangled(symbol).value_or(std::string(symbol));
  if (is_stub) name += plt;
  return name;
}

}  // namespace profile
