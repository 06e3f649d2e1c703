#include "app/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "support/clock.h"
#include "support/error.h"
#include "support/fd.h"
#include "support/signals.h"
#include "support/text_file.h"
#include "support/text_parts.h"

namespace profile {
namespace {

constexpr const char* socket_variable = "NOTIFY_SOCKET";
constexpr const char* watchdog_variable = "WATCHDOG_USEC";
constexpr const char* watched_variable = "WATCHDOG_PID";
constexpr const char* own_program = "/proc/self/exe";

template <class Number>
std::optional<Number> number_in(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? std::nullopt : parse_number<Number>(value);
}

}  // namespace

ServiceManager::ServiceManager() {
  if (const char* const path = std::getenv(socket_variable)) socket_ = path;
  const bool is_usable = (socket_.starts_with('/') || socket_.starts_with('@')) && socket_.size() > 1 &&
                         socket_.size() < sizeof(sockaddr_un::sun_path);
  if (!is_usable) {
    socket_.clear();
    return;
  }
  const auto watched = number_in<pid_t>(watched_variable);
  const auto watchdog_us = number_in<std::uint64_t>(watchdog_variable);
  constexpr double us_per_s = 1e6;
  constexpr double spare = 3;  // signs of life in the time within which one must come
  if (watchdog_us && watched.value_or(::getpid()) == ::getpid()) {
    every_s_ = static_cast<double>(*watchdog_us) / us_per_s / spare;
  }
}

void ServiceManager::tell(std::string_view words) const {
  if (socket_.empty()) return;
  const Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  const bool is_abstract = address.sun_path[0] == '@';
  if (is_abstract) address.sun_path[0] = 0;
  const std::size_t size = offsetof(sockaddr_un, sun_path) + socket_.size() + (is_abstract ? 0 : 1);
  [[maybe_unused]] const ssize_t sent =
      ::sendto(fd.get(), words.data(), words.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(size));
}

void ServiceManager::show_life() {
  if (every_s_ <= 0) return;
  constexpr double moment = 0.5;  // of the time after which a sign of life is due
  const std::uint64_t now_ns = monotonic_ns();
  if (to_seconds(now_ns - shown_life_ns_) < moment * every_s_) return;
  shown_life_ns_ = now_ns;
  tell("WATCHDOG=1");
}

std::string ServiceManager::reloading() {
  constexpr std::uint64_t ns_per_us = 1000;
  return "RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_ns() / ns_per_us);
}

void begin_again() {
  constexpr std::size_t most_bytes = 1 << 21;  // what Linux allows by default
  const std::string words = read_text_file("/proc/self/cmdline", most_bytes).value_or("");
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < words.size(); at = words.find('\0', at) + 1) {
    arguments.push_back(const_cast<char*>(words.data() + at));
  }
  arguments.push_back(nullptr);
  restore_signals();
  // A package may have brought a newer one to the same path.
  constexpr std::string_view replaced = " (deleted)";
  std::error_code error;
  std::string path = std::filesystem::read_symlink(own_program, error).string();
  if (path.ends_with(replaced)) path.resize(path.size() - replaced.size());
  ::execv(path.c_str(), arguments.data());
  ::execv(own_program, arguments.data());
  throw system_error("SIGHUP: cannot begin again", errno);
}

}  // namespace profile
