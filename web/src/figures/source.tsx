// Source with what was found beside its lines, and where warps wait.
import {useEffect, useRef, useState} from 'preact/hooks';
import type {SourceData} from '../data';
import {countOf, formatCount, formatPercent} from '../parts/format';
import {Line} from '../parts/source_line';
import {drawnFirst, linesOf} from '../parts/source_lines';
import {AsTable, Rows} from '../parts/table';
import type {Column} from '../parts/table';
import {shorten} from '../parts/text';
import {useLinkedState} from '../state';

const lineColumns: Column[] = [{name: 'File', kind: 'name'}, {name: 'Line', kind: 'right'}];

function fileName(path: string): string {
  const parts = path.split('/');
  return shorten(parts.slice(-2).join('/'), 48);
}

function sentence(data: SourceData, file: number): string {
  const findings = data.findings.filter((finding) => finding.file === file);
  const stalls = data.stalls.filter((stall) => stall.file === file);
  const hottest = stalls.reduce((most, stall) => (stall.share_pct > most.share_pct ? stall : most), stalls[0]);
  const words = [`${shorten(data.files[file].path, 120)}: ${countOf(findings.length, 'finding')}`];
  if (hottest) words.push(`the hottest line is ${hottest.line} with ${formatPercent(hottest.share_pct)}`);
  return `${words.join('; ')}.`;
}

interface FilesProps {
  data: SourceData;
  chosen: number;
  choose: (file: number) => void;
}

// A few files are buttons; more are a list.
function Files({data, chosen, choose}: FilesProps) {
  const found = data.files.map((_, i) => data.findings.filter((finding) => finding.file === i).length);
  const names = data.files.map(({path}, i) => fileName(path) + (found[i] > 0 ? ` (${countOf(found[i], 'finding')})` : ''));
  if (names.length <= 5) {
    return (
      <div class="files" role="group" aria-label="Files">
        {names.map((name, i) => (
          <button key={i} type="button" aria-pressed={i === chosen} onClick={() => choose(i)}>{name}</button>
        ))}
      </div>
    );
  }
  return (
    <label class="files">
      File{' '}
      <select value={String(chosen)} onChange={(event) => choose(Number(event.currentTarget.value))}>
        {names.map((name, i) => <option key={i} value={String(i)}>{name}</option>)}
      </select>
    </label>
  );
}

export function Source({data}: {data: SourceData}) {
  const [linked, setLinked] = useLinkedState('file');
  const [all, setAll] = useState(false);
  const view = useRef<HTMLDivElement>(null);
  const file = linked !== null && data.files[Number(linked)] ? Number(linked) : 0;
  // A finding in another file that was asked for: where to go when that file is drawn.
  const goal = useRef<number | null>(null);

  const order = data.findings
    .map((finding, i) => ({...finding, i}))
    .filter((finding) => data.files[finding.file])
    .sort((a, b) => a.file - b.file || a.line - b.line || a.i - b.i);
  const current = useRef(-1);

  const reveal = () => {
    const element = goal.current === null ? null : view.current?.querySelector<HTMLElement>(`[data-finding="${goal.current}"]`);
    if (!element) return;
    goal.current = null;
    element.focus({preventScroll: true});
    element.scrollIntoView({block: 'center'});
  };
  useEffect(reveal);
  const go = (step: 1 | -1) => {
    if (order.length === 0) return;
    const focused = document.activeElement?.closest('[data-finding]')?.getAttribute('data-finding');
    const from = focused ? order.findIndex((finding) => finding.i === Number(focused)) : current.current;
    // From the outside the first of this file.
    const begin = Math.max(order.findIndex((finding) => finding.file === file), 0);
    const next = from < 0 ? (step > 0 ? begin : order.length - 1) : (from + step + order.length) % order.length;
    current.current = next;
    goal.current = order[next].i;
    if (order[next].file !== file) setLinked(String(order[next].file));
    else reveal();
    // It may be one of the lines that are drawn only with all the others.
    if (goal.current !== null && order[next].file === file) setAll(true);
  };

  if (data.files.length === 0) return <p>No source is shown: the text of no file is known.</p>;
  const {lines, known} = linesOf(data, file, all);
  const highest = data.stalls.reduce((most, stall) => Math.max(most, stall.share_pct), 0);
  const indexOf = new Map(data.findings.map((finding, i) => [finding, i]));
  const choose = (next: number) => {
    setAll(false);
    setLinked(String(next));
  };

  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'n') go(1);
    else if (event.key === 'p') go(-1);
    else return;
    event.preventDefault();
  };

  return (
    <div role="group" aria-label={sentence(data, file)} onKeyDown={onKey}>
      {data.files.length > 1 && <Files data={data} chosen={file} choose={choose} />}
      <p class="path">
        <code>{data.files[file].path}</code>
      </p>
      {order.length > 0 && (
        <div class="controls">
          <button type="button" onClick={() => go(-1)}>Previous finding</button>
          <button type="button" onClick={() => go(1)}>Next finding</button>
          <span class="dim hint">{countOf(order.length, 'finding')}; the keys are n and p.</span>
        </div>
      )}
      {lines.length === 0 ? (
        <p>No line of this file is known.</p>
      ) : (
        <div class={`code-view${highest > 0 ? ' with-heat' : ''}`} ref={view}>
          {lines.map((line) => (
            <Line key={`${file} ${line.number}`} line={line} highest={highest} idOf={(finding) => indexOf.get(finding) ?? -1} />
          ))}
        </div>
      )}
      {lines.length < known && (
        <p>
          <button type="button" onClick={() => setAll(true)}>Show all {formatCount(known)} lines</button>{' '}
          <span class="dim">About {drawnFirst} lines around findings and stalls are drawn.</span>
        </p>
      )}
      {data.findings.length > 0 && (
        <AsTable
          label="Findings"
          columns={[...lineColumns, {name: 'Severity'}, {name: 'Rule'}, {name: 'Message', kind: 'name'}]}
          rows={() => order.map((found) => [data.files[found.file].path, String(found.line), found.severity, found.rule, found.message])}
        />
      )}
      {data.stalls.length > 0 && (
        <details class="as-table">
          <summary>Hottest lines as a table</summary>
          <Rows
            label="Hottest lines"
            columns={[...lineColumns, {name: 'Share', kind: 'right'}, {name: 'Reasons', kind: 'name'}]}
            rows={[...data.stalls]
              .sort((a, b) => b.share_pct - a.share_pct)
              .map((stall) => [
                data.files[stall.file]?.path ?? '',
                String(stall.line),
                formatPercent(stall.share_pct),
                stall.reasons.map(({words, reason, pct}) => `${words || reason} ${formatPercent(pct)}`).join('; '),
              ])}
          />
        </details>
      )}
    </div>
  );
}
