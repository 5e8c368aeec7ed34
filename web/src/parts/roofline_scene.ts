// Where things stand in a roofline, in pixels. Its axes are logarithms to base 10.
import {symbol, symbolCircle, symbolDiamond, symbolSquare, symbolTriangle} from 'd3-shape';
import type {RooflineData} from '../data';
import {formatNumber} from './format';
import {Taken} from './labels';
import {fitText, textWidth} from './text';
import type {Plot, View} from './zoom';

export type RooflinePoint = RooflineData['points'][number];
const shapes = [symbolCircle, symbolSquare, symbolTriangle];

const isPositive = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0;
export const canDraw = (point: RooflinePoint) => isPositive(point.intensity) && isPositive(point.tflops);

export interface Roofs {
  flat: {name: string; precision: string; tflops: number}[]; // the highest first; equal ones are one
  slanted: {level: string; gbps: number}[];
}

export function roofsOf(data: RooflineData, levels: string[]): Roofs {
  const flat: Roofs['flat'] = [];
  for (const {precision, tflops} of data.compute.filter((roof) => isPositive(roof.tflops)).sort((a, b) => b.tflops - a.tflops)) {
    const same = flat.find((other) => Math.abs(other.tflops / tflops - 1) < 1e-6);
    if (same) same.name += `, ${precision}`;
    else flat.push({name: precision, precision, tflops});
  }
  return {flat, slanted: data.memory.filter((roof) => isPositive(roof.gbps) && levels.includes(roof.level))};
}

// All points and all corners of roofs, with some space around.
export function wholeOf(data: RooflineData): View {
  const points = data.points.filter(canDraw);
  const {flat, slanted} = roofsOf(data, data.memory.map((roof) => roof.level));
  const corners = slanted.flatMap(({gbps}) => flat.map(({tflops}) => (tflops * 1e3) / gbps));
  const xs = [...points.map((point) => point.intensity), ...corners].map(Math.log10);
  const ys = [...points.map((point) => point.tflops), ...flat.map((roof) => roof.tflops)].map(Math.log10);
  const range = (values: number[], below: number, above: number): [number, number] => {
    const low = values.reduce((a, b) => Math.min(a, b), Infinity);
    const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    const space = (high - low) / 20; // for labels
    return low <= high ? [low - Math.max(below, space), high + Math.max(above, 1.5 * space)] : [-1, 3];
  };
  return [...range(xs, 0.6, 0.9), ...range(ys, 0.6, 0.45)];
}

export function sizeOf(point: RooflinePoint, longest: number, most: number): number {
  return isPositive(point.time_us) ? Math.max(4, most * Math.sqrt(point.time_us / longest)) : 5;
}

// The shape says which memory the bytes are of; a small diamond: its time is not known.
export function shapeOf(point: RooflinePoint, radius: number, levels: string[]): string {
  if (!isPositive(point.time_us)) return symbol(symbolDiamond, 60)() ?? '';
  const type = shapes[Math.max(levels.indexOf(point.level), 0) % shapes.length];
  return symbol(type, Math.PI * radius * radius)() ?? '';
}

export interface Turned {
  x: number;
  y: number;
  turn: number; // degrees
  text: string;
}

export interface Scene {
  x: (intensity: number) => number;
  y: (tflops: number) => number;
  flat: {name: string; precision: string; y: number; from: number; label: {x: number; text: string} | null}[];
  slanted: {level: string; x1: number; y1: number; x2: number; y2: number; label: Turned | null}[];
  labels: {x: number; y: number; text: string}[];
}

