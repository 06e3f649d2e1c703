// Who looks on while a run goes on: the page of -T.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "deliver/live_view.h"

namespace profile {

class Watching {
 public:
  // Opens the page if the options ask for one. Throws Error when it cannot.
  // `run` must outlive it.
  Watching(const Options& options, const RunInfo& run);

  [[nodiscard]] bool any() const { return live_ != nullptr; }
  // Where the page is; empty when there is none.
  [[nodiscard]] std::string url() const { return live_ ? live_->url() : ""; }
  // What was sampled since the last call. `account` and `cost` are those of the run up to now.
  void add(std::shared_ptr<const Profile> profile, const Account& account, const BpfCost& cost);

  // The run is over.
  void end();

 private:
  const RunInfo& run_;
  std::unique_ptr<LiveView> live_;
};

}  // namespace profile
