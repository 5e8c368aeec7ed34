// Everything on the canvas, for one state of what is looked at.
import type {TimelineData} from '../data';
import {drawAxis, drawSteps} from './axis';
import type {Colours} from './colours';
import {Columns} from './columns';
import {bytesOf, tilesIn, type Tile, type Tiles} from './decode';
import {EventRows} from './events';
import {drawGaps, type Gaps} from './gaps';
import {headHeight, visible, type GroupRow, type LaneRow, type Layout} from './layout';
import {windowEnd, type Survey} from './survey';
import type {Widths} from './text';
import type {View} from './view';

const dense = 8; // events for each pixel; more are drawn as columns
const least_dense = 12_288; // three full tiles are always drawn as events
const coarse = 1.5; // px of a part of an overview; wider ones are drawn from tiles where they are known

export interface Look {
  view: View;
  layout: Layout;
  colours: Colours;
  scroll: number; // px of the lanes that are above
  height: number; // of the canvas
  found: Uint8Array | null; // by name: matches the search
  marks: (Uint8Array | undefined)[] | null; // by lane: where matching events are, in equal parts of the span
  decode_ms: number; // tiles that take longer are drawn later
}

export class Painter {
  private readonly columns = new Columns();
  private readonly rows: EventRows;
  private readonly overviews: (Uint8Array | undefined)[] = [];
  private deadline = 0;
  private isComplete = true;

  constructor(
    private readonly data: TimelineData,
    private readonly tiles: Tiles,
    private readonly survey: Survey,
    private readonly gaps: Gaps,
  ) {
    this.rows = new EventRows(data);
  }

