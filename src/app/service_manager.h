// Tells the service manager that started this program (systemd with Type=notify) how the run goes, by the protocol of
// sd_notify(3). Without such a manager it does nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace profile {

class ServiceManager {
 public:
  // Reads what the manager has put into the environment.
  ServiceManager();

  // `words`: lines of the form NAME=VALUE. Does not wait; what cannot be told is left untold.
  void tell(std::string_view words) const;
  // How often it wants a sign of life, with time to spare; 0: not at all.
  [[nodiscard]] double sign_of_life_every_s() const { return every_s_; }
  // Tells that the program goes on, unless that was told a moment ago: may be called as often as one likes.
  void show_life();
  // What to tell before the program begins again.
  [[nodiscard]] static std::string reloading();

 private:
  std::string socket_;  // its path, or '@' and its abstract name; "": there is no manager
  double every_s_ = 0;
  std::uint64_t shown_life_ns_ = 0;
};

// Replaces this program by the one that lies at its path now, called as this one was. Throws Error if that fails.
[[noreturn]] void begin_again();

}  // namespace profile
