// The single measurements of two sides on one scale, each a dot, with the median of a side as a line.
import {extent, median} from 'd3-array';
import {scaleLinear, scaleLog} from 'd3-scale';
import type {IntervalsData} from '../data';
import {BottomAxis, evenTicks, logTicks} from './axes';
import {axisIn, countOf, formatIn, isKnown} from './format';
import {AsTable} from './table';
import {fitText} from './text';
import {sizeOfPicture, useWidth} from './width';

const mostDots = 1000;
const stripHeight = 46;
const top = 8;

// Dots of equal values beside each other: the same offset each time, spread evenly.
const offsetOf = (i: number) => ((i * 0.618034) % 1) - 0.5;

export function Strips({values, first, second}: {values: IntervalsData['values'][number]; first: string; second: string}) {
  const [place, width] = useWidth();
  const sides = [
    {label: first, all: values.first.filter(isKnown), mark: 'first'},
    {label: second, all: values.second.filter(isKnown), mark: 'second'},
  ];
  const [low, high] = extent(sides.flatMap((side) => side.all));
  if (low === undefined || high === undefined) return <p class="dim">No single measurements of {values.name} were kept.</p>;

  const isWide = width >= 600;
  const left = isWide ? Math.min(width * 0.25, 200) : 8;
  const right = Math.max(width - 16, left + 40);
  const each = isWide ? stripHeight : stripHeight + 18;
  const bottom = top + 2 * each;
  // Values that differ a hundredfold need a logarithm.
  const isLog = low > 0 && high / low > 100;
  const space = low === high ? Math.abs(low) * 0.1 || 1 : (high - low) * 0.03;
  const domain: [number, number] = isLog ? [low / 1.2, high * 1.2] : [low - space, high + space];
  const x = (isLog ? scaleLog() : scaleLinear()).domain(domain).range([left + 8, right]);
  const format = (value: number) => formatIn(value, values.unit);
  const ticks = isLog
    ? logTicks(domain, x, 70).map((tick) => ({...tick, label: tick.label && axisIn(tick.value, values.unit)}))
    : evenTicks(scaleLinear().domain(domain).ticks(Math.max(2, (right - left) / 90)), x, (value) => axisIn(value, values.unit));
  const sentence = sides
    .map(({label, all}) => `${label}: ${countOf(all.length, 'measurement')}${all.length > 0 ? `, median ${format(median(all) ?? 0)}` : ''}`)
    .join('; ');

  return (
    <div class="strips">
      <h3>Measurements: {values.name}</h3>
      <div ref={place} class="picture-place">
        {width > 0 && (
          <svg class="picture" {...sizeOfPicture(width, bottom + 26)} role="img" aria-label={`${sentence}.`}>
            <BottomAxis ticks={ticks} left={left} right={right} top={top} bottom={bottom} name="" />
            {sides.map(({label, all, mark}, side) => {
              const y = top + side * each + each - stripHeight / 2;
              const step = Math.max(1, Math.ceil(all.length / mostDots));
              const middle = median(all);
              const text = middle === undefined ? 'no measurements' : `median ${format(middle)}`;
              return (
                <g key={side} class={mark}>
                  {isWide ? (
                    <>
                      <text x={0} y={y - 3}>{fitText(label, left - 8)}</text>
                      <text class="dim-text" x={0} y={y + 13}>{fitText(text, left - 8)}</text>
                    </>
                  ) : (
                    <text x={0} y={y - stripHeight / 2 - 2} class="halo">{fitText(`${label}: ${text}`, width - 8)}</text>
                  )}
                  {all.map((value, i) =>
                    i % step > 0 ? null : mark === 'first' ? (
                      <circle key={i} class="dot" cx={x(value)} cy={y + offsetOf(i) * 20} r="3" />
                    ) : (
                      <rect key={i} class="dot" x={x(value) - 2.6} y={y + offsetOf(i) * 20 - 2.6} width="5.2" height="5.2" />
                    ),
                  )}
                  {middle !== undefined && <line class="median" x1={x(middle)} x2={x(middle)} y1={y - 15} y2={y + 15} />}
                </g>
              );
            })}
          </svg>
        )}
      </div>
      {sides.some((side) => side.all.length > mostDots) && (
        <p class="dim">Up to {mostDots} measurements of a side are drawn, evenly taken; the medians are of all.</p>
      )}
      <AsTable
        label={`Measurements of ${values.name}`}
        columns={[{name: 'Number', kind: 'right'}, {name: first, kind: 'right'}, {name: second, kind: 'right'}]}
        rows={() =>
          Array.from({length: Math.max(values.first.length, values.second.length)}, (_, i) => [
            String(i + 1),
            i < values.first.length ? format(values.first[i]) : '',
            i < values.second.length ? format(values.second[i]) : '',
          ])
        }
      />
    </div>
  );
}
