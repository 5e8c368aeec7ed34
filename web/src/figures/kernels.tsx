// Kernels by time. Each opens the shapes it was launched in and its hottest lines.
import {useRef, useState} from 'preact/hooks';
import type {KernelsData} from '../data';
import {countOf, formatCount, formatPercent, formatUs, isKnown} from '../parts/format';
import {AsTable, Rows} from '../parts/table';
import {shorten} from '../parts/text';
import {useName} from '../parts/width';
import {useLinkedState} from '../state';

type Kernel = KernelsData['kernels'][number];
const shownFirst = 12;
const more = 48;
const nameShown = 90; // letters

// Width of the bar, in percent: of an SVG, so that it is printed and needs no style.
function Bar({share}: {share: number}) {
  return (
    <svg class="bar" width="100%" height="10" aria-hidden="true">
      <rect class="rail" width="100%" height="10" rx="2" />
      {share > 0 && <rect class="full" width={`${Math.max(0.4, Math.min(share, 1) * 100)}%`} height="10" rx="2" />}
    </svg>
  );
}

function sentence({kernels, all}: KernelsData, hasTimes: boolean): string {
  const first = kernels[0];
  if (!hasTimes) return `${countOf(all, 'kernel')} by launches, as no times are known.`;
  const share = `share: ${formatPercent(first.share_pct)}${first.label ? `; ${first.label}` : ''}`;
  return `${countOf(all, 'kernel')} by time. The longest, ${shorten(first.name, 80)}, takes ${formatUs(first.time_us)} (${share}).`;
}

function Lines({lines}: {lines: Kernel['lines']}) {
  return (
    <ol class="lines">
      {lines.map((line, i) => (
        <li key={i}>
          <span class="place">
            {line.place}: {isKnown(line.share_pct) ? formatPercent(line.share_pct) : 'share not known'}
          </span>
          {isKnown(line.share_pct) && <Bar share={line.share_pct / 100} />}
          {line.text.trim() && (
            <div class="scroll" tabindex={0} role="region" aria-label={`Text of ${shorten(line.place, 80)}`}>
              <code class="line">{line.text.trim()}</code>
            </div>
          )}
          {line.facts.length > 0 && (
            <ul>
              {line.facts.map((fact, j) => (
                <li key={j}>{fact}</li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ol>
  );
}

function Inside({kernel}: {kernel: Kernel}) {
  const {shapes, lines} = kernel;
  return (
    <>
      {kernel.name.length > nameShown && (
        <p>
          <code>{kernel.name}</code>
        </p>
      )}
      {shapes.length === 0 && lines.length === 0 && <p class="dim">Neither launch shapes nor source lines of this kernel were recorded.</p>}
      {shapes.length > 0 && (
        <>
          <h3>Launch shapes</h3>
          <Rows
            label="Launch shapes"
            columns={[
              {name: 'Grid'},
              {name: 'Block'},
              {name: 'Launches', kind: 'right'},
              {name: 'Time', kind: 'right'},
              {name: 'Limited by'},
            ]}
            rows={shapes.map(({grid, block, launches, time_us, label}) => [
              grid,
              block,
              formatCount(launches),
              formatUs(time_us),
              label || 'nothing found',
            ])}
          />
        </>
      )}
      {lines.length > 0 && (
        <>
          <h3>Hottest lines</h3>
          <Lines lines={lines} />
        </>
      )}
    </>
  );
}

export function Kernels({data}: {data: KernelsData}) {
  const [linked, setLinked] = useLinkedState('kernel');
  const chosen = linked === null ? -1 : Number(linked);
  const hasTimes = data.kernels.some((kernel) => isKnown(kernel.time_us));
  // The data is in order of time; an index is that in the data.
  const order = data.kernels.map((_, i) => i);
  if (!hasTimes) order.sort((a, b) => data.kernels[b].launches - data.kernels[a].launches);
  const [count, setCount] = useState(Math.max(shownFirst, order.indexOf(chosen) + 1));
  const name = useName();
  const list = useRef<HTMLOListElement>(null);

  if (data.kernels.length === 0) return <p>No kernels are listed: none was recorded.</p>;

  const valueOf = (kernel: Kernel) => (hasTimes ? (kernel.time_us ?? 0) : kernel.launches);
  const most = data.kernels.reduce((high, kernel) => Math.max(high, valueOf(kernel)), 0);
  const shown = order.slice(0, count);
  const buttons = () => [...(list.current?.querySelectorAll<HTMLElement>('button.kernel') ?? [])];
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && chosen >= 0) {
      setLinked(null);
      buttons()[order.indexOf(chosen)]?.focus();
    }
    const at = buttons().indexOf(event.target as HTMLElement);
    const next = event.key === 'ArrowDown' ? at + 1 : event.key === 'ArrowUp' ? at - 1 : -1;
    if (at < 0 || next < 0) return;
    event.preventDefault();
    buttons()[next]?.focus();
  };
  const moreOf = () => {
    const before = count;
    setCount(count + more);
    // The focus goes on with the first of the new ones, as the button may be gone.
    setTimeout(() => buttons()[before]?.focus());
  };
  const left = data.all - data.kernels.length;

  return (
    <div role="group" aria-label={sentence(data, hasTimes)} onKeyDown={onKey}>
      {!hasTimes && <p>No times are known: the bars show how often each kernel was launched.</p>}
      <ol class="kernels" ref={list}>
        {shown.map((index) => {
          const kernel = data.kernels[index];
          const isOpen = index === chosen;
          const inside = `${name}-${index}`;
          return (
            <li key={index}>
              <button
                type="button"
                class="kernel"
                aria-expanded={isOpen}
                aria-controls={isOpen ? inside : undefined}
                onClick={() => setLinked(isOpen ? null : String(index))}
              >
                <span class="name">{shorten(kernel.name, nameShown)}</span>
                <Bar share={most > 0 ? valueOf(kernel) / most : 0} />
                <span class="value">
                  {hasTimes
                    ? isKnown(kernel.time_us)
                      ? `${formatUs(kernel.time_us)}${isKnown(kernel.share_pct) ? ` (${formatPercent(kernel.share_pct)})` : ''}`
                      : 'time not known'
                    : countOf(kernel.launches, 'launch', 'launches')}
                </span>
                <span class="limit">{kernel.label}</span>
              </button>
              {isOpen && (
                <div class="inside" id={inside}>
                  <Inside kernel={kernel} />
                </div>
              )}
            </li>
          );
        })}
      </ol>
      {shown.length < order.length && (
        <button type="button" onClick={moreOf}>
          Show more ({formatCount(order.length - shown.length)} left)
        </button>
      )}
      {left > 0 && (
        <p class="dim">
          The {formatCount(data.kernels.length)} longest of {formatCount(data.all)} kernels are listed.
        </p>
      )}
      <AsTable
        label="Kernels"
        columns={[
          {name: 'Kernel', kind: 'name'},
          {name: 'Time', kind: 'right'},
          {name: 'Share', kind: 'right'},
          {name: 'Launches', kind: 'right'},
          {name: 'Limited by'},
        ]}
        rows={() =>
          order.map((i) => {
            const {name: whole, time_us, share_pct, launches, label} = data.kernels[i];
            return [whole, formatUs(time_us), formatPercent(share_pct), formatCount(launches), label || 'nothing found'];
          })
        }
      />
    </div>
  );
}
