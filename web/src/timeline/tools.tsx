// Buttons above the timeline, and the search.
import {useState} from 'preact/hooks';
import {countOf} from '../parts/format';
import {commands, type Command} from './keys';
import type {Stage} from './stage';

const marks: Record<string, string> = {earlier: '\u2190', later: '\u2192', closer: '+', farther: '\u2212'};

interface ToolsProps {
  stage: Stage | null;
  hasGaps: boolean;
  does: (command: Command) => void;
}

export function Tools({stage, hasGaps, does}: ToolsProps) {
  return (
    <div class="controls tl-tools">
      {Object.entries(commands).map(([key, command]) =>
        (key === 'before' || key === 'after') && !hasGaps ? null : (
          <button
            key={key}
            type="button"
            aria-label={command.name}
            title={`${command.name} (key ${command.keys[0]})`}
            aria-keyshortcuts={command.keys[0] === 'G' ? 'Shift+G' : command.keys[0]}
            onClick={() => does(command)}
          >
            {marks[key] ?? command.name}
          </button>
        ),
      )}
      <Find stage={stage} />
    </div>
  );
}

function Find({stage}: {stage: Stage | null}) {
  const [text, setText] = useState('');
  const search = stage?.search ?? null;
  const go = (forwards: boolean) => {
    if (!stage?.search) return;
    const {selected, view} = stage;
    const from = selected?.on === 'event' ? selected.span.begin : forwards ? view.begin - 1 : view.end + 1;
    const hit = stage.search.next(from, forwards) ?? stage.search.next(forwards ? -1 : Infinity, forwards);
    if (hit) stage.goTo(hit);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    go(!event.shiftKey);
  };
  const onInput = (event: {currentTarget: HTMLInputElement}) => {
    setText(event.currentTarget.value);
    stage?.find(event.currentTarget.value.trim());
  };
  return (
    <span class="tl-find" role="search" aria-label="Events by name">
      <input
        type="search"
        placeholder="Find events"
        aria-label="Find events whose name contains"
        value={text}
        onInput={onInput}
        onKeyDown={onKey}
      />
      <button type="button" aria-label="Previous match" disabled={!search?.names} onClick={() => go(false)}>
        {'\u2191'}
      </button>
      <button type="button" aria-label="Next match" disabled={!search?.names} onClick={() => go(true)}>
        {'\u2193'}
      </button>
      <span class="dim tl-count" role="status">
        {search && matches(search)}
      </span>
    </span>
  );
}

function matches(search: {names: number; events: number; isDone: boolean}): string {
  if (search.names === 0) return 'no event has such a name';
  if (!search.isDone) return 'counting';
  return `${countOf(search.events, 'event')} of ${countOf(search.names, 'name')}`;
}
