// The sink that feeds the page of -T.
#pragma once

#include <memory>
#include <string>

#include "app/profile_sink.h"
#include "web/view.h"

namespace profile {

class LivePage : public ProfileSink {
 public:
  // Loads the module and starts to listen. Throws Error when that fails.
  LivePage(const LiveOptions& options, const RunInfo& run);

  [[nodiscard]] std::string url() const { return view_->url(); }
  void add(const std::shared_ptr<const Profile>& profile, const RunStatus& status) override;
  void end() override { view_->end(); }
  [[nodiscard]] bool is_open() const override { return true; }
  [[nodiscard]] bool is_live() const override { return true; }

 private:
  std::unique_ptr<LiveView> view_;
};

}  // namespace profile
