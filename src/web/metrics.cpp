// Writes the metrics. Names and units follow the rules of Prometheus: seconds and bytes, counters that end in _total,
// and its standard names for facts that every process has.
#include "web/metrics.h"

#include <algorithm>
#include <ctime>
#include <initializer_list>
#include <sstream>
#include <type_traits>

#include "output/clean_text.h"
#include "support/clock.h"

namespace profile {
namespace {

struct Label {
  std::string_view name;
  std::string_view value;
};

// Quotes the value of a label: escapes backslashes and quotes. clean_text() has replaced line ends.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : clean_text(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

class MetricsText {
 public:
  MetricsText() { out_.precision(15); }

  // `type`: "counter" or "gauge".
  void begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    out_ << "# HELP " << name << ' ' << help << "\n# TYPE " << name << ' ' << type << '\n';
  }
  template <class Number>
  void sample(Number number, std::initializer_list<Label> labels = {}) {
    static_assert(std::is_arithmetic_v<Number>);
    out_ << name_;
    char separator = '{';
    for (const Label& label : labels) {
      out_ << separator << label.name << '=' << quoted(label.value);
      separator = ',';
    }
    out_ << (labels.size() != 0 ? "} " : " ") << number << '\n';
  }
  void counter(std::string_view name, std::string_view help, auto number) {
    begin(name, "counter", help);
    sample(number);
  }
  void gauge(std::string_view name, std::string_view help, auto number) {
    begin(name, "gauge", help);
    sample(number);
  }
  [[nodiscard]] std::string text() && { return std::move(out_).str(); }

