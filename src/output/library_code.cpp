#include "output/library_code.h"

#include <algorithm>
#include <cstddef>

namespace profile {
namespace {

// The beginnings of the names of libraries: glibc and musl with their loaders, the C++ runtimes, and allocators that
// take the place of malloc.
constexpr std::string_view libraries[] = {"libc.so",     "libc-2.",     "libpthread",   "ld-linux",  "ld-2.",
                                          "libc.musl",   "ld-musl",     "libstdc++.so", "libc++.so", "libc++abi",
                                          "libjemalloc", "libtcmalloc", "libmimalloc",  "vdso"};
// In programs that are linked statically.
constexpr std::string_view allocators[] = {"malloc",        "calloc",         "realloc",
                                           "reallocarray",  "memalign",       "aligned_alloc",
                                           "__libc_malloc", "posix_memalign", "valloc"};
// What programs wrap around these, to end when there is no memory or to count it: "xmalloc", "zmalloc_usable",
// "g_malloc0", "ruby_xrealloc2".
constexpr std::string_view wrapped[] = {"malloc", "calloc", "realloc", "strdup", "strndup", "memdup"};
constexpr std::string_view wrappers[] = {"x",   "z",   "ztry",  "e",       "_e",      "g_",  "g_try_",
                                         "je_", "mi_", "tc_",   "ruby_",   "ruby_x",  "av_", "safe_",
                                         "my_", "s",   "try_z", "CRYPTO_", "OPENSSL_"};
// Others of well-known programs: PostgreSQL, Apache, nginx, GLib and SQLite.
constexpr std::string_view pools[] = {"palloc",
                                      "palloc0",
                                      "palloc_extended",
                                      "repalloc",
                                      "MemoryContextAlloc",
                                      "MemoryContextAllocZero",
                                      "MemoryContextAllocExtended",
                                      "AllocSetAlloc",
                                      "AllocSetAllocFromNewBlock",
                                      "AllocSetRealloc",
                                      "apr_palloc",
                                      "ngx_alloc",
                                      "ngx_palloc",
                                      "ngx_pnalloc",
                                      "g_slice_alloc",
                                      "g_slice_alloc0",
                                      "sqlite3Malloc",
                                      "sqlite3MemMalloc",
                                      "sqlite3DbMallocRaw",
                                      "sqlite3DbMallocRawNN"};

// The beginnings of the names of what runs scripts. The function of the script that it runs can be changed.
constexpr std::string_view interpreters[] = {"python", "libpython", "ruby",   "libruby", "php",    "libphp", "perl",
                                             "node",   "libnode",   "libjvm", "libjava", "libnio", "libnet", "libperl"};

// The standard library of Go, by the beginnings of its packages.
constexpr std::string_view packages_of_go[] = {
    "archive/",  "bufio.",  "bytes.",  "cmp.",      "compress/", "container/", "context.", "crypto.", "crypto/",
    "database/", "debug/",  "embed.",  "encoding.", "encoding/", "errors.",    "expvar.",  "flag.",   "fmt.",
    "go/",       "hash.",   "hash/",   "html.",     "html/",     "image.",     "image/",   "index/",  "internal/",
    "io.",       "io/",     "iter.",   "log.",      "log/",      "maps.",      "math.",    "math/",   "mime.",
    "mime/",     "net.",    "net/",    "os.",       "os/",       "path.",      "path/",    "plugin.", "reflect.",
    "regexp.",   "regexp/", "slices.", "sort.",     "strconv.",  "strings.",   "sync.",    "sync/",   "syscall.",
    "testing.",  "text/",   "time.",   "unicode.",  "unicode/",  "unique.",    "vendor/",  "weak."};
// What compilers append to names of C, which Go's names never have.
constexpr std::string_view suffixes_of_compilers[] = {"constprop", "isra", "part",      "cold",
                                                      "lto_priv",  "llvm", "localalias"};
constexpr std::string_view of_cpp_and_rust[] = {
    "std::", "__gnu_cxx::", "core::", "alloc::", "<std::", "<core::", "<alloc::"};
constexpr std::string_view packages_of_java[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};
// Files of scripts: the beginnings of their paths, and parts of them.
constexpr std::string_view script_beginnings[] = {"node:", "<frozen ", "<internal:"};
// What Node's engine makes of a regular expression.
constexpr std::string_view regular_expression = "<regular expression>";
constexpr std::string_view script_directories[] = {"/lib/python2", "/lib/python3.", "/lib/ruby/1", "/lib/ruby/2",
                                                   "/lib/ruby/3",  "/perl/5",       "/perl-base/"};
constexpr std::string_view installed_packages[] = {"/site-packages/", "/dist-packages/", "/gems/"};

bool is_wrapper(std::string_view name) {
  return std::ranges::any_of(wrappers, [&](std::string_view wrapper) {
    if (!name.starts_with(wrapper)) return false;
    const std::string_view rest = name.substr(wrapper.size());
    return std::ranges::any_of(wrapped, [&](std::string_view function) {
      if (!rest.starts_with(function)) return false;
      const std::string_view end = rest.substr(function.size());
      return end.empty() || end.front() == '_' || (end.front() >= '0' && end.front() <= '9');
    });
  });
}

bool is_allocator(std::string_view name) {
  return name.starts_with("operator new") || std::ranges::find(allocators, name) != std::end(allocators) ||
         std::ranges::find(pools, name) != std::end(pools) || is_wrapper(name);
}

bool contains_one_of(std::string_view text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

// The demangled name of a template's instance begins with the type that it returns: "void std::sort<int*>(int*, int*)".
std::string_view without_type(std::string_view name) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (depth != 0) continue;
    if (name[i] == '(' && !name.substr(i).starts_with("(anonymous")) break;
    if (name[i] == ' ' && !name.substr(i).starts_with(" namespace)")) begin = i + 1;
  }
  return name.substr(begin);
}

bool is_of_go(std::string_view name) {
  const auto is_package = [name](std::string_view package) {
    return name.starts_with(package) && !begins_with_one_of(name.substr(package.size()), suffixes_of_compilers);
  };
  return std::ranges::any_of(packages_of_go, is_package);
}

bool is_standard_script(std::string_view name, std::string_view file) {
  if (name == regular_expression || begins_with_one_of(name, packages_of_java) ||
      begins_with_one_of(file, script_beginnings))
    return true;
  return contains_one_of(file, script_directories) && !contains_one_of(file, installed_packages);
}

}  // namespace

