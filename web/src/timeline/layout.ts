// Where lanes lie, from top to bottom: those of GPUs first, in groups that fold.
import type {TimelineData} from '../data';

export const stepsHeight = 20;
export const axisHeight = 24;
export const headHeight = stepsHeight + axisHeight;
export const mostHeight = 520; // of the lanes; more is scrolled
const headingHeight = 22;
const labelHeight = 15; // of a lane whose name stands above it
const space = 4; // below a lane

export interface LaneRow {
  lane: number;
  top: number; // px from the first lane
  labelTop: number;
  height: number; // without the space below it
  rowHeight: number; // of a level of nesting
  showsGaps: boolean;
  namesGaps: boolean; // the first lane of its GPU
}

export interface GroupRow {
  name: string;
  top: number;
  height: number;
  lanes: number[];
  isFolded: boolean;
}

export interface Layout {
  groups: GroupRow[];
  lanes: LaneRow[];
  height: number;
}

export function groupsOf(data: TimelineData): {name: string; lanes: number[]}[] {
  const groups = new Map<string, number[]>();
  const isThread = (lane: number) => Number(data.lanes[lane].device === null);
  const order = data.lanes.map((_, lane) => lane).sort((a, b) => isThread(a) - isThread(b));
  for (const lane of order) {
    const group = groups.get(data.lanes[lane].group);
    if (group) group.push(lane);
    else groups.set(data.lanes[lane].group, [lane]);
  }
  return [...groups].map(([name, lanes]) => ({name, lanes}));
}

export function layOut(data: TimelineData, folded: Set<string>, labelsAbove: boolean): Layout {
  const layout: Layout = {groups: [], lanes: [], height: 0};
  const named = new Set<number>();
  let top = 0;
  for (const {name, lanes} of groupsOf(data)) {
    const group = {name, top, height: headingHeight, lanes, isFolded: folded.has(name)};
    layout.groups.push(group);
    top += headingHeight;
    if (group.isFolded) continue;
    for (const lane of lanes) {
      const {depth, device} = data.lanes[lane];
      const rowHeight = depth > 1 ? 14 : 18;
      const row: LaneRow = {
        lane,
        labelTop: top,
        top: top + (labelsAbove ? labelHeight : 0),
        height: Math.max(1, depth) * rowHeight,
        rowHeight,
        showsGaps: device !== null,
        namesGaps: device !== null && !named.has(device),
      };
      if (device !== null) named.add(device);
      layout.lanes.push(row);
      top = row.top + row.height + space;
    }
  }
  layout.height = top;
  return layout;
}

// Those between two heights. Lanes ascend by their tops.
export function visible<Row extends {top: number; height: number}>(rows: Row[], from: number, to: number): Row[] {
  return rows.filter((row) => row.top + row.height > from && row.top - labelHeight < to);
}
