// Sixteen characters that one instruction compares or converts, written once for x86 and for 64-bit ARM (NEON). FRX_SIXTEEN_CHARACTERS says
// that there are such instructions; elsewhere only plain ways are left. On x86 comparing takes SSE2, which every processor of 64 bits has,
// and converting to a number SSE4.1, for which has_sixteen_digits() asks the processor that runs the program: functions that convert, and
// those they are compiled into, are marked FRX_SIXTEEN_DIGITS.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <smmintrin.h>
#define FRX_SIXTEEN_CHARACTERS
#define FRX_SIXTEEN_DIGITS [[gnu::target("sse4.1")]]
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#define FRX_SIXTEEN_CHARACTERS
#define FRX_SIXTEEN_DIGITS
#endif

#ifdef FRX_SIXTEEN_CHARACTERS
namespace frx::ingest {

// The result of a comparison has one bit for each character that matches; the lowest bit is the first character.
using SixteenPlaces = unsigned;

#ifdef __x86_64__

using Sixteen = __m128i;

inline Sixteen load_sixteen(const void* from) { return _mm_loadu_si128(static_cast<const Sixteen*>(from)); }

inline SixteenPlaces places_marked(Sixteen bytes) { return static_cast<SixteenPlaces>(_mm_movemask_epi8(bytes)); }

inline SixteenPlaces places_of(Sixteen text, char character) { return places_marked(_mm_cmpeq_epi8(text, _mm_set1_epi8(character))); }

inline SixteenPlaces places_of_either(Sixteen text, char one, char other) {
  return places_marked(_mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8(one)), _mm_cmpeq_epi8(text, _mm_set1_epi8(other))));
}

inline SixteenPlaces places_that_agree(Sixteen one, Sixteen other) { return places_marked(_mm_cmpeq_epi8(one, other)); }

// The places of bytes that are at most `most`, as unsigned numbers.
inline SixteenPlaces places_up_to(Sixteen bytes, std::uint8_t most) {
  return places_marked(_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(static_cast<char>(most))), bytes));
}

// Each character less '0': 0 to 9 for a digit, and more for all others.
inline Sixteen digits_of(Sixteen text) { return _mm_sub_epi8(text, _mm_set1_epi8('0')); }

inline bool has_sixteen_digits() {
  static const bool has = __builtin_cpu_supports("sse4.1") != 0;
  return has;
}

// The number of sixteen decimal digits, each of which is the one of `digits` at the place (0 to 15) that `from` names, or 0 where `from` is
// 0x80. The digits that are taken are 0 to 9.
FRX_SIXTEEN_DIGITS [[gnu::always_inline]] inline std::uint64_t decimal_number(Sixteen digits, Sixteen from) {
  const Sixteen pairs = _mm_maddubs_epi16(_mm_shuffle_epi8(digits, from), _mm_set1_epi16(0x010A));  // 10, 1
  const Sixteen fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));                          // 100, 1
  const Sixteen packed = _mm_packus_epi32(fours, fours);
  const Sixteen eights = _mm_madd_epi16(packed, _mm_set1_epi32(0x00012710));  // 10,000, 1
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  return (both & 0xFFFFFFFF) * 100'000'000 + (both >> 32);
}

#else

using Sixteen = uint8x16_t;

inline Sixteen load_sixteen(const void* from) { return vld1q_u8(static_cast<const std::uint8_t*>(from)); }

// The places of bytes whose bits are all set; the other bytes are 0.
inline SixteenPlaces places_marked(Sixteen bytes) {
  constexpr std::uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const Sixteen marked = vandq_u8(bytes, vld1q_u8(bits));
  return vaddv_u8(vget_low_u8(marked)) | static_cast<SixteenPlaces>(vaddv_u8(vget_high_u8(marked))) << 8;
}

inline Sixteen sixteen_times(char character) { return vdupq_n_u8(static_cast<std::uint8_t>(character)); }

inline SixteenPlaces places_of(Sixteen text, char character) { return places_marked(vceqq_u8(text, sixteen_times(character))); }

inline SixteenPlaces places_of_either(Sixteen text, char one, char other) {
  return places_marked(vorrq_u8(vceqq_u8(text, sixteen_times(one)), vceqq_u8(text, sixteen_times(other))));
}

inline SixteenPlaces places_that_agree(Sixteen one, Sixteen other) { return places_marked(vceqq_u8(one, other)); }

inline SixteenPlaces places_up_to(Sixteen bytes, std::uint8_t most) { return places_marked(vcleq_u8(bytes, vdupq_n_u8(most))); }

inline Sixteen digits_of(Sixteen text) { return vsubq_u8(text, sixteen_times('0')); }

inline bool has_sixteen_digits() { return true; }

FRX_SIXTEEN_DIGITS inline std::uint64_t decimal_number(Sixteen digits, Sixteen from) {
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