export function sceneOf(roofs: Roofs, points: {point: RooflinePoint; radius: number; remark: string}[], view: View, plot: Plot): Scene {
  const [x0, x1, y0, y1] = view;
  const x = (value: number) => plot.left + ((Math.log10(value) - x0) / (x1 - x0)) * (plot.right - plot.left);
  const y = (value: number) => plot.bottom - ((Math.log10(value) - y0) / (y1 - y0)) * (plot.bottom - plot.top);
  const taken = new Taken({x: plot.left, y: plot.top, width: plot.right - plot.left, height: plot.bottom - plot.top});
  const fastest = roofs.slanted.reduce((most, roof) => Math.max(most, roof.gbps), 0);

  const flat = roofs.flat.map(({name, precision, tflops}) => {
    const at = y(tflops);
    const from = fastest > 0 ? x((tflops * 1e3) / fastest) : plot.left;
    const text = fitText(`${name} ${formatNumber(tflops)} TFLOP/s`, (plot.right - plot.left) * 0.8);
    const width = textWidth(text);
    // From the right end to the left, past the labels of roofs that are hardly lower or higher.
    const ends = Array.from({length: 12}, (_, i) => plot.right - 4 - (i * (plot.right - plot.left)) / 16);
    const found = taken.takeFirst(ends.map((end) => ({x: end - width, y: at - 16, width, height: 15})));
    return {name, precision, y: at, from, label: found < 0 ? null : {x: ends[found], text}};
  });

  const top = roofs.flat[0]?.tflops;
  const slanted = roofs.slanted.map(({level, gbps}) => {
    const left = 10 ** Math.min(x0 - 1, -6);
    const right = top ? (top * 1e3) / gbps : 10 ** (x1 + 1);
    const on = (intensity: number) => ({x: x(intensity), y: y((gbps * intensity) / 1e3)});
    const [a, b] = [on(left), on(right)];
    const turn = Math.atan2(b.y - a.y, b.x - a.x);
    const text = `${level} ${formatNumber(gbps)} GB/s`;
    const width = textWidth(text);
    // Along the line, from where it comes into view; the area of the turned text is taken as a row of small ones.
    const places = Array.from({length: 8}, (_, i) => {
      const enter = Math.max(plot.left, b.x - (b.y - (plot.bottom - 4)) / Math.tan(turn)) + 8 + i * 24;
      return {x: enter, y: b.y + (enter - b.x) * Math.tan(turn)};
    });
    const pieces = (start: {x: number; y: number}) =>
      Array.from({length: Math.ceil(width / 10)}, (_, i) => ({
        x: start.x + Math.cos(turn) * i * 10 - 2,
        y: start.y + Math.sin(turn) * i * 10 - 18,
        width: 12,
        height: 16,
      }));
    const found = places.find((start) => start.x + Math.cos(turn) * width < b.x && pieces(start).every((piece) => taken.isFree(piece)));
    if (found) pieces(found).forEach((piece) => taken.add(piece));
    return {level, x1: a.x, y1: a.y, x2: b.x, y2: b.y, label: found ? {...found, turn: (turn * 180) / Math.PI, text} : null};
  });

  // Labels of kernels stay off the roofs too, where they can.
  const roofLines = new Taken({x: 0, y: 0, width: Infinity, height: Infinity});
  for (const roof of flat) roofLines.add({x: roof.from, y: roof.y - 1, width: plot.right - roof.from, height: 2});
  for (const {x1, y1, x2, y2} of slanted) {
    for (let at = Math.max(plot.left, x1); at < Math.min(plot.right, x2); at += 6) {
      roofLines.add({x: at, y: y1 + ((at - x1) / (x2 - x1)) * (y2 - y1) - 2, width: 6, height: 4});
    }
  }
  const labels: Scene['labels'] = [];
  for (const {point, radius} of points) {
    const r = Math.min(radius, 12);
    taken.add({x: x(point.intensity) - r, y: y(point.tflops) - r, width: 2 * r, height: 2 * r});
  }
  for (const {point, radius, remark} of points) {
    if (labels.length >= 6) break;
    const space = Math.min(220, (plot.right - plot.left) * 0.45) - textWidth(remark);
    const text = fitText(point.kernel, space) + remark;
    const width = textWidth(text) + 4;
    const at = {x: x(point.intensity), y: y(point.tflops)};
    const places = [
      {x: at.x + radius + 3, y: at.y - 8, width, height: 16},
      {x: at.x - radius - 3 - width, y: at.y - 8, width, height: 16},
      {x: at.x - width / 2, y: at.y - radius - 18, width, height: 16},
      {x: at.x - width / 2, y: at.y + radius + 3, width, height: 16},
    ];
    places.sort((a, b) => Number(roofLines.isFree(b)) - Number(roofLines.isFree(a)));
    const found = taken.takeFirst(places);
    if (found >= 0) labels.push({x: places[found].x + 2, y: places[found].y + 12, text});
  }
  return {x, y, flat, slanted, labels};
}
