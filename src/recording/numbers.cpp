#include "recording/numbers.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/stack_end.h"
#include "model/stored_stack.h"
#include "support/hash.h"

namespace profile {
namespace {

// A chain of hashes over numbers and texts.
class Content {
 public:
  explicit Content(std::uint64_t kind) : hash_(hash_of(hash_secret(), kind)) {}
  Content& operator<<(std::uint64_t number) {
    hash_ = hash_of(hash_, number);
    return *this;
  }
  Content& operator<<(std::string_view text) { return *this << hash_of_text(text); }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_;
};

enum Kind : std::uint8_t { process_kind, thread_kind, binary_kind, frame_kind, stack_kind };

}  // namespace

void Numbers::add(std::size_t event, const std::shared_ptr<const Profile>& profile, const Sample& sample,
                  std::uint64_t began_ns, Tick& tick) {
  OfProfile& of = follow(event, profile);
  const Row& row = sample.row;
  const std::uint32_t number = event_number(event, row.samples == 0);
  if (is_part(number) && known_parts_.insert(number).second) tick.parts.push_back(number);
  tick.samples.push_back({.time_us = (sample.time_ns - std::min(sample.time_ns, began_ns)) / 1000,
                          .value = row.value,
                          .thread = thread(of, row, tick),
                          .stack = stack(of, row, tick),
                          .cpu = sample.cpu,
                          .event = number});
}

Numbers::OfProfile& Numbers::follow(std::size_t event, const std::shared_ptr<const Profile>& profile) {
  if (event >= of_profiles_.size()) of_profiles_.resize(event + 1);
  OfProfile& of = of_profiles_[event];
  if (of.profile != profile) of = {.profile = profile};
  return of;
}

Tick::Chapter Numbers::begin_chapter() {
  for (Table* const table : {&processes_, &threads_, &binaries_, &frames_, &stacks_}) table->forget();
  living_.clear();
  of_profiles_.clear();
  return {.process = processes_.next(),
          .thread = threads_.next(),
          .binary = binaries_.next(),
          .frame = frames_.next(),
          .stack = stacks_.next()};
}

std::uint32_t Numbers::process(const Profile& profile, ProcessId id, Tick& tick) {
  const Process& process = profile.process(id);
  const std::uint64_t hash = (Content(process_kind) << process.tgid << process.image).hash();
  const std::string_view name = profile.strings.view(process.name);
  const std::uint32_t number = processes_.number_of(hash, [&](std::uint32_t new_one) {
    ProcessFacts facts = facts_(process.tgid, process.image, true);
    const bool has_line = !facts.command_line.empty();
    const std::string short_name = has_line ? std::move(facts.comm) : std::string(name);
    tick.processes.push_back({.id = new_one,
                              .tgid = process.tgid,
                              .image = process.image,
                              .name = short_name,
                              .cgroup = std::move(facts.cgroup),
                              .command_line = std::move(facts.command_line),
                              .began_unix_ns = facts.began_ns,
                              .ended_unix_ns = facts.ended_ns});
    if (facts.ended_ns != 0) return;
    living_[new_one] = {.tgid = process.tgid,
                        .image = process.image,
                        .name = short_name,
                        .recorded_name = short_name,
                        .has_line = has_line};
  });
  // The main thread may give itself another name later.
  const auto living = living_.find(number);
  if (living != living_.end() && !living->second.has_line) living->second.name = name;
  return number;
}

void Numbers::update_processes(Tick& tick) {
  for (auto at = living_.begin(); at != living_.end();) {
    LivingProcess& living = at->second;
    const std::uint64_t ended_ns = facts_(living.tgid, living.image, false).ended_ns;
    if (ended_ns != 0 || living.name != living.recorded_name) {
      tick.changed_processes.push_back({.id = at->first, .name = living.name, .ended_unix_ns = ended_ns});
      living.recorded_name = living.name;
    }
    at = ended_ns != 0 ? living_.erase(at) : std::next(at);
  }
}

std::uint32_t Numbers::thread(OfProfile& of_profile, const Row& row, Tick& tick) {
  const Profile& profile = *of_profile.profile;
  // With the name of the process, because a new one has to be noted.
  const auto ids = std::uint64_t{static_cast<std::uint32_t>(row.process)} << 32 | row.tid;
  const auto names = std::uint64_t{static_cast<std::uint32_t>(row.thread_name)} << 32 |
                     static_cast<std::uint32_t>(profile.process(row.process).name);
  const auto [place, is_new] = of_profile.threads.try_emplace(hash_of(hash_of(hash_secret(), ids), names), 0);
  if (!is_new) return place->second;
  const std::uint32_t of = process(profile, row.process, tick);
  const std::string_view name = profile.strings.view(row.thread_name);
  const std::uint64_t hash = (Content(thread_kind) << of << row.tid << name).hash();
  place->second = threads_.number_of(hash, [&](std::uint32_t new_one) {
    tick.threads.push_back({.id = new_one, .process = of, .tid = row.tid, .name = std::string(name)});
  });
  return place->second;
}

std::uint32_t Numbers::binary(const Profile& profile, BinaryId id, Tick& tick) {
  if (id == BinaryId::none) return 0;
  const Binary& binary = profile.binary(id);
  const std::string_view path = profile.strings.view(binary.path);
  const std::string_view build_id = profile.strings.view(binary.build_id);
  const CodeSegment& code = binary.code;
  const std::uint64_t hash =
      (Content(binary_kind) << path << build_id << code.start.value << code.limit.value << code.offset.value).hash();
  return binaries_.number_of(hash, [&](std::uint32_t new_one) {
    tick.binaries.push_back({.id = new_one,
                             .path = std::string(path),
                             .build_id = std::string(build_id),
                             .code_start = code.start.value,
                             .code_limit = code.limit.value,
                             .code_offset = code.offset.value});
  });
}

std::uint32_t Numbers::frame(const StoredFrame& frame, std::uint32_t binary, Tick& tick) {
  const std::uint64_t hash =
      (Content(frame_kind) << frame.kind << frame.name << frame.module << frame.file << frame.unnamed << frame.line
                           << binary << frame.offset << frame.function << frame.address << frame.is_return)
          .hash();
  return frames_.number_of(hash, [&](std::uint32_t new_one) {
    tick.frames.push_back({.id = new_one,
                           .kind = frame.kind,
                           .unnamed = frame.unnamed,
                           .name = std::string(frame.name),
                           .module = std::string(frame.module),
                           .file = std::string(frame.file),
                           .line = frame.line,
                           .binary = binary,
                           .offset = frame.offset,
                           .function = frame.function,
                           .address = frame.address,
                           .is_return = frame.is_return});
  });
}

std::uint32_t Numbers::node(std::uint32_t callers, std::uint32_t frame, Tick& tick) {
  const std::uint64_t hash = hash_of(hash_secret(), std::uint64_t{callers} << 32 | frame);
  return stacks_.number_of(
      hash, [&](std::uint32_t new_one) { tick.stacks.push_back({.id = new_one, .callers = callers, .frame = frame}); });
}

const std::vector<std::uint32_t>& Numbers::functions(OfProfile& of_profile, FrameId id, Tick& tick) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= of_profile.functions.size()) of_profile.functions.resize(index + 1);
  std::vector<std::uint32_t>& numbers = of_profile.functions[index];
  if (!numbers.empty()) return numbers;
  const Profile& profile = *of_profile.profile;
  const Frame& of = profile.frame(id);
  for (const StoredFrame& function : stored_functions(profile, of)) {
    numbers.push_back(frame(function, numbers.empty() ? binary(profile, of.binary, tick) : 0, tick));
  }
  return numbers;
}

