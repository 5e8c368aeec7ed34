// The numbers of each figure, as src/compose/figure_*.cc writes them. Times are nanoseconds unless a name says otherwise; null: not known.

export interface RooflineData {
  gpu: string;
  compute: {precision: string; tflops: number}[]; // flat roofs
  memory: {level: string; gbps: number}[]; // slanted roofs
  points: {
    kernel: string;
    precision: string;
    level: string; // whose bytes: dram, l2, l1
    intensity: number; // operations per byte
    tflops: number;
    of_ceiling_pct: number | null;
    time_us: number | null; // of all launches
    share_pct: number | null; // of the time of all kernels
    is_estimated: boolean;
  }[];
}

export interface KernelsData {
  total_us: number | null;
  all: number; // how many kernels there are; those listed are the longest
  kernels: {
    name: string;
    time_us: number | null;
    share_pct: number | null;
    launches: number;
    label: string; // what limits it, "" where nothing was found
    shapes: {grid: string; block: string; launches: number; time_us: number | null; label: string}[];
    lines: {place: string; share_pct: number | null; text: string; facts: string[]}[]; // hottest source lines
  }[];
}

// What a part of time is; colours go by it.
export type Part = 'computing' | 'communication' | 'copying' | 'idle' | 'waiting' | 'other';

export interface StepsData {
  what: string; // "step", "epoch"
  numbers: number[]; // of the steps shown
  skipped: number; // of these, how many at the beginning were left out as warming up
  parts: {name: string; part: Part; ns: number[]}[]; // of each step; the parts of a step add up to it
}

export interface RanksData {
  ranks: number[];
  late: number[]; // those that are called late
  waited_ns: number[][]; // [who waited][for whom], over all collectives that were matched
  steps_ns: (number | null)[]; // all compared steps of each rank
}

export interface MemoryData {
  series: {
    name: string; // "GPU 0, allocated"
    time_ns: number[]; // from the begin of the recording
    bytes: number[];
    capacity_bytes: number | null;
  }[];
}

export interface SourceData {
  files: {
    path: string;
    lines: {number: number; text: string}[]; // ascending; lines that are not known are left out
  }[];
  findings: {file: number; line: number; severity: string; rule: string; message: string; advice: string}[];
  stalls: {file: number; line: number; share_pct: number; reasons: {reason: string; words: string; pct: number}[]}[]; // reasons: shares of the line
}

export interface IntervalsData {
  first: string; // label of the side before the change
  second: string;
  noise_floor: number; // differences up to this share do not count
  rows: {
    name: string;
    first: number | null;
    second: number | null;
    unit: string;
    ratio: number | null; // second / first; below 1: less time
    low: number | null; // 99 % interval of the ratio
    high: number | null;
    answer: 'better' | 'worse' | 'cannot_tell';
  }[];
  values: {name: string; unit: string; first: number[]; second: number[]}[]; // the single measurements behind a row, in their order
}

export interface TuningData {
  min_speedup: number; // relative: 0.08 is 8 %
  confidence: string; // of the intervals: "95 %"
  baseline: number | null; // steps/s
  rows: {
    label: string;
    stage: 'full' | 'race';
    outcome: 'winner' | 'better' | 'below' | 'inconclusive' | 'worse' | 'screened' | 'rejected' | 'not_run';
    words: string; // the outcome for people: "promoted to full benchmark"
    reasons: string[]; // why it was rejected, or not run
    change: number | null; // of the throughput against the baseline, relative
    low: number | null; // interval; null: no bound
    high: number | null;
    steps_per_s: number | null;
    samples_per_s: number | null;
    by_samples: boolean; // the change is of samples a second
    runs: number;
    variables: {name: string; value: string}[];
  }[];
}

// One number of a history, oldest first.
export interface TrendData {
  metric: string;
  times_ms: number[]; // since 1970, UTC
  points: {value: number; id: string; commit: string}[]; // commit "": not known
  changes: {at: number; detected_at: number; ratio: number}[]; // indices of points; ratio: new level / old level
}

// Work over time. Lanes are threads of the CPU and streams of GPUs. The events of a lane are divided into tiles, which are decoded when
// they are looked at; a lane from far away is drawn from `overview`.
export interface TimelineData {
  span_ns: number;
  names: string[]; // of events
  kinds: string[]; // "kernel", "cpu_op", ...
  steps: {number: number; begin: number; end: number}[];
  gaps: {
    device: number;
    begin: number;
    end: number;
    cause: string; // input, sync, allocator, first_use, host, device, unknown
    during: string; // what the program did: an operator, a call; "": not recorded
    step: number | null;
  }[];
  // Longest of all gaps of each device, as far as they are kept.
  gaps_left_out: number;
  lanes: Lane[];
  data: string; // base64 of the tiles of all lanes
}

export interface Lane {
  name: string;
  group: string; // "GPU 0", "process 1234"
  device: number | null; // of a stream
  depth: number; // levels of nesting; 1 where nothing is nested
  events: number;
  // Equal parts of the span: what each is full of. Base64, two bytes for each part: how full it is, 0 to 255, and the index in `kinds` of
  // what takes most of it.
  overview: string;
  // By tile, ascending by begin. An event belongs to the tile of its begin, so it may end after that of the next one: `reach` is the latest
  // end of all events of this and the earlier tiles.
  tiles: {begin: number[]; reach: number[]; count: number[]; at: number[]}; // at: the offset in `data`
}
// A tile is a sequence of events, ascending by begin. Each is four numbers, little-endian base-128 as in protobuf: begin minus the begin of
// the event before it (of the first: minus that of the tile), duration, index of its name, depth * kinds.length + index of its kind.

export interface FigureData {
  roofline: RooflineData;
  kernels: KernelsData;
  steps: StepsData;
  ranks: RanksData;
  memory: MemoryData;
  source: SourceData;
  intervals: IntervalsData;
  tuning: TuningData;
  timeline: TimelineData;
  trend: TrendData;
}
export type FigureKind = keyof FigureData;
