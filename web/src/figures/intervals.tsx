// Before and after: ratios with their intervals, and the single measurements below.
import {scaleLog} from 'd3-scale';
import type {IntervalsData} from '../data';
import {BottomAxis, logTicks} from '../parts/axes';
import {formatIn, formatNumber, formatPercent, isKnown, unknown} from '../parts/format';
import {useRoving} from '../parts/roving';
import {Strips} from '../parts/strips';
import {AsTable} from '../parts/table';
import {fitText, longName, shorten} from '../parts/text';
import {Facts, spoken, unlessTouch, useTooltip} from '../parts/tooltip';
import {sizeOfPicture, useWidth} from '../parts/width';

type Row = IntervalsData['rows'][number];
const answers: Record<Row['answer'], string> = {better: 'better', worse: 'worse', cannot_tell: 'inconclusive'};
const top = 24;

const isRatio = (value: number | null): value is number => isKnown(value) && value > 0;
const times = (ratio: number | null) => (isRatio(ratio) ? `${formatNumber(ratio)} x` : unknown);
const intervalOf = ({low, high}: Row) => (isKnown(low) || isKnown(high) ? `${times(low)} to ${times(high)}` : unknown);

// The same space on both sides of 1, for all that is drawn.
function domainOf({rows, noise_floor}: IntervalsData): [number, number] {
  const ratios = rows.flatMap(({ratio, low, high}) => [ratio, low, high].filter(isRatio));
  const away = Math.max(...ratios.map((ratio) => Math.abs(Math.log(ratio))), Math.log(1 + noise_floor) * 2, Math.log(1.1));
  const most = Math.exp(Math.min(away * 1.12, 40));
  return [1 / most, most];
}

