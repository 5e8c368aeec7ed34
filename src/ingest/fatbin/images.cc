#include "ingest/fatbin/images.h"

#include "base/text.h"
#include "ingest/cubin/elf_file.h"
#include "ingest/cubin/target.h"
#include "ingest/fatbin/archive.h"

namespace frx::ingest::fatbin {
namespace {

constexpr std::uint16_t relocatable_file = 1;

ImageKind image_kind(std::uint16_t kind) {
  switch (kind) {
    case 1: return ImageKind::ptx;
    case 2: return ImageKind::cubin;
    case 8: return ImageKind::linker_code;
    default: return ImageKind::other;
  }
}

std::string_view prefix_of(ImageKind kind) {
  if (kind == ImageKind::ptx) return "compute_";
  return kind == ImageKind::linker_code ? "lto_" : "sm_";
}

std::string_view name_of(ImageKind kind) {
  switch (kind) {
    case ImageKind::ptx: return "PTX";
    case ImageKind::cubin: return "cubin";
    case ImageKind::linker_code: return "code for the linker";
    case ImageKind::other: break;
  }
  return "image of an unknown kind";
}

Image image_of(const Entry& entry, bool for_linker, std::uint64_t begin) {
  Image image;
  image.kind = image_kind(entry.kind);
  image.architecture = std::string(prefix_of(image.kind)) + std::to_string(entry.sm);
  if (entry.suffix != 0) image.architecture += entry.suffix;
  image.packing = entry.packing;
  image.for_linker = for_linker;
  image.stored = entry.stored;
  image.size = entry.size;
  image.position = begin + entry.position;
  return image;
}

Result<> add_containers(std::string_view bytes, bool for_linker, std::uint64_t begin, std::vector<Image>& images) {
  TRY_ASSIGN(const std::vector<Entry> entries, read_containers(bytes));
  for (const Entry& entry : entries) images.push_back(image_of(entry, for_linker, begin));
  return {};
}

Result<std::vector<Image>> images_of_cubin(std::string_view file) {
  TRY_ASSIGN(const cubin::ElfFile elf, cubin::ElfFile::open(file));
  TRY_ASSIGN(const cubin::Target target, cubin::target_of(elf));
  Image image;
  image.kind = ImageKind::cubin;
  image.architecture = target.architecture();
  image.for_linker = elf.header().type == relocatable_file;
  image.stored = file;
  image.size = file.size();
  return std::vector{image};
}

// An object can have several sections of one name; no byte of the file is in two of them.
Result<std::vector<Image>> images_of_host_file(std::string_view file) {
  TRY_ASSIGN(const cubin::ElfFile elf, cubin::ElfFile::open_any(file));
  std::vector<Image> images;
  std::uint64_t end = 0;
  for (const cubin::ElfSection& section : elf.sections()) {
    const bool for_linker = section.name == "__nv_relfatbin";
    if (!for_linker && section.name != ".nv_fatbin") continue;
    TRY_ASSIGN(const std::string_view bytes, elf.bytes_of(section));
    if (bytes.empty()) continue;
    if (section.offset < end) return fail(ErrorKind::malformed, "section {} overlaps another", section.name);
    end = section.offset + section.size;
    Result<> added = add_containers(bytes, for_linker, section.offset, images);
    if (!added) return fail(ErrorKind::malformed, "section {}: {}", section.name, added.error().message);
  }
  return images;
}

}  // namespace

std::string Image::where() const {
  const std::string in = member.empty() ? "" : shorten(printable(member), 100) + ": ";
  return fmt::format("{}byte {} ({} for {})", in, position, name_of(kind), architecture);
}

FileKind file_kind(std::string_view head) {
  if (begins_container(head)) return FileKind::fatbin;
  if (begins_archive(head)) return FileKind::archive;
  if (head.size() < 20 || !head.starts_with("\x7F"
                                            "ELF"))
    return FileKind::other;
  constexpr std::string_view cuda_machine("\xBE\0", 2);
  return head.substr(18, 2) == cuda_machine ? FileKind::cubin : FileKind::host;
}

Result<std::vector<Image>> list_images(std::string_view file) {
  TRY_ASSIGN(std::vector<Image> images, find_images(file));
  if (images.empty() && file_kind(file) == FileKind::host) {
    return fail(ErrorKind::malformed, "no GPU code in this program: it has no section .nv_fatbin")
        .hint("is it the file that nvcc made? a library that it loads may hold the kernels");
  }
  return images;
}

Result<std::vector<Image>> find_images(std::string_view file) {
  switch (file_kind(file)) {
    case FileKind::cubin: return images_of_cubin(file);
    case FileKind::host: return images_of_host_file(file);
    case FileKind::fatbin: break;
    case FileKind::archive:
    case FileKind::other: return fail(ErrorKind::malformed, "expected a cubin, a fat binary or an ELF file, found something else");
  }
  std::vector<Image> images;
  TRY(add_containers(file, false, 0, images));
  return images;
}

}  // namespace frx::ingest::fatbin
