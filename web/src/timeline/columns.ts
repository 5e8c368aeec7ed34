// A lane from afar: each column of pixels as high as it is full, in the colour of what takes most of it.
import type {View} from './view';

export class Columns {
  private fill = new Float32Array(0);
  private most = new Float32Array(0);
  private kind = new Uint8Array(0);
  private used = new Set<number>();
  private count = 0;

  clear(width: number): void {
    this.count = Math.max(1, Math.floor(width));
    if (this.fill.length < this.count) {
      this.fill = new Float32Array(this.count);
      this.most = new Float32Array(this.count);
      this.kind = new Uint8Array(this.count);
    }
    this.fill.fill(0);
    this.most.fill(0);
    this.used.clear();
  }

  // `parts`: two bytes for each of equal parts of the time from `begin` to `end`, as TimelineData has them. Only what is in `from` to `to`.
  add(view: View, parts: Uint8Array, begin: number, end: number, from = begin, to = end): void {
    const count = parts.length >> 1;
    if (count === 0 || !(end > begin)) return;
    const each = (end - begin) / count;
    const first = Math.max(0, Math.floor((Math.max(from, view.begin) - begin) / each));
    const last = Math.min(count, Math.ceil((Math.min(to, view.end) - begin) / each));
    const width = each * view.scale;
    let x = (begin + first * each - view.begin) * view.scale;
    for (let part = first; part < last; ++part, x += width) {
      const full = parts[2 * part] / 255;
      if (full > 0) this.put(Math.max(0, x), Math.min(this.count, x + width), full, parts[2 * part + 1]);
    }
  }

  private put(x0: number, x1: number, full: number, kind: number): void {
    this.used.add(kind);
    for (let column = Math.floor(x0); column < x1; ++column) {
      const share = full * (Math.min(x1, column + 1) - Math.max(x0, column));
      this.fill[column] += share;
      if (share <= this.most[column]) continue;
      this.most[column] = share;
      this.kind[column] = kind;
    }
  }

  // Neighbours that look the same are one rectangle.
  draw(context: CanvasRenderingContext2D, colours: string[], left: number, top: number, height: number): void {
    const {fill, kind, count} = this;
    // In steps of two pixels, so that more neighbours are the same.
    const high = (column: number) => (fill[column] > 0 ? Math.max(1, 2 * Math.round((Math.min(1, fill[column]) * height) / 2)) : 0);
    for (const one of this.used) {
      context.fillStyle = colours[one] ?? colours[colours.length - 1];
      let begin = 0;
      let now = 0;
      for (let column = 0; column <= count; ++column) {
        const here = column < count && kind[column] === one ? high(column) : 0;
        if (here === now) continue;
        if (now > 0) context.fillRect(left + begin, top + height - now, column - begin, now);
        begin = column;
        now = here;
      }
    }
  }
}