export function Intervals({data}: {data: IntervalsData}) {
  const [place, width] = useWidth();
  const tip = useTooltip();
  const roving = useRoving(data.rows.length);
  if (data.rows.length === 0) return <p>Nothing is compared: no quantity was measured on both sides.</p>;

  const first = shorten(data.first, 30);
  const second = shorten(data.second, 30);
  const isWide = width >= 720;
  // Wide: names at the left, values and answers at the right. Narrow: all texts above the interval of their row.
  const plot = isWide
    ? {left: Math.min(width * 0.28, 300), right: width - 310}
    : {left: 14, right: Math.max(width - 14, 60)};
  const rowHeight = isWide ? 34 : 64;
  const middleOf = (i: number) => top + i * rowHeight + (isWide ? rowHeight / 2 : rowHeight - 14);
  const bottom = top + data.rows.length * rowHeight + 4;
  const domain = domainOf(data);
  const x = scaleLog().domain(domain).range([plot.left, plot.right]);
  const floor = Math.max(data.noise_floor, 0);
  const band = [1 / (1 + floor), 1 + floor].map((ratio) => x(ratio));

  const factsOf = (row: Row): [string, string][] => [
    ['Answer', answers[row.answer] ?? unknown],
    [first, formatIn(row.first, row.unit)],
    [second, formatIn(row.second, row.unit)],
    ['Ratio, second to first', times(row.ratio)],
    ['99 % interval', intervalOf(row)],
  ];
  const main = data.rows[0];
  const sentence =
    `${shorten(main.name, 80)}: ${answers[main.answer] ?? unknown}, ${times(main.ratio)} as long, interval ${intervalOf(main)}. ` +
    `Differences of up to ${formatPercent(100 * floor)} do not count.`;
  const valueText = (row: Row) => `${formatIn(row.first, row.unit)} \u2192 ${formatIn(row.second, row.unit)}`;

  return (
    <div>
      <div ref={place} class="picture-place">
        {width > 0 && (
          <svg class="picture intervals" {...sizeOfPicture(width, bottom + 44)} role="group" aria-label={sentence}>
            <g aria-hidden="true">
              <rect class="noise" x={band[0]} width={Math.max(band[1] - band[0], 1)} y={top} height={bottom - top} />
              {isWide && <text class="dim-text" x={plot.right + 12} y={14}>{fitText(`${first} \u2192 ${second}`, 290)}</text>}
              <text class="dim-text" x={x(1) - 8} y={14} text-anchor="end">
                {plot.right - plot.left > 300 ? '\u2190 second takes less' : '\u2190 less'}
              </text>
              <text class="dim-text" x={x(1) + 8} y={14}>{plot.right - plot.left > 300 ? 'second takes more \u2192' : 'more \u2192'}</text>
            </g>
            <BottomAxis ticks={logTicks(domain, x, 48)} {...plot} top={top} bottom={bottom} name="second / first" />
            <line class="one" x1={x(1)} x2={x(1)} y1={top} y2={bottom} />
            {data.rows.map((row, i) => {
              const y = middleOf(i);
              const facts = factsOf(row);
              const show = (element: Element) => tip.show(element, <Facts title={longName(row.name)} facts={facts} />);
              const answer = answers[row.answer] ?? unknown;
              const [low, high] = [row.low, row.high].map((value) => (isRatio(value) ? x(value) : null));
              return (
                <g key={i} class={`interval ${row.answer}`}>
                  <g aria-hidden="true">
                    {isWide ? (
                      <>
                        <text x={0} y={y + 4}>{fitText(row.name, plot.left - 16)}</text>
                        <text x={plot.right + 12} y={y + 4}>{fitText(valueText(row), 195)}</text>
                        <text class="answer" x={width} y={y + 4} text-anchor="end">{answer}</text>
                      </>
                    ) : (
                      <>
                        <text class="halo" x={0} y={y - 34}>{fitText(row.name, width - 90)}</text>
                        <text class="answer" x={width} y={y - 34} text-anchor="end">{answer}</text>
                        <text class="dim-text halo" x={0} y={y - 16}>{fitText(valueText(row), width)}</text>
                      </>
                    )}
                    {low !== null && high !== null && <line class="range" x1={low} x2={high} y1={y} y2={y} />}
                    {low !== null && <line class="range" x1={low} x2={low} y1={y - 5} y2={y + 5} />}
                    {high !== null && <line class="range" x1={high} x2={high} y1={y - 5} y2={y + 5} />}
                    {isRatio(row.ratio) ? (
                      <circle class="ratio" cx={x(row.ratio)} cy={y} r="5" />
                    ) : (
                      <text class="dim-text halo" x={x(1)} y={y + 4} text-anchor="middle">ratio not known</text>
                    )}
                  </g>
                  <rect
                    {...roving.item(i)}
                    class="hit"
                    x={isWide ? 0 : 1}
                    y={top + i * rowHeight + 2}
                    width={Math.max(width - 2, 1)}
                    height={rowHeight - 4}
                    rx="4"
                    role="img"
                    aria-label={spoken(longName(row.name), facts)}
                    onFocus={(event) => show(event.currentTarget)}
                    onBlur={tip.hide}
                    onPointerEnter={(event) => show(event.currentTarget)}
                    onPointerLeave={unlessTouch(tip.hide)}
                  />
                </g>
              );
            })}
          </svg>
        )}
      </div>
      <p class="dim">
        First: {shorten(data.first, 200)}. Second: {shorten(data.second, 200)}.
        {floor > 0 && ` The shaded band holds differences of up to ${formatPercent(100 * floor)}, which do not count.`}
      </p>
      <AsTable
        label="Ratios and their intervals"
        columns={[
          {name: 'What', kind: 'name'},
          {name: 'First', kind: 'right'},
          {name: 'Second', kind: 'right'},
          {name: 'Second / first', kind: 'right'},
          {name: '99 % interval', kind: 'right'},
          {name: 'Answer'},
        ]}
        rows={() =>
          data.rows.map((row) => [
            row.name,
            formatIn(row.first, row.unit),
            formatIn(row.second, row.unit),
            times(row.ratio),
            intervalOf(row),
            answers[row.answer] ?? unknown,
          ])
        }
      />
      {data.values.map((values, i) => (
        <Strips key={i} values={values} first={first} second={second} />
      ))}
      {tip.tooltip}
    </div>
  );
}
