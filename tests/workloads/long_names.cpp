/* Two functions of a template with ninety long arguments, as libraries of expression templates have them: their mangled
 * names have 6 KB, and differ only at the end. alpha works three times as much as beta.
 * `long_names SECONDS` */
#include "workload.h"

#define TEN(each, n) \
  each(n##0) each(n##1) each(n##2) each(n##3) each(n##4) each(n##5) each(n##6) each(n##7) each(n##8) each(n##9)
#define NINETY(each) \
  TEN(each, 1) TEN(each, 2) TEN(each, 3) TEN(each, 4) TEN(each, 5) TEN(each, 6) TEN(each, 7) TEN(each, 8) TEN(each, 9)

#define TYPE(n)                               \
  namespace rather_long_namespace_##n {       \
    struct Rather_long_structure_name_##n {}; \
  }
NINETY(TYPE)

template <class... T>
struct Pack {
  static __attribute__((noinline)) void alpha(unsigned long units) { WORK(3 * units); }
  static __attribute__((noinline)) void beta(unsigned long units) { WORK(units); }
};

#define ARGUMENT(n) , rather_long_namespace_##n::Rather_long_structure_name_##n
using Long = Pack<void NINETY(ARGUMENT)>;

int main(int argc, char** argv) {
  end_after(seconds_of(argc, argv));
  while (goes_on) {
    const unsigned long units = next_unit();
    Long::alpha(units);
    Long::beta(units);
  }
}
