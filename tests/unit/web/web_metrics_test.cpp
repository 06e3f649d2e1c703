// Tests the text of /metrics, by the rules of Prometheus' text format 0.0.4.
#include <doctest/doctest.h>

#include <ctime>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "fixed_profile.h"
#include "web/metrics.h"

using namespace profile;

namespace {

struct Metrics {
  std::map<std::string, std::string> type_of;
  std::map<std::string, double> value_of;  // by name and labels, as in the text
};

// Fails the test for a line in a wrong format, for a metric without HELP and TYPE before its samples, for a duplicate
// metric, and for a counter with a wrong name.
Metrics read_metrics(const std::string& text) {
  static const std::regex help(R"(# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (\S.*))");
  static const std::regex type(R"(# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge))");
  static const std::regex sample(
      R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-zA-Z_]\w*="(?:[^"\\]|\\["\\n])*"(?:,[a-zA-Z_]\w*="(?:[^"\\]|\\["\\n])*")*\})? ([-+.e0-9]+))re");
  Metrics metrics;
  std::set<std::string> helped;
  std::string current;
  REQUIRE(text.ends_with('\n'));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    std::smatch match;
    if (std::regex_match(line, match, help)) {
      CHECK(helped.insert(match[1]).second);
    } else if (std::regex_match(line, match, type)) {
      current = match[1];
      CHECK(helped.contains(current));
      CHECK(metrics.type_of.emplace(current, match[2]).second);
      if (match[2] == "counter") CHECK(current.ends_with("_total"));
      if (match[2] == "gauge") CHECK_FALSE(current.ends_with("_total"));
    } else {
      REQUIRE(std::regex_match(line, match, sample));
      CHECK(match[1] == current);
      CHECK(metrics.value_of.emplace(std::string(match[1]) + std::string(match[2]), std::stod(match[3])).second);
    }
  }
  return metrics;
}

LiveFigures figures() {
  LiveFigures all;
  all.status.account = {.asked = 130,
                        .taken = 100,
                        .recorded = 60,
                        .recorded_by_ring = 5,
                        .idle = 20,
                        .filtered = 10,
                        .lost_ring_full = 4,
                        .lost_spans_full = 3,
                        .lost_unwritten = 2,
                        .lost_unread = 1};
  all.status.cpu_s = 1.25;
  all.status.rss_bytes = 7'000'000'000;
  all.status.children_cpu_s = 0.5;
  all.status.children_rss_bytes = 30'000'000;
  all.status.bpf_ns = 1'500'000;
  all.status.bpf_runs = 100;
  all.ticks = 7;
  all.value = 18'000'000'000'000'000'000U;
  return all;
}

}  // namespace

TEST_CASE("the metrics have the right format, and the samples add up") {
  const Metrics metrics = read_metrics(metrics_text(figures(), {}, "0.1.0"));
  const auto value = [&](const char* name) {
    CAPTURE(name);
    REQUIRE(metrics.value_of.contains(name));
    return metrics.value_of.at(name);
  };
  double ended = 0;
  double lost = 0;
  for (const auto& [name, number] : metrics.value_of) {
    if (name.starts_with("profile_samples_total{ended=")) ended += number;
    if (name.starts_with("profile_samples_lost_total{reason=")) lost += number;
  }
  CHECK(value("profile_samples_asked_total") == 130);
  CHECK(value("profile_samples_taken_total") == 100);
  CHECK(ended == 100);
  CHECK(lost == value("profile_samples_total{ended=\"lost\"}"));
  CHECK(value("profile_samples_total{ended=\"idle\"}") == 20);
  CHECK(value("profile_value_total{event=\"cpu-clock\",unit=\"samples\"}") == 1.8e19);
  CHECK(value("process_cpu_seconds_total") == 1.25);
  CHECK(value("process_resident_memory_bytes") == 7e9);
  CHECK(value("profile_children_cpu_seconds_total") == 0.5);
  CHECK(value("profile_children_resident_memory_bytes") == 3e7);
  CHECK(value("profile_bpf_seconds_total") == 0.0015);
  CHECK(value("profile_bpf_runs_total") == 100);
  CHECK(value("profile_live_ticks_total") == 7);
  CHECK(value("profile_build_info{version=\"0.1.0\"}") == 1);
}

