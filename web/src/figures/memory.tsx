// Memory over time: steps between samples, with what the device has.
import {bisectRight} from 'd3-array';
import {scaleLinear} from 'd3-scale';
import {curveStepAfter, line} from 'd3-shape';
import {useState} from 'preact/hooks';
import type {MemoryData} from '../data';
import {BottomAxis, evenTicks, LeftAxis} from '../parts/axes';
import {axisIn, countOf, formatBytes, formatNs, formatPercent, isKnown} from '../parts/format';
import {Taken} from '../parts/labels';
import {Legend} from '../parts/legend';
import {categoryClass} from '../parts/marks';
import {reduced, samplesOf} from '../parts/samples';
import type {Samples} from '../parts/samples';
import {AsTable} from '../parts/table';
import {fitText, shorten, textWidth} from '../parts/text';
import {Facts, spoken, unlessTouch, useTooltip} from '../parts/tooltip';
import {sizeOfPicture, useWidth} from '../parts/width';

const height = 300;
const peaksWritten = 4;
const dashes = ['', '7 3', '2 3', '9 3 2 3', '4 2', '12 4', '6 2 2 2', '1 2'];

// Ticks that are round in units of 1024.
function byteTicks(most: number, count: number): number[] {
  const unit = 1024 ** Math.max(0, Math.floor(Math.log2(Math.max(most, 1)) / 10));
  return scaleLinear().domain([0, most / unit]).ticks(count).map((value) => value * unit);
}

const at = ({times, bytes}: Samples, ns: number) => {
  const i = bisectRight(times, ns) - 1;
  return i < 0 ? null : bytes[i];
};

function sentenceOf(series: Samples[]): string {
  const most = series.reduce((a, b) => (b.peak > a.peak ? b : a));
  const {capacity} = most;
  const of = capacity ? `, ${formatPercent((100 * most.peak) / capacity)} of the ${formatBytes(capacity)} that there are` : '';
  return `The peak is ${formatBytes(most.peak)} at ${formatNs(most.peakTime)} (${shorten(most.name, 80)})${of}.`;
}

