// Texts on the canvas: their widths, and as much of them as there is space for.
import {shorten} from '../parts/text';

const longest = 160; // letters; more is not measured
const most_kept = 20_000;

// In one font.
export class Widths {
  private readonly widths = new Map<string, number>();

  constructor(private readonly context: CanvasRenderingContext2D) {}

  of(text: string): number {
    const key = text.length > longest ? text.slice(0, longest) : text;
    let width = this.widths.get(key);
    if (width === undefined) {
      if (this.widths.size > most_kept) this.widths.clear();
      width = this.context.measureText(key).width;
      this.widths.set(key, width);
    }
    return text.length > longest ? (width * text.length) / longest : width;
  }

  // "": there is no space for anything that would say something.
  fitted(text: string, space: number): string {
    const width = this.of(text);
    if (width <= space) return text;
    for (let letters = Math.floor((space / width) * text.length); letters >= 8; --letters) {
      const less = shorten(text, letters);
      if (this.of(less) <= space) return less;
    }
    return '';
  }
}
