#include "sampling/record_maps.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <vector>

#include "abi/record.h"
#include "abi/walk.h"
#include "support/error.h"

namespace profile {
namespace {

// As many processes as can be alive under the usual kernel.pid_max of 32768. Processes that find no place are counted
// in record_state::unfollowed.
constexpr std::uint32_t followed_processes = 32768;

// The ring holds a quarter of a second of samples, if every sample of every CPU goes through it; without a rate it
// assumes 1000 samples a second. If each sample is wanted, all go through it, so the lower bound is larger.
std::uint32_t ring_bytes(const SamplingOptions& options, const RecorderConfig& recording, int cpus) {
  const std::uint64_t sample = sizeof(ring_sample) + 2ULL * options.max_stack_depth * sizeof(std::uint64_t);
  const std::uint64_t rate_hz = std::max<std::uint64_t>(recording.rate_hz != 0 ? recording.rate_hz : 1000, 49);
  const std::uint64_t wanted = sample * rate_hz * static_cast<std::uint64_t>(cpus) / 4;
  // The names of a script's functions come all at once when it is met.
  const std::uint64_t least = options.each_sample ? 1U << 22 : options.languages != 0 ? 1U << 18 : 1U << 17;
  return static_cast<std::uint32_t>(std::bit_ceil(std::clamp<std::uint64_t>(wanted, least, 1U << 24)));
}

// The same for a sixteenth of a second of the samples whose walk user space finishes: they are read as soon as they
// come, and one without room is counted with the frames that it has. The bounds are low, because a mapped ring counts
// twice as memory of this process.
std::uint32_t unfinished_bytes(const RecorderConfig& recording, int cpus) {
  constexpr std::uint64_t least = 1U << 20;
  constexpr std::uint64_t most = 1U << 22;
  constexpr std::uint64_t usual = offsetof(ring_unfinished, stack) + UNFINISHED_USUAL_BYTES;
  if (recording.rate_hz == 0) return most;
  const std::uint64_t rate_hz = std::min(recording.rate_hz, most);  // so the product below cannot overflow
  const std::uint64_t wanted = usual * rate_hz * static_cast<std::uint64_t>(cpus) / 16;
  return static_cast<std::uint32_t>(std::bit_ceil(std::clamp(wanted, least, most)));
}

// The maps hold the samples of so many seconds, even if each has a new stack and the profiler gets no CPU time.
// Normally a map is drained when it is half full.
constexpr std::uint64_t filled_in_s = 10;
constexpr std::uint64_t least_entries = 2048;
// An entry of each map takes 3 KB with both generations, as measured. So the maps take a fifth of the memory.
constexpr std::uint64_t memory_of_entry = 16384;
constexpr std::uint64_t fewest_entries = 256;

// Uses the pinned map at `path` in place of the map `name`, which is left out if `path` is empty. It may be any hash
// map with 8-byte keys; its values do not matter.
void use_pinned_map(bpf_object& object, const char* name, const std::string& path, const char* option) {
  want_map(object, name, !path.empty());
  if (path.empty()) return;
  const auto fail = [&](const std::string& why) { return Error(std::string(option) + " " + path + ": " + why); };
  LIBBPF_OPTS(bpf_obj_get_opts, read_only, .file_flags = BPF_F_RDONLY);
  const Fd fd(bpf_obj_get_opts(path.c_str(), &read_only));
  if (!fd) {
    const int error = errno;
    struct statfs file_system {};
    if (::statfs(path.c_str(), &file_system) == 0 && file_system.f_type != BPF_FS_MAGIC)
      throw fail("not a pinned BPF map");
    throw fail(std::strerror(error));
  }
  bpf_map_info info{};
  __u32 size = sizeof info;
  if (bpf_obj_get_info_by_fd(fd.get(), &info, &size) != 0) throw fail("not a pinned BPF map");
  if (info.type != BPF_MAP_TYPE_HASH && info.type != BPF_MAP_TYPE_LRU_HASH) throw fail("not a hash map");
  if (info.key_size != sizeof(std::uint64_t)) {
    throw fail("its keys have " + std::to_string(info.key_size) + " bytes, not 8");
  }
  check_bpf(bpf_map__reuse_fd(&bpf_map_named(object, name), fd.get()), "use the pinned map");
}

// The kernel keeps only the first 15 bytes of a thread's name.
name_pattern pattern_of(std::string_view name) {
  const bool is_beginning = name.ends_with('*');
  if (is_beginning) name.remove_suffix(1);
  constexpr std::size_t most = PROFILE_COMM_BYTES - 1;
  const std::size_t compared = is_beginning ? std::min(name.size(), most) : PROFILE_COMM_BYTES;
  name_pattern pattern{};
  std::memcpy(pattern.value, name.data(), std::min(name.size(), most));
  std::memset(pattern.mask, 0xff, compared);
  return pattern;
}

void set_names(bpf_object& object, const std::vector<std::string>& names) {
  auto* wanted = static_cast<wanted_names*>(bpf_section_memory(object, ".rodata.names", sizeof(wanted_names)));
  if (names.size() > PROFILE_MOST_NAMES) throw usage_error("--comm: too many names");
  wanted->count = names.size();
  std::transform(names.begin(), names.end(), std::begin(wanted->patterns), pattern_of);
}

}  // namespace

std::uint32_t inner_pid_namespace() {
  constexpr ino_t initial = 0xEFFFFFFC;  // PROC_PID_INIT_INO of include/linux/proc_ns.h
  struct stat status {};
  if (::stat("/proc/self/ns/pid", &status) != 0 || status.st_ino == initial) return 0;
  return static_cast<std::uint32_t>(status.st_ino);
}

bool needs_kernel_types(const SamplingOptions& options) {
  return options.follow_children || !options.mntns_map_path.empty() || inner_pid_namespace() != 0;
}

SamplingOptions sized_for_memory(SamplingOptions options, std::uint64_t limit_bytes) {
  if (options.sizes_are_asked) return options;
  const std::uint64_t entries = std::bit_floor(std::max(limit_bytes / memory_of_entry, fewest_entries));
  const auto at_most = [entries](std::uint32_t most) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(entries, most));
  };
  options.histogram_entries = at_most(options.histogram_entries);
  options.stack_entries = at_most(options.stack_entries);
  return options;
}

