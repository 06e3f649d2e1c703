#include "web/pages.h"

#include <sys/stat.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "support/error.h"
#include "web/daemon.h"
#include "web/http.h"

namespace profile {
namespace {

// Those who wait, in all. Each holds a connection, of which there are more.
constexpr std::size_t most_waiters = 48;
constexpr std::size_t most_parameters = 64;

class Waiter final : public PageWaiter {
 public:
  explicit Waiter(MHD_Connection* connection) : connection_(connection) {}

  void answer(PageAnswer page) override {
    const std::scoped_lock lock(mutex_);
    if (connection_ == nullptr) return;
    page_ = std::move(page);
    MHD_resume_connection(std::exchange(connection_, nullptr));
  }
  [[nodiscard]] bool is_there() const override {
    const std::scoped_lock lock(mutex_);
    return connection_ != nullptr && !is_gone(connection_);
  }
  [[nodiscard]] bool is_answered() const {
    const std::scoped_lock lock(mutex_);
    return connection_ == nullptr;
  }
  // After the connection was resumed.
  [[nodiscard]] PageAnswer take() { return std::move(page_); }

 private:
  mutable std::mutex mutex_;
  MHD_Connection* connection_;  // nullptr: it is answered
  PageAnswer page_{};
};

// nullopt: there are too many.
std::optional<PageRequest> request_of(MHD_Connection* connection, std::string_view url) {
  std::pair<PageRequest, bool> asked{{.path = std::string(url), .parameters = {}}, true};
  MHD_get_connection_values_n(
      connection, MHD_GET_ARGUMENT_KIND,
      [](void* to, MHD_ValueKind /*kind*/, const char* key, std::size_t key_size, const char* value,
         std::size_t value_size) noexcept {
        auto& [request, is_taken] = *static_cast<std::pair<PageRequest, bool>*>(to);
        try {
          is_taken = request.parameters.size() < most_parameters;
          if (is_taken) {
            request.parameters.emplace_back(std::string(key, key_size),
                                            value == nullptr ? std::string() : std::string(value, value_size));
          }
        } catch (const std::exception&) {
          is_taken = false;
        }
        return is_taken ? MHD_YES : MHD_NO;
      },
      &asked);
  return asked.second ? std::optional(std::move(asked.first)) : std::nullopt;
}

class Server final : public PageServer, private HttpDaemon {
 public:
  Server(const PageServerOptions& options, OnPageRequest on_request)
      : HttpDaemon(options.address, options.port, options.hosts),
        paths_(options.paths),
        on_request_(std::move(on_request)) {
    start();
  }
  ~Server() override {
    // Nobody makes them any more.
    for (const auto& waiter : waiters_of()) waiter->answer(at_end());
    stop([this] {
      for (const auto& waiter : waiters_of()) waiter->answer(at_end());
    });
  }

  [[nodiscard]] std::string url() const override { return origin() + std::string(paths_.front()); }
  void tend() override { hang_up_slow(); }

 private:
  [[nodiscard]] std::string home() const override { return url(); }
  [[nodiscard]] bool is_page(std::string_view url) const override {
    return std::ranges::find(paths_, url) != paths_.end();
  }

  MHD_Result answer(MHD_Connection* connection, const Asked& asked) override {
    if (!is_page(asked.url))
      return send(connection, refusal(MHD_HTTP_NOT_FOUND, "there is nothing here; begin at " + url()));
    if (asked.is_head) return send(connection, {.type = "text/html; charset=utf-8"});
    std::optional<PageRequest> request = request_of(connection, asked.url);
    if (!request) return send(connection, refusal(MHD_HTTP_BAD_REQUEST, "it has too many parameters"));
    std::shared_ptr<Waiter> waiter;
    {
      const std::scoped_lock lock(mutex_);
      std::erase_if(waiters_, [](const auto& each) { return each.expired() || each.lock()->is_answered(); });
      if (waiters_.size() >= most_waiters || has_ended_)
        return send(connection, overloaded("too many pages are being made"));
      waiter = std::make_shared<Waiter>(connection);
      waiters_.push_back(waiter);
      MHD_suspend_connection(connection);
    }
    asked.go_on = [this, waiter](MHD_Connection* resumed) { return send_page(resumed, waiter->take()); };
    try {
      on_request_(std::move(*request), waiter);
    } catch (const std::exception&) {
      waiter->answer({.status = MHD_HTTP_SERVICE_UNAVAILABLE, .text = "there is no memory\n"});
    }
    return MHD_YES;
  }

  MHD_Result send_page(MHD_Connection* connection, PageAnswer page) {
    LiveAnswer answer{.status = page.status,
                      .type = std::move(page.type),
                      .body = std::move(page.text),
                      .file = std::move(page.file),
                      .may = page.may};
    if (!page.file_name.empty()) {
      answer.extra_name = "Content-Disposition";
      answer.extra_value = "attachment; filename=\"" + page.file_name + '"';
    }
    return send(connection, std::move(answer));
  }

  static PageAnswer at_end() { return {.status = MHD_HTTP_SERVICE_UNAVAILABLE, .text = "the server ends\n"}; }

  // From now on there are no new ones.
  std::vector<std::shared_ptr<Waiter>> waiters_of() {
    const std::scoped_lock lock(mutex_);
    has_ended_ = true;
    std::vector<std::shared_ptr<Waiter>> all;
    for (const auto& each : waiters_) {
      if (auto waiter = each.lock()) all.push_back(std::move(waiter));
    }
    return all;
  }

  std::vector<std::string_view> paths_;
  OnPageRequest on_request_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<Waiter>> waiters_;
  bool has_ended_ = false;
};

}  // namespace

std::unique_ptr<PageServer> make_page_server(const PageServerOptions& options, OnPageRequest on_request) {
  return std::make_unique<Server>(options, std::move(on_request));
}

}  // namespace profile
