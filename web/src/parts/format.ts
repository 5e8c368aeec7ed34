// Numbers as people write them. A number that is missing is "not known", never 0.
export const unknown = 'not known';

type Maybe = number | null | undefined;

export function isKnown(value: Maybe): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

const thousands = (text: string) => text.replace(/\B(?=(\d{3})+(?!\d))/g, ',');

// Three significant digits: 12345 is "12,345", 12.34 is "12.3", 0.00001 is "1e-5".
export function formatNumber(value: Maybe): string {
  if (!isKnown(value)) return unknown;
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 1e9 || size < 1e-3) return value.toExponential(2).replace(/\.?0+e/, 'e').replace('e+', 'e');
  if (size >= 999.5) return (value < 0 ? '-' : '') + (size < 9999.5 ? size.toFixed(0) : thousands(size.toFixed(0)));
  return String(Number(value.toPrecision(3)));
}

export function formatCount(value: Maybe): string {
  if (!isKnown(value)) return unknown;
  return (value < 0 ? '-' : '') + thousands(Math.abs(value).toFixed(0));
}

// "1 launch", "2,000 launches".
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}

export function formatPercent(value: Maybe): string {
  if (!isKnown(value)) return unknown;
  if (value > 0 && value < 0.05) return '< 0.1 %';
  return `${value >= 1000 ? formatNumber(value) : value.toFixed(1)} %`;
}

// Three digits and the largest unit that leaves at least one before the point.
function inUnits(value: number, units: [number, string][]): string {
  const size = Math.abs(value);
  const [scale, name] = units.find(([each]) => size >= each * 0.9995) ?? units[units.length - 1];
  const scaled = value / scale;
  const digits = Math.abs(scaled) >= 99.95 ? 0 : Math.abs(scaled) >= 9.995 ? 1 : 2;
  const text = Number.isInteger(scaled) ? scaled.toFixed(0) : scaled.toFixed(digits);
  return `${Math.abs(scaled) >= 1000 ? formatNumber(scaled) : text} ${name}`;
}

const times: [number, string][] = [[3.6e12, 'h'], [1.2e11, 'min'], [1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];
export function formatNs(ns: Maybe): string {
  if (!isKnown(ns)) return unknown;
  if (Math.abs(ns) >= 1.2e11 && Math.abs(ns) < 3.6e12) return inUnits(ns, [[6e10, 'min']]);
  return inUnits(ns, times);
}
export const formatUs = (us: Maybe) => formatNs(isKnown(us) ? us * 1e3 : null);

const KiB = 1024;
const sizes: [number, string][] = [[KiB ** 4, 'TiB'], [KiB ** 3, 'GiB'], [KiB ** 2, 'MiB'], [KiB, 'KiB'], [1, 'B']];
export function formatBytes(bytes: Maybe): string {
  return isKnown(bytes) ? inUnits(bytes, sizes) : unknown;
}

export function formatTflops(tflops: Maybe): string {
  if (!isKnown(tflops)) return unknown;
  if (tflops !== 0 && Math.abs(tflops) < 1e-3) return `${formatNumber(tflops * 1e6)} MFLOP/s`;
  if (tflops !== 0 && Math.abs(tflops) < 0.1) return `${formatNumber(tflops * 1e3)} GFLOP/s`;
  return `${formatNumber(tflops)} TFLOP/s`;
}

// A value in a unit that its data names. Times get the unit that suits them.
export function formatIn(value: Maybe, unit: string): string {
  if (!isKnown(value)) return unknown;
  const ns: Record<string, number> = {ns: 1, us: 1e3, ms: 1e6, s: 1e9};
  if (unit in ns) return formatNs(value * ns[unit]);
  if (unit === 'byte' || unit === 'bytes' || unit === 'B') return formatBytes(value);
  return unit ? `${formatNumber(value)} ${unit}` : formatNumber(value);
}

// At an axis: round numbers, where 0 needs no unit.
export function axisIn(value: number, unit: string): string {
  return value === 0 ? '0' : formatIn(value, unit).replace(/(\.\d*?)0+ /, '$1 ').replace('. ', ' ');
}