SamplingOptions sized_for_rate(SamplingOptions options, std::uint64_t rate_hz, int cpus) {
  if (rate_hz == 0 || options.sizes_are_asked) return options;
  constexpr std::uint64_t most_rate_hz = 1'000'000;  // no rate is higher, and the product below cannot overflow
  const std::uint64_t samples = std::min(rate_hz, most_rate_hz) * static_cast<std::uint64_t>(cpus) * filled_in_s;
  const std::uint64_t entries = std::bit_ceil(std::max(samples, least_entries));
  const auto at_most = [entries](std::uint32_t most) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(entries, most));
  };
  options.histogram_entries = at_most(options.histogram_entries);
  options.stack_entries = at_most(options.stack_entries);
  return options;
}

void prepare_recording(bpf_object& object, const SamplingOptions& options, const RecorderConfig& recording) {
  const int cpus = possible_cpu_count();
  const std::uint32_t stack_bytes = options.max_stack_depth * static_cast<std::uint32_t>(sizeof(std::uint64_t));
  for (const char* name : {"stacks_0", "stacks_1"}) {
    check_bpf(bpf_map__set_value_size(&bpf_map_named(object, name), stack_bytes), "size the stack map");
    size_map(object, name, options.stack_entries, "size the stack map");
  }
  for (const char* name : {"histogram_0", "histogram_1"}) {
    size_map(object, name, options.histogram_entries, "size the histogram");
  }
  size_map(object, "ring", ring_bytes(options, recording, cpus), "size the ring buffer");
  if (bpf_object__find_map_by_name(&object, "unfinished") != nullptr) {
    size_map(object, "unfinished", unfinished_bytes(recording, cpus), "size the ring buffer");
  }
  size_map(object, "accounts", PROFILE_GENERATIONS * static_cast<std::size_t>(cpus), "size the accounts");
  check_bpf(bpf_map__set_value_size(&bpf_map_named(object, "scratch"),
                                    static_cast<__u32>(sizeof(ring_sample)) + 2 * stack_bytes),
            "size the scratch buffer");

  auto* config = static_cast<record_config*>(bpf_section_memory(object, ".rodata.record", sizeof(record_config)));
  config->max_depth = options.max_stack_depth;
  config->half_full = std::max(1U, options.histogram_entries / 2);
  config->cpus = static_cast<__u32>(cpus);
  config->pid_namespace = inner_pid_namespace();
  config->without_self = recording.without_self ? 1 : 0;
  config->include_idle = options.include_idle;
  config->user_stacks = options.user_stacks;
  config->kernel_stacks = options.kernel_stacks;
  config->filter_cgroup = !options.cgroup_path.empty();
  config->filter_cgroup_map = !options.cgroup_map_path.empty();
  config->filter_mntns_map = !options.mntns_map_path.empty();
  config->weighted = recording.weighted;
  config->each_sample = options.each_sample;
  config->no_tables = !options.rows;
  config->by_thread = options.each_sample || options.by_thread;
  config->by_cpu = options.by_cpu && !options.each_sample;
  config->ring_quarter = ring_bytes(options, recording, cpus) / 4;
  config->filter_cpu = recording.filter_cpu && !options.cpus.empty();
  if (config->filter_cpu != 0) {
    auto* wanted = static_cast<__u64*>(bpf_section_memory(object, ".rodata.cpus", PROFILE_MAX_CPUS / 8));
    for (const int cpu : options.cpus) wanted[cpu / 64 % (PROFILE_MAX_CPUS / 64)] |= __u64{1} << cpu % 64;
  }

  set_names(object, options.names);

  std::size_t target_count = options.tgids.size() + options.tids.size();
  if (!options.tgids.empty()) config->target_filter = TARGET_TGIDS;
  if (!options.tids.empty()) config->target_filter = TARGET_TIDS;
  if (options.follow_children) {
    config->target_filter = TARGET_FOLLOWED;
    config->follow_children_of = static_cast<__u32>(::getpid());
    target_count = followed_processes;
  }
  if (target_count > 0) size_map(object, "targets", target_count, "size the map of targets");

  want_map(object, "targets", config->target_filter != TARGET_ALL);
  want_map(object, "wanted_cgroup", config->filter_cgroup != 0);
  use_pinned_map(object, "cgroup_map", options.cgroup_map_path, "--cgroupmap");
  use_pinned_map(object, "mntns_map", options.mntns_map_path, "--mntnsmap");
}

