// Asks a store. A child process without privileges does it, and gives the answer in pieces, so that no server can reach
// this process, or fill its memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "children/channel.h"
#include "children/own_processes.h"
#include "push/target.h"
#include "support/error.h"

namespace profile {

class StoreAsker {
 public:
  // Starts the child and waits until it is ready. `credentials` as of PushSettings. Throws Error.
  StoreAsker(PushTarget store, std::string credentials);
  ~StoreAsker();
  StoreAsker(const StoreAsker&) = delete;
  StoreAsker& operator=(const StoreAsker&) = delete;

  // Calls `take` with each piece of the answer to the SQL, in their order. Throws Error, which begins with the name of
  // the store, if there is no answer, it is an exception, or has more than `most_bytes`. Waits for ten minutes at
  // most.
  using TakePiece = std::function<void(std::string_view)>;
  void ask(const std::string& sql, std::uint64_t most_bytes, const TakePiece& take);
  // The whole of a short answer.
  [[nodiscard]] std::string ask(const std::string& sql);

  [[nodiscard]] const PushTarget& store() const { return store_; }
  [[nodiscard]] Error error(const std::string& why) const { return Error(store_.name + ": " + why); }

 private:
  PushTarget store_;
  std::string credentials_;
  OwnProcess child_;
  Channel channel_;
};

}  // namespace profile
