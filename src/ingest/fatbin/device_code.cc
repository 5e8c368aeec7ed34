#include "ingest/fatbin/device_code.h"

#include <iterator>
#include <set>
#include <tuple>

#include "base/text.h"
#include "base/units.h"
#include "ingest/cubin/resources.h"
#include "ingest/fatbin/archive.h"
#include "ingest/fatbin/images.h"

namespace frx::ingest::fatbin {
namespace {

// Every member of an archive is an object of its own.
using Target = std::tuple<std::string_view, ImageKind, std::string_view>;

Target target_of(const Image& image) { return {image.member, image.kind, image.architecture}; }

// A damaged file can have as many notes as images.
void add_note(model::DeviceCode& code, std::string text) {
  constexpr std::size_t most = 50;
  if (code.notes.size() < most) code.notes.push_back(std::move(text));
  if (code.notes.size() == most) code.notes.emplace_back("further images were left out as well");
}

// Objects of the host alone, and files that are no objects, have none.
Result<std::vector<Image>> images_of_archive(std::string_view file, model::DeviceCode& code) {
  TRY_ASSIGN(const std::vector<ArchiveMember> members, members_of_archive(file));
  std::vector<Image> images;
  std::optional<Error> first_error;
  for (const ArchiveMember& member : members) {
    const FileKind kind = file_kind(member.bytes);
    if (kind == FileKind::other || kind == FileKind::archive) continue;
    Result<std::vector<Image>> found = find_images(member.bytes);
    if (!found) {
      add_note(code, fmt::format("{}: {}", shorten(printable(member.name), 100), found.error().message));
      if (!first_error) first_error = std::move(found).error();
      continue;
    }
    for (Image& image : *found) {
      image.member = member.name;
      image.position += member.position;
      images.push_back(std::move(image));
    }
  }
  if (!images.empty()) return images;
  if (first_error) return fail(first_error->kind, "{}", code.notes.front());
  return fail(ErrorKind::malformed, "no GPU code in this archive of {}: none has a section .nv_fatbin",
              count_text(members.size(), "member"));
}

class Collector {
 public:
  Collector(model::DeviceCode& code, const ReadLimits& limits, std::size_t file_bytes)
      : code_(code), limits_(limits), left_(limits.bytes_beyond + limits.times_file * file_bytes) {}

  // Reads one image; one that cannot be read becomes a note.
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

  // No image could be read.
  std::optional<Error> failure() const { return read_ == 0 ? first_error_ : std::nullopt; }

 private:
  Result<std::string> unpacked(const Image& image) {
    if (image.size > left_) return fail(ErrorKind::malformed, "not read: the file unpacks to too much");
    left_ -= image.size;
    return unpack(image, limits_.image_bytes);
  }

  Result<> add_ptx(const Image& image) {
    if (image.size > limits_.ptx_bytes - ptx_bytes_) return fail(ErrorKind::malformed, "not kept: there is too much PTX in the file");
    TRY_ASSIGN(std::string text, unpacked(image));
    ptx_bytes_ += text.size();
    code_.ptx.push_back({image.architecture, std::string(image.member), std::move(text), image.position, image.for_linker});
    return {};
  }

  Result<> add_cubin(const Image& image) {
    std::string bytes;
    if (image.packing != Packing::none) {
      TRY_ASSIGN(bytes, unpacked(image));
    }
    TRY_ASSIGN(std::vector<model::KernelResources> kernels,
               cubin::read_kernel_resources(image.packing == Packing::none ? image.stored : bytes));
    for (model::KernelResources& kernel : kernels) kernel.member = image.member;
    code_.kernels.insert(code_.kernels.end(), std::make_move_iterator(kernels.begin()), std::make_move_iterator(kernels.end()));
    return {};
  }

  void note(const Image& image, std::string_view what) { add_note(code_, fmt::format("{}: {}", image.where(), what)); }

  model::DeviceCode& code_;
  const ReadLimits& limits_;
  std::uint64_t left_;  // bytes that may still be unpacked
  std::uint64_t ptx_bytes_ = 0;
  std::size_t read_ = 0;
  std::optional<Error> first_error_;
};

}  // namespace

Result<model::DeviceCode> read_device_code(std::string name, std::string_view file, const ReadLimits& limits) {
  model::DeviceCode code;
  Result<std::vector<Image>> images = file_kind(file) == FileKind::archive ? images_of_archive(file, code) : list_images(file);
  if (!images) {
    images.error().where = std::move(name);
    return Failure{std::move(images).error()};
  }
  code.source = std::move(name);
  // Relocatable parts are left out when their linked result is there.
  std::set<Target> linked;
  for (const Image& image : *images) {
    if (!image.for_linker) linked.insert(target_of(image));
  }
  Collector collector(code, limits, file.size());
  for (const Image& image : *images) {
    if (!image.for_linker || !linked.contains(target_of(image))) collector.add(image);
  }
  if (const std::optional<Error> error = collector.failure()) {
    return fail(error->kind, "{}", error->message).at(fmt::format("{}: {}", code.source, images->front().where()));
  }
  return code;
}

}  // namespace frx::ingest::fatbin
