// One pass over all tiles, in the pauses: what each is full of, and which events go on into the next one. So a lane can be drawn where its
// overview is too coarse and its events are too many, and an event that began long ago is found without decoding all that came since.
import type {TimelineData} from '../data';
import {emptyTile, type Tile, type Tiles} from './decode';

const parts = 512; // of a tile, one for each eight events
const most_carried = 256;

export interface Surveyed {
  fill: Uint8Array[]; // by tile; as an overview of the time from its begin to that of the next one
  carried: Tile[]; // by tile: events that began before it and have not ended
}

// Where tile `tile` ends and the next one begins.
export function windowEnd(data: TimelineData, lane: number, tile: number): number {
  const {begin, reach} = data.lanes[lane].tiles;
  return tile + 1 < begin.length ? begin[tile + 1] : reach[tile];
}

export class Survey {
  readonly lanes: Surveyed[];
  kinds = new Set<number>();
  isDone = false;
  private readonly shares: Float32Array;
  private readonly around: boolean[]; // kinds that lie around the work that is of interest

  constructor(
    private readonly data: TimelineData,
    private readonly tiles: Tiles,
  ) {
    this.lanes = data.lanes.map(() => ({fill: [], carried: []}));
    this.shares = new Float32Array(parts * Math.max(1, data.kinds.length));
    this.around = data.kinds.map((kind) => kind === 'annotation' || kind === 'Python');
  }

  // A tile at each step.
  *pass(): Generator<void> {
    for (let lane = 0; lane < this.lanes.length; ++lane) {
      const count = this.data.lanes[lane].tiles.begin.length;
      let carried = emptyTile(0);
      for (let number = 0; number < count; ++number) {
        const tile = this.tiles.once(lane, number);
        this.lanes[lane].carried.push(carried);
        this.lanes[lane].fill.push(this.fillOf(lane, number, [carried, tile]));
        for (let i = 0; i < tile.count; ++i) this.kinds.add(tile.kind[i]);
        if (number + 1 < count) carried = openAt(this.data.lanes[lane].tiles.begin[number + 1], [carried, tile]);
        yield;
      }
    }
    this.isDone = true;
  }

  private fillOf(lane: number, number: number, sources: Tile[]): Uint8Array {
    const begin = this.data.lanes[lane].tiles.begin[number];
    const end = windowEnd(this.data, lane, number);
    if (!(end > begin)) return new Uint8Array(0);
    const kinds = this.data.kinds.length;
    const scale = parts / (end - begin);
    const shares = this.shares.fill(0);
    let covered = begin;
    for (const tile of sources) {
      for (let i = 0; i < tile.count; ++i) {
        const kind = tile.kind[i];
        if (this.around[kind] || tile.end[i] <= covered) continue;
        const from = (Math.max(tile.begin[i], covered) - begin) * scale;
        const to = Math.min((tile.end[i] - begin) * scale, parts);
        for (let part = Math.min(parts - 1, Math.floor(from)); part < to; ++part)
          shares[part * kinds + kind] += Math.min(to, part + 1) - Math.max(from, part);
        covered = tile.end[i];
      }
    }
    return summary(shares, kinds);
  }
}

function summary(shares: Float32Array, kinds: number): Uint8Array {
  const fill = new Uint8Array(2 * parts);
  for (let part = 0; part < parts; ++part) {
    let all = 0;
    let most = 0;
    for (let kind = 0; kind < kinds; ++kind) {
      const share = shares[part * kinds + kind];
      all += share;
      if (share > shares[part * kinds + most]) most = kind;
    }
    // What is there is not to vanish.
    fill[2 * part] = all > 0 ? Math.min(255, Math.max(1, 255 * all)) : 0;
    fill[2 * part + 1] = most;
  }
  return fill;
}

// The events that have not ended at `time`; of too many those that last longest.
function openAt(time: number, sources: Tile[]): Tile {
  let open: [Tile, number][] = [];
  for (const tile of sources) {
    for (let i = 0; i < tile.count; ++i) if (tile.end[i] > time) open.push([tile, i]);
  }
  if (open.length > most_carried) {
    open = open.sort(([a, i], [b, j]) => b.end[j] - a.end[i]).slice(0, most_carried);
    open.sort(([a, i], [b, j]) => a.begin[i] - b.begin[j]);
  }
  const carried = emptyTile(open.length);
  open.forEach(([tile, i], at) => {
    carried.begin[at] = tile.begin[i];
    carried.end[at] = tile.end[i];
    carried.name[at] = tile.name[i];
    carried.kind[at] = tile.kind[i];
    carried.depth[at] = tile.depth[i];
  });
  return carried;
}
