#include "support/effort.h"

#include <algorithm>

#include "support/clock.h"

namespace profile {
namespace {

// A budget is about a second of work, so in the long run this is a twentieth of a CPU. That is many times the work of
// reading large programs again whenever they start; the first reading needs more.
constexpr std::uint64_t budgets_allowed = 3;
constexpr double seconds_a_budget = 20;
// For wasted work: at first more than the largest programs need, then a thousandth of a CPU.
constexpr std::uint64_t eighths_wasted = 5;
constexpr double wasted_whole_after_s = 600;
// The smallest share of a file, as a part of the budget: more than all but the largest programs need.
constexpr std::uint64_t least_share = 32;
// Other files wait for wasted work: it ends after one file that is too large, or after some small ones.
constexpr std::uint64_t wasted_share = 8;
constexpr std::size_t most_remembered = 10'000;
// How much all owners but root have together, as a multiple of what one has.
constexpr std::uint64_t owners_allowed = 2;
// When so many have spent something lately, the other owners share the Effort of this number, which is nobody's.
constexpr std::size_t most_owners = 256;
constexpr std::uint64_t other_owners = UINT64_MAX;
constexpr std::uint64_t root = 0;

// What is kept for the owner; `make` makes it when nothing is.
template <class Kept, class Make>
Kept& kept_for(std::unordered_map<std::uint64_t, Kept>& all, std::uint64_t owner, const Make& make) {
  if (const auto found = all.find(owner); found != all.end()) return found->second;
  if (all.size() >= most_owners && owner != root) {
    std::erase_if(all, [](const auto& each) { return each.second.is_fresh(); });
    if (all.size() >= most_owners) owner = other_owners;
  }
  const auto found = all.find(owner);
  return found != all.end() ? found->second : all.emplace(owner, make()).first->second;
}

}  // namespace

void Allowance::renew(std::uint64_t now_ns) {
  const double part = std::min(to_seconds(now_ns - renewed_ns_) / whole_after_s_, 1.0);
  renewed_ns_ = now_ns;
  const auto back = static_cast<std::uint64_t>(part * static_cast<double>(most_));
  budget_ = WorkBudget(std::min(most_, budget_.left() + back));
}

Effort::Effort(std::uint64_t most, bool is_repeated)
    : most_(most),
      most_wasted_(is_repeated ? most / wasted_share : UINT64_MAX),
      left_(most),
      allowance_(budgets_allowed * most, budgets_allowed * seconds_a_budget),
      wasteful_(most / 8 * eighths_wasted, wasted_whole_after_s),
      budget_(0) {}

void Effort::renew(std::uint64_t now_ns) {
  allowance_.renew(now_ns);
  wasteful_.renew(now_ns);
  left_ = std::min(most_, allowance_.left());
  wasted_ = 0;
}

bool Effort::begin(std::uint64_t file, std::uint64_t at_most) {
  const auto found = known_.find(file);
  const Known known = found != known_.end() ? found->second : Known{};
  // A file that could be read before must stay readable when other files are too large.
  const std::uint64_t least = std::min(most_, std::max(most_ / least_share, 2 * known.needed));
  const std::uint64_t entitled = std::max(least, wasteful_.left());
  file_ = file;
  given_ = std::min({left_, entitled, at_most});
  is_given_all_ = given_ == entitled;
  budget_ = WorkBudget(given_);
  if (given_ == 0 || wasted_ >= most_wasted_) return false;
  return is_given_all_ || given_ / 2 >= known.insufficient;
}

Effort::Verdict Effort::end() {
  const std::uint64_t used = given_ - budget_.left();
  left_ -= used;
  allowance_.budget().take(used);
  if (known_.size() >= most_remembered) known_.clear();
  Known& known = known_[file_];
  if (!budget_.spent()) {
    known.needed = std::max(known.needed, used);
    return Verdict::fits;
  }
  wasteful_.budget().take(given_);
  wasted_ += given_;
  known.insufficient = std::max(known.insufficient, given_);
  return is_given_all_ ? Verdict::too_large : Verdict::later;
}

OwnerEfforts::OwnerEfforts(std::uint64_t most, bool is_repeated)
    : most_(most),
      is_repeated_(is_repeated),
      all_(owners_allowed * budgets_allowed * most, budgets_allowed * seconds_a_budget),
      budget_(0) {}

void OwnerEfforts::renew(std::uint64_t now_ns) {
  renewed_ns_ = now_ns;
  all_.renew(now_ns);
  for (auto& [owner, effort] : efforts_) effort.renew(now_ns);
}

Effort& OwnerEfforts::effort_of(std::uint64_t owner) {
  return kept_for(efforts_, owner, [&] {
    Effort fresh(most_, is_repeated_);
    fresh.renew(renewed_ns_);
    return fresh;
  });
}

bool OwnerEfforts::begin(std::uint64_t owner, std::uint64_t file) {
  effort_ = &effort_of(owner);
  is_of_root_ = owner == root;
  const bool may_begin = effort_->begin(file, is_of_root_ ? UINT64_MAX : all_.left() / 2);
  budget_ = effort_->budget();
  given_ = budget_.left();
  return may_begin;
}

Effort::Verdict OwnerEfforts::end() {
  effort_->budget() = budget_;
  if (!is_of_root_) all_.budget().take(given_ - budget_.left());
  return effort_->end();
}

OwnerAllowances::OwnerAllowances(std::uint64_t most, double whole_after_s)
    : most_(most), whole_after_s_(whole_after_s), all_(owners_allowed * most, whole_after_s), budget_(0) {}

void OwnerAllowances::renew(std::uint64_t now_ns) {
  all_.renew(now_ns);
  for (auto& [owner, allowance] : allowances_) allowance.renew(now_ns);
}

void OwnerAllowances::begin(std::uint64_t owner) {
  allowance_ = &kept_for(allowances_, owner, [&] { return Allowance(most_, whole_after_s_); });
  is_of_root_ = owner == root;
  given_ = is_of_root_ ? allowance_->left() : std::min(allowance_->left(), all_.left() / 2);
  budget_ = WorkBudget(given_);
}

void OwnerAllowances::end() {
  const std::uint64_t used = given_ - budget_.left();
  allowance_->budget().take(used);
  if (!is_of_root_) all_.budget().take(used);
}

}  // namespace profile
