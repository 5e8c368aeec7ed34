// Samples of memory, ascending by time, and as few of them as a picture needs.
import type {MemoryData} from '../data';
import {isKnown} from './format';

export interface Samples {
  name: string;
  times: number[];
  bytes: number[];
  capacity: number | null;
  peak: number;
  peakTime: number;
}

export function samplesOf({name, time_ns, bytes, capacity_bytes}: MemoryData['series'][number]): Samples {
  const order = time_ns.map((_, i) => i).filter((i) => isKnown(time_ns[i]) && isKnown(bytes[i]));
  order.sort((a, b) => time_ns[a] - time_ns[b]);
  const highest = order.reduce((best, i) => (best < 0 || bytes[i] > bytes[best] ? i : best), -1);
  return {
    name,
    times: order.map((i) => time_ns[i]),
    bytes: order.map((i) => bytes[i]),
    capacity: isKnown(capacity_bytes) && capacity_bytes > 0 ? capacity_bytes : null,
    peak: bytes[highest] ?? 0,
    peakTime: time_ns[highest] ?? 0,
  };
}

// Of each pixel the first, the least, the most and the last: a picture of these looks the same. The last value holds until the end.
export function reduced({times, bytes}: Samples, begin: number, end: number, pixels: number): [number, number][] {
  const kept: number[] = [];
  const pixel = (i: number) => Math.floor(((times[i] - begin) / (end - begin)) * Math.max(pixels, 1));
  for (let from = 0; from < times.length; ) {
    let to = from;
    let [least, most] = [from, from];
    for (; to < times.length && pixel(to) === pixel(from); ++to) {
      if (bytes[to] < bytes[least]) least = to;
      if (bytes[to] > bytes[most]) most = to;
    }
    kept.push(...new Set([from, least, most, to - 1].sort((a, b) => a - b)));
    from = to;
  }
  const points = kept.map((i): [number, number] => [times[i], bytes[i]]);
  if (points.length > 0) points.push([end, points[points.length - 1][1]]);
  return points;
}
