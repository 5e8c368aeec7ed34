// The part of the time that is shown, and where it lies on the canvas.
const least_ns = 100;

export class View {
  begin = 0;
  end: number;
  left = 0; // px, where the time begins
  width = 1; // px
  readonly span: number;

  constructor(span: number) {
    // A trace of one moment is shown as well.
    this.span = Number.isFinite(span) && span > 0 ? span : 1000;
    this.end = this.span;
  }

  get range(): number {
    return this.end - this.begin;
  }
  get scale(): number {
    return this.width / this.range; // px for each ns
  }
  get isWhole(): boolean {
    return this.begin === 0 && this.end === this.span;
  }

  x(time: number): number {
    return this.left + (time - this.begin) * this.scale;
  }
  time(x: number): number {
    return this.begin + (x - this.left) / this.scale;
  }

  // What is asked for as far as there is time to show: neither outside of the trace nor closer than anything in it.
  clamped(begin: number, end: number): [number, number] {
    const range = Math.min(this.span, Math.max(end - begin, Math.min(least_ns, this.span)));
    const middle = (begin + end) / 2;
    const first = Math.min(Math.max(0, middle - range / 2), this.span - range);
    return range >= this.span ? [0, this.span] : [first, first + range];
  }

  show(begin: number, end: number): void {
    [this.begin, this.end] = this.clamped(begin, end);
  }

  // `time` stays where it is.
  zoomed(factor: number, time = (this.begin + this.end) / 2): [number, number] {
    const range = Math.min(this.span, Math.max(this.range / factor, Math.min(least_ns, this.span)));
    const share = (time - this.begin) / this.range;
    const begin = Math.min(Math.max(0, time - share * range), this.span - range);
    return [begin, begin + range];
  }

  panned(px: number): [number, number] {
    const begin = Math.min(Math.max(0, this.begin + px / this.scale), this.span - this.range);
    return [begin, begin + this.range];
  }
}

// "begin,end" in microseconds, with as many digits as the range needs; null: all of it.
export function linkOf(view: View): string | null {
  if (view.isWhole) return null;
  const digits = Math.max(0, Math.min(3, Math.ceil(-Math.log10(view.range / 1000 / 2000))));
  const step = Math.max(0.001, 10 ** Math.floor(Math.log10(view.range / 1000 / 2000)));
  return [view.begin, view.end].map((time) => (Math.round(time / 1000 / step) * step).toFixed(digits)).join(',');
}

export function rangeOf(link: string | null): [number, number] | null {
  const [begin, end] = (link ?? '').split(',').map(Number);
  return Number.isFinite(begin) && Number.isFinite(end) && end > begin ? [begin * 1000, end * 1000] : null;
}