  // False: something is still drawn from afar.
  draw(context: CanvasRenderingContext2D, widths: Widths, look: Look): boolean {
    const {view, layout, colours, scroll, height} = look;
    this.deadline = performance.now() + look.decode_ms;
    this.isComplete = true;
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, view.left + view.width + 1, height);
    drawSteps(context, view, colours, widths, this.data.steps);
    drawAxis(context, view, colours, widths, height);
    context.save();
    context.beginPath();
    context.rect(0, headHeight, view.left + view.width, height - headHeight);
    context.clip();
    context.translate(0, headHeight - scroll);
    const bottom = scroll + height - headHeight;
    for (const row of visible(layout.lanes, scroll, bottom)) this.drawLane(context, widths, look, row);
    for (const group of visible(layout.groups, scroll, bottom)) this.drawHeading(context, widths, look, group);
    context.restore();
    return this.isComplete;
  }

  // Which of the three forms of a lane suits the view.
  levelOf(lane: number, view: View): 'events' | 'tiles' | 'overview' {
    const {first, last} = tilesIn(this.data.lanes[lane], view.begin, view.end);
    let events = 0;
    for (let tile = first; tile <= last; ++tile) events += this.data.lanes[lane].tiles.count[tile];
    if (events <= Math.max(least_dense, dense * view.width)) return 'events';
    const parts = this.overviewOf(lane).length / 2;
    return parts > 0 && (view.span / parts) * view.scale <= coarse ? 'overview' : 'tiles';
  }

  // The events of a lane in the view; those of tiles that are not decoded yet are decoded as long as there is time.
  eventsIn(lane: number, view: View, mayDecode: () => boolean): {sources: Tile[]; missing: number[]} {
    const {first, last} = tilesIn(this.data.lanes[lane], view.begin, view.end);
    const carried = this.survey.lanes[lane].carried[first];
    const sources = carried ? [carried] : [];
    const missing: number[] = [];
    for (let number = first; number <= last; ++number) {
      const tile = this.tiles.peek(lane, number) ?? (mayDecode() ? this.tiles.get(lane, number) : undefined);
      if (tile) sources.push(tile);
      else missing.push(number);
    }
    return {sources, missing};
  }

  private drawLane(context: CanvasRenderingContext2D, widths: Widths, look: Look, row: LaneRow): void {
    const {view, colours} = look;
    const lane = this.data.lanes[row.lane];
    context.fillStyle = colours.line;
    context.fillRect(view.left, row.top + row.height + 1, view.width, 1);
    if (row.showsGaps && lane.device !== null)
      drawGaps(context, view, colours, widths, this.gaps.in(lane.device, view.begin, view.end), row.top, row.height, row.namesGaps);
    const level = this.levelOf(row.lane, view);
    if (level === 'events') this.drawEvents(context, widths, look, row);
    else this.drawColumns(context, look, row, level);
    const marks = look.marks?.[row.lane];
    if (marks && level !== 'events') drawMarks(context, view, colours, marks, row);
    context.fillStyle = colours.dim;
    const isAbove = row.labelTop < row.top;
    const label = widths.fitted(lane.name, isAbove ? view.width : view.left - 14);
    context.fillText(label, isAbove ? 4 : 10, isAbove ? row.labelTop + 8 : row.top + row.rowHeight / 2);
  }

  private drawEvents(context: CanvasRenderingContext2D, widths: Widths, look: Look, row: LaneRow): void {
    const {view, colours} = look;
    const {sources, missing} = this.eventsIn(row.lane, view, () => performance.now() < this.deadline);
    if (missing.length > 0) {
      this.isComplete = false;
      this.columns.clear(view.width);
      for (const tile of missing) this.addTile(view, row.lane, tile);
      this.columns.draw(context, colours.kinds, view.left, row.top, row.height);
    }
    this.rows.draw(context, view, colours, widths, row, row.top, sources, look.found);
  }

  private drawColumns(context: CanvasRenderingContext2D, look: Look, row: LaneRow, level: 'tiles' | 'overview'): void {
    const {view, colours} = look;
    this.columns.clear(view.width);
    if (level === 'overview') {
      this.columns.add(view, this.overviewOf(row.lane), 0, view.span);
    } else {
      const {first, last} = tilesIn(this.data.lanes[row.lane], view.begin, view.end);
      for (let tile = first; tile <= last; ++tile) this.addTile(view, row.lane, tile);
    }
    if (look.marks) context.globalAlpha = 0.45;
    this.columns.draw(context, colours.kinds, view.left, row.top, row.height);
    context.globalAlpha = 1;
  }

  private addTile(view: View, lane: number, tile: number): void {
    const begin = this.data.lanes[lane].tiles.begin[tile];
    const end = windowEnd(this.data, lane, tile);
    const fill = this.survey.lanes[lane].fill[tile];
    if (fill) this.columns.add(view, fill, begin, end);
    else this.columns.add(view, this.overviewOf(lane), 0, view.span, begin, end);
  }

  private drawHeading(context: CanvasRenderingContext2D, widths: Widths, {view, colours}: Look, group: GroupRow): void {
    context.fillStyle = colours.panel;
    context.fillRect(0, group.top, view.left + view.width, group.height - 2);
    if (group.isFolded) {
      this.columns.clear(view.width);
      for (const lane of group.lanes) this.columns.add(view, this.overviewOf(lane), 0, view.span);
      this.columns.draw(context, colours.kinds, view.left, group.top + 2, group.height - 6);
    }
    const words = group.isFolded ? `${group.name} (${group.lanes.length})` : group.name;
    const label = widths.fitted(words, view.left > 0 && group.isFolded ? view.left - 22 : view.left + view.width - 24);
    context.fillStyle = colours.panel;
    context.fillRect(0, group.top, 22 + widths.of(label), group.height - 2);
    context.fillStyle = colours.ink;
    drawTriangle(context, 8, group.top + group.height / 2 - 1, group.isFolded);
    context.fillText(label, 18, group.top + group.height / 2);
  }

  overviewOf(lane: number): Uint8Array {
    const text = this.data.lanes[lane].overview;
    return (this.overviews[lane] ??= bytesOf(text, 0, Infinity).slice(0, Math.floor((text.replace(/=+$/, '').length * 3) / 4) & ~1));
  }
}

function drawTriangle(context: CanvasRenderingContext2D, x: number, y: number, isFolded: boolean): void {
  const corners = isFolded ? [[-2, -4], [3, 0], [-2, 4]] : [[-4, -2], [4, -2], [0, 3]];
  context.beginPath();
  for (const [dx, dy] of corners) context.lineTo(x + dx, y + dy);
  context.fill();
}

// Where a search found something, from afar.
function drawMarks(context: CanvasRenderingContext2D, view: View, colours: Colours, marks: Uint8Array, row: LaneRow): void {
  const each = (view.span / marks.length) * view.scale;
  const first = Math.max(0, Math.floor((view.begin / view.span) * marks.length));
  const last = Math.min(marks.length, Math.ceil((view.end / view.span) * marks.length));
  context.fillStyle = colours.ink;
  for (let mark = first; mark < last; ++mark)
    if (marks[mark]) context.fillRect(view.x((mark * view.span) / marks.length), row.top + row.height - 3, Math.max(2, each), 4);
}
