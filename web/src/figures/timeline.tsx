// Work over time: lanes of streams and threads on a canvas that is zoomed and panned, and the longest gaps as a list.
import {useLayoutEffect, useRef, useState} from 'preact/hooks';
import type {TimelineData} from '../data';
import {formatNs} from '../parts/format';
import {lengthWords, stepsIn} from '../timeline/axis';
import {GapList, Groups, Lanes, Legend} from '../timeline/beside';
import {wordsFor, type Hit} from '../timeline/hit';
import {listenTo, type OnPoint} from '../timeline/input';
import {commandOf, type Command} from '../timeline/keys';
import {Pointed} from '../timeline/pointed';
import {useLinkKey} from '../state';
import {Stage} from '../timeline/stage';
import {Tools} from '../timeline/tools';

const what_keys_do =
  'Timeline. Arrows move, plus and minus zoom, 0 shows all, G and Shift G go to the next and the previous gap, ' +
  'Enter zooms to what is selected.';
const told_ms = 400; // once keys rest

export function Timeline({data}: {data: TimelineData}) {
  if (data.lanes.length === 0) return <p class="dim">No event was recorded.</p>;
  return <Drawn data={data} />;
}

function Drawn({data}: {data: TimelineData}) {
  const root = useRef<HTMLDivElement>(null);
  const focused = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroll = useRef<HTMLDivElement>(null);
  const scrolled = useRef<HTMLDivElement>(null);
  const shown = useRef<HTMLParagraphElement>(null);
  const told = useRef<HTMLParagraphElement>(null);
  const point = useRef<OnPoint>(() => {});
  const timer = useRef(0);
  const key = useLinkKey('timeline');
  const [stage, setStage] = useState<Stage | null>(null);
  const [, setRevision] = useState(0);

  useLayoutEffect(() => {
    const places = {root: root.current!, canvas: canvas.current!, scroll: scroll.current!, scrolled: scrolled.current!};
    const made = new Stage(data, places, key);
    // What stands beside the canvas is made again only where it changed.
    made.onFrame = () => {
      if (shown.current) shown.current.textContent = wordsOf(made);
      setRevision(made.revision);
    };
    const end = listenTo(made, focused.current!, (hit, x, y) => point.current(hit, x, y));
    setStage(made);
    made.changed();
    return () => {
      end();
      made.close();
      clearTimeout(timer.current);
    };
  }, [data]);

  // Told to those who do not see it; once, when several keys were pressed.
  const tell = () => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      if (told.current && stage) told.current.textContent = `${wordsOf(stage)}. ${selectedWords(data, stage.selected)}`;
    }, told_ms);
  };
  const does = (command: Command) => {
    if (!stage) return;
    command.does(stage);
    tell();
  };
  const onKey = (event: KeyboardEvent) => {
    const command = commandOf(event);
    if (!command) return;
    event.preventDefault();
    point.current(null, 0, 0);
    does(command);
  };

  return (
    <div class="tl" ref={root}>
      <Tools stage={stage} hasGaps={data.gaps.length > 0} does={does} />
      <div class="tl-stage" ref={focused} tabIndex={0} role="application" aria-label={what_keys_do} onKeyDown={onKey}>
        <canvas ref={canvas} aria-hidden="true" />
        <div class="tl-scroll" ref={scroll} tabIndex={-1} aria-hidden="true">
          <div ref={scrolled} />
        </div>
      </div>
      <div class="dim tl-under">
        <p class="tl-shown" ref={shown} aria-hidden="true" />
        <p class="tl-hint">Ctrl and the wheel zoom, dragging moves, dragging on the axis measures.</p>
      </div>
      <p class="tl-told" ref={told} role="status" />
      <Pointed data={data} listen={(to) => (point.current = to)} />
      {stage && <Legend data={data} stage={stage} />}
      {stage && <Groups data={data} stage={stage} onFold={(group) => stage.fold(group)} />}
      {stage && (
        <GapList
          data={data}
          stage={stage}
          onGo={(gap) => {
            stage.goToGap(gap);
            tell();
          }}
        />
      )}
      {stage && <Lanes data={data} stage={stage} />}
    </div>
  );
}

function wordsOf({view, range, data}: Stage): string {
  const steps = stepsIn(data.steps, view.begin, view.end);
  const part = view.isWhole ? `All of ${formatNs(view.span)}` : `${lengthWords(view.begin, view.end)} of ${formatNs(view.span)}`;
  const selection = range ? `. Selected: ${formatNs(range.end - range.begin)} from ${formatNs(range.begin)}` : '';
  return `Shown: ${part}${steps ? `, ${steps}` : ''}${selection}`;
}

function selectedWords(data: TimelineData, selected: Hit | null): string {
  if (!selected) return '';
  const {title, facts} = wordsFor(data, selected);
  return `Selected: ${title}. ${facts.map(([name, value]) => `${name}: ${value}`).join('. ')}.`;
}
