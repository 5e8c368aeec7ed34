// What is looked at, and its canvas: drawn once for each frame in which something changed.
import type {TimelineData} from '../data';
import {readState, writeState} from '../state';
import {coloursOf, type Colours} from './colours';
import {Tiles} from './decode';
import {Painter, type Look} from './draw';
import {Gaps, type Gap} from './gaps';
import {Finder, type Hit, type Span} from './hit';
import {headHeight, layOut, mostHeight, type Layout} from './layout';
import {Motion} from './motion';
import {outline} from './outline';
import {inPauses} from './pauses';
import {onPrinting, prints} from './printing';
import {Search} from './search';
import {Survey} from './survey';
import {Widths} from './text';
import {linkOf, rangeOf, View} from './view';

const narrow = 620; // px; names of lanes stand above them then
const gutter = 148; // px, for names beside the lanes
const print_width = 680;
const print_height = 900; // of the lanes: a page of paper
const decode_ms = 4;

export interface Places {
  root: HTMLElement; // whose variables are the colours
  canvas: HTMLCanvasElement;
  scroll: HTMLElement;
  scrolled: HTMLElement; // as high as all lanes
}

export class Stage {
  readonly view: View;
  readonly tiles: Tiles;
  readonly survey: Survey;
  readonly gaps: Gaps;
  readonly motion: Motion;
  readonly finder: Finder;
  readonly painter: Painter;
  layout: Layout;
  search: Search | null = null;
  selected: Hit | null = null;
  revision = 0; // of what is shown beside the canvas
  range: Span | null = null; // that was dragged on the axis
  folded = new Set<string>();
  onFrame: (stage: Stage) => void = () => {}; // after a drawn frame
  private readonly context: CanvasRenderingContext2D;
  private readonly widths: Widths;
  private readonly ends: (() => void)[] = [];
  colours!: Colours;
  private endSearch = () => {};
  private frame = 0;
  private width = 0;
  private height = 0;
  private linkTimer = 0;

  constructor(
    readonly data: TimelineData,
    readonly places: Places,
    private readonly key: string, // of its state in the link
  ) {
    this.view = new View(data.span_ns);
    this.tiles = new Tiles(data);
    this.survey = new Survey(data, this.tiles);
    this.gaps = new Gaps(data.gaps);
    this.painter = new Painter(data, this.tiles, this.survey, this.gaps);
    this.finder = new Finder(data, this.painter, this.gaps);
    this.motion = new Motion(this.view);
    this.layout = layOut(data, this.folded, false);
    this.context = places.canvas.getContext('2d', {alpha: false})!;
    this.widths = new Widths(this.context);
    this.view.show(...(rangeOf(readState(this.key)) ?? [0, this.view.span]));
    this.listen();
    this.restyle();
    this.ends.push(inPauses(this.survey.pass(), () => this.revised()));
  }