void fill_filters(bpf_object& object, const SamplingOptions& options) {
  for (const auto* ids : {&options.tgids, &options.tids}) {
    for (const std::uint32_t id : *ids) {
      const std::uint64_t for_good = 0;
      check_bpf(
          bpf_map__update_elem(&bpf_map_named(object, "targets"), &id, sizeof id, &for_good, sizeof for_good, BPF_ANY),
          "set the filter by id");
    }
  }
  if (options.cgroup_path.empty()) return;
  const auto fail = [&](const std::string& why) { return Error("--cgroup " + options.cgroup_path + ": " + why); };
  const Fd directory(::open(options.cgroup_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) throw fail(std::strerror(errno));
  struct statfs file_system {};
  if (::fstatfs(directory.get(), &file_system) != 0 || file_system.f_type != CGROUP2_SUPER_MAGIC) {
    // Here systemd mounts cgroup v2 beside the hierarchies of v1.
    constexpr const char* hybrid = "/sys/fs/cgroup/unified";
    const bool is_hybrid = ::statfs(hybrid, &file_system) == 0 && file_system.f_type == CGROUP2_SUPER_MAGIC;
    throw fail(std::string("not a directory of a cgroup v2 hierarchy") +
               (is_hybrid ? std::string(", which is at ") + hybrid : ""));
  }
  const __u32 first = 0;
  const int value = directory.get();
  check_bpf(bpf_map__update_elem(&bpf_map_named(object, "wanted_cgroup"), &first, sizeof first, &value, sizeof value,
                                 BPF_ANY),
            "set the filter by cgroup");
}

}  // namespace profile
