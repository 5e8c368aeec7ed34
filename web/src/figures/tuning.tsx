// Trials of a tuning: change of the throughput against the baseline, a row for each, with its interval.
import {ticks} from 'd3-array';
import {scaleLinear} from 'd3-scale';
import type {TuningData} from '../data';
import {BottomAxis, evenTicks} from '../parts/axes';
import {formatNumber, isKnown, unknown} from '../parts/format';
import {Legend} from '../parts/legend';
import {useRoving} from '../parts/roving';
import {AsTable} from '../parts/table';
import {fitText, longName, textWidth} from '../parts/text';
import {Facts, spoken, unlessTouch, useTooltip} from '../parts/tooltip';
import {sizeOfPicture, useWidth} from '../parts/width';

type Row = TuningData['rows'][number];
type Outcome = Row['outcome'];

const top = 24;
const short: Record<Outcome, string> = {
  winner: 'winner',
  better: 'faster',
  below: 'gains too little',
  inconclusive: 'inconclusive',
  worse: 'slower',
  screened: 'race',
  rejected: 'rejected',
  not_run: 'not run',
};

const digits = (change: number) => (100 * change).toFixed(Math.abs(change) < 0.9995 ? 1 : 0);
const percent = (change: number | null) => (isKnown(change) ? `${change > 0 ? '+' : ''}${digits(change)} %` : unknown);

function intervalOf({low, high}: Row): string {
  if (isKnown(low) && isKnown(high)) return `${digits(low)} to ${digits(high)} %`;
  if (isKnown(low)) return `${percent(low)} or more`;
  return isKnown(high) ? `${percent(high)} or less` : unknown;
}

// The beginning of a sentence says most. Bold letters are wider than those that are measured.
function beginning(text: string, width: number): string {
  const bold = 1.12;
  if (textWidth(text) * bold <= width) return text;
  let kept = text;
  while (kept.length > 4 && textWidth(`${kept}...`) * bold > width) kept = kept.slice(0, -1);
  return `${kept.trimEnd()}...`;
}

const nameOf = (row: Row) => (row.stage === 'race' ? `${row.label} [RACE]` : row.label);

// All changes, zero and the limit; of intervals as much as does not make the rest small.
function domainOf({rows, min_speedup}: TuningData): [number, number] {
  const values = [0, min_speedup, ...rows.map((row) => row.change).filter(isKnown)];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = Math.max(most - least, 0.05);
  const bounds = rows.flatMap((row) => [row.low, row.high]).filter(isKnown);
  const low = Math.max(Math.min(least, ...bounds), least - span, -1);
  const high = Math.min(Math.max(most, ...bounds), most + span);
  const space = (high - low) * 0.05;
  return [low - space, high + space];
}

// Every outcome has a shape of its own, so that it is told without colours.
function Shape({outcome, race, x, y}: {outcome: Outcome; race: boolean; x: number; y: number}) {
  const size = race ? 3.5 : 5.5;
  const half = 6.5; // of the diamond
  switch (outcome) {
    case 'winner':
      return <path class="mark" d={`M${x} ${y - half} l${half} ${half} l${-half} ${half} l${-half} ${-half} z`} />;
    case 'worse':
      return <rect class="mark hollow" x={x - size} y={y - size} width={2 * size} height={2 * size} />;
    case 'rejected':
      return <path class="mark" d={`M${x - size} ${y - size} l${2 * size} ${2 * size} m0 ${-2 * size} l${-2 * size} ${2 * size}`} />;
    case 'below':
      return <path class="mark hollow" d={`M${x - size - 1} ${y - size} h${2 * size + 2} l${-size - 1} ${2 * size + 1} z`} />;
    default:
      return <circle class={`mark${outcome === 'better' ? '' : ' hollow'}`} cx={x} cy={y} r={size} />;
  }
}

// Of an end that lies outside of the picture the line goes to the edge, with an arrow.
function Range({row, y, x, left, right}: {row: Row; y: number; x: (value: number) => number; left: number; right: number}) {
  if (!isKnown(row.low) && !isKnown(row.high)) return null;
  const low = isKnown(row.low) ? x(row.low) : -Infinity;
  const high = isKnown(row.high) ? x(row.high) : Infinity;
  const [from, to] = [Math.max(low, left), Math.min(high, right)];
  return (
    <path
      class="range"
      d={
        `M${from} ${y} H${to} ` +
        (low < left ? `M${from + 6} ${y - 5} l-6 5 l6 5 ` : `M${from} ${y - 5} v10 `) +
        (high > right ? `M${to - 6} ${y - 5} l6 5 l-6 5` : `M${to} ${y - 5} v10`)
      }
    />
  );
}

function factsOf(row: Row, confidence: string): [string, string][] {
  const facts: [string, string][] = [['Outcome', row.words]];
  if (row.outcome === 'rejected' || row.outcome === 'not_run') facts.push(...row.reasons.map((reason): [string, string] => ['Reason', reason]));
  if (row.runs > 0) {
    facts.push([row.by_samples ? 'Change of samples/s' : 'Change of steps/s', percent(row.change)]);
    facts.push([`${confidence} interval`, intervalOf(row)]);
    facts.push(['Throughput', `${formatNumber(row.steps_per_s)} steps/s`]);
    if (isKnown(row.samples_per_s)) facts.push(['', `${formatNumber(row.samples_per_s)} samples/s`]);
    facts.push(['Runs', String(row.runs)]);
  }
  return [...facts, ...row.variables.map(({name, value}): [string, string] => [name, value])];
}

const Entry = (outcome: Outcome, race = false) => (
  <g class={`trial ${outcome}${race ? ' race' : ''}`}>
    <Shape outcome={outcome} race={race} x={8} y={8} />
  </g>
);

