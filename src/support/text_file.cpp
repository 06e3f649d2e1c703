#include "support/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "support/text_parts.h"

namespace profile {

std::optional<std::string> read_text_file(const std::string& path, std::size_t limit_bytes) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return fd ? read_text(fd, limit_bytes) : std::nullopt;
}

std::optional<std::string> read_text(const Fd& fd, std::size_t limit_bytes) {
  std::string text;
  char buffer[4096];
  while (text.size() < limit_bytes) {
    const ssize_t got = ::read(fd.get(), buffer, std::min(sizeof buffer, limit_bytes - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

std::optional<std::string> read_first_line(const std::string& path) {
  auto text = read_text_file(path);
  if (text) text->resize(std::min(text->find('\n'), text->size()));
  return text;
}

std::optional<long> read_number(const std::string& path) {
  const auto line = read_first_line(path);
  if (!line) return std::nullopt;
  std::string_view text = *line;
  return take_number<long>(text);
}

std::optional<std::string_view> find_field(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    if (line.size() <= key.size() || !line.starts_with(key) || line[key.size()] != ':') continue;
    line.remove_prefix(key.size() + 1);
    const auto first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return std::string_view{};
    line.remove_prefix(first);
    return line.substr(0, line.find_last_not_of(" \t") + 1);
  }
  return std::nullopt;
}

}  // namespace profile
