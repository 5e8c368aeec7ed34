// Every figure by its kind. One more: its numbers in data.ts, its component beside this file, and one line here.
import type {ComponentType, VNode} from 'preact';
import type {FigureData, FigureKind} from '../data';
import {Ordinal} from '../state';
import {Intervals} from './intervals';
import {Kernels} from './kernels';
import {Memory} from './memory';
import {Ranks} from './ranks';
import {Roofline} from './roofline';
import {Source} from './source';
import {Steps} from './steps';
import {Timeline} from './timeline';
import {Trend} from './trend';
import {Tuning} from './tuning';

const figures: {[Kind in FigureKind]: ComponentType<{data: FigureData[Kind]}>} = {
  roofline: Roofline,
  kernels: Kernels,
  steps: Steps,
  ranks: Ranks,
  memory: Memory,
  source: Source,
  intervals: Intervals,
  tuning: Tuning,
  timeline: Timeline,
  trend: Trend,
};

export function isFigureKind(kind: string): kind is FigureKind {
  return Object.hasOwn(figures, kind);
}

// `ordinal`: which of its kind on the page it is, from 1.
export function drawFigure<Kind extends FigureKind>(kind: Kind, data: FigureData[Kind], ordinal: number): VNode {
  const Figure = figures[kind] as ComponentType<{data: FigureData[Kind]}>;
  return (
    <Ordinal.Provider value={ordinal}>
      <Figure data={data} />
    </Ordinal.Provider>
  );
}