TEST_CASE("what became of pushed samples is told for each server") {
  CHECK(metrics_text(figures(), {}, "0.1.0").find("profile_push_") == std::string::npos);
  LiveFigures all = figures();
  all.status.pushes = {{.target = "parca+http://a:7070", .sent_samples = 5, .waiting_bytes = 9},
                       {.target = "parca+http://b\"", .refused_samples = 3, .lost_samples = 4}};
  const Metrics metrics = read_metrics(metrics_text(all, {}, "0.1.0"));
  CHECK(metrics.value_of.at("profile_push_samples_sent_total{target=\"parca+http://a:7070\"}") == 5);
  CHECK(metrics.value_of.at("profile_push_waiting_bytes{target=\"parca+http://a:7070\"}") == 9);
  CHECK(metrics.value_of.at("profile_push_lag_seconds{target=\"parca+http://a:7070\"}") == 0);
  all.status.pushes[0].oldest_unix_s = static_cast<std::uint64_t>(std::time(nullptr)) - 100;
  const double lag_s = read_metrics(metrics_text(all, {}, "0.1.0"))
                           .value_of.at("profile_push_lag_seconds{target=\"parca+http://a:7070\"}");
  CHECK(lag_s >= 100);
  CHECK(lag_s < 110);
  CHECK(metrics.value_of.at("profile_push_samples_refused_total{target=\"parca+http://b\\\"\"}") == 3);
  CHECK(metrics.value_of.at("profile_push_samples_lost_total{target=\"parca+http://b\\\"\"}") == 4);
}

TEST_CASE("unknown metrics are left out") {
  LiveFigures all = figures();
  all.status.bpf_ns = all.status.bpf_runs = all.status.account.asked = 0;
  CHECK_FALSE(read_metrics(metrics_text(all, {}, "0.1.0")).type_of.contains("profile_samples_asked_total"));
  CHECK_FALSE(read_metrics(metrics_text(all, {}, "0.1.0")).type_of.contains("profile_bpf_seconds_total"));
}

TEST_CASE("user stacks are counted by their ends, and every end is listed from 0 on") {
  LiveFigures all = figures();
  const auto ends_in = [](const Metrics& metrics) {
    std::size_t ends = 0;
    for (const auto& [name, number] : metrics.value_of) ends += name.starts_with("profile_user_stacks_total{end=");
    return ends;
  };
  const Metrics before = read_metrics(metrics_text(all, {}, "0.1.0"));
  CHECK(ends_in(before) == static_cast<std::size_t>(StackEnd::count));
  CHECK(before.value_of.at("profile_user_stacks_total{end=\"no_cfi\"}") == 0);
  all.user_stacks.add(test::profile_with_ends());
  const Metrics metrics = read_metrics(metrics_text(all, {}, "0.1.0"));
  CHECK(ends_in(metrics) == static_cast<std::size_t>(StackEnd::count));
  CHECK(metrics.value_of.at("profile_user_stacks_total{end=\"root\"}") == 10);
  CHECK(metrics.value_of.at("profile_user_stacks_total{end=\"no_cfi\"}") == 4);
  CHECK(metrics.value_of.at("profile_user_stacks_total{end=\"unknown\"}") == 2);
  CHECK(metrics.value_of.at("profile_user_stacks_total{end=\"guessed\"}") == 0);
}

TEST_CASE("any name of an event keeps the metrics valid") {
  RunInfo run;
  run.event = "a\"b\\c\nd{e=\"f\"} 9 \xff";
  const Metrics metrics = read_metrics(metrics_text(figures(), run, "\"\n"));
  CHECK(metrics.value_of.contains("profile_value_total{event=\"a\\\"b\\\\c?d{e=\\\"f\\\"} 9 ?\",unit=\"samples\"}"));
}
