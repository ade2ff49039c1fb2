#include "grappa/base/version.hpp"

#if defined(__clang__)
#define GRAPPA_COMPILER "Clang " __clang_version__
#else
#define GRAPPA_COMPILER "GCC " __VERSION__
#endif

#if defined(GRAPPA_ASAN)
#define GRAPPA_SANITIZER ", address sanitizer"
#elif defined(GRAPPA_TSAN)
#define GRAPPA_SANITIZER ", thread sanitizer"
#else
#define GRAPPA_SANITIZER ""
#endif

namespace grappa {

std::string_view version() noexcept { return GRAPPA_VERSION; }

std::string_view build_description() noexcept {
  return GRAPPA_BUILD_TYPE ", " GRAPPA_COMPILER GRAPPA_SANITIZER;
}

}  // namespace grappa
