// Tiles of events, decoded when they are looked at. What is in them came from a file: nothing about its order or size is relied upon.
import type {Lane, TimelineData} from '../data';

export interface Tile {
  count: number;
  begin: Float64Array; // ns
  end: Float64Array;
  name: Uint32Array;
  kind: Uint8Array;
  depth: Uint8Array;
}

const most_events_kept = 800_000; // about 18 MB

const digits = new Uint8Array(128);
[...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].forEach((digit, i) => {
  digits[digit.charCodeAt(0)] = i;
});

// Bytes `from` to `to` of what `text` stands for, and some zeros, at which every number ends.
export function bytesOf(text: string, from: number, to: number): Uint8Array {
  const first = Math.floor(from / 3);
  const groups = Math.max(0, Math.min(Math.ceil(to / 3), Math.ceil(text.length / 4)) - first);
  const bytes = new Uint8Array(groups * 3 + 64);
  for (let group = 0, at = first * 4, out = 0; group < groups; ++group, at += 4) {
    const word =
      (digits[text.charCodeAt(at) & 127] << 18) |
      (digits[text.charCodeAt(at + 1) & 127] << 12) |
      (digits[text.charCodeAt(at + 2) & 127] << 6) |
      digits[text.charCodeAt(at + 3) & 127];
    bytes[out++] = word >> 16;
    bytes[out++] = word >> 8;
    bytes[out++] = word;
  }
  return bytes.subarray(from - first * 3);
}

export function emptyTile(count: number): Tile {
  return {
    count,
    begin: new Float64Array(count),
    end: new Float64Array(count),
    name: new Uint32Array(count),
    kind: new Uint8Array(count),
    depth: new Uint8Array(count),
  };
}

// Where each tile ends in the data: at the begin of the one that stands after it.
function endsOf(data: TimelineData): Map<number, number> {
  const begins = [...new Set(data.lanes.flatMap((lane) => lane.tiles.at))].sort((a, b) => a - b);
  const all = Math.floor((data.data.length * 3) / 4);
  return new Map(begins.map((at, i) => [at, begins[i + 1] ?? all]));
}

// The tiles of a trace. Those that were used last are kept.
export class Tiles {
  private readonly ends: Map<number, number>;
  private readonly kept = new Map<string, Tile>();
  private events = 0;

  constructor(private readonly data: TimelineData) {
    this.ends = endsOf(data);
  }

  // Only if it is decoded already.
  peek(lane: number, tile: number): Tile | undefined {
    const key = `${lane}/${tile}`;
    const found = this.kept.get(key);
    if (!found) return undefined;
    this.kept.delete(key);
    this.kept.set(key, found);
    return found;
  }

  get(lane: number, tile: number): Tile {
    const found = this.peek(lane, tile);
    if (found) return found;
    const made = this.decode(lane, tile);
    this.kept.set(`${lane}/${tile}`, made);
    this.events += made.count;
    for (const [key, old] of this.kept) {
      if (this.events <= most_events_kept || old === made) break;
      this.kept.delete(key);
      this.events -= old.count;
    }
    return made;
  }

  // Not kept: for passes over all tiles.
  once(lane: number, tile: number): Tile {
    return this.kept.get(`${lane}/${tile}`) ?? this.decode(lane, tile);
  }

  private decode(laneNumber: number, number: number): Tile {
    const lane: Lane = this.data.lanes[laneNumber];
    const kinds = Math.max(1, this.data.kinds.length);
    const at = lane.tiles.at[number];
    const size = (this.ends.get(at) ?? at) - at;
    const bytes = bytesOf(this.data.data, at, at + size);
    // An event takes at least four bytes.
    const tile = emptyTile(Math.max(0, Math.min(lane.tiles.count[number], Math.floor(size / 4))));
    const deepest = Math.max(0, Math.min(255, lane.depth - 1));
    let next = 0;
    const read = () => {
      let value = bytes[next++];
      if (value < 128) return value;
      value &= 127;
      for (let scale = 128; ; scale *= 128) {
        const byte = bytes[next++];
        value += (byte & 127) * scale;
        if (!(byte >= 128)) return value;
      }
    };
    let time = lane.tiles.begin[number];
    for (let i = 0; i < tile.count; ++i) {
      if (next >= size) {
        tile.count = i;
        break;
      }
      time += read();
      tile.begin[i] = time;
      tile.end[i] = time + read();
      tile.name[i] = read();
      const last = read();
      tile.kind[i] = last % kinds;
      tile.depth[i] = Math.min(deepest, Math.floor(last / kinds));
    }
    return tile;
  }
}

// The first place whose value is above `value`; `values` ascend.
export function after(values: ArrayLike<number>, value: number, count = values.length): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The tiles that begin in this time, and the one before, in which it begins.
export function tilesIn(lane: Lane, begin: number, end: number): {first: number; last: number} {
  const first = Math.max(0, after(lane.tiles.begin, begin) - 1);
  return {first, last: after(lane.tiles.begin, end) - 1};
}
