#include "support/mounts.h"

#include <fcntl.h>
#include <poll.h>

#include <utility>

#include "support/text_file.h"
#include "support/text_parts.h"

namespace profile {
namespace {

// Enough for thousands of mounts. A mount beyond it counts as not found.
constexpr std::size_t most_mountinfo_bytes = 4 << 20;
constexpr const char* own_mountinfo = "/proc/self/mountinfo";

std::string_view take_word(std::string_view& line) { return take_until(line, ' '); }

// "36 35 98:0 /root /at options tags... - type source options"
std::optional<MountLine> parse_mount(std::string_view line) {
  take_word(line);
  take_word(line);
  std::string_view device = take_word(line);
  const auto device_major = parse_number<std::uint32_t>(take_until(device, ':'));
  const auto device_minor = parse_number<std::uint32_t>(device);
  take_word(line);
  take_word(line);
  const std::string options = "," + std::string(take_word(line)) + ",";
  // A tag may end in a dash, too.
  while (!line.empty() && take_word(line) != "-") continue;
  if (!device_major || !device_minor || line.empty()) return std::nullopt;
  return MountLine{.device_major = *device_major,
                   .device_minor = *device_minor,
                   .type = std::string(take_word(line)),
                   .is_nosuid = options.find(",nosuid,") != std::string::npos};
}

}  // namespace

bool is_served_by_a_process(const MountLine& mount) {
  return mount.type == "fuse" || mount.type == "fuseblk" || mount.type.starts_with("fuse.");
}

std::optional<MountLine> find_mount(std::string_view mountinfo, std::uint64_t mount_id) {
  while (!mountinfo.empty()) {
    const std::string_view line = take_until(mountinfo, '\n');
    std::string_view rest = line;
    if (parse_number<std::uint64_t>(take_word(rest)) == mount_id) return parse_mount(line);
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
    wanted += at == std::string_view::npos ? std::string_view(&character, 1) : escapes[at];
  }
  std::optional<MountLine> found;
  std::size_t longest = 0;
  while (!mountinfo.empty()) {
    const std::string_view line = take_until(mountinfo, '\n');
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

std::optional<MountLine> OwnMounts::find(std::uint64_t mount_id) {
  if (!list_) list_ = Fd(::open(own_mountinfo, O_RDONLY | O_CLOEXEC));
  pollfd changed{.fd = list_.get(), .events = POLLPRI, .revents = 0};
  if (text_.empty() || !list_ || ::poll(&changed, 1, 0) > 0) {
    text_ = read_text_file(own_mountinfo, most_mountinfo_bytes).value_or(std::string());
  }
  return find_mount(text_, mount_id);
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
