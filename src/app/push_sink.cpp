#include "app/push_sink.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <string_view>

#include "app/options.h"
#include "model/wakers.h"
#include "support/error.h"
#include "support/plural.h"

namespace profile {
namespace {

// How often profiles are pushed, in seconds, unless -i says it.
constexpr double push_pace_s = 10;
// The end of a run waits so long for a server.
constexpr std::chrono::milliseconds patience_at_end{3000};
// A profile with more services would be a flood of requests: the smallest of them are one.
constexpr std::size_t most_services = 256;
constexpr std::string_view service_of_the_rest = "other";

PushSettings settings_of(const PushOptions& options, const std::function<void(const std::string&)>& say) {
  PushSettings settings{.targets = options.targets,
                        .spool = options.spool,
                        .spool_bytes = options.spool_bytes,
                        .credentials = push_credentials(options.auth_file)};
  const auto is_another = [&](const PushTarget& target) { return target.host != settings.targets.front().host; };
  if (!settings.credentials.empty() && std::ranges::any_of(settings.targets, is_another)) {
    throw Error("--push and --store: one server's credentials are not for another; use a run for each");
  }
  for (const PushTarget& target : settings.targets) {
    const std::string warning = warning_about(target, settings.credentials);
    if (!warning.empty()) say("profile: " + std::string(option_of(target.protocol)) + ' ' + warning);
  }
  return settings;
}

std::uint64_t samples_of(const Profile& profile, const Row& row) {
  return profile.knows_samples() ? row.samples : row.value;
}

// Whether the file is the program of its process: at that path, or, if the process was gone, of its name.
bool is_program(std::string_view path, std::string_view program, std::string_view comm) {
  constexpr std::size_t most_comm_bytes = 15;
  if (!program.empty()) return path == program;
  return path.substr(path.rfind('/') + 1).substr(0, most_comm_bytes) == comm;
}

}  // namespace

std::vector<SinkRequest> request_push(const ParsedOptions& /*parsed*/, const Options& options) {
  if (!options.is_pushed()) return {};
  const auto make = [](std::size_t event, const SinkNeeds& needs) {
    return std::make_unique<PushSink>(needs.push, event);
  };
  return {{.make = make, .pace_s = options.interval_s.value_or(push_pace_s)}};
}

SharedPush::SharedPush(const PushOptions& options, std::size_t events, AskFacts facts,
                       std::function<void(const std::string&)> say)
    : options_(options),
      services_(std::move(facts)),
      say_(std::move(say)),
      pprof_(find_output_format("pprof")->make({.hide_addresses = true, .for_store = true})),
      names_(events),
      pusher_(settings_of(options, say_)) {
  for (std::size_t i = 0; i < options.targets.size(); ++i) {
    if (options.targets[i].protocol == PushProtocol::clickhouse) {
      stores_.push_back({.target = i, .batches = {}});
    } else {
      pushes_profiles_ = true;
    }
  }
}

void SharedPush::watch(EventLoop& loop) {
  loop.add(pusher_.poll_fd(), [this, &loop] {
    look();
    if (pusher_.is_gone()) loop.remove(pusher_.poll_fd());
  });
  loop.add_timer(1, 1, [this] { look(); });
}

void SharedPush::look() {
  for (const std::string& line : pusher_.look()) say_(line);
}

std::map<PushLabels, SharedPush::Part> SharedPush::parts_of(const Profile& profile) {
  services_.look(profile);
  std::map<PushLabels, Part> parts;
  for (const Row& row : profile.rows()) {
    Part& part = parts[services_.of(profile.process(row.process)).labels];
    part.samples += samples_of(profile, row);
    Row& kept = part.rows.emplace_back(row);
    kept.tid = 0;
    kept.cpu = any_cpu;
    kept.thread_name = profile.process(row.process).name;
  }
  while (parts.size() > most_services) {
    const auto least = std::ranges::min_element(parts, {}, [](const auto& each) { return each.second.samples; });
    const Part rest = std::move(parts.extract(least).mapped());
    Part& other = parts[{{"service", std::string(service_of_the_rest)}}];
    other.rows.insert(other.rows.end(), rest.rows.begin(), rest.rows.end());
    other.samples += rest.samples;
  }
  return parts;
}

// The build-id of the program with the most samples.
std::string SharedPush::version_of(const Profile& profile, const Part& part) const {
  std::map<std::string_view, std::uint64_t> samples;
  for (const Row& row : part.rows) {
    const Process& process = profile.process(row.process);
    const ProcessLabels& known = services_.of(process);
    for (const FrameId frame : profile.stack(row.user)) {
      const Binary& binary = profile.binary(profile.frame(frame).binary);
      if (binary.build_id == StringId::empty) continue;
      if (!is_program(profile.strings.view(binary.path), known.program, profile.strings.view(process.name))) continue;
      samples[profile.strings.view(binary.build_id)] += samples_of(profile, row);
      break;
    }
  }
  const auto most = std::ranges::max_element(samples, {}, [](const auto& each) { return each.second; });
  return most == samples.end() ? "" : std::string(most->first);
}

void SharedPush::note_stored() {
  const std::vector<PushCounts> counts = pusher_.counts();
  for (Store& store : stores_) {
    const PushCounts& of = counts[store.target];
    const std::uint64_t lost = of.lost_samples + of.refused_samples;
    if (std::exchange(store.missing_tables, of.missing_tables) != of.missing_tables) store.batches.note_emptied();
    if (std::exchange(store.lost_samples, lost) != lost) {
      store.batches.note_lost();
    } else if (of.waiting_requests == 0) {
      store.batches.note_all_stored();
    }
  }
}

void SharedPush::add(std::size_t event, const Profile& profile) {
  look();
  note_stored();
  Profile scratch = has_wakers(profile) ? with_wakers_appended(profile) : profile;
  scratch.account = {.is_known = false};  // it is of all parts together
  const auto parts = parts_of(scratch);
  for (Store& store : stores_) store.batches.begin(scratch);
  for (const auto& [labels, part] : parts) {
    PushLabels all = labels;
    if (std::string version = version_of(scratch, part); !version.empty()) all.emplace("version", std::move(version));
    if (!scratch.run.host.empty()) all.emplace("host", scratch.run.host);
    for (const auto& [name, value] : options_.labels) all.insert_or_assign(name, value);
    for (Store& store : stores_) store.batches.add(scratch, all, part.rows);
    if (!pushes_profiles_) continue;
    scratch.forget_rows();
    for (const Row& row : part.rows) scratch.add(row);
    std::ostringstream pprof;
    pprof_.report(pprof, scratch);
    pusher_.add(names_[event], all, std::move(pprof).str(), part.samples);
  }
  for (Store& store : stores_) {
    const StoreBatches::Batch batch = store.batches.take();
    if (!batch.body.empty()) pusher_.add(store.target, batch.body, batch.samples);
  }
  pusher_.hand_over();
}

void SharedPush::end() {
  if (++ended_ != names_.size()) return;
  for (const std::string& line : pusher_.finish(patience_at_end)) say_(line);
}

bool SharedPush::has_failed() const {
  return std::ranges::any_of(pusher_.counts(), [](const PushCounts& counts) {
    return counts.refused_samples + counts.lost_samples + counts.unsaved_samples != 0;
  });
}

std::vector<std::string> SharedPush::answer() const {
  std::vector<std::string> lines;
  const std::vector<PushCounts> all = pusher_.counts();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PushCounts& counts = all[i];
    const bool is_store = options_.targets[i].protocol == PushProtocol::clickhouse;
    const std::string sent = is_store ? "stored " + number_of(counts.sent_requests, "batch", "batches")
                                      : "pushed " + number_of(counts.sent_requests, "profile");
    lines.push_back(sent + " with " + number_of(counts.sent_samples, "sample") + (is_store ? " in " : " to ") +
                    counts.target);
    const auto add = [&](std::uint64_t samples, const char* one, const char* many, const std::string& what) {
      if (samples != 0) lines.push_back(number_of(samples, "sample") + ' ' + plural(samples, one, many) + ' ' + what);
    };
    const std::uint64_t unsaved = std::min(counts.waiting_samples, counts.unsaved_samples);
    add(counts.refused_samples, "was", "were", "refused by " + counts.target);
    const std::string_view lost_why = pusher_.is_gone() ? "" : ": too much was waiting";
    const std::string_view unsaved_why = pusher_.is_gone() ? "" : " before the end";
    add(counts.lost_samples, "was", "were", "not sent to " + counts.target + std::string(lost_why));
    add(unsaved, "was", "were", "not sent to " + counts.target + std::string(unsaved_why));
    add(counts.waiting_samples - unsaved, "waits", "wait",
        "in " + options_.spool + " for a run that " + (is_store ? "stores in " : "pushes to ") + counts.target);
  }
  return lines;
}

}  // namespace profile