bool begins_with_one_of(std::string_view name, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view each) { return name.starts_with(each); });
}

bool is_of_interpreter(const Profile& profile, const Frame& frame) {
  return frame.kind == FrameKind::user && begins_with_one_of(profile.strings.view(frame.module), interpreters);
}

LibraryCode library_code(const Profile& profile, const ShownFrame& shown) {
  const Frame& frame = *shown.frame;
  if (frame.kind == FrameKind::kernel) return LibraryCode::always;
  if (is_of_interpreter(profile, frame)) return LibraryCode::interpreter;
  const std::string_view module = profile.strings.view(frame.module);
  const std::string_view name = profile.strings.view(shown.symbol);
  if (name.empty() && module.empty()) return LibraryCode::always;
  if (frame.kind == FrameKind::script) {
    if (name.starts_with('~')) return LibraryCode::always;  // a stub of Java's engine
    return is_standard_script(name, profile.strings.view(shown.at.file)) ? LibraryCode::standard : LibraryCode::none;
  }
  if (begins_with_one_of(module, libraries) || is_allocator(name) || name.starts_with("runtime.")) {
    return LibraryCode::always;
  }
  const bool is_standard = begins_with_one_of(without_type(name), of_cpp_and_rust) || is_of_go(name);
  return is_standard ? LibraryCode::standard : LibraryCode::none;
}

}  // namespace profile
