#include "app/push_options.h"

#include <algorithm>

#include "app/recording_options.h"
#include "support/text_parts.h"

namespace profile {
namespace {

constexpr std::uint64_t usual_spool_bytes = std::uint64_t{256} << 20;
constexpr std::uint64_t least_spool_bytes = std::uint64_t{1} << 20;
// Each has a connection, and its share of the spool.
constexpr std::size_t most_targets = 16;
constexpr std::size_t most_labels = 16;

std::vector<PushTarget> targets_of(const ParsedOptions& parsed) {
  std::vector<PushTarget> targets;
  for (const std::string& typed : parsed.texts("push")) {
    PushTarget target = push_target_of(typed);
    if (std::ranges::count(targets, target.name, &PushTarget::name) != 0) {
      throw bad_value("push", target.name, "given twice");
    }
    targets.push_back(std::move(target));
  }
  if (parsed.has("store") && parsed.is_on("live")) {
    throw usage_error("--store adds up what each interval has, and --live shows a state");
  }
  if (parsed.has("store")) targets.push_back(store_target_of(parsed.text("store"), "--store"));
  if (targets.size() > most_targets) {
    throw usage_error("--push and --store: at most " + std::to_string(most_targets) + " servers");
  }
  return targets;
}

PushLabels labels_of(const ParsedOptions& parsed) {
  PushLabels labels;
  for (const std::string& typed : parsed.texts("label")) {
    if (typed.find('=') == std::string::npos) throw bad_value("label", typed, "not NAME=VALUE");
    std::string_view value = typed;
    const std::string_view name = take_until(value, '=');
    if (const std::string why = refusal_of_label(name, value); !why.empty()) throw bad_value("label", typed, why);
    if (!labels.emplace(name, value).second) throw bad_value("label", typed, "this name is given twice");
  }
  if (labels.size() > most_labels) throw usage_error("--label: at most " + std::to_string(most_labels));
  return labels;
}

std::string path_of(const ParsedOptions& parsed, const char* option) {
  std::string path = parsed.text(option);
  if (parsed.has(option) && path.empty()) throw bad_value(option, "''", "not a path");
  return path;
}

}  // namespace

PushOptions push_options_of(const ParsedOptions& parsed) {
  PushOptions options{.targets = targets_of(parsed),
                      .labels = labels_of(parsed),
                      .spool = path_of(parsed, "spool"),
                      .spool_bytes = usual_spool_bytes,
                      .auth_file = path_of(parsed, "push-auth-file")};
  for (const char* const option : {"label", "spool", "spool-size", "push-auth-file"}) {
    if (options.targets.empty() && parsed.has(option)) {
      throw usage_error("--" + std::string(option) + " is for --push and --store: not without one of them");
    }
  }
  if (!parsed.has("spool-size")) return options;
  if (options.spool.empty()) throw usage_error("--spool-size is for --spool: not without it");
  options.spool_bytes = size_in_bytes(parsed, "spool-size", least_spool_bytes, "1M");
  return options;
}

}  // namespace profile
