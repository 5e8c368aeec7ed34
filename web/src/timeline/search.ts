// Events by a part of their names.
import type {TimelineData} from '../data';
import {after, type Tiles} from './decode';
import {eventOf, type Hit} from './hit';

const parts = 4096; // of the span, for marks

export class Search {
  readonly found: Uint8Array; // by name
  readonly names: number; // how many of them match
  readonly marks: (Uint8Array | undefined)[] = []; // by lane, where matching events are
  events = 0; // that match, as far as they are counted
  isDone = false;

  constructor(
    private readonly data: TimelineData,
    private readonly tiles: Tiles,
    text: string,
  ) {
    const wanted = text.toLowerCase();
    this.found = Uint8Array.from(data.names, (name) => (name.toLowerCase().includes(wanted) ? 1 : 0));
    this.names = this.found.reduce((sum, one) => sum + one, 0);
  }

  // A tile at each step.
  *pass(): Generator<void> {
    if (this.names > 0) {
      const scale = parts / Math.max(1, this.data.span_ns);
      for (let lane = 0; lane < this.data.lanes.length; ++lane) {
        const marks = (this.marks[lane] = new Uint8Array(parts));
        for (let number = 0; number < this.data.lanes[lane].tiles.begin.length; ++number) {
          const tile = this.tiles.once(lane, number);
          for (let i = 0; i < tile.count; ++i) {
            if (this.found[tile.name[i]] !== 1) continue;
            ++this.events;
            marks[Math.min(parts - 1, Math.floor(tile.begin[i] * scale))] = 1;
          }
          yield;
        }
      }
    }
    this.isDone = true;
  }

  // Of all lanes the one that begins next after `time`, or last before it; of those at the same time the one of the first lane.
  next(time: number, forwards: boolean): (Hit & {on: 'event'}) | null {
    let best: (Hit & {on: 'event'}) | null = null;
    const isBetter = (begin: number) => !best || (forwards ? begin < best.span.begin : begin > best.span.begin);
    this.data.lanes.forEach((lane, number) => {
      const {begin} = lane.tiles;
      const step = forwards ? 1 : -1;
      for (let tile = Math.max(0, after(begin, time) - 1); tile >= 0 && tile < begin.length; tile += step) {
        if (best && forwards && begin[tile] >= best.span.begin) break;
        const hit = this.inTile(number, tile, time, forwards);
        if (hit && isBetter(hit.span.begin)) best = hit;
        // Earlier tiles have only earlier ones.
        if (hit || (best && !forwards && begin[tile] < best.span.begin)) break;
      }
    });
    return best;
  }

  private inTile(lane: number, number: number, time: number, forwards: boolean): (Hit & {on: 'event'}) | null {
    const tile = this.tiles.once(lane, number);
    const isFound = (i: number) => this.found[tile.name[i]] === 1 && (forwards ? tile.begin[i] > time : tile.begin[i] < time);
    if (forwards) {
      for (let i = 0; i < tile.count; ++i) if (isFound(i)) return eventOf(this.data, lane, tile, i);
    } else {
      for (let i = tile.count - 1; i >= 0; --i) if (isFound(i)) return eventOf(this.data, lane, tile, i);
    }
    return null;
  }
}