export function Tuning({data}: {data: TuningData}) {
  const [place, width] = useWidth();
  const tip = useTooltip();
  const roving = useRoving(data.rows.length);
  if (data.rows.length === 0) return <p>No candidate was tried.</p>;

  const isWide = width >= 720;
  const plot = isWide
    ? {left: Math.min(width * 0.28, Math.max(...data.rows.map((row) => textWidth(nameOf(row)))) + 16), right: width - 300}
    : {left: 14, right: Math.max(width - 14, 60)};
  const rowHeight = isWide ? 28 : 50;
  const middleOf = (i: number) => top + i * rowHeight + (isWide ? rowHeight / 2 : rowHeight - 12);
  const bottom = top + data.rows.length * rowHeight + 4;
  const domain = domainOf(data);
  const x = scaleLinear().domain(domain).range([plot.left, plot.right]);
  const axis = evenTicks(ticks(...domain, Math.max(2, (plot.right - plot.left) / 70)), x, (value) => `${Math.round(1000 * value) / 10} %`);
  const seen = (outcome: Outcome) => data.rows.some((row) => row.outcome === outcome);
  const outcomes = (['winner', 'better', 'below', 'inconclusive', 'worse', 'screened', 'rejected'] as Outcome[]).filter(seen);
  const winner = data.rows.find((row) => row.outcome === 'winner');
  const sentence = winner
    ? `${winner.label} has won: ${percent(winner.change)}, interval ${intervalOf(winner)}.`
    : 'No trial was shown to be faster by as much as was asked for.';
  const limit = `limit ${percent(data.min_speedup)}`;

  return (
    <div>
      <Legend
        label="What the marks mean"
        entries={outcomes.map((outcome) => ({name: short[outcome], mark: Entry(outcome, outcome === 'screened')}))}
      />
      <div ref={place} class="picture-place">
        {width > 0 && (
          <svg class="picture tuning" {...sizeOfPicture(width, bottom + 44)} role="group" aria-label={sentence}>
            <BottomAxis ticks={axis} {...plot} top={top} bottom={bottom} name="change of throughput against the baseline" />
            <g aria-hidden="true">
              <line class="one" x1={x(0)} x2={x(0)} y1={top - 4} y2={bottom} />
              <line class="limit-line" x1={x(data.min_speedup)} x2={x(data.min_speedup)} y1={top - 4} y2={bottom} />
              <text class="dim-text" x={Math.max(x(0) - 4, plot.left + textWidth('baseline'))} y={14} text-anchor="end">baseline</text>
              <text class="dim-text" x={Math.min(x(data.min_speedup) + 4, plot.right - textWidth(limit))} y={14}>{limit}</text>
            </g>
            {data.rows.map((row, i) => {
              const y = middleOf(i);
              const race = row.stage === 'race';
              const facts = factsOf(row, data.confidence);
              const show = (element: Element) => tip.show(element, <Facts title={longName(nameOf(row))} facts={facts} />);
              const why = row.outcome === 'rejected' && row.reasons.length > 0;
              const said = why ? `rejected: ${row.reasons[0]}` : row.words || short[row.outcome];
              return (
                <g key={i} class={`trial ${row.outcome}${race ? ' race' : ''}`}>
                  <g aria-hidden="true">
                    {isWide ? (
                      <>
                        <text x={0} y={y + 4}>{fitText(nameOf(row), plot.left - 12)}</text>
                        <text x={plot.right + 64} y={y + 4} text-anchor="end">{row.runs > 0 ? percent(row.change) : ''}</text>
                        <text class="answer" x={plot.right + 76} y={y + 4}>{beginning(said, 222)}</text>
                      </>
                    ) : (
                      <>
                        <text class="halo" x={0} y={y - 20}>{fitText(`${nameOf(row)} ${row.runs > 0 ? percent(row.change) : ''}`, width * 0.55)}</text>
                        <text class="answer halo" x={width} y={y - 20} text-anchor="end">{beginning(said, width * 0.42)}</text>
                      </>
                    )}
                    <Range row={row} y={y} x={x} {...plot} />
                    {isKnown(row.change) && <Shape outcome={row.outcome} race={race} x={x(row.change)} y={y} />}
                  </g>
                  <rect
                    {...roving.item(i)}
                    class="hit"
                    x={isWide ? 0 : 1}
                    y={top + i * rowHeight + 1}
                    width={Math.max(width - 2, 1)}
                    height={rowHeight - 2}
                    rx="4"
                    role="img"
                    aria-label={spoken(longName(nameOf(row)), facts)}
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
        The line at 0 is the baseline, {formatNumber(data.baseline)} steps/s. The dashed line is the least gain that is recommended. Lines
        behind the marks are {data.confidence} intervals; thin ones are of races, which are short and never win.
      </p>
      <AsTable
        label="Trials against the baseline"
        columns={[
          {name: 'Configuration', kind: 'name'},
          {name: 'Change', kind: 'right'},
          {name: `${data.confidence} interval`, kind: 'right'},
          {name: 'Steps/s', kind: 'right'},
          {name: 'Outcome', kind: 'name'},
          {name: 'Variables', kind: 'name'},
        ]}
        rows={() =>
          data.rows.map((row) => [
            nameOf(row),
            row.runs > 0 ? percent(row.change) : '',
            row.runs > 0 ? intervalOf(row) : '',
            row.runs > 0 ? formatNumber(row.steps_per_s) : '',
            row.words,
            row.variables.map(({name, value}) => `${name}=${value}`).join(' '),
          ])
        }
      />
      {tip.tooltip}
    </div>
  );
}
