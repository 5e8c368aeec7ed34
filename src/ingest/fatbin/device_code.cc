#include "ingest/fatbin/device_code.h"

#include <iterator>
#include <set>

#include "ingest/cubin/resources.h"
#include "ingest/fatbin/images.h"

namespace frx::ingest::fatbin {
namespace {

using Target = std::pair<ImageKind, std::string_view>;

class Collector {
 public:
  Collector(model::DeviceCode& code, const ReadLimits& limits, std::size_t file_bytes)
      : code_(code), limits_(limits), left_(limits.bytes_beyond + limits.times_file * file_bytes) {}

  // One image; what cannot be read becomes a note.
  void add(const Image& image) {
    if (image.kind == ImageKind::linker_code || image.kind == ImageKind::other) {
      return note(image, "not read: it is neither machine code nor PTX");
    }
    Result<> read = image.kind == ImageKind::ptx ? add_ptx(image) : add_cubin(image);
    if (read) {
      ++read_;
      return;
    }
    note(image, read.error().message);
    if (!first_error_) first_error_ = std::move(read).error();
  }

  // Nothing at all could be read.
  std::optional<Error> failure() const { return read_ == 0 ? first_error_ : std::nullopt; }

 private:
  Result<std::string> unpacked(const Image& image) {
    if (image.size > left_) return fail(ErrorKind::malformed, "not read: the file unpacks to too much");
    left_ -= image.size;
    return unpack(image, limits_.image_bytes);
  }

  Result<> add_ptx(const Image& image) {
    if (image.size > limits_.ptx_bytes - ptx_bytes_)
      return fail(ErrorKind::malformed, "not kept: there is too much PTX in the file");
    TRY_ASSIGN(std::string text, unpacked(image));
    ptx_bytes_ += text.size();
    code_.ptx.push_back({image.architecture, std::move(text), image.position, image.for_linker});
    return {};
  }

  Result<> add_cubin(const Image& image) {
    std::string bytes;
    if (image.packing != Packing::none) {
      TRY_ASSIGN(bytes, unpacked(image));
    }
    TRY_ASSIGN(std::vector<model::KernelResources> kernels,
               cubin::read_kernel_resources(image.packing == Packing::none ? image.stored : bytes));
    code_.kernels.insert(code_.kernels.end(), std::make_move_iterator(kernels.begin()),
                         std::make_move_iterator(kernels.end()));
    return {};
  }

  // A damaged file can have as many notes as images.
  void note(const Image& image, std::string_view what) {
    constexpr std::size_t most = 50;
    if (code_.notes.size() < most) code_.notes.push_back(fmt::format("{}: {}", image.where(), what));
    if (code_.notes.size() == most) code_.notes.emplace_back("further images were left out as well");
  }

  model::DeviceCode& code_;
  const ReadLimits& limits_;
  std::uint64_t left_;  // bytes that may still be unpacked
  std::uint64_t ptx_bytes_ = 0;
  std::size_t read_ = 0;
  std::optional<Error> first_error_;
};

}  // namespace

Result<model::DeviceCode> read_device_code(std::string name, std::string_view file, const ReadLimits& limits) {
  Result<std::vector<Image>> images = list_images(file);
  if (!images) {
    images.error().where = std::move(name);
    return Failure{std::move(images).error()};
  }
  model::DeviceCode code;
  code.source = std::move(name);
  // What was linked is not shown a second time from its parts.
  std::set<Target> linked;
  for (const Image& image : *images) {
    if (!image.for_linker) linked.emplace(image.kind, image.architecture);
  }
  Collector collector(code, limits, file.size());
  for (const Image& image : *images) {
    if (!image.for_linker || !linked.contains({image.kind, image.architecture})) collector.add(image);
  }
  if (const std::optional<Error> error = collector.failure()) {
    return fail(error->kind, "{}", error->message).at(fmt::format("{}: {}", code.source, images->front().where()));
  }
  return code;
}

}  // namespace frx::ingest::fatbin
