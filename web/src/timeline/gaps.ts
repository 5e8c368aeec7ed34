// Idle time of GPUs: by device for drawing, by length for the list, by time for going from one to the next.
import type {TimelineData} from '../data';
import {causeOf, letterOf, wordsOf} from './causes';
import type {Colours} from './colours';
import {after} from './decode';
import type {Widths} from './text';
import type {View} from './view';

export type Gap = TimelineData['gaps'][number];

interface Device {
  gaps: Gap[]; // by begin
  begins: number[];
  reach: number[]; // latest end of a gap and those before it
}

export class Gaps {
  readonly byLength: Gap[];
  private readonly byBegin: Gap[];
  private readonly devices = new Map<number, Device>();

  constructor(gaps: Gap[]) {
    this.byLength = [...gaps].sort((a, b) => b.end - b.begin - (a.end - a.begin));
    this.byBegin = [...gaps].sort((a, b) => a.begin - b.begin);
    for (const gap of this.byBegin) {
      let device = this.devices.get(gap.device);
      if (!device) this.devices.set(gap.device, (device = {gaps: [], begins: [], reach: []}));
      device.reach.push(Math.max(gap.end, device.reach.at(-1) ?? 0));
      device.gaps.push(gap);
      device.begins.push(gap.begin);
    }
  }

  get devicesCount(): number {
    return this.devices.size;
  }

  in(device: number, begin: number, end: number): Gap[] {
    const found = this.devices.get(device);
    return found ? found.gaps.slice(after(found.reach, begin), after(found.begins, end)) : [];
  }

  at(device: number, time: number, tolerance: number): Gap | null {
    const near = this.in(device, time - tolerance, time + tolerance);
    return near.find((gap) => gap.begin <= time && time < gap.end) ?? near[0] ?? null;
  }

  // The next one after `from` or else after the time, or the one before. After the last one the first follows.
  next(from: Gap | null, time: number, forwards: boolean): Gap | null {
    const all = this.byBegin;
    if (all.length === 0) return null;
    const at = from ? all.indexOf(from) : -1;
    if (at >= 0) return all[(at + (forwards ? 1 : all.length - 1)) % all.length];
    if (forwards) return all.find((gap) => gap.begin > time) ?? all[0];
    return all[after(all.map((gap) => gap.begin), time) - 1] ?? all[all.length - 1];
  }
}

const narrowest = 0.5; // pixels

// Where there is space, a gap carries its letter or its cause in words.
export function drawGaps(
  context: CanvasRenderingContext2D, view: View, colours: Colours, widths: Widths, gaps: Gap[], top: number, height: number, named: boolean,
): void {
  let free = -1; // of several in a pixel one is drawn
  for (const gap of gaps) {
    const x0 = Math.max(view.left, view.x(gap.begin));
    const x1 = Math.min(view.left + view.width, view.x(gap.end));
    if (x1 < free || x1 < x0) continue;
    // Drawn a pixel wide, thousands of gaps that are none from afar would hide the work between them.
    if (view.x(gap.end) - view.x(gap.begin) < narrowest) continue;
    free = Math.floor(x0) + 1;
    const cause = causeOf(gap.cause);
    context.fillStyle = x1 - x0 < 2 ? colours.gapInk[cause] : colours.gaps[cause];
    context.fillRect(x0, top, Math.max(1, x1 - x0), height);
    if (!named || x1 - x0 < 14) continue;
    const words = [`${letterOf(cause)}  ${wordsOf(cause)}`, letterOf(cause)].find((text) => widths.of(text) + 8 < x1 - x0);
    if (!words) continue;
    const left = (x0 + x1 - widths.of(words)) / 2;
    context.fillStyle = colours.paper;
    context.fillRect(left - 3, top + height / 2 - 7, widths.of(words) + 6, 14);
    context.fillStyle = colours.ink;
    context.fillText(words, left, top + height / 2 + 0.5);
  }
}
