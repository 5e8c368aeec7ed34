// What is selected: an event, a gap or a step, and the range that was dragged on the axis.
import type {TimelineData} from '../data';
import {formatNs} from '../parts/format';
import type {Look} from './draw';
import type {Hit, Span} from './hit';
import {headHeight, stepsHeight} from './layout';
import type {Widths} from './text';

export function outline(
  context: CanvasRenderingContext2D, data: TimelineData, look: Look, widths: Widths, selected: Hit | null, range: Span | null,
): void {
  const {view, colours} = look;
  const clip = (x: number) => Math.min(Math.max(x, view.left - 4), view.left + view.width + 4);
  const box = ({begin, end}: Span, top: number, height: number) => {
    const [x0, x1] = [clip(view.x(begin)), clip(view.x(end))];
    context.strokeRect(x0, top, Math.max(2, x1 - x0), height);
  };
  context.save();
  context.strokeStyle = colours.accent;
  context.lineWidth = 2;
  if (range) drawRange();
  context.beginPath();
  context.rect(view.left, headHeight, view.width, look.height - headHeight);
  context.clip();
  for (const row of look.layout.lanes) {
    const top = row.top + headHeight - look.scroll;
    if (selected?.on === 'event' && selected.lane === row.lane) box(selected.span, top + selected.depth * row.rowHeight, row.rowHeight - 1);
    if (selected?.on === 'gap' && data.lanes[row.lane].device === selected.gap.device) box(selected.span, top, row.height);
  }
  context.restore();

  function drawRange(): void {
    const {begin, end} = range!;
    const [x0, x1] = [clip(view.x(begin)), clip(view.x(end))];
    context.globalAlpha = 0.16;
    context.fillStyle = colours.accent;
    context.fillRect(x0, stepsHeight, x1 - x0, look.height - stepsHeight);
    context.globalAlpha = 1;
    box(range!, stepsHeight, look.height);
    const label = formatNs(end - begin);
    const left = Math.min(Math.max((x0 + x1 - widths.of(label)) / 2, view.left + 4), view.left + view.width - widths.of(label) - 4);
    context.fillStyle = colours.paper;
    context.fillRect(left - 4, stepsHeight + 2, widths.of(label) + 8, 19);
    context.fillStyle = colours.ink;
    context.fillText(label, left, stepsHeight + 12);
  }
}
