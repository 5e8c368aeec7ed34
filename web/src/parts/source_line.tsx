// One line of source: number, how much of the waiting is at it, text, findings.
import {useState} from 'preact/hooks';
import {formatPercent} from './format';
import type {Finding, SourceLine, Stall} from './source_lines';

interface HeatProps {
  stall: Stall | null;
  highest: number;
  open: boolean;
  toggle: () => void;
}

function Heat({stall, highest, open, toggle}: HeatProps) {
  if (!stall) return <span class="heat" />;
  const bar = (
    <>
      <svg width="100%" height="16" aria-hidden="true">
        <rect width={`${highest > 0 ? Math.max((100 * stall.share_pct) / highest, 1) : 0}%`} height="16" />
      </svg>
      <span>{formatPercent(stall.share_pct)}</span>
    </>
  );
  if (stall.reasons.length === 0) return <span class="heat">{bar}</span>;
  const label = `${formatPercent(stall.share_pct)} at line ${stall.line}: why`;
  return (
    <button type="button" class="heat" aria-expanded={open} aria-label={label} onClick={toggle}>
      {bar}
    </button>
  );
}

function Reasons({stall}: {stall: Stall}) {
  return (
    <ul class="reasons">
      {stall.reasons.map(({reason, words, pct}) => (
        <li key={reason}>
          {formatPercent(pct)} of this line: {words || reason} <span class="dim">({reason})</span>
        </li>
      ))}
    </ul>
  );
}

const tones: Record<string, string> = {critical: 'red', high: 'red', error: 'red', medium: 'yellow', warning: 'yellow'};

function Note({finding, id}: {finding: Finding; id: number}) {
  return (
    <li class="finding" data-finding={id} tabindex={-1}>
      <b class={tones[finding.severity.toLowerCase()]}>{finding.severity}</b> <span class="dim">{finding.rule}</span> {finding.message}
      {finding.advice && (
        <details>
          <summary>What to do</summary>
          <p>{finding.advice}</p>
        </details>
      )}
    </li>
  );
}

export function Line({line, highest, idOf}: {line: SourceLine; highest: number; idOf: (finding: Finding) => number}) {
  const {number, text, findings, stall, gap} = line;
  const [open, setOpen] = useState(false);
  return (
    <>
      {gap && (
        <p class="gap">
          {'\u22ee '}
          {gap[0] === gap[1] ? `line ${gap[0]} is not shown` : `lines ${gap[0]} to ${gap[1]} are not shown`}
        </p>
      )}
      <div class={`code-line${findings.length > 0 ? ' found' : ''}`}>
        <Heat stall={stall} highest={highest} open={open} toggle={() => setOpen(!open)} />
        <span class="number">{number}</span>
        {text === null ? <span class="dim">text not known</span> : <code>{text || ' '}</code>}
        {findings.length > 0 && (
          <ul class="findings">
            {findings.map((finding) => (
              <Note key={idOf(finding)} finding={finding} id={idOf(finding)} />
            ))}
          </ul>
        )}
        {stall && open && <Reasons stall={stall} />}
      </div>
    </>
  );
}
