// How fast kernels compute against what memory and arithmetic units allow.
import {useState} from 'preact/hooks';
import type {RooflineData} from '../data';
import {BottomAxis, LeftAxis, logTicks} from '../parts/axes';
import {countOf, formatNumber, formatPercent, formatTflops, formatUs} from '../parts/format';
import {Legend} from '../parts/legend';
import {precisionClass} from '../parts/marks';
import {canDraw, roofsOf, sceneOf, shapeOf, sizeOf, wholeOf} from '../parts/roofline_scene';
import type {RooflinePoint, Turned} from '../parts/roofline_scene';
import {useRoving} from '../parts/roving';
import {AsTable} from '../parts/table';
import {longName, shorten} from '../parts/text';
import {Facts, spoken, unlessTouch, useTooltip} from '../parts/tooltip';
import {sizeOfPicture, useName, useWidth} from '../parts/width';
import {useZoom} from '../parts/zoom';

const mostDrawn = 500;
const reach = 22; // pixels from a point within which the pointer means it

const areas = (
  <g class="point">
    <circle cx="4" cy="11" r="3" />
    <circle cx="11" cy="8" r="5" />
  </g>
);

const turned = (at: Turned) => `translate(${at.x} ${at.y}) rotate(${at.turn}) translate(0 -5)`;
const unique = (texts: string[]) => [...new Set(texts)];
const time = (point: RooflinePoint) => point.time_us ?? 0;

function factsOf(point: RooflinePoint): [string, string][] {
  return [
    ['Precision', point.precision],
    ['Memory level', point.level],
    ['Intensity', `${formatNumber(point.intensity)} ops/byte`],
    ['Speed', `${formatTflops(point.tflops)}${point.is_estimated ? ' (estimated)' : ''}`],
    ['Of its ceiling', formatPercent(point.of_ceiling_pct)],
    ['Time of all launches', formatUs(point.time_us)],
    ['Share of the time', formatPercent(point.share_pct)],
  ];
}

function sentence(data: RooflineData, drawn: RooflinePoint[]): string {
  const most = drawn[0];
  const kernels = unique(drawn.map((point) => point.kernel)).length;
  const words = `Roofline of ${data.gpu || 'a GPU that is not known'} with ${countOf(kernels, 'kernel')}.`;
  if (!most) return words;
  return (
    `${words} The longest, ${shorten(most.kernel, 80)}, computes ${formatTflops(most.tflops)} in ${most.precision} at ` +
    `${formatNumber(most.intensity)} ops/byte of ${most.level}; of its ceiling: ${formatPercent(most.of_ceiling_pct)}.`
  );
}

