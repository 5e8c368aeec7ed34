// The time axis and the steps above it.
import type {TimelineData} from '../data';
import {formatNs} from '../parts/format';
import type {Colours} from './colours';
import {axisHeight, headHeight, stepsHeight} from './layout';
import type {Widths} from './text';
import type {View} from './view';

const units: [number, string][] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];

export interface Axis {
  base: string | null; // what the labels count from, where they would be too long
  ticks: {time: number; label: string}[];
}

// 1, 2 or 5 of a power of ten, so that there are about `count`.
function stepOf(range: number, count: number): number {
  const least = range / count;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((one) => one * power >= least) ?? 10);
}

export function axisOf(view: View): Axis {
  const step = Math.max(1, stepOf(view.range, Math.max(2, Math.min(12, view.width / 80))));
  const [scale, unit] = units.find(([size]) => step >= size) ?? units[units.length - 1];
  // Labels of many digits are told from where the view begins, rounded.
  const isFar = view.end / step > 2000;
  const round = 10 ** Math.ceil(Math.log10(view.range) + 1);
  const base = isFar ? Math.floor(view.begin / round) * round : 0;
  const digits = Math.max(0, Math.round(Math.log10(scale / step) + 0.49));
  const ticks: Axis['ticks'] = [];
  for (let i = Math.ceil((view.begin - base) / step); base + i * step <= view.end; ++i) {
    const number = ((i * step) / scale).toFixed(digits);
    ticks.push({time: base + i * step, label: `${isFar ? '+' : ''}${number} ${unit}`});
  }
  return {base: isFar ? `from ${exact(base)}` : null, ticks};
}

// "12.345678 s": to `least` ns.
export function exact(ns: number, least = 1): string {
  const [scale, unit] = units.find(([size]) => ns >= size) ?? units[units.length - 1];
  const digits = Math.min(9, Math.max(0, Math.ceil(Math.log10(scale / least))));
  return `${Number((ns / scale).toFixed(digits))} ${unit}`;
}

export function drawAxis(context: CanvasRenderingContext2D, view: View, colours: Colours, widths: Widths, bottom: number): void {
  const {base, ticks} = axisOf(view);
  context.textBaseline = 'middle';
  const middle = stepsHeight + axisHeight / 2;
  let free = view.left;
  if (base) {
    const isBeside = view.left > widths.of(base) + 8;
    context.fillStyle = colours.dim;
    context.fillText(base, isBeside ? 4 : view.left + 2, middle);
    if (!isBeside) free = view.left + widths.of(base) + 10;
  }
  for (const {time, label} of ticks) {
    const x = Math.round(view.x(time));
    context.fillStyle = colours.line;
    context.fillRect(x, headHeight - 5, 1, bottom - headHeight + 5);
    // A label stands on its line, and inside of the picture.
    const width = widths.of(label);
    const left = Math.min(Math.max(x - width / 2, view.left), view.left + view.width - width);
    if (left < free) continue;
    context.fillStyle = colours.dim;
    context.fillText(label, left, middle);
    free = left + width + 10;
  }
}

export function drawSteps(
  context: CanvasRenderingContext2D, view: View, colours: Colours, widths: Widths, steps: TimelineData['steps'],
): void {
  const right = view.left + view.width;
  const seen: {x0: number; x1: number; number: number}[] = []; // one for each pixel
  for (let i = firstStep(steps, view.begin); i < steps.length && steps[i].begin < view.end; ++i) {
    const x0 = Math.max(view.left, view.x(steps[i].begin));
    const x1 = Math.min(right, view.x(steps[i].end));
    const before = seen.at(-1);
    if (x1 < x0 || (before && x1 < Math.floor(before.x0) + 1)) continue;
    seen.push({x0, x1, number: steps[i].number});
    context.fillStyle = i % 2 ? colours.line : colours.panel;
    context.fillRect(x0, 1, Math.max(1, x1 - x0), stepsHeight - 3);
    context.fillStyle = colours.dim;
    context.fillRect(Math.round(x0), 1, 1, stepsHeight - 3);
  }
  // Of narrow ones only some carry their number.
  context.textBaseline = 'middle';
  let free = view.left;
  for (const {x0, x1, number} of seen) {
    const words = widths.of(`step ${number}`) + 8 < x1 - x0 ? `step ${number}` : String(number);
    const left = (x0 + x1 - widths.of(words)) / 2;
    if (left < free || left + widths.of(words) > right) continue;
    // Between the borders of narrow steps a number could not be read.
    context.fillStyle = colours.paper;
    if (widths.of(words) > x1 - x0) context.fillRect(left - 2, 1, widths.of(words) + 4, stepsHeight - 3);
    context.fillStyle = colours.ink;
    context.fillText(words, left, stepsHeight / 2);
    free = left + widths.of(words) + 8;
  }
}

// The last one that begins before.
function firstStep(steps: TimelineData['steps'], begin: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle].begin > begin) high = middle;
    else low = middle + 1;
  }
  return Math.max(0, low - 1);
}

export function stepsIn(steps: TimelineData['steps'], begin: number, end: number): string {
  const inside = steps.filter((step) => step.begin < end && step.end > begin);
  if (inside.length === 0) return '';
  const first = inside[0].number;
  const last = inside[inside.length - 1].number;
  return inside.length === 1 ? `step ${first}` : `steps ${first} to ${last}`;
}

export function lengthWords(begin: number, end: number): string {
  const least = Math.max(1, (end - begin) / 100);
  return `${formatNs(end - begin)}, from ${exact(begin, least)} to ${exact(end, least)}`;
}