export function Memory({data}: {data: MemoryData}) {
  const [place, width] = useWidth();
  const [cursor, setCursor] = useState<number | null>(null); // ns
  const tip = useTooltip();
  const [hidden, setHidden] = useState<number[]>([]);
  const all = data.series.map(samplesOf).filter((one) => one.times.length > 0);
  if (all.length === 0) return <p>No memory is drawn: there are no samples of it.</p>;

  const shown = all.map((_, i) => i).filter((i) => !hidden.includes(i));
  const series = shown.map((i) => all[i]);
  const capacities = [...new Set(series.map((one) => one.capacity).filter(isKnown))];
  const begin = Math.min(...all.map((one) => one.times[0]));
  const last = Math.max(...all.map((one) => one.times[one.times.length - 1]));
  const end = last > begin ? last : begin + Math.max(begin * 0.1, 1e6);
  const most = Math.max(...series.map((one) => one.peak), ...capacities, 1) * 1.08;
  const plot = {left: 68, right: Math.max(width - 16, 120), top: 26, bottom: height - 44};
  const x = scaleLinear().domain([begin, end]).range([plot.left, plot.right]);
  const y = scaleLinear().domain([0, most]).range([plot.bottom, plot.top]);
  const sentence = series.length > 0 ? sentenceOf(series) : 'All series are hidden: choose one.';

  const taken = new Taken({x: plot.left, y: plot.top - 6, width: plot.right - plot.left, height: plot.bottom - plot.top + 6});
  const capacityLabels = capacities.map((bytes) => {
    const text = fitText(`capacity ${formatBytes(bytes)}`, plot.right - plot.left - 8);
    const area = {x: plot.right - textWidth(text), y: y(bytes) - 17, width: textWidth(text), height: 15};
    return taken.takeFirst([area, {...area, y: y(bytes) + 3}]) >= 0 ? {...area, text} : null;
  });
  const highest = [...series].sort((a, b) => b.peak - a.peak).slice(0, peaksWritten);
  const peakLabels = highest.map(({peak, peakTime}) => {
    const text = `peak ${formatBytes(peak)} at ${formatNs(peakTime)}`;
    const textSize = textWidth(text);
    const left = Math.min(Math.max(x(peakTime) - textSize / 2, plot.left + 4), plot.right - textSize);
    const places = [-20, 6, -36, 22].map((away) => ({x: left, y: y(peak) + away, width: textSize, height: 15}));
    const found = taken.takeFirst(places);
    return found >= 0 ? {...places[found], text} : null;
  });

  const factsAt = (ns: number): [string, string][] => series.map((one) => [shorten(one.name, 60), formatBytes(at(one, ns))]);
  // The tooltip stands beside the cursor, over its whole height.
  const move = (svg: Element, ns: number) => {
    const time = Math.min(Math.max(ns, begin), end);
    const box = svg.getBoundingClientRect();
    setCursor(time);
    const middle = box.left + x(time);
    const beside = {left: middle - 12, right: middle + 12, top: box.top + plot.top, bottom: box.top + plot.bottom};
    tip.show(beside, <Facts title={formatNs(time)} facts={factsAt(time)} />);
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
    const step = (end - begin) / 100;
    const from = cursor ?? begin;
    const next: Record<string, number> = {
      ArrowRight: from + step,
      ArrowUp: from + step,
      ArrowLeft: from - step,
      ArrowDown: from - step,
      PageUp: from + 10 * step,
      PageDown: from - 10 * step,
      Home: begin,
      End: end,
    };
    if (!(event.key in next) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move((event.currentTarget as Element).closest('svg') as Element, next[event.key]);
  };
  const shape = line<[number, number]>((point) => point[0], (point) => point[1]).curve(curveStepAfter);

  return (
    <div>
      <p>{sentence}</p>
      <Legend
        label="Series"
        entries={all.map((one, i) => ({
          name: shorten(one.name, 60),
          pressed: !hidden.includes(i),
          toggle: all.length > 1 ? () => setHidden(hidden.includes(i) ? hidden.filter((other) => other !== i) : [...hidden, i]) : undefined,
          mark: <line class={`series ${categoryClass(i)}`} x1="0" x2="16" y1="8" y2="8" stroke-dasharray={dashes[i % dashes.length]} />,
        }))}
      />
      <div ref={place} class="picture-place">
        {width > 0 && (
          <svg
            class="picture memory"
            {...sizeOfPicture(width, height)}
            role="group"
            aria-label={`Memory over ${formatNs(end - begin)}. ${sentence}`}
            onPointerMove={onPointer}
            onPointerDown={onPointer}
            onPointerLeave={unlessTouch(leave)}
          >
            <LeftAxis
              ticks={evenTicks(byteTicks(most, 5), y, (value) => axisIn(value, 'byte'), false)}
              {...plot}
              name="memory"
              nameY={12}
            />
            <BottomAxis
              ticks={evenTicks(x.ticks(Math.max(2, (plot.right - plot.left) / 90)), x, (value) => axisIn(value, 'ns'))}
              {...plot}
              name="time from the start of the recording"
            />
            <g aria-hidden="true">
              {capacities.map((bytes) => (
                <line key={bytes} class="capacity" x1={plot.left} x2={plot.right} y1={y(bytes)} y2={y(bytes)} />
              ))}
              {shown.map((i) => {
                const one = all[i];
                const points = reduced(one, begin, end, Math.round(plot.right - plot.left));
                return (
                  <g key={i} class={categoryClass(i)}>
                    <path
                      class="series"
                      d={shape(points.map(([ns, bytes]) => [x(ns), y(bytes)])) ?? ''}
                      stroke-dasharray={dashes[i % dashes.length]}
                    />
                    <circle class="peak" cx={x(one.peakTime)} cy={y(one.peak)} r="4" />
                  </g>
                );
              })}
              <g class="labels">
                {[...capacityLabels, ...peakLabels].map(
                  (label, i) => label && <text key={i} x={label.x} y={label.y + 12}>{label.text}</text>,
                )}
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
              aria-label="Time to read memory at"
              aria-valuemin={Math.round(begin)}
              aria-valuemax={Math.round(end)}
              aria-valuenow={Math.round(cursor ?? begin)}
              aria-valuetext={spoken(formatNs(cursor ?? begin), factsAt(cursor ?? begin))}
              onKeyDown={onKey}
              onFocus={(event) => cursor === null && move(event.currentTarget.ownerSVGElement as Element, begin)}
              onBlur={leave}
            />
          </svg>
        )}
      </div>
      <AsTable
        label="Memory over time"
        columns={[{name: 'Series', kind: 'name'}, {name: 'Time', kind: 'right'}, {name: 'Memory', kind: 'right'}]}
        rows={() => [
          ...all.map(({name, times, peak, peakTime}) => [
            `${name}: peak of ${countOf(times.length, 'sample')}`,
            formatNs(peakTime),
            formatBytes(peak),
          ]),
          ...all.flatMap((one) => one.times.map((ns, i) => [one.name, formatNs(ns), formatBytes(one.bytes[i])])),
        ]}
      />
      {tip.tooltip}
    </div>
  );
}
