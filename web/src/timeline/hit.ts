// What lies under a point of the canvas, in words for the tooltip.
import type {TimelineData} from '../data';
import {formatCount, formatNs} from '../parts/format';
import {longName} from '../parts/text';
import {wordsOf} from './causes';
import type {Tile} from './decode';
import type {Painter} from './draw';
import type {Gap, Gaps} from './gaps';
import {headHeight, stepsHeight, type LaneRow} from './layout';
import type {Look} from './draw';

const near = 3; // px: as exactly as a hand points

export interface Span {
  begin: number;
  end: number;
}
export type Hit =
  | {on: 'event'; lane: number; name: string; kind: string; depth: number; span: Span}
  | {on: 'gap'; gap: Gap; span: Span}
  | {on: 'step'; number: number; span: Span}
  | {on: 'group'; name: string}
  | {on: 'lane'; lane: number};

export class Finder {
  constructor(
    private readonly data: TimelineData,
    private readonly painter: Painter,
    private readonly gaps: Gaps,
  ) {}

  at(look: Look, x: number, y: number): Hit | null {
    const {view, layout} = look;
    const time = view.time(x);
    if (y < stepsHeight) return this.stepAt(time);
    if (y < headHeight) return null;
    const below = y - headHeight + look.scroll;
    const group = layout.groups.find(({top, height}) => below >= top && below < top + height);
    if (group) return {on: 'group', name: group.name};
    const row = layout.lanes.find(({labelTop, top, height}) => below >= labelTop && below < top + height + 2);
    if (!row) return null;
    if (x < view.left || below < row.top) return {on: 'lane', lane: row.lane};
    const event = this.painter.levelOf(row.lane, view) === 'events' ? this.eventAt(look, row, time, below) : null;
    if (event) return event;
    const {device} = this.data.lanes[row.lane];
    const gap = device === null ? null : this.gaps.at(device, time, near / view.scale);
    return gap ? {on: 'gap', gap, span: gap} : {on: 'lane', lane: row.lane};
  }

  private stepAt(time: number): Hit | null {
    const step = this.data.steps.find(({begin, end}) => begin <= time && time < end);
    return step ? {on: 'step', number: step.number, span: step} : null;
  }

  // The one at the time, else the nearest; of several the one that began last.
  private eventAt(look: Look, row: LaneRow, time: number, below: number): Hit | null {
    const depth = Math.floor((below - row.top) / row.rowHeight);
    const tolerance = near / look.view.scale;
    let best: [Tile, number] | null = null;
    let least = tolerance;
    for (const tile of this.painter.eventsIn(row.lane, look.view, () => false).sources) {
      for (let i = 0; i < tile.count && tile.begin[i] <= time + tolerance; ++i) {
        if (tile.depth[i] !== depth) continue;
        const distance = Math.max(0, tile.begin[i] - time, time - tile.end[i]);
        if (distance > least) continue;
        least = distance;
        best = [tile, i];
      }
    }
    return best && eventOf(this.data, row.lane, ...best);
  }
}

export function eventOf(data: TimelineData, lane: number, tile: Tile, i: number): Hit & {on: 'event'} {
  const name = data.names[tile.name[i]] ?? '';
  const span = {begin: tile.begin[i], end: tile.end[i]};
  return {on: 'event', lane, name, kind: data.kinds[tile.kind[i]] ?? '', depth: tile.depth[i], span};
}

// A heading and facts.
export function wordsFor(data: TimelineData, hit: Hit): {title: string; facts: [string, string][]} {
  const times = ({begin, end}: Span): [string, string][] => [
    ['Duration', formatNs(end - begin)],
    ['Begins at', formatNs(begin)],
  ];
  const place = (lane: number) => `${data.lanes[lane].group}, ${data.lanes[lane].name}`;
  switch (hit.on) {
    case 'event':
      return {title: longName(hit.name) || 'without a name', facts: [['Kind', hit.kind], ...times(hit.span), ['Lane', place(hit.lane)]]};
    case 'gap':
      return {
        title: `GPU ${hit.gap.device} is idle: ${wordsOf(hit.gap.cause)}`,
        facts: [
          ...times(hit.span),
          ['The program did', longName(hit.gap.during) || 'not recorded'],
          ...(hit.gap.step === null ? [] : [['Step', String(hit.gap.step)] as [string, string]]),
        ],
      };
    case 'step':
      return {title: `Step ${hit.number}`, facts: times(hit.span)};
    case 'group':
      return {title: hit.name, facts: [['Press', 'to fold or unfold']]};
    case 'lane':
      return {title: place(hit.lane), facts: [['Events', formatCount(data.lanes[hit.lane].events)]]};
  }
}