std::uint32_t Numbers::append(OfProfile& of, StackId stack, std::string_view missed, std::uint32_t callers,
                              Tick& tick) {
  if (stack == StackId::missed) return node(callers, frame({.kind = kind_missed, .name = missed}, 0, tick), tick);
  const auto leaf_first = of.profile->stack(stack);
  for (std::size_t i = leaf_first.size(); i-- != 0;) {
    for (const std::uint32_t function : functions(of, leaf_first[i], tick)) callers = node(callers, function, tick);
  }
  return callers;
}

std::uint32_t Numbers::stack(OfProfile& of, const Row& row, Tick& tick) {
  const Profile& profile = *of.profile;
  const auto key = std::uint64_t{static_cast<std::uint32_t>(row.user)} << 32 | static_cast<std::uint32_t>(row.kernel);
  const auto [place, is_new] = of.whole_stacks.try_emplace(key, 0);
  if (is_new) {
    std::uint32_t at = 0;
    if (const StackEnd end = profile.end_of(row.user); end != StackEnd::unknown) {
      at = node(0, frame({.kind = kind_end, .name = words_of(end).key}, 0, tick), tick);
    }
    at = append(of, row.user, missed_user_stack, at, tick);
    place->second = append(of, row.kernel, missed_kernel_stack, at, tick);
  }
  if (row.tag == StringId::empty) return place->second;
  return node(place->second, frame({.kind = kind_tag, .name = profile.strings.view(row.tag)}, 0, tick), tick);
}

}  // namespace profile
