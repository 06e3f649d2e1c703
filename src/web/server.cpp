// The live page. LiveFeed makes its answers on a thread of its own, and requests that must wait are suspended, so that
// neither this thread nor the server's waits for them.
#include <microhttpd.h>

#include <chrono>
#include <optional>
#include <sstream>
#include <utility>

#include "output/json_writer.h"
#include "output/page.h"
#include "support/clock.h"
#include "support/module.h"
#include "web/daemon.h"
#include "web/feed.h"
#include "web/http.h"
#include "web/metrics.h"
#include "web/pages.h"
#include "web/requests.h"
#include "web/saves.h"
#include "web/view.h"

namespace profile {
namespace {

// The time for our own thread to make the last answers. That takes long if there is much data and little CPU time.
constexpr auto longest_answers_at_end = std::chrono::seconds(20);

// go tool pprof asks by POST for names that it does not find in a profile, and gives up if that is refused. All known
// names are in the profile, so the answer has none.
constexpr std::string_view symbol_path = "/debug/pprof/symbol";
constexpr std::string_view no_symbols = "num_symbols: 0\n";
constexpr std::string_view pprof_index =
    "profile: what is served here\n"
    "  profile?seconds=N   a pprof file of the next N seconds, 30 unless told; go tool pprof reads it\n"
    "  profile?pid=PID     only this process; may be repeated, and joined by &\n";

constexpr std::string_view no_recording =
    "this run keeps no samples to save, because an event without a rate may come a million times a second; with "
    "-o FILE.db it writes each one, and this path saves from that";

struct AskedCapture {
  CaptureQuery query;
  std::string refused;  // why; empty if it is not
};

AskedCapture asked_capture(MHD_Connection* connection) {
  AskedCapture asked;
  MHD_get_connection_values_n(
      connection, MHD_GET_ARGUMENT_KIND,
      [](void* to, MHD_ValueKind /*kind*/, const char* key, std::size_t key_size, const char* value,
         std::size_t value_size) noexcept {
        auto& [query, refused] = *static_cast<AskedCapture*>(to);
        refused = take_parameter(query, std::string_view(key, key_size),
                                 value == nullptr ? std::string_view() : std::string_view(value, value_size));
        return refused.empty() ? MHD_YES : MHD_NO;
      },
      &asked);
  return asked;
}

class LiveServer final : public LiveView, private HttpDaemon {
 public:
  LiveServer(const LiveOptions& options, SaveRecording save)
      : HttpDaemon(options.address, options.port, options.hosts),
        path_(live_path_of(options.path)),
        longest_silence_ns_(options.longest_silence_ns),
        saves_(std::move(save)) {}

  void begin(const RunInfo& run) override {
    feed_.emplace(run, longest_silence_ns_);
    about_.run = run;
    about_.began_unix_ns = monotonic_ns() + unix_offset_ns();
    start();
  }

  ~LiveServer() override {
    saves_.end();
    if (!is_started()) return;
    feed_->end();
    feed_->wait_for_answers(longest_answers_at_end);
    stop([this] { feed_->close(); });
  }

  [[nodiscard]] std::string url() const override { return origin() + path_; }
  void add(std::shared_ptr<const Profile> profile, const Status& status) override {
    feed_->add(std::move(profile), status);
    hang_up_slow();
  }
  void end() override { feed_->end(); }

 private:
  [[nodiscard]] std::string home() const override { return url(); }
  [[nodiscard]] bool is_page(std::string_view url) const override { return url == path_; }
  [[nodiscard]] bool takes_post(std::string_view url) const override { return url == symbol_path; }

  MHD_Result answer(MHD_Connection* connection, const Asked& asked) override {
    if (asked.url == path_ + "events" && !asked.is_head) return send_events(connection, feed_->events());
    if (asked.url == "/debug/pprof/profile") return begin_capture(connection, asked);
    if (asked.url == path_ + "recording" && saves_.is_possible()) return begin_save(connection, asked);
    return send(connection, plain_answer(asked.url));
  }

  // Answers that can be made at once.
  [[nodiscard]] LiveAnswer plain_answer(std::string_view url) const {
    if (url == path_) return {.type = "text/html; charset=utf-8", .body = page(), .may = PageAnswer::May::run_script};
    if (url == path_ + "events") return {.type = "text/event-stream"};  // HEAD
    if (url == "/metrics") {
      return {.type = "text/plain; version=0.0.4; charset=utf-8",
              .body = metrics_text(feed_->figures(), about_.run, PROFILE_VERSION)};
    }
    if (url == "/healthz") {
      if (feed_->is_healthy()) return {.body = "ok\n"};
      return refusal(MHD_HTTP_SERVICE_UNAVAILABLE, "the run has ended, or is stuck");
    }
    if (url == symbol_path) return {.body = std::string(no_symbols)};
    if (url == "/debug/pprof/") return {.body = std::string(pprof_index)};
    if (std::string(url) + '/' == path_) {
      return {.status = MHD_HTTP_PERMANENT_REDIRECT, .extra_name = "Location", .extra_value = path_};
    }
    if (url == path_ + "recording") return refusal(MHD_HTTP_NOT_FOUND, std::string(no_recording));
    return refusal(MHD_HTTP_NOT_FOUND, "there is nothing here; the page is " + this->url());
  }

