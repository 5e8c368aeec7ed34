// What stands beside the canvas: what its colours mean, its groups, the longest gaps, and its lanes as a table.
import {useLayoutEffect, useRef, useState} from 'preact/hooks';
import type {TimelineData} from '../data';
import {countOf, formatCount, formatNs} from '../parts/format';
import {Legend as PartLegend} from '../parts/legend';
import {AsTable} from '../parts/table';
import {longName} from '../parts/text';
import {causeOf, causes, letterOf, wordsOf} from './causes';
import {drawPattern} from './colours';
import type {Gap} from './gaps';
import {groupsOf} from './layout';
import type {Stage} from './stage';

const shownFirst = 10;
const most_shown = 200;

// As it is on the canvas. `look` changes where the colours do.
function GapSwatch({cause, root, look}: {cause: (typeof causes)[number]; root: HTMLElement; look: unknown}) {
  const place = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    if (place.current) drawPattern(place.current, cause, root);
  }, [cause, root, look]);
  return <canvas ref={place} width="20" height="14" aria-hidden="true" />;
}

// Those that occur, as far as that is known before all events were seen.
function kindsOf({data, survey, painter}: Stage): number[] {
  const kinds = new Set<number>(survey.kinds);
  for (let lane = 0; lane < data.lanes.length && !survey.isDone; ++lane) {
    const parts = painter.overviewOf(lane);
    for (let i = 0; i < parts.length; i += 2) if (parts[i] > 0) kinds.add(parts[i + 1]);
  }
  return [...kinds].filter((kind) => kind < data.kinds.length).sort((a, b) => a - b);
}

export function Legend({data, stage}: {data: TimelineData; stage: Stage}) {
  const used = causes.filter((cause) => data.gaps.some((gap) => causeOf(gap.cause) === cause));
  return (
    <div class="tl-legend">
      <PartLegend
        label="Kinds of events"
        entries={kindsOf(stage).map((kind) => ({
          name: data.kinds[kind],
          mark: <rect width="16" height="16" rx="2" fill={stage.colours.kinds[kind]} />,
        }))}
      />
      {used.length > 0 && (
        <ul class="legend" aria-label="Why a GPU is idle">
          <li class="dim">The GPU is idle:</li>
          {used.map((cause) => (
            <li key={cause}>
              <span>
                <GapSwatch cause={cause} root={stage.places.root} look={stage.colours} />
                <b>{letterOf(cause)}</b> {wordsOf(cause)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

export function Groups({data, stage, onFold}: {data: TimelineData; stage: Stage; onFold: (group: string) => void}) {
  const groups = groupsOf(data);
  if (groups.length < 2) return null;
  return (
    <details class="tl-groups">
      <summary>Groups of lanes ({formatCount(groups.length)})</summary>
      <div class="tl-boxes" role="group" aria-label="Groups whose lanes are shown">
        {groups.map(({name, lanes}) => (
          <label key={name}>
            <input type="checkbox" checked={!stage.folded.has(name)} onChange={() => onFold(name)} /> {name}{' '}
            <span class="dim">({countOf(lanes.length, 'lane')})</span>
          </label>
        ))}
      </div>
    </details>
  );
}

export function GapList({data, stage, onGo}: {data: TimelineData; stage: Stage; onGo: (gap: Gap) => void}) {
  const [most, setMost] = useState(shownFirst);
  const all = stage.gaps.byLength;
  if (all.length === 0) return null;
  const several = stage.gaps.devicesCount > 1;
  const isSelected = (gap: Gap) => stage.selected?.on === 'gap' && stage.selected.gap === gap;
  return (
    <div class="tl-gaps">
      <h3>Longest gaps</h3>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Length</th>
              <th scope="col" class="wide">At</th>
              {several && <th scope="col">GPU</th>}
              <th scope="col" class="wide">Step</th>
              <th scope="col">Cause</th>
              <th scope="col">The program did</th>
            </tr>
          </thead>
          <tbody>
            {all.slice(0, most).map((gap, i) => (
              <tr key={i} class={isSelected(gap) ? 'chosen' : undefined} onClick={() => onGo(gap)}>
                <td>
                  <button type="button" aria-label={`Go to the gap of ${formatNs(gap.end - gap.begin)} at ${formatNs(gap.begin)}`}>
                    {formatNs(gap.end - gap.begin)}
                  </button>
                </td>
                <td class="wide">{formatNs(gap.begin)}</td>
                {several && <td>{gap.device}</td>}
                <td class="wide">{gap.step ?? '\u2013'}</td>
                <td>
                  <b aria-hidden="true">{letterOf(gap.cause)}</b> {wordsOf(gap.cause)}
                </td>
                <td class="name">{longName(gap.during) || 'not recorded'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {most < Math.min(all.length, most_shown) && (
        <button type="button" onClick={() => setMost(most_shown)}>
          Show {formatCount(Math.min(all.length, most_shown))} gaps
        </button>
      )}
      {data.gaps_left_out > 0 && <p class="dim">{countOf(data.gaps_left_out, 'shorter gap is', 'shorter gaps are')} left out.</p>}
    </div>
  );
}

export function Lanes({data, stage}: {data: TimelineData; stage: Stage}) {
  const busy = (lane: number) => {
    const parts = stage.painter.overviewOf(lane);
    let sum = 0;
    for (let i = 0; i < parts.length; i += 2) sum += parts[i] / 255;
    return parts.length > 0 ? `${((200 * sum) / parts.length).toFixed(1)} %` : 'not known';
  };
  const rows = () => data.lanes.map((lane, i) => [lane.group, lane.name, formatCount(lane.events), formatCount(lane.depth), busy(i)]);
  const numbers = ['Events', 'Levels', 'Busy'].map((name) => ({name, kind: 'right' as const}));
  const columns = [{name: 'Group'}, {name: 'Lane', kind: 'name' as const}, ...numbers];
  return <AsTable columns={columns} rows={rows} label="Lanes of the timeline" />;
}
