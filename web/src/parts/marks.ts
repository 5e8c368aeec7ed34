// Colours of categories, as classes of figures.css. No colour stands alone: whoever uses them adds a label, a shape or a pattern.
const colours = 8;

export const categoryClass = (index: number) => `category-${index % colours}`;

// The same thing has the same colour in all figures of a page, whatever else is there.
const precisions = ['fp32', 'fp16_tensor', 'bf16_tensor', 'fp64', 'tf32_tensor', 'fp8_tensor', 'int8_tensor', 'fp16'];

export function precisionClass(precision: string, all: string[]): string {
  const known = precisions.indexOf(precision);
  if (known >= 0) return categoryClass(known);
  const free = all.filter((one) => !precisions.includes(one));
  const used = new Set(all.map((one) => precisions.indexOf(one)));
  const left = precisions.map((_, i) => i).filter((i) => !used.has(i));
  const at = Math.max(free.indexOf(precision), 0);
  return categoryClass(left.length > 0 ? left[at % left.length] : at);
}
