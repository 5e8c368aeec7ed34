// Sixteen characters that one instruction compares or converts, written once for x86 (SSE4.1, which has to be asked for when the program
// runs) and for 64-bit ARM (NEON, which each of them has). Functions that use it, and those they are compiled into, are marked
// FRX_SIXTEEN_CHARACTERS; without that macro there is neither, and only the plain ways are left.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <smmintrin.h>
#define FRX_SIXTEEN_CHARACTERS [[gnu::target("sse4.1")]]
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#define FRX_SIXTEEN_CHARACTERS
#endif

#ifdef FRX_SIXTEEN_CHARACTERS
namespace frx::ingest {

#define FRX_SIXTEEN_INLINE FRX_SIXTEEN_CHARACTERS [[gnu::always_inline]] inline

#ifdef __x86_64__

using Sixteen = __m128i;

inline bool has_sixteen_characters() {
  static const bool has = __builtin_cpu_supports("sse4.1") != 0;
  return has;
}

FRX_SIXTEEN_INLINE Sixteen load_sixteen(const void* from) { return _mm_loadu_si128(static_cast<const Sixteen*>(from)); }

// A bit for each of the characters that is `character`; that of the first one is the lowest.
FRX_SIXTEEN_INLINE unsigned places_of(Sixteen text, char character) {
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8(character))));
}

// Each character less '0': 0 to 9 for a digit, and more for all others.
FRX_SIXTEEN_INLINE Sixteen digits_of(Sixteen text) { return _mm_sub_epi8(text, _mm_set1_epi8('0')); }

FRX_SIXTEEN_INLINE unsigned places_of_digits(Sixteen digits) {
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits)));
}

// The number of sixteen decimal digits, each of which is the one of `digits` at the place that `from` names, or 0 where `from` is 0x80.
FRX_SIXTEEN_INLINE std::uint64_t decimal_number(Sixteen digits, Sixteen from) {
  const Sixteen pairs = _mm_maddubs_epi16(_mm_shuffle_epi8(digits, from), _mm_set1_epi16(0x010A));  // 10, 1
  const Sixteen fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));                          // 100, 1
  const Sixteen packed = _mm_packus_epi32(fours, fours);
  const Sixteen eights = _mm_madd_epi16(packed, _mm_set1_epi32(0x00012710));  // 10,000, 1
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  return (both & 0xFFFFFFFF) * 100'000'000 + (both >> 32);
}

#else

using Sixteen = uint8x16_t;

inline bool has_sixteen_characters() { return true; }

FRX_SIXTEEN_INLINE Sixteen load_sixteen(const void* from) { return vld1q_u8(static_cast<const std::uint8_t*>(from)); }

// A bit for each byte that is not 0, all of whose bits are set.
FRX_SIXTEEN_INLINE unsigned bits_of(Sixteen bytes) {
  constexpr std::uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const Sixteen marked = vandq_u8(bytes, vld1q_u8(bits));
  return vaddv_u8(vget_low_u8(marked)) | static_cast<unsigned>(vaddv_u8(vget_high_u8(marked))) << 8;
}

FRX_SIXTEEN_INLINE unsigned places_of(Sixteen text, char character) {
  return bits_of(vceqq_u8(text, vdupq_n_u8(static_cast<std::uint8_t>(character))));
}

FRX_SIXTEEN_INLINE Sixteen digits_of(Sixteen text) { return vsubq_u8(text, vdupq_n_u8('0')); }

FRX_SIXTEEN_INLINE unsigned places_of_digits(Sixteen digits) { return bits_of(vcleq_u8(digits, vdupq_n_u8(9))); }

FRX_SIXTEEN_INLINE std::uint64_t decimal_number(Sixteen digits, Sixteen from) {
  const Sixteen placed = vqtbl1q_u8(digits, from);  // a place beyond 15 gives 0
  const uint8x8_t tens = vget_low_u8(vuzp1q_u8(placed, placed)), ones = vget_low_u8(vuzp2q_u8(placed, placed));
  const uint16x8_t pairs = vmlal_u8(vmovl_u8(ones), tens, vdup_n_u8(10));
  const uint16x4_t hundreds = vget_low_u16(vuzp1q_u16(pairs, pairs)), rest = vget_low_u16(vuzp2q_u16(pairs, pairs));
  const uint32x4_t fours = vmlal_u16(vmovl_u16(rest), hundreds, vdup_n_u16(100));
  const uint32x2_t high = vget_low_u32(vuzp1q_u32(fours, fours)), low = vget_low_u32(vuzp2q_u32(fours, fours));
  const uint64x2_t eights = vmlal_u32(vmovl_u32(low), high, vdup_n_u32(10'000));
  return vgetq_lane_u64(eights, 0) * 100'000'000 + vgetq_lane_u64(eights, 1);
}

#endif

}  // namespace frx::ingest
#endif
