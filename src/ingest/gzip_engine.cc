#include "ingest/gzip_engine.h"

#include <dlfcn.h>
#include <zlib.h>

#include <algorithm>

#if __has_include(<isa-l/igzip_lib.h>)
#include <isa-l/igzip_lib.h>
#define FRX_HAS_ISAL 1
#else
#define FRX_HAS_ISAL 0
#endif

namespace frx::ingest {
namespace {

// Both libraries count bytes in 32 bits.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

template <typename Byte>
std::uint32_t length(std::span<Byte> bytes) {
  return static_cast<std::uint32_t>(std::min(bytes.size(), most_at_once));
}

// Neither library writes to its input, whatever its header says.
template <typename Pointer>
Pointer input(std::span<const char> packed) {
  return reinterpret_cast<Pointer>(const_cast<char*>(packed.data()));
}

class Zlib : public GzipEngine {
 public:
  ~Zlib() override { inflateEnd(&stream_); }

  Status run(std::span<const char>& packed, std::span<char>& output) override {
    const std::uint32_t in = length(packed), out = length(output);
    stream_.next_in = input<Bytef*>(packed);
    stream_.avail_in = in;
    stream_.next_out = reinterpret_cast<Bytef*>(output.data());
    stream_.avail_out = out;
    const int status = made_ ? inflate(&stream_, Z_NO_FLUSH) : Z_MEM_ERROR;
    packed = packed.subspan(in - stream_.avail_in);
    output = output.subspan(out - stream_.avail_out);
    if (status == Z_STREAM_END) return Status::end_of_member;
    if (status == Z_OK || status == Z_BUF_ERROR) return Status::more;
    message_ = stream_.msg ? stream_.msg : "not gzip";
    return Status::damaged;
  }

  void next_member() override { made_ = made_ && inflateReset(&stream_) == Z_OK; }

 private:
  static constexpr int gzip_only = 15 + 16;  // how zlib is told to expect gzip headers, with the largest window

  z_stream stream_{};
  bool made_ = inflateInit2(&stream_, gzip_only) == Z_OK;
};

#if FRX_HAS_ISAL

struct Isal {
  decltype(&isal_inflate_init) init = nullptr;
  decltype(&isal_inflate_reset) reset = nullptr;
  decltype(&isal_inflate) run = nullptr;

  // Null where the library is not installed. It is never unloaded.
  static const Isal* loaded() {
    static const Isal isal = load();
    return isal.init && isal.reset && isal.run ? &isal : nullptr;
  }

 private:
  static Isal load() {
    Isal isal;
    void* const library = ::dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL);  // the version determines the layout of the structures
    if (library == nullptr) return isal;
    isal.init = reinterpret_cast<decltype(isal.init)>(::dlsym(library, "isal_inflate_init"));
    isal.reset = reinterpret_cast<decltype(isal.reset)>(::dlsym(library, "isal_inflate_reset"));
    isal.run = reinterpret_cast<decltype(isal.run)>(::dlsym(library, "isal_inflate"));
    return isal;
  }
};

std::string words_of(int status) {
  switch (status) {
    case ISAL_INVALID_BLOCK: return "invalid block";
    case ISAL_INVALID_SYMBOL: return "invalid symbol";
    case ISAL_INVALID_LOOKBACK: return "invalid distance too far back";
    case ISAL_INVALID_WRAPPER: return "incorrect header check";
    case ISAL_UNSUPPORTED_METHOD: return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM: return "incorrect data check";
    default: return "not gzip";
  }
}

class IsalEngine : public GzipEngine {
 public:
  explicit IsalEngine(const Isal& isal) : isal_(isal), state_(std::make_unique<inflate_state>()) {
    isal_.init(state_.get());
    state_->crc_flag = ISAL_GZIP;
  }

  Status run(std::span<const char>& packed, std::span<char>& output) override {
    const std::uint32_t in = length(packed), out = length(output);
    state_->next_in = input<std::uint8_t*>(packed);
    state_->avail_in = in;
    state_->next_out = reinterpret_cast<std::uint8_t*>(output.data());
    state_->avail_out = out;
    const int status = isal_.run(state_.get());
    const bool moved = state_->avail_in < in || state_->avail_out < out;
    packed = packed.subspan(in - state_->avail_in);
    output = output.subspan(out - state_->avail_out);
    if (status == ISAL_DECOMP_OK && state_->block_state == ISAL_BLOCK_FINISH) return Status::end_of_member;
    // No progress despite input and free output space would loop for ever.
    if (status == ISAL_DECOMP_OK && (moved || in == 0 || out == 0)) return Status::more;
    message_ = words_of(status);
    return Status::damaged;
  }

  void next_member() override {
    isal_.reset(state_.get());
    state_->crc_flag = ISAL_GZIP;
  }

 private:
  const Isal& isal_;
  std::unique_ptr<inflate_state> state_;
};

#endif

}  // namespace

std::unique_ptr<GzipEngine> zlib_engine() { return std::make_unique<Zlib>(); }

std::unique_ptr<GzipEngine> isal_engine() {
#if FRX_HAS_ISAL
  if (const Isal* isal = Isal::loaded()) return std::make_unique<IsalEngine>(*isal);
#endif
  return nullptr;
}

}  // namespace frx::ingest