export function Roofline({data}: {data: RooflineData}) {
  const levels = unique([...data.memory.map((roof) => roof.level), ...data.points.map((point) => point.level)]).sort(
    (a, b) => Number(b === 'dram') - Number(a === 'dram'),
  );
  const precisions = unique([...data.compute.map((roof) => roof.precision), ...data.points.map((point) => point.precision)]);
  const [hidden, setHidden] = useState<string[]>(levels.slice(1));
  const shownLevels = levels.filter((level) => !hidden.includes(level));
  const [place, width] = useWidth();
  const tip = useTooltip();
  const clip = useName();

  const height = Math.round(Math.min(Math.max(width * 0.58, 320), 540));
  const plot = {left: 52, right: Math.max(width - 12, 120), top: 26, bottom: height - 44};
  const whole = wholeOf(data);
  const zoom = useZoom('roofline', whole, plot);

  const possible = data.points.filter((point) => canDraw(point) && shownLevels.includes(point.level)).sort((a, b) => time(b) - time(a));
  const longest = data.points.reduce((most, point) => Math.max(most, time(point)), 0);
  const [x0, x1, y0, y1] = zoom.view;
  const isInView = ({intensity, tflops}: RooflinePoint) =>
    Math.log10(intensity) >= x0 && Math.log10(intensity) <= x1 && Math.log10(tflops) >= y0 && Math.log10(tflops) <= y1;
  const inView = possible.filter(isInView);
  const drawn = inView.slice(0, mostDrawn).map((point) => ({
    point,
    radius: sizeOf(point, longest, width < 600 ? 16 : 22),
    remark: precisions.length > 1 ? ` (${point.precision})` : '',
  }));
  const scene = sceneOf(roofsOf(data, shownLevels), drawn, zoom.view, plot);
  // Arrow keys go from left to right.
  const order = drawn.map((_, i) => i).sort((a, b) => drawn[a].point.intensity - drawn[b].point.intensity);
  const roving = useRoving(drawn.length);

  if (data.points.length === 0) return <p>No roofline is drawn: the operations and bytes of no kernel are known.</p>;
  if (!data.points.some(canDraw)) return <p>No roofline is drawn: no kernel has a speed and an intensity above 0.</p>;

  const at = (point: RooflinePoint) => ({x: scene.x(point.intensity), y: scene.y(point.tflops)});
  const show = (point: RooflinePoint, element: Element) =>
    tip.show(element, <Facts title={longName(point.kernel)} facts={factsOf(point)} />);
  const onMove = (event: PointerEvent) => {
    if (zoom.drag(event)) return tip.hide();
    const svg = event.currentTarget as SVGSVGElement;
    const box = svg.getBoundingClientRect();
    const distance = (i: number) => {
      const {x, y} = at(drawn[i].point);
      return Math.hypot(event.clientX - box.left - x, event.clientY - box.top - y) - drawn[i].radius;
    };
    const nearest = order.reduce((best, i) => (best < 0 || distance(i) < distance(best) ? i : best), -1);
    const isNear = nearest >= 0 && distance(nearest) < reach - drawn[nearest].radius / 2;
    const mark = isNear ? svg.querySelector(`[data-point="${nearest}"]`) : null;
    if (mark) show(drawn[nearest].point, mark);
    else tip.hide();
  };
  const onKey = (event: KeyboardEvent) => {
    const focused = document.activeElement?.getAttribute('data-point');
    zoom.onKey(event, focused ? at(drawn[Number(focused)].point) : undefined);
  };
  const left = data.points.filter((point) => !canDraw(point)).length;
  const remarks = [
    inView.length > mostDrawn && `The ${mostDrawn} longest of ${countOf(inView.length, 'point')} are drawn.`,
    left > 0 && `${countOf(left, 'point')} without operations or bytes ${left === 1 ? 'is' : 'are'} left out.`,
    possible.length > inView.length && `${countOf(possible.length - inView.length, 'point')} outside this part of the plane.`,
    shownLevels.length === 0 && 'All memory levels are hidden: choose one above.',
  ].filter(Boolean);
  // The mark of points of a level, or of those whose time is not known.
  const markOf = (level: string, time_us: number | null) => (
    <path
      class={time_us === null ? 'point hollow' : 'point'}
      transform="translate(8 8)"
      d={shapeOf({...data.points[0], level, time_us}, 6, levels)}
    />
  );

  return (
    <div class="zoomable" role="group" aria-label={sentence(data, possible)} onKeyDown={onKey}>
      <div class="controls">
        <button type="button" onClick={zoom.zoomIn}>Zoom in</button>
        <button type="button" onClick={zoom.zoomOut} disabled={zoom.isWhole}>Zoom out</button>
        <button type="button" onClick={zoom.reset} disabled={zoom.isWhole}>Whole</button>
        <span class="dim hint">Drag to move. The wheel zooms with Ctrl or after a click; + - 0 are keys.</span>
      </div>
      <Legend
        label="Precisions"
        entries={unique(data.points.map((point) => point.precision)).map((name) => ({
          name,
          mark: <circle class={`point ${precisionClass(name, precisions)}`} cx="8" cy="8" r="6" />,
        }))}
      />
      <Legend
        label="Bytes of which memory, and other marks"
        entries={[
          ...levels.map((level) => ({
            name: `bytes of ${level}`,
            mark: markOf(level, 1),
            pressed: shownLevels.includes(level),
            toggle: () => setHidden(hidden.includes(level) ? hidden.filter((one) => one !== level) : [...hidden, level]),
          })),
          ...(data.points.some((point) => point.is_estimated)
            ? [{name: 'estimated', mark: <circle class="point estimated" cx="8" cy="8" r="6" />}]
            : []),
          ...(longest > 0 ? [{name: 'area: time', mark: areas}] : []),
          ...(data.points.some((point) => time(point) === 0) ? [{name: 'time not known', mark: markOf('', null)}] : []),
        ]}
      />
      <div ref={place} class="picture-place">
        {width > 0 && (
          <svg
            class="picture roofline"
            {...sizeOfPicture(width, height)}
            role="group"
            aria-label="Points by intensity"
            tabindex={-1} // a click gives it the focus, with which the wheel zooms
            {...zoom.handlers}
            onPointerDown={(event) => {
              zoom.handlers.onPointerDown(event);
              onMove(event);
            }}
            onPointerMove={onMove}
            onFocusOut={tip.hide}
            onPointerLeave={unlessTouch(tip.hide)}
          >
            <clipPath id={clip}>
              <rect x={plot.left} y={plot.top} width={plot.right - plot.left} height={plot.bottom - plot.top} />
            </clipPath>
            <BottomAxis ticks={logTicks([10 ** x0, 10 ** x1], scene.x, 52)} {...plot} name="operations per byte (ops/byte)" />
            <LeftAxis ticks={logTicks([10 ** y0, 10 ** y1], scene.y, 22)} {...plot} name="TFLOP/s" nameY={12} />
            <g clip-path={`url(#${clip})`} aria-hidden="true">
              {scene.flat.map((roof) => (
                <line
                  key={roof.name}
                  class={`roof ${precisionClass(roof.precision, precisions)}`}
                  x1={Math.max(roof.from, plot.left)}
                  x2={plot.right}
                  y1={roof.y}
                  y2={roof.y}
                />
              ))}
              {scene.slanted.map((roof) => (
                <line key={roof.level} class="roof" x1={roof.x1} y1={roof.y1} x2={roof.x2} y2={roof.y2} />
              ))}
            </g>
            <g clip-path={`url(#${clip})`}>
              {order.map((i, stop) => {
                const {point, radius} = drawn[i];
                const {x, y} = at(point);
                const looks = `${time(point) > 0 ? '' : 'hollow'} ${point.is_estimated ? 'estimated' : ''}`;
                return (
                  <path
                    key={i}
                    {...roving.item(stop)}
                    data-point={i}
                    role="img"
                    aria-label={spoken(longName(point.kernel), factsOf(point))}
                    class={`point ${precisionClass(point.precision, precisions)} ${looks}`}
                    transform={`translate(${x} ${y})`}
                    d={shapeOf(point, radius, levels)}
                    onFocus={(event) => show(point, event.currentTarget)}
                  />
                );
              })}
            </g>
            <g class="labels" clip-path={`url(#${clip})`} aria-hidden="true">
              {scene.flat.map(
                ({name, y, label}) => label && <text key={name} x={label.x} y={y - 5} text-anchor="end">{label.text}</text>,
              )}
              {scene.slanted.map(
                ({level, label}) => label && <text key={level} transform={turned(label)}>{label.text}</text>,
              )}
              {scene.labels.map(({x, y, text}) => <text key={`${x} ${y}`} x={x} y={y}>{text}</text>)}
            </g>
          </svg>
        )}
      </div>
      {remarks.length > 0 && <p class="dim">{remarks.join(' ')}</p>}
      <AsTable
        label="Points of the roofline"
        columns={[{name: 'Kernel', kind: 'name'}, ...factsOf(data.points[0]).map(([name]) => ({name, kind: 'right' as const}))]}
        rows={() =>
          [...data.points]
            .sort((a, b) => time(b) - time(a))
            .map((point) => [point.kernel, ...factsOf(point).map(([, value]) => value)])
        }
      />
      {tip.tooltip}
    </div>
  );
}
