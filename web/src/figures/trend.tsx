// One number of a history over time: each value, and where its level changed.
import {extent, range} from 'd3-array';
import {scaleLinear} from 'd3-scale';
import {useMemo, useState} from 'preact/hooks';
import type {TrendData} from '../data';
import {BottomAxis, evenTicks, LeftAxis} from '../parts/axes';
import {countOf, formatNumber} from '../parts/format';
import {categoryClass} from '../parts/marks';
import {AsTable} from '../parts/table';
import {shorten} from '../parts/text';
import {Facts, spoken, unlessTouch, useTooltip} from '../parts/tooltip';
import {sizeOfPicture, useWidth} from '../parts/width';

const height = 300;
const pointsOfPixel = 2;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
const percentOf = (ratio: number) => `${ratio >= 1 ? '+' : ''}${(100 * (ratio - 1)).toFixed(1)} %`;

function sentenceOf({points, changes, times_ms}: TrendData): string {
  if (changes.length === 0) return `No change of level is found in ${countOf(points.length, 'value')}.`;
  const last = changes[changes.length - 1];
  return `The level changed by ${percentOf(last.ratio)} on ${dayOf(times_ms[last.at])}.`;
}

export function Trend({data}: {data: TrendData}) {
  const [place, width] = useWidth();
  const [cursor, setCursor] = useState<number | null>(null); // index of a point
  const tip = useTooltip();
  const {points, times_ms: times, changes} = data;
  const values = useMemo(() => points.map((point) => point.value), [points]);
  const [least, most] = useMemo(() => extent(values), [values]);
  if (least === undefined || most === undefined) return <p>No trend is drawn: there are no values.</p>;
  const margin = (most - least || Math.abs(most) || 1) * 0.08;
  const plot = {left: 68, right: Math.max(width - 16, 120), top: 26, bottom: height - 44};
  const x = scaleLinear().domain([0, Math.max(points.length - 1, 1)]).range([plot.left + 6, plot.right - 6]);
  const y = scaleLinear().domain([least - margin, most + margin]).range([plot.bottom, plot.top]);
  const sentence = sentenceOf(data);
  const factsOf = (i: number): [string, string][] => [
    [shorten(data.metric, 40), formatNumber(values[i])],
    ['Record', points[i].id],
    ...(points[i].commit ? [['Commit', shorten(points[i].commit, 16)] as [string, string]] : []),
  ];
  const move = (svg: Element, index: number) => {
    const i = Math.min(Math.max(Math.round(index), 0), points.length - 1);
    const box = svg.getBoundingClientRect();
    setCursor(i);
    const beside = {left: box.left + x(i) - 10, right: box.left + x(i) + 10, top: box.top + y(values[i]) - 10, bottom: box.top + y(values[i]) + 10};
    tip.show(beside, <Facts title={dayOf(times[i])} facts={factsOf(i)} />);
  };
  const leave = () => {
    setCursor(null);
    tip.hide();
  };
  const onPointer = (event: PointerEvent) => {
    const svg = event.currentTarget as Element;
    move(svg, x.invert(event.clientX - svg.getBoundingClientRect().left));
  };
  const onKey = (event: KeyboardEvent) => {
    const from = cursor ?? 0;
    const far = Math.max(1, Math.round(points.length / 20));
    const next: Record<string, number> = {
      ArrowRight: from + 1,
      ArrowUp: from + 1,
      ArrowLeft: from - 1,
      ArrowDown: from - 1,
      PageUp: from + far,
      PageDown: from - far,
      Home: 0,
      End: points.length - 1,
    };
    if (!(event.key in next) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move((event.currentTarget as Element).closest('svg') as Element, next[event.key]);
  };
  // As many points as can be seen apart; all of them are in the table.
  const every = Math.max(1, Math.ceil(points.length / Math.max(1, (plot.right - plot.left) * pointsOfPixel)));
  const shown = range(0, points.length, every);
  const ticks = x.ticks(Math.max(2, (plot.right - plot.left) / 150)).filter((i) => Number.isInteger(i) && i < points.length);

  return (
    <div>
      <p>{sentence}</p>
      <div ref={place} class="picture-place">
        {width > 0 && (
          <svg
            class="picture"
            {...sizeOfPicture(width, height)}
            role="group"
            aria-label={`${data.metric} of ${countOf(points.length, 'record')}. ${sentence}`}
            onPointerMove={onPointer}
            onPointerDown={onPointer}
            onPointerLeave={unlessTouch(leave)}
          >
            <LeftAxis ticks={evenTicks(y.ticks(5), y, formatNumber, false)} {...plot} name={shorten(data.metric, 40)} nameY={12} />
            <BottomAxis
              ticks={evenTicks(ticks, x, (i) => dayOf(times[i]).slice(0, 10))}
              {...plot}
              name="records, in the order of time"
            />
            <g aria-hidden="true">
              {changes.map(({at, ratio}) => (
                <g key={at}>
                  <line class="capacity" x1={x(at) - 2} x2={x(at) - 2} y1={plot.top} y2={plot.bottom} />
                  <text x={x(at) + 4} y={plot.top + 10}>{percentOf(ratio)}</text>
                </g>
              ))}
              <g class={categoryClass(0)}>
                {shown.map((i) => <circle key={i} class="peak" cx={x(i)} cy={y(values[i])} r={points.length > 300 ? 1.5 : 3} />)}
              </g>
              {cursor !== null && <line class="cursor" x1={x(cursor)} x2={x(cursor)} y1={plot.top} y2={plot.bottom} />}
            </g>
            <rect
              class="hit"
              x={plot.left}
              y={plot.top}
              width={plot.right - plot.left}
              height={plot.bottom - plot.top}
              tabindex={0}
              role="slider"
              aria-label="Record to read"
              aria-valuemin={1}
              aria-valuemax={points.length}
              aria-valuenow={(cursor ?? 0) + 1}
              aria-valuetext={spoken(dayOf(times[cursor ?? 0]), factsOf(cursor ?? 0))}
              onKeyDown={onKey}
              onFocus={(event) => cursor === null && move(event.currentTarget.ownerSVGElement as Element, 0)}
              onBlur={leave}
            />
          </svg>
        )}
      </div>
      <AsTable
        label={`${data.metric} over time`}
        columns={[{name: 'Time', kind: 'right'}, {name: 'Value', kind: 'right'}, {name: 'Record', kind: 'name'}, {name: 'Commit', kind: 'name'}]}
        rows={() => points.map((point, i) => [dayOf(times[i]), formatNumber(point.value), point.id, point.commit || 'not known'])}
      />
      {tip.tooltip}
    </div>
  );
}
