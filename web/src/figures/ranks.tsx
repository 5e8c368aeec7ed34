// Who waited for whom: a matrix of ranks.
import {max, sum} from 'd3-array';
import type {RanksData} from '../data';
import {countOf, formatNs, formatPercent, isKnown} from '../parts/format';
import {gridMoves, useRoving} from '../parts/roving';
import {AsTable} from '../parts/table';
import {textWidth} from '../parts/text';
import {Facts, spoken, unlessTouch, useTooltip} from '../parts/tooltip';
import {sizeOfPicture, useWidth} from '../parts/width';

const mostRanks = 64;
const totalsWidth = 110; // right of the rows
const totalsHeight = 62; // below the columns

export function Ranks({data}: {data: RanksData}) {
  const [place, width] = useWidth();
  const tip = useTooltip();
  const count = Math.min(data.ranks.length, mostRanks);
  const roving = useRoving(count * count, gridMoves(count));
  if (count === 0) return <p>No ranks are compared: none was recorded.</p>;

  const waited = (i: number, j: number) => data.waited_ns[i]?.[j] ?? 0;
  const indexes = Array.from({length: count}, (_, i) => i);
  const byRow = indexes.map((i) => sum(indexes, (j) => waited(i, j)));
  const byColumn = indexes.map((j) => sum(indexes, (i) => waited(i, j)));
  const most = max(indexes.flatMap((i) => indexes.map((j) => waited(i, j)))) ?? 0;
  const mostRow = max(byRow) ?? 0;
  const mostColumn = max(byColumn) ?? 0;
  const isLate = (i: number) => data.late.includes(data.ranks[i]);
  if (most === 0) return <p>No rank waited for another in the collectives that were matched.</p>;

  const all = sum(byColumn);
  const worst = byColumn.indexOf(mostColumn);
  const late = data.late.length > 0 ? `Late: ${data.late.map((rank) => `rank ${rank}`).join(', ')}.` : 'No rank is called late.';
  const sentence =
    `${countOf(data.ranks.length, 'rank')} waited ${formatNs(all)} for each other, most of it, ${formatNs(mostColumn)} ` +
    `(${formatPercent((100 * mostColumn) / all)}), for rank ${data.ranks[worst]}. ${late}`;

  const hasTotals = width >= 560;
  const left = Math.max(...indexes.map((i) => textWidth(`${data.ranks[i]}${isLate(i) ? ' late' : ''}`))) + 26;
  const top = 54;
  const right = hasTotals ? totalsWidth : 8;
  const cell = Math.max(3, Math.min((width - left - right) / count, 64));
  const cellHeight = Math.max(count > 32 ? 9 : 14, Math.min(cell, 40));
  const bottom = top + count * cellHeight;
  const height = bottom + totalsHeight;
  const end = left + count * cell;
  const x = (j: number) => left + j * cell;
  const y = (i: number) => top + i * cellHeight;
  // Labels of ranks where they have space; those of late ranks always.
  const eachColumn = Math.ceil((textWidth(String(Math.max(...data.ranks.slice(0, count)))) + 6) / cell);
  const eachRow = Math.ceil(14 / cellHeight);
  const shade = (ns: number) => (ns > 0 ? Math.ceil((8 * ns) / most) : 0);
  const factsOf = (i: number, j: number): [string, string][] => {
    const ns = waited(i, j);
    const steps = data.steps_ns[i];
    return [
      ['Waited', formatNs(ns)],
      ['Of all waiting', formatPercent((100 * ns) / all)],
      [`Of the steps of rank ${data.ranks[i]}`, isKnown(steps) && steps > 0 ? formatPercent((100 * ns) / steps) : 'not known'],
    ];
  };
  const titleOf = (i: number, j: number) => `Rank ${data.ranks[i]} waited for rank ${data.ranks[j]}${isLate(j) ? ' (late)' : ''}`;

  return (
    <div>
      <div ref={place} class="picture-place">
        {width > 0 && (
          <svg class="picture ranks" {...sizeOfPicture(width, height)} role="group" aria-label={sentence}>
            <g class="axis" aria-hidden="true">
              <text x={left} y={12}>waited for rank</text>
              <text transform={`translate(11 ${Math.min(bottom, top + 110)}) rotate(-90)`}>rank that waited</text>
              {indexes.map((i) => {
                const nearLate = indexes.some((other) => other !== i && isLate(other) && Math.abs(other - i) < eachColumn);
                const shown = isLate(i) || (i % eachColumn === 0 && !nearLate);
                return (
                  shown && (
                    <g
                      key={i}
                      class={isLate(i) ? 'late' : undefined}
                      transform={`translate(${x(i) + cell / 2} ${top - 6})`}
                      text-anchor="middle"
                    >
                      <text>{data.ranks[i]}</text>
                      {isLate(i) && (cell > 26 || data.late.length < 4) && <text y={-14}>late</text>}
                    </g>
                  )
                );
              })}
              {indexes.map((i) => {
                const nearLate = indexes.some((other) => other !== i && isLate(other) && Math.abs(other - i) < eachRow);
                const shown = isLate(i) || (i % eachRow === 0 && !nearLate);
                return (
                  shown && (
                    <text key={i} class={isLate(i) ? 'late' : undefined} x={left - 6} y={y(i) + cellHeight / 2 + 4} text-anchor="end">
                      {data.ranks[i]}
                      {isLate(i) ? ' late' : ''}
                    </text>
                  )
                );
              })}
            </g>
            {indexes.flatMap((i) =>
              indexes.map((j) => {
                const facts = factsOf(i, j);
                const show = (element: Element) => tip.show(element, <Facts title={titleOf(i, j)} facts={facts} />);
                return (
                  <rect
                    key={`${i} ${j}`}
                    {...roving.item(i * count + j)}
                    class={`cell shade-${i === j ? 'self' : shade(waited(i, j))}`}
                    x={x(j)}
                    y={y(i)}
                    width={cell - (cell > 6 ? 1 : 0)}
                    height={cellHeight - (cellHeight > 6 ? 1 : 0)}
                    role="img"
                    aria-label={i === j ? `Rank ${data.ranks[i]} itself` : spoken(titleOf(i, j), facts)}
                    onFocus={(event) => (i === j ? tip.hide() : show(event.currentTarget))}
                    onBlur={tip.hide}
                    onPointerEnter={(event) => i !== j && show(event.currentTarget)}
                    onPointerLeave={unlessTouch(tip.hide)}
                  />
                );
              }),
            )}
            <g aria-hidden="true" class="values">
              {count <= 16 &&
                indexes.flatMap((i) =>
                  indexes.map((j) => {
                    const text = formatNs(waited(i, j));
                    if (i === j || waited(i, j) === 0 || cellHeight < 16 || textWidth(text) > cell - 4) return null;
                    return (
                      <text
                        key={`${i} ${j}`}
                        class={`on-${shade(waited(i, j))}`}
                        x={x(j) + cell / 2}
                        y={y(i) + cellHeight / 2 + 4}
                        text-anchor="middle"
                      >
                        {text}
                      </text>
                    );
                  }),
                )}
            </g>
            <g aria-hidden="true" class="totals">
              {hasTotals && <text x={end + 8} y={12}>waited</text>}
              {hasTotals &&
                indexes.map((i) => (
                  <g key={i}>
                    <rect
                      x={end + 8}
                      y={y(i) + cellHeight * 0.2}
                      width={(byRow[i] / mostRow) * 36}
                      height={Math.max(cellHeight * 0.6 - 1, 2)}
                    />
                    {i % eachRow === 0 && <text x={end + 48} y={y(i) + cellHeight / 2 + 4}>{formatNs(byRow[i])}</text>}
                  </g>
                ))}
              {indexes.map((j) => (
                <rect
                  key={j}
                  x={x(j) + cell * 0.15}
                  y={bottom + 6}
                  width={Math.max(cell * 0.7, 1.5)}
                  height={(byColumn[j] / mostColumn) * 34}
                />
              ))}
              <text x={Math.min(x(worst) + cell / 2, width - 70)} y={bottom + 54} text-anchor={worst * 2 < count ? 'start' : 'end'}>
                for rank {data.ranks[worst]}: {formatNs(mostColumn)}
              </text>
            </g>
          </svg>
        )}
      </div>
      <p>
        {sentence} A column of strong colour is a rank that the others wait for, such a row is a rank that waits for others. The bars
        {hasTotals ? ' below and beside' : ' below'} the matrix are the sums.
      </p>
      {data.ranks.length > mostRanks && <p class="dim">{countOf(data.ranks.length - mostRanks, 'rank')} more are not drawn.</p>}
      <AsTable
        label="Waiting of each rank for each other"
        columns={[
          {name: 'Rank that waited'},
          ...indexes.map((j) => ({name: `for ${data.ranks[j]}${isLate(j) ? ' (late)' : ''}`, kind: 'right' as const})),
          {name: 'Sum', kind: 'right'},
          {name: 'Its steps', kind: 'right'},
        ]}
        rows={() => [
          ...indexes.map((i) => [
            `${data.ranks[i]}${isLate(i) ? ' (late)' : ''}`,
            ...indexes.map((j) => (i === j ? '' : formatNs(waited(i, j)))),
            formatNs(byRow[i]),
            formatNs(data.steps_ns[i]),
          ]),
          ['Sum', ...byColumn.map(formatNs), formatNs(all), ''],
        ]}
      />
      {tip.tooltip}
    </div>
  );
}