  [[nodiscard]] std::string page() const {
    std::ostringstream out;
    out << page_before_data(PageUse::live);
    JsonWriter json(out, JsonWriter::Context::html);
    json.begin_object();
    json.member("version", page_data_version);
    json.begin_object("live");
    json.member("events", path_ + "events");
    if (saves_.is_possible()) json.member("recording", path_ + "recording");
    json.end_object();
    write_page_run(json, about_);
    json.end_object();
    json.end_document();
    out << page_after_data();
    return std::move(out).str();
  }

  MHD_Result begin_capture(MHD_Connection* connection, const Asked& request) {
    AskedCapture asked = asked_capture(connection);
    if (!asked.refused.empty()) return send(connection, refusal(MHD_HTTP_BAD_REQUEST, std::move(asked.refused)));
    if (request.is_head) return send_profile(connection, {});
    const auto capture = feed_->captures().begin(
        std::move(asked.query), [connection] { MHD_suspend_connection(connection); },
        [connection] { MHD_resume_connection(connection); }, [connection] { return is_gone(connection); });
    if (!capture) return send(connection, overloaded("too many profiles are being taken, or the run has ended"));
    request.go_on = [this, capture](MHD_Connection* resumed) { return answer_capture(resumed, *capture); };
    return MHD_YES;
  }

  MHD_Result answer_capture(MHD_Connection* connection, LiveCaptures::Capture& capture) {
    if (!capture.answer.empty()) return send_profile(connection, std::move(capture.answer));
    if (is_gone(connection)) {
      return send(connection, refusal(MHD_HTTP_BAD_REQUEST,
                                      "the connection was closed at your end, and so nobody seemed to wait for the "
                                      "profile; keep it open until the answer is there"));
    }
    return send(connection, overloaded("nothing was sampled before the run ended, or there is no memory"));
  }

  MHD_Result begin_save(MHD_Connection* connection, const Asked& request) {
    const AskedCapture asked = asked_capture(connection);
    if (!asked.refused.empty()) return send(connection, refusal(MHD_HTTP_BAD_REQUEST, asked.refused));
    if (!asked.query.tgids.empty()) {
      return send(connection, refusal(MHD_HTTP_BAD_REQUEST, "a recording has all processes; profile report has -p"));
    }
    if (request.is_head) return send_recording(connection, {});
    const auto save = saves_.begin(
        static_cast<double>(asked.query.seconds), [connection] { MHD_suspend_connection(connection); },
        [connection] { MHD_resume_connection(connection); });
    if (!save) return send(connection, overloaded("too many recordings are being saved, or the run has ended"));
    request.go_on = [this, save](MHD_Connection* resumed) {
      if (!save->answer.empty()) return send_recording(resumed, std::move(save->answer));
      return send(resumed, overloaded("nothing is recorded: the run has ended, libsqlite3 is not there, or there is "
                                      "no memory"));
    };
    return MHD_YES;
  }

  MHD_Result send_recording(MHD_Connection* connection, std::string file) {
    return send(connection, {.type = "application/vnd.sqlite3",
                             .body = std::move(file),
                             .extra_name = "Content-Disposition",
                             .extra_value = "attachment; filename=\"profile.db\""});
  }

  // Sends the profile with the file name that Go's own servers use.
  MHD_Result send_profile(MHD_Connection* connection, std::string file) {
    return send(connection, {.type = "application/octet-stream",
                             .body = std::move(file),
                             .extra_name = "Content-Disposition",
                             .extra_value = "attachment; filename=\"profile\""});
  }

  std::string path_;
  Profile about_;  // the run; it has no rows
  std::uint64_t longest_silence_ns_;
  LiveSaves saves_;
  std::optional<LiveFeed> feed_;  // set from begin() on
};

constexpr LiveViewModule web{.make = make_live_view, .make_pages = make_page_server};

}  // namespace

std::unique_ptr<LiveView> make_live_view(const LiveOptions& options, SaveRecording save) {
  return std::make_unique<LiveServer>(options, std::move(save));
}

extern "C" const ModuleEntry profile_module_web{.version = PROFILE_VERSION, .functions = &web};

}  // namespace profile
