#include "support/mounts.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "support/text_file.h"

namespace profile {
namespace {

// Enough for thousands of mounts. A mount beyond it counts as not found.
constexpr std::size_t most_mountinfo_bytes = 4 << 20;
constexpr const char* own_mountinfo = "/proc/self/mountinfo";

std::string_view take_word(std::string_view& line) {
  const std::size_t length = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, length);
  line.remove_prefix(std::min(length + 1, line.size()));
  return word;
}

template <class Number>
bool to_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

// "36 35 98:0 /root /at options tags... - type source options"
std::optional<MountLine> parse_mount(std::string_view line) {
  take_word(line);
  take_word(line);
  const std::string_view device = take_word(line);
  const std::size_t colon = std::min(device.find(':'), device.size());
  MountLine mount;
  if (!to_number(device.substr(0, colon), mount.device_major) || colon == device.size() ||
      !to_number(device.substr(colon + 1), mount.device_minor)) {
    return std::nullopt;
  }
  const std::size_t dash = line.find(" - ");
  if (dash == std::string_view::npos) return std::nullopt;
  line.remove_prefix(dash + 3);
  mount.type = take_word(line);
  return mount;
}

}  // namespace

bool is_served_by_a_process(const MountLine& mount) {
  return mount.type == "fuse" || mount.type == "fuseblk" || mount.type.starts_with("fuse.");
}

std::optional<MountLine> find_mount(std::string_view mountinfo, std::uint64_t mount_id) {
  while (!mountinfo.empty()) {
    std::string_view line = mountinfo.substr(0, mountinfo.find('\n'));
    mountinfo.remove_prefix(std::min(line.size() + 1, mountinfo.size()));
    std::uint64_t id = 0;
    std::string_view rest = line;
    if (to_number(take_word(rest), id) && id == mount_id) return parse_mount(line);
  }
  return std::nullopt;
}

std::optional<MountLine> find_mount_of_path(std::string_view mountinfo, std::string_view path) {
  // mountinfo writes these characters as octal escapes.
  std::string wanted;
  for (const char character : path) {
    constexpr std::string_view escaped = " \t\n\\";
    constexpr std::string_view escapes[] = {"\\040", "\\011", "\\012", "\\134"};
    const auto at = escaped.find(character);
    if (at == std::string_view::npos)
      wanted += character;
    else
      wanted += escapes[at];
  }
  std::optional<MountLine> found;
  std::size_t longest = 0;
  while (!mountinfo.empty()) {
    const std::string_view line = mountinfo.substr(0, mountinfo.find('\n'));
    mountinfo.remove_prefix(std::min(line.size() + 1, mountinfo.size()));
    std::string_view rest = line;
    for (int word = 0; word < 4; ++word) take_word(rest);
    std::string_view place = take_word(rest);
    if (place == "/") place = {};
    const bool holds =
        std::string_view(wanted).starts_with(place) && (wanted.size() == place.size() || wanted[place.size()] == '/');
    // Of several mounts at one place, the last one hides the others.
    if (!holds || place.size() < longest) continue;
    if (auto mount = parse_mount(line)) {
      found = std::move(mount);
      longest = place.size();
    }
  }
  return found;
}

std::optional<MountLine> own_mount_of(std::string_view path) {
  const auto mountinfo = read_text_file(own_mountinfo, most_mountinfo_bytes);
  return mountinfo ? find_mount_of_path(*mountinfo, path) : std::nullopt;
}

const MountLine& Mounts::at(std::uint64_t mount_id, std::uint64_t device, std::uint32_t tgid) {
  const auto [at, is_new] = known_.try_emplace({mount_id, device});
  if (!at->second.type.empty() || (!is_new && tgid == 0)) return at->second;
  for (const std::string& path : {"/proc/" + std::to_string(tgid) + "/mountinfo", std::string(own_mountinfo)}) {
    const auto text = read_text_file(path, most_mountinfo_bytes);
    if (!text) continue;
    if (const auto found = find_mount(*text, mount_id)) {
      at->second = *found;
      break;
    }
  }
  return at->second;
}

}  // namespace profile
