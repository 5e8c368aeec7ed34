// Where the time of each step goes, and of all of them together.
import {scaleLinear} from 'd3-scale';
import type {StepsData} from '../data';
import {BottomAxis, evenTicks, LeftAxis} from '../parts/axes';
import {columnOf, columnsOf} from '../parts/columns';
import type {Column} from '../parts/columns';
import {axisIn, countOf, formatCount, formatNs, formatPercent} from '../parts/format';
import {Legend} from '../parts/legend';
import {filling, Fillings} from '../parts/patterns';
import {useRoving} from '../parts/roving';
import {AsTable} from '../parts/table';
import type {Column as TableColumn} from '../parts/table';
import {fitText, textWidth} from '../parts/text';
import {Facts, spoken, unlessTouch, useTooltip} from '../parts/tooltip';
import {sizeOfPicture, useName, useWidth} from '../parts/width';

const height = 260;
const rightColumn = (one: string): TableColumn => ({name: one, kind: 'right'});
const share = (ns: number, total: number) => (total > 0 ? formatPercent((100 * ns) / total) : 'no time');

function factsOf(data: StepsData, column: Column): [string, string][] {
  const parts = data.parts
    .map((part, i): [string, string] => [part.name, `${formatNs(column.ns[i])}, ${share(column.ns[i], column.total)}`])
    .filter((_, i) => column.ns[i] > 0);
  const count = column.to - column.from;
  const longest: [string, string][] = count > 1 ? [[`Longest ${data.what}`, formatNs(column.longest)]] : [];
  return [[count > 1 ? `Mean of ${formatCount(count)}` : 'Whole', formatNs(column.total)], ...longest, ...parts];
}

function titleOf(data: StepsData, {from, to, isSkipped}: Column): string {
  const [first, last] = [data.numbers[from], data.numbers[to - 1]];
  const name = to - from > 1 ? `${data.what}s ${formatCount(first)} to ${formatCount(last)}` : `${data.what} ${formatCount(first)}`;
  return name + (isSkipped ? ' (warming up, not counted)' : '');
}

// The mean division as one bar.
function Whole({data, mean, width, name}: {data: StepsData; mean: Column; width: number; name: string}) {
  let at = 0;
  const label = `Mean of a ${data.what}: ${data.parts.map((part, i) => `${part.name} ${share(mean.ns[i], mean.total)}`).join(', ')}.`;
  return (
    <svg class="picture" {...sizeOfPicture(width, 52)} role="img" aria-label={label}>
      {data.parts.map((part, i) => {
        const from = at;
        at += mean.total > 0 ? (mean.ns[i] / mean.total) * width : 0;
        if (at - from < 0.3) return null;
        const value = share(mean.ns[i], mean.total);
        const label = `${part.name} ${value}`;
        const text = [label, value].find((one) => textWidth(one) < at - from - 4);
        return (
          <g key={i}>
            <rect x={from} y={0} width={Math.max(at - from - 1, 0.5)} height={28} fill={filling(name, i)} />
            {text && <text x={from} y={44}>{text}</text>}
          </g>
        );
      })}
    </svg>
  );
}

