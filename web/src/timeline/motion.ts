// From one view to another in a few frames, so that the eye can follow; at once for those who asked for less motion.
import type {View} from './view';

const duration_ms = 160;

export class Motion {
  private from: [number, number] = [0, 0];
  private to: [number, number] = [0, 0];
  private begin = 0;
  isGoing = false;

  constructor(private readonly view: View) {}

  // What is shown once it has ended.
  get target(): [number, number] {
    return this.isGoing ? this.to : [this.view.begin, this.view.end];
  }

  go(begin: number, end: number): void {
    this.to = this.view.clamped(begin, end);
    this.from = [this.view.begin, this.view.end];
    this.begin = performance.now();
    this.isGoing = !matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (!this.isGoing) this.view.show(...this.to);
  }

  stop(): void {
    this.isGoing = false;
  }

  // The range changes by the same factor in each frame, as it does with a wheel.
  step(now: number): void {
    if (!this.isGoing) return;
    const share = Math.min(1, Math.max(0, (now - this.begin) / duration_ms));
    if (share >= 1) {
      this.isGoing = false;
      this.view.show(...this.to);
      return;
    }
    const eased = 1 - (1 - share) ** 3;
    const [range0, range1] = [this.from[1] - this.from[0], this.to[1] - this.to[0]];
    const range = range0 * (range1 / range0) ** eased;
    const way = range0 === range1 ? eased : (range - range0) / (range1 - range0);
    const begin = this.from[0] + (this.to[0] - this.from[0]) * way;
    this.view.show(begin, begin + range);
  }
}