  close(): void {
    for (const end of this.ends) end();
    this.endSearch();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.linkTimer);
  }

  private listen(): void {
    const sized = new ResizeObserver(() => this.resize());
    sized.observe(this.places.root);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const restyle = () => this.restyle();
    const follow = () => this.go(...(rangeOf(readState(this.key)) ?? [0, this.view.span]));
    const scrolled = () => this.changed();
    dark.addEventListener('change', restyle);
    addEventListener('hashchange', follow);
    this.places.scroll.addEventListener('scroll', scrolled);
    this.ends.push(() => {
      sized.disconnect();
      dark.removeEventListener('change', restyle);
      removeEventListener('hashchange', follow);
      this.places.scroll.removeEventListener('scroll', scrolled);
    }, onPrinting(restyle));
  }

  private restyle(): void {
    this.places.root.classList.toggle('tl-print', prints());
    this.colours = coloursOf(this.places.root, this.data.kinds, this.context);
    ++this.revision;
    this.width = 0; // all is measured again
    this.resize();
  }

  private resize(): void {
    const width = prints() ? print_width : Math.max(200, Math.floor(this.places.root.clientWidth));
    if (width === this.width) return;
    this.width = width;
    this.lay();
    // The canvas is empty now, and would be for a frame.
    this.drawNow();
  }

  // Sizes, after the width, the lanes or the folded groups changed.
  private lay(): void {
    const {canvas, scroll, scrolled} = this.places;
    const labelsAbove = this.width < narrow;
    this.layout = layOut(this.data, this.folded, labelsAbove);
    const lanes = Math.min(prints() ? print_height : mostHeight, this.layout.height);
    const scrolls = lanes < this.layout.height;
    scroll.hidden = !scrolls;
    const width = this.width - (scrolls ? scroll.offsetWidth : 0);
    this.height = headHeight + lanes + 2;
    this.view.left = labelsAbove ? 0 : gutter;
    this.view.width = width - this.view.left - 1;
    const ratio = prints() ? 2 : devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(this.height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${this.height}px`;
    scroll.style.height = `${lanes}px`;
    scrolled.style.height = `${this.layout.height}px`;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.font = `12px ${getComputedStyle(this.places.root).fontFamily}`;
  }

  get look(): Look {
    const {view, layout, colours, height, search} = this;
    const scroll = this.places.scroll.hidden ? 0 : this.places.scroll.scrollTop;
    const found = search?.found ?? null;
    return {view, layout, colours, height, scroll, found, marks: search?.marks ?? null, decode_ms: prints() ? Infinity : decode_ms};
  }

  private revised(): void {
    ++this.revision;
    this.changed();
  }

  select(hit: Hit | null): void {
    this.selected = hit;
    this.revised();
  }

  changed(): void {
    this.frame ||= requestAnimationFrame((now) => {
      this.frame = 0;
      this.motion.step(now);
      this.drawNow();
    });
  }

  private drawNow(): void {
    const {look} = this;
    const isComplete = this.painter.draw(this.context, this.widths, look);
    outline(this.context, this.data, look, this.widths, this.selected, this.range);
    if (!isComplete || this.motion.isGoing) this.changed();
    this.onFrame(this);
  }

  // At once, as a hand moves it.
  show([begin, end]: [number, number]): void {
    this.motion.stop();
    this.view.show(begin, end);
    this.moved();
  }

  go(begin: number, end: number): void {
    this.motion.go(begin, end);
    this.moved();
  }

  private moved(): void {
    this.changed();
    clearTimeout(this.linkTimer);
    this.linkTimer = window.setTimeout(() => writeState(this.key, linkOf(this.view)), 300);
  }

  zoom(factor: number): void {
    const [begin, end] = this.motion.target;
    const half = (end - begin) / 2 / factor;
    this.go((begin + end) / 2 - half, (begin + end) / 2 + half);
  }

  pan(share: number): void {
    const [begin, end] = this.motion.target;
    const way = Math.min(Math.max((end - begin) * share, -begin), this.view.span - end);
    this.go(begin + way, end + way);
  }

  scrollLanes(px: number): void {
    this.places.scroll.scrollTop += px;
    this.changed();
  }

  // With as much around it as it is long; at least a few pixels are left of what is very short.
  goTo(hit: Hit & {span: Span}): void {
    this.select(hit);
    const {begin, end} = hit.span;
    const margin = Math.max((end - begin) * 0.75, 200);
    this.go(begin - margin, end + margin);
    const lane = hit.on === 'event' ? hit.lane : hit.on === 'gap' ? this.data.lanes.findIndex((one) => one.device === hit.gap.device) : -1;
    if (lane >= 0) this.reveal(lane);
  }

  goToGap(gap: Gap): void {
    this.goTo({on: 'gap', gap, span: gap});
  }

  private reveal(lane: number): void {
    if (this.folded.has(this.data.lanes[lane].group)) this.fold(this.data.lanes[lane].group);
    const row = this.layout.lanes.find((one) => one.lane === lane);
    const {scroll} = this.places;
    if (!row || scroll.hidden) return;
    const isSeen = row.labelTop >= scroll.scrollTop && row.top + row.height <= scroll.scrollTop + scroll.clientHeight;
    if (!isSeen) scroll.scrollTop = row.labelTop - 40;
  }

  fold(group: string): void {
    if (!this.folded.delete(group)) this.folded.add(group);
    this.lay();
    ++this.revision;
    this.drawNow();
  }

  find(text: string): void {
    this.endSearch();
    this.search = text ? new Search(this.data, this.tiles, text) : null;
    this.revised();
    if (this.search) this.endSearch = inPauses(this.search.pass(), () => this.revised());
  }
}
