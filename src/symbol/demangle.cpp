#include "symbol/demangle.h"

// Or its header declares a basename() of its own, at odds with the C library's.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <optional>

#include "symbol/rust_v0.h"

namespace profile {
namespace {

// The stack libiberty takes grows with the name: 0.7 MB for the deepest of this length, measured, and the tables below.
constexpr std::size_t max_mangled_bytes = 4096;
// 256 bytes can unfold to 109 MB. Nobody reads more than this of one name.
constexpr std::size_t max_bytes = 16384;
// libiberty lays a table of this many 16-byte entries on the stack: 1 MB at the most.
constexpr std::size_t max_scope_entries = 65536;
// A name takes microseconds. One of 150 bytes can be made to take minutes without a byte of output (a parameter pack
// that is searched for in types that share their parts; nested conversion operators), hence a clock.
constexpr long max_name_ns = 5'000'000;
// Names that ran out of that time, after which C++ names stay mangled: whoever makes so many will not stop.
constexpr int max_runaways = 100;

// Where to leave libiberty for. Its callback variant keeps all its state on its stack and takes no lock, so it can be
// left at any instruction; nothing between here and there owns anything.
thread_local sigjmp_buf escape;
thread_local volatile sig_atomic_t escape_open = 0;
std::atomic<int> runaways = 0;

enum Reason { too_long = 1, too_slow };

void leave(Reason reason) {
  escape_open = 0;
  siglongjmp(escape, reason);
}

// This thread's CPU time, announced by a SIGVTALRM to this thread.
class Watchdog {
 public:
  Watchdog() noexcept {
    struct sigaction action {};
    action.sa_handler = [](int) {
      if (escape_open) leave(too_slow);
    };
    action.sa_flags = SA_RESTART | SA_NODEFER;  // not blocked afterwards, as it is left without returning
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGVTALRM);
    usable_ = sigaction(SIGVTALRM, &action, nullptr) == 0 && pthread_sigmask(SIG_UNBLOCK, &ours, nullptr) == 0;
    make_timer();
  }
  ~Watchdog() {
    if (usable_) timer_delete(timer_);
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // False when there is no such clock to be had.
  bool start() noexcept {
    if (usable_ && set(max_name_ns)) return true;
    make_timer();  // timers do not survive a fork
    return usable_ && set(max_name_ns);
  }
  void stop() noexcept { set(0); }

 private:
  void make_timer() noexcept {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGVTALRM;
    event._sigev_un._tid = gettid();
    usable_ = usable_ && timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
  }
  bool set(long ns) noexcept {
    const itimerspec spec{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = ns}};
    return timer_settime(timer_, 0, &spec, nullptr) == 0;
  }