 private:
  std::ostringstream out_;
  std::string_view name_;
};

void write_account(MetricsText& text, const Account& account) {
  if (account.asked != 0) {
    text.counter("profile_samples_asked_total", "Samples the rate asked for; fewer are taken when ticks come late.",
                 account.asked);
  }
  text.counter("profile_ticks_skipped_total", "Ticks not taken because of --cpu-limit; samples stand for them.",
               account.skipped);
  text.counter("profile_samples_taken_total", "Samples the kernel took.", account.taken);
  text.begin("profile_samples_total", "counter",
             "Samples by where they ended; all of these are those that were taken.");
  text.sample(account.recorded, {{"ended", "recorded"}});
  text.sample(account.idle, {{"ended", "idle"}});
  text.sample(account.filtered, {{"ended", "filtered"}});
  text.sample(account.lost(), {{"ended", "lost"}});
  text.begin("profile_samples_lost_total", "counter", "Samples that were lost, by the reason.");
  for (const LossReason& reason : loss_reasons) text.sample(account.*reason.count, {{"reason", reason.key}});
  text.counter("profile_samples_recorded_by_ring_total", "Samples recorded that went through the ring buffer.",
               account.recorded_by_ring);
}

void write_user_stacks(MetricsText& text, const StackEndCounts& ends) {
  text.begin("profile_user_stacks_total", "counter",
             "Samples with a user stack, by why it ends: root is a whole one, unknown is not told.");
  ends.each([&](StackEnd end, std::uint64_t samples) { text.sample(samples, {{"end", words_of(end).key}}); });
}

void write_cost(MetricsText& text, const LiveView::Status& status) {
  text.counter("process_cpu_seconds_total", "CPU time of the profiler itself.", status.cpu_s);
  text.gauge("process_resident_memory_bytes", "Memory of the profiler itself.", status.rss_bytes);
  text.counter("profile_children_cpu_seconds_total", "CPU time of its child processes.", status.children_cpu_s);
  text.gauge("profile_children_resident_memory_bytes",
             "Memory of its child processes, each with the pages that it shares with others.",
             status.children_rss_bytes);
  if (status.bpf_ns == 0 && status.bpf_runs == 0) return;  // unknown
  text.counter("profile_bpf_seconds_total", "Time the profiler's BPF programs ran.", to_seconds(status.bpf_ns));
  text.counter("profile_bpf_runs_total", "How often they ran.", status.bpf_runs);
}

struct PushMetric {
  std::string_view name;
  std::string_view type;
  std::string_view help;
  std::uint64_t PushCounts::*count;
};
constexpr PushMetric push_metrics[] = {
    {"profile_push_requests_sent_total", "counter", "Profiles that a server of --push has accepted.",
     &PushCounts::sent_requests},
    {"profile_push_samples_sent_total", "counter", "Samples in them.", &PushCounts::sent_samples},
    {"profile_push_tries_failed_total", "counter", "Tries that failed and are repeated.", &PushCounts::failed_tries},
    {"profile_push_samples_refused_total", "counter", "Samples that the server will not take.",
     &PushCounts::refused_samples},
    {"profile_push_samples_lost_total", "counter", "Samples that went because too many were waiting.",
     &PushCounts::lost_samples},
    {"profile_push_waiting_samples", "gauge", "Samples that the server has not accepted yet.",
     &PushCounts::waiting_samples},
    {"profile_push_waiting_bytes", "gauge", "Bytes of the requests that have them.", &PushCounts::waiting_bytes},
};

void write_pushes(MetricsText& text, const std::vector<PushCounts>& pushes) {
  if (pushes.empty()) return;
  for (const PushMetric& metric : push_metrics) {
    text.begin(metric.name, metric.type, metric.help);
    for (const PushCounts& counts : pushes) text.sample(counts.*metric.count, {{"target", counts.target}});
  }
  text.begin("profile_push_lag_seconds", "gauge", "How long the oldest profile has waited that is not accepted yet.");
  for (const PushCounts& counts : pushes) {
    const auto now_s = static_cast<std::uint64_t>(std::time(nullptr));
    const std::uint64_t lag_s = counts.oldest_unix_s == 0 ? 0 : now_s - std::min(now_s, counts.oldest_unix_s);
    text.sample(lag_s, {{"target", counts.target}});
  }
}

void write_view(MetricsText& text, const LiveFigures& figures) {
  text.gauge("profile_last_drain_age_seconds", "Since what the kernel holds was last read.",
             to_seconds(figures.silence_ns));
  text.counter("profile_live_ticks_total", "Times that what was sampled was handed to the live view.", figures.ticks);
  text.counter("profile_live_skipped_value_total", "Of the value, what the page does not show, for want of time.",
               figures.skipped);
  text.gauge("profile_live_stack_nodes", "Nodes in the page's tree of stacks.", figures.nodes);
  text.gauge("profile_live_owners", "Processes and threads the page tells apart, by CPU.", figures.owners);
  text.gauge("profile_live_text_bytes", "Memory of the page's names.", figures.text_bytes);
  text.counter("profile_live_folded_nodes_total", "Nodes folded into their parents to keep the tree small.",
               figures.folded_nodes);
  text.gauge("profile_live_clients", "Clients that follow the page's events.", figures.clients.readers);
  text.gauge("profile_live_captures", "Requests for a profile that are under way.", figures.captures);
  text.counter("profile_live_clients_refused_total", "Clients there was no room for.", figures.clients.refused);
  text.counter("profile_live_clients_reset_total", "Snapshots sent in the place of events that a client missed.",
               figures.clients.resets);
  text.counter("profile_live_clients_dropped_total", "Clients that took too long to read a snapshot.",
               figures.clients.dropped);
}

}  // namespace

std::string metrics_text(const LiveFigures& figures, const RunInfo& run, const std::string& version) {
  MetricsText text;
  text.begin("profile_build_info", "gauge", "The version of the profiler; always 1.");
  text.sample(1, {{"version", version}});
  write_account(text, figures.status.account);
  text.begin("profile_value_total", run.is_state ? "gauge" : "counter", "What was recorded, in its unit.");
  text.sample(figures.value, {{"event", run.event}, {"unit", run.unit.word()}});
  write_user_stacks(text, figures.user_stacks);
  write_cost(text, figures.status);
  write_view(text, figures);
  write_pushes(text, figures.status.pushes);
  return std::move(text).text();
}

}  // namespace profile
