// What is under the pointer, beside it.
import {useLayoutEffect} from 'preact/hooks';
import type {TimelineData} from '../data';
import {Facts, useTooltip} from '../parts/tooltip';
import {wordsFor} from './hit';
import type {OnPoint} from './input';

// Drawn on its own: it changes with each move of the pointer. `listen` takes what is called then.
export function Pointed({data, listen}: {data: TimelineData; listen: (point: OnPoint) => void}) {
  const {show, hide, tooltip} = useTooltip();
  useLayoutEffect(() => {
    listen((hit, x, y) => {
      if (!hit) return hide();
      show({left: x - 12, right: x + 12, top: y - 10, bottom: y + 14}, <Facts {...wordsFor(data, hit)} />);
    });
  }, [data]);
  return <>{tooltip}</>;
}