  timer_t timer_{};
  bool usable_ = false;
};

struct Output {
  std::array<char, max_bytes> text;
  std::size_t size;
};

void append(const char* text, std::size_t size, void* opaque) {
  Output& output = *static_cast<Output*>(opaque);
  if (size > output.text.size() - output.size) leave(too_long);
  std::memcpy(output.text.data() + output.size, text, size);
  output.size += size;
}

enum class Scheme { cxx, rust_legacy };

// No object with a destructor lives in here: it may be returned to from the middle of libiberty.
bool run_libiberty(const char* mangled, Scheme scheme, Watchdog& watchdog, Output& output) noexcept {
  output.size = 0;
  if (!watchdog.start()) return false;
  if (const int reason = sigsetjmp(escape, 0); reason != 0) {
    watchdog.stop();
    if (reason == too_slow) runaways.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  escape_open = 1;
  const int done =
      scheme == Scheme::rust_legacy
          ? rust_demangle_callback(mangled, DMGL_PARAMS, append, &output)
          : cplus_demangle_v3_callback(mangled, DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT, append, &output);
  escape_open = 0;
  watchdog.stop();
  return done != 0 && output.size > 0;
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string_view::npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

// One row for each reference to a template parameter, one column for each template, and at most twice of each.
bool fits_the_stack(std::string_view mangled) {
  return count(mangled, "I") * (count(mangled, "RT") + count(mangled, "OT")) * 4 <= max_scope_entries;
}

std::optional<std::string> libiberty(const std::string& mangled, Scheme scheme) {
  thread_local Watchdog watchdog;
  if (!fits_the_stack(mangled) || runaways.load(std::memory_order_relaxed) >= max_runaways) return std::nullopt;
  Output output;  // NOLINT(cppcoreguidelines-pro-type-member-init): 16 KB that are written before they are read
  if (!run_libiberty(mangled.c_str(), scheme, watchdog, output)) return std::nullopt;
  return std::string(output.text.data(), output.size);
}

// A suffix of LLVM's, ".llvm." and a hash of the whole module: it makes a local name unique for the linker, changes
// with every build, and tells the reader nothing.
std::string without_hash(std::string_view mangled) {
  constexpr std::string_view mark = ".llvm.";
  std::string name(mangled);
  const auto begin = name.find(mark);
  if (begin == std::string::npos) return name;
  const auto end = std::min(name.find_first_not_of("0123456789", begin + mark.size()), name.size());
  return name.erase(begin, end - begin);
}

// As libiberty writes those of C++.
std::string with_clone(std::string name, std::string_view suffix) {
  if (!suffix.empty()) name.append(" [clone ").append(suffix).append("]");
  return name;
}

// Names of the older Rust scheme are C++ names that end in a hash: "17h", 16 digits and the closing "E". They may have
// dots in them, so the suffix is what follows that.
std::optional<std::string> rust_legacy(std::string_view mangled) {
  constexpr std::size_t tail_bytes = 3 + 16 + 1;
  const auto tail = mangled.rfind("17h");
  if (!mangled.starts_with("_ZN") || tail == std::string_view::npos) return std::nullopt;
  if (mangled.size() - tail < tail_bytes || mangled[tail + tail_bytes - 1] != 'E') return std::nullopt;
  const std::string_view suffix = mangled.substr(tail + tail_bytes);
  if (!suffix.empty() && suffix[0] != '.') return std::nullopt;
  auto name = libiberty(std::string(mangled.substr(0, tail + tail_bytes)), Scheme::rust_legacy);
  return name ? std::optional(with_clone(std::move(*name), suffix)) : std::nullopt;
}

std::optional<std::string> rust_v0(std::string_view mangled) {
  const auto end = std::min(mangled.find_first_of(".$"), mangled.size());
  auto name = demangle_rust_v0(mangled.substr(0, end), max_bytes);
  if (!name || name->empty()) return std::nullopt;  // "_RC0": a crate without a name
  return with_clone(std::move(*name), mangled.substr(end));
}

std::optional<std::string> cxx(std::string_view mangled) {
  if (auto name = libiberty(std::string(mangled), Scheme::cxx)) return name;  // it knows the suffixes of compilers
  const auto dot = mangled.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  auto name = libiberty(std::string(mangled.substr(0, dot)), Scheme::cxx);
  return name ? std::optional(with_clone(std::move(*name), mangled.substr(dot))) : std::nullopt;
}

std::optional<std::string> demangled(std::string_view symbol) {
  if (symbol.size() > max_mangled_bytes || symbol.find('\0') != std::string_view::npos) return std::nullopt;
  const bool rust = symbol.starts_with("_R");
  if (!rust && !symbol.starts_with("_Z")) return std::nullopt;
  const std::string mangled = without_hash(symbol);
  if (rust) return rust_v0(mangled);
  auto name = rust_legacy(mangled);
  return name ? name : cxx(mangled);
}

}  // namespace

std::string demangle(std::string_view raw) {
  const auto at = raw.find('@');
  if (at == 0) return std::string(raw);
  const std::string_view symbol = raw.substr(0, at);
  std::string name = demangled(symbol).value_or(std::string(symbol));
  if (at != std::string_view::npos && raw.substr(at) == "@plt") name += "@plt";
  return name;
}

}  // namespace profile