export function Steps({data}: {data: StepsData}) {
  const [place, width] = useWidth();
  const tip = useTooltip();
  const name = useName();
  const plot = {left: 58, right: Math.max(width - 12, 100), top: 24, bottom: height - 42};
  const columns = columnsOf(data, Math.floor((plot.right - plot.left) / 3));
  const roving = useRoving(columns.length);
  const count = data.numbers.length;
  if (count === 0 || data.parts.length === 0) return <p>No {data.what || 'step'}s are drawn: none was recorded with work on a GPU.</p>;

  const skipped = Math.min(data.skipped, count);
  // Where all are skipped there is nothing better than all of them.
  const mean = columnOf(data, skipped < count ? skipped : 0, count);
  const counted = skipped < count ? count - skipped : count;
  const largest = data.parts.map((part, i) => ({...part, mean: mean.ns[i]})).sort((a, b) => b.mean - a.mean)[0];
  const most = (some: Column[]) => some.reduce((high, column) => Math.max(high, column.total), 0);
  // Steps that warm up may take many times as long: they would leave no space for the others.
  const tallest = most(columns);
  const ofCounted = most(columns.filter((column) => !column.isSkipped));
  const isCut = ofCounted > 0 && tallest > 1.6 * ofCounted;
  const y = scaleLinear().domain([0, isCut ? 1.25 * ofCounted : tallest]).range([plot.bottom, plot.top]);
  const each = (plot.right - plot.left) / columns.length;
  const left = (i: number) => plot.left + i * each;
  const barWidth = Math.min(each > 4 ? each - 1.5 : each, 80);
  const boundary = columns.findIndex((column) => !column.isSkipped);
  if (tallest === 0) return <p>No {data.what}s are drawn: none of the {countOf(count, data.what)} has any time.</p>;
  const sentence =
    `${countOf(counted, data.what)} of ${formatNs(mean.total)} on average; the largest part is ${largest.name} with ` +
    `${formatNs(largest.mean)}, ${share(largest.mean, mean.total)}.`;
  const ticks = columns.map((column, i) => ({at: left(i) + each / 2, number: data.numbers[column.from]}));
  const tickOf = new Map(ticks.map((tick) => [tick.number, tick.at]));
  const tickEach = Math.max(1, Math.ceil((columns.length * 60) / Math.max(plot.right - plot.left, 60)));
  const numbers = ticks.filter((_, i) => i % tickEach === 0).map((tick) => tick.number);
  const bottomTicks = evenTicks(numbers, (value) => tickOf.get(value) ?? 0, formatCount);
  const perColumn = Math.max(...columns.map((column) => column.to - column.from));
  const warmingUp = `\u2190 ${countOf(skipped, data.what)} warming up`;

  const notes = [
    perColumn > 1 && `A column is the mean of up to ${formatCount(perColumn)} neighbouring ${data.what}s.`,
    skipped > 0 && skipped < count && `The first ${countOf(skipped, data.what)} (faded) warm up and are not counted in the mean.`,
    skipped >= count && `All ${data.what}s warm up: the mean is of all of them.`,
    isCut && 'An arrow marks what is cut off at the top.',
  ].filter(Boolean);

  return (
    <div>
      <p>{sentence}</p>
      <div ref={place} class="picture-place">
        <svg width="0" height="0" class="definitions" aria-hidden="true">
          <Fillings parts={data.parts} name={name} />
        </svg>
        <Legend
          label="Parts of the time"
          entries={data.parts.map((part, i) => ({
            name: `${part.name} ${share(mean.ns[i], mean.total)}`,
            mark: <rect width="16" height="16" rx="2" fill={filling(name, i)} />,
          }))}
        />
        {width > 0 && <Whole data={data} mean={mean} width={width} name={name} />}
        {width > 0 && count > 1 && (
          <svg class="picture" {...sizeOfPicture(width, height)} role="group" aria-label={`Time of each ${data.what}. ${sentence}`}>
            <LeftAxis
              ticks={evenTicks(y.ticks(5), y, (value) => axisIn(value, 'ns'), false)}
              {...plot}
              name={`time of a ${data.what}`}
              nameY={12}
            />
            <BottomAxis ticks={bottomTicks} {...plot} top={plot.bottom} name={data.what} />
            {columns.map((column, i) => {
              let at = 0;
              const title = titleOf(data, column);
              const facts = factsOf(data, column);
              const top = Math.max(y(column.total), plot.top);
              return (
                <g key={column.from}>
                  <g class={column.isSkipped ? 'faded' : undefined} aria-hidden="true">
                    {column.ns.map((ns, part) => {
                      const low = Math.max(y(at), plot.top);
                      at += ns;
                      const high = Math.max(y(at), plot.top);
                      if (low - high <= 0) return null;
                      return <rect key={part} x={left(i)} y={high} width={barWidth} height={low - high} fill={filling(name, part)} />;
                    })}
                  </g>
                  {y(column.total) < plot.top && (
                    <path class="cut" transform={`translate(${left(i) + barWidth / 2} ${plot.top - 2})`} d="M-4 0 L4 0 L0 -7 Z" />
                  )}
                  <rect
                    {...roving.item(i)}
                    class="hit"
                    x={left(i)}
                    y={top}
                    width={Math.max(barWidth, 1)}
                    height={plot.bottom - top}
                    role="img"
                    aria-label={spoken(title, facts)}
                    onFocus={(event) => tip.show(event.currentTarget, <Facts title={title} facts={facts} />)}
                    onBlur={tip.hide}
                    onPointerEnter={(event) => tip.show(event.currentTarget, <Facts title={title} facts={facts} />)}
                    onPointerLeave={unlessTouch(tip.hide)}
                  />
                </g>
              );
            })}
            {boundary > 0 && (
              <g aria-hidden="true">
                <line class="boundary" x1={left(boundary) - 0.75} x2={left(boundary) - 0.75} y1={plot.top - 10} y2={plot.bottom} />
                <text class="halo" x={left(boundary) + 4} y={plot.top - 2}>
                  {fitText(warmingUp, plot.right - left(boundary) - 8)}
                </text>
              </g>
            )}
          </svg>
        )}
      </div>
      {notes.length > 0 && <p class="dim">{notes.join(' ')}</p>}
      <AsTable
        label={`Time of each ${data.what}`}
        columns={[{name: data.what}, ...['Whole', ...data.parts.map((part) => part.name)].map(rightColumn)]}
        rows={() =>
          data.numbers.map((number, i) => {
            const step = columnOf(data, i, i + 1);
            return [formatCount(number) + (step.isSkipped ? ' (warming up)' : ''), formatNs(step.total), ...step.ns.map(formatNs)];
          })
        }
      />
      {tip.tooltip}
    </div>
  );
}
