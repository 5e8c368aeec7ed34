// Axes of pictures, with as many ticks as have space.
import {ticks} from 'd3-array';
import {formatNumber} from './format';
import {textWidth} from './text';

export interface Tick {
  at: number;
  value: number;
  label: string; // "" for a line without a number
}

// `scale` maps to pixels. Whole powers of ten first, and what is between where there is space.
export function logTicks(domain: [number, number], scale: (value: number) => number, apart: number): Tick[] {
  const [low, high] = domain;
  const decades = Math.log10(high / low);
  const pixels = Math.abs(scale(high) - scale(low));
  if (decades < 0.7) {
    return evenTicks(ticks(low, high, Math.max(2, pixels / apart)), scale, formatNumber);
  }
  const each = Math.max(1, Math.ceil((decades * apart) / pixels));
  const hasRoom = pixels / decades > 3 * apart;
  const made: Tick[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
    for (const digit of hasRoom ? [1, 2, 5] : [1]) {
      const value = Number(`${digit}e${power}`);
      if (value < low * 0.9999 || value > high * 1.0001) continue;
      made.push({at: scale(value), value, label: power % each === 0 ? formatNumber(value) : ''});
    }
  }
  return made;
}

// Those ticks of an even scale, with labels that do not meet.
export function evenTicks(values: number[], scale: (value: number) => number, format: (value: number) => string, across = true): Tick[] {
  let end = -Infinity;
  return [...values]
    .map((value) => ({at: scale(value), value, label: format(value)}))
    .sort((a, b) => a.at - b.at)
    .map((tick) => {
      const half = across ? textWidth(tick.label) / 2 + 4 : 8;
      if (tick.at - half < end) return {...tick, label: ''};
      end = tick.at + half;
      return tick;
    });
}

interface BottomAxisProps {
  ticks: Tick[];
  left: number;
  right: number;
  top: number; // of the lines of the grid
  bottom: number;
  name: string;
}

export function BottomAxis({ticks, left, right, top, bottom, name}: BottomAxisProps) {
  return (
    <g class="axis" aria-hidden="true">
      {ticks.map((tick) => (
        <line key={tick.at} class="grid" x1={tick.at} x2={tick.at} y1={top} y2={bottom} />
      ))}
      {ticks.map((tick) => {
        // The last label must not be cut by the edge.
        const half = textWidth(tick.label) / 2;
        return (
          <text key={tick.at} x={Math.min(Math.max(tick.at, half), right + 12 - half)} y={bottom + 17} text-anchor="middle">
            {tick.label}
          </text>
        );
      })}
      <text class="name" x={(left + right) / 2} y={bottom + 36} text-anchor="middle">
        {name}
      </text>
    </g>
  );
}

interface LeftAxisProps {
  ticks: Tick[];
  left: number;
  right: number;
  name: string;
  nameY: number;
}

export function LeftAxis({ticks, left, right, name, nameY}: LeftAxisProps) {
  return (
    <g class="axis" aria-hidden="true">
      {ticks.map((tick) => (
        <line key={tick.at} class="grid" x1={left} x2={right} y1={tick.at} y2={tick.at} />
      ))}
      {ticks.map((tick) => (
        <text key={tick.at} x={left - 6} y={tick.at + 4} text-anchor="end">
          {tick.label}
        </text>
      ))}
      <text class="name" x={0} y={nameY}>
        {name}
      </text>
    </g>
  );
}
