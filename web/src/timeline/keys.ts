// What keys and buttons do.
import type {Hit, Span} from './hit';
import type {Stage} from './stage';

export interface Command {
  name: string; // of the button
  keys: string[];
  does: (stage: Stage) => void;
}

const gap = (forwards: boolean) => (stage: Stage) => {
  const {selected, view, gaps} = stage;
  const next = gaps.next(selected?.on === 'gap' ? selected.gap : null, (view.begin + view.end) / 2, forwards);
  if (next) stage.goToGap(next);
};

export const commands: Record<string, Command> = {
  earlier: {name: 'Earlier', keys: ['ArrowLeft'], does: (stage) => stage.pan(-0.25)},
  later: {name: 'Later', keys: ['ArrowRight'], does: (stage) => stage.pan(0.25)},
  closer: {name: 'Zoom in', keys: ['+', '='], does: (stage) => stage.zoom(2)},
  farther: {name: 'Zoom out', keys: ['-', '_'], does: (stage) => stage.zoom(0.5)},
  all: {name: 'Show all', keys: ['0'], does: (stage) => stage.go(0, stage.view.span)},
  before: {name: 'Previous gap', keys: ['G'], does: gap(false)},
  after: {name: 'Next gap', keys: ['g'], does: gap(true)},
};

const without: Command[] = [
  {name: 'Lanes above', keys: ['ArrowUp'], does: (stage) => stage.scrollLanes(-60)},
  {name: 'Lanes below', keys: ['ArrowDown'], does: (stage) => stage.scrollLanes(60)},
  {name: 'Lanes above', keys: ['PageUp'], does: (stage) => stage.scrollLanes(-400)},
  {name: 'Lanes below', keys: ['PageDown'], does: (stage) => stage.scrollLanes(400)},
  {name: 'To the begin', keys: ['Home'], does: (stage) => stage.show([0, stage.view.range])},
  {name: 'To the end', keys: ['End'], does: (stage) => stage.show([stage.view.span - stage.view.range, stage.view.span])},
  {name: 'Zoom to what is selected', keys: ['Enter'], does: zoomToSelected},
  {name: 'Select nothing', keys: ['Escape'], does: selectNothing},
];

function zoomToSelected(stage: Stage): void {
  const {range, selected} = stage;
  if (range) stage.go(range.begin, range.end);
  else if (selected && 'span' in selected) stage.goTo(selected as Hit & {span: Span});
}

function selectNothing(stage: Stage): void {
  stage.range = null;
  stage.select(null);
}

export function commandOf(event: KeyboardEvent): Command | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  return [...Object.values(commands), ...without].find(({keys}) => keys.includes(event.key));
}
