// A lane from near: each event a rectangle in the row of its depth. What is narrower than a pixel is merged with its neighbours.
import type {TimelineData} from '../data';
import type {Colours} from './colours';
import {after, type Tile} from './decode';
import type {LaneRow} from './layout';
import type {Widths} from './text';
import type {View} from './view';

const room_for_text = 26; // px
const unmatched = 0.28; // opacity of what a search did not find

export class EventRows {
  // By kind, and once more for those that a search did not find: x, row, width of each rectangle.
  private rects: number[][] = [];
  private texts: [Tile, number, number, number][] = []; // event, left, right
  private x0 = new Float64Array(256);
  private x1 = new Float64Array(256);
  private look = new Int32Array(256);

  constructor(private readonly data: TimelineData) {}

  draw(
    context: CanvasRenderingContext2D, view: View, colours: Colours, widths: Widths, row: LaneRow, top: number,
    sources: Tile[], found: Uint8Array | null,
  ): void {
    const kinds = Math.max(1, this.data.kinds.length);
    this.collect(view, sources, kinds, found);
    const height = row.rowHeight - 1;
    this.rects.forEach((rects, look) => {
      if (rects.length === 0) return;
      context.fillStyle = colours.kinds[look % kinds] ?? colours.dim;
      context.globalAlpha = look < kinds ? 1 : unmatched;
      for (let i = 0; i < rects.length; i += 3) context.fillRect(rects[i], top + rects[i + 1] * row.rowHeight, rects[i + 2], height);
    });
    context.globalAlpha = 1;
    for (const [tile, i, left, right] of this.texts) {
      const isFound = !found || found[tile.name[i]] === 1;
      const y = top + tile.depth[i] * row.rowHeight;
      if (found && isFound) {
        context.strokeStyle = colours.ink;
        context.strokeRect(left + 0.5, y + 0.5, right - left - 1, height - 1);
      }
      const text = widths.fitted(this.data.names[tile.name[i]] ?? '', right - left - 6);
      if (!text) continue;
      context.fillStyle = isFound ? colours.onKind : colours.dim;
      context.fillText(text, left + 3, y + height / 2 + 0.5);
    }
  }

  private collect(view: View, sources: Tile[], kinds: number, found: Uint8Array | null): void {
    while (this.rects.length < 2 * kinds) this.rects.push([]);
    for (const rects of this.rects) rects.length = 0;
    this.texts.length = 0;
    const {x0, x1, look} = this;
    x1.fill(-1);
    const right = view.left + view.width;
    const {begin: from, scale, left} = view;
    for (const tile of sources) {
      const count = after(tile.begin, view.end, tile.count);
      for (let i = 0; i < count; ++i) {
        if (tile.end[i] < from) continue;
        const depth = tile.depth[i];
        const exact = left + (tile.begin[i] - from) * scale;
        let a = Math.max(left, exact);
        const b = Math.min(right, left + (tile.end[i] - from) * scale);
        const kind = tile.kind[i] + (found && found[tile.name[i]] !== 1 ? kinds : 0);
        if (b - a >= 3) {
          this.flush(depth);
          // A line of background between neighbours.
          this.rects[kind].push(a, depth, b - a - 0.75);
          if (b - a >= room_for_text) this.texts.push([tile, i, a, b - 0.75]);
          continue;
        }
        // What ends with the view has its pixel in it.
        a = Math.floor(Math.min(a, right - 1));
        const end = Math.max(a + 1, Math.ceil(b));
        if (x1[depth] >= a && (look[depth] === kind || (end <= x1[depth] && kind >= kinds))) {
          if (end > x1[depth]) x1[depth] = end;
          continue;
        }
        if (end <= x1[depth] && look[depth] < kinds) continue;
        this.flush(depth);
        x0[depth] = a;
        x1[depth] = end;
        look[depth] = kind;
      }
    }
    for (let depth = 0; depth < 256; ++depth) this.flush(depth);
  }

  private flush(depth: number): void {
    if (this.x1[depth] < 0) return;
    this.rects[this.look[depth]].push(this.x0[depth], depth, this.x1[depth] - this.x0[depth]);
    this.x1[depth] = -1;
  }
}
