/** Draws lines over a logarithmic axis, as SVG that a page in the repository can show. */

export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Plot {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly Line[];
}

const plotWidth = 400;
const plotHeight = 220;
const margin = { left: 58, right: 12, top: 26, bottom: 44 };
const colors = ['#1f6feb', '#d1242f', '#1a7f37', '#9a6700'];

/** Plots beside each other, two in a row. */
export function plotsSvg(plots: readonly Plot[]): string {
  const rows = Math.ceil(plots.length / 2);
  const parts = plots.map((plot, index) => {
    const x = (index % 2) * plotWidth;
    const y = Math.floor(index / 2) * plotHeight;
    return `<g transform="translate(${x} ${y})">${drawn(plot)}</g>`;
  });
  const size = `${2 * plotWidth} ${rows * plotHeight}`;
  const font = 'font-family="sans-serif" font-size="10"';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" ${font}>
<rect width="100%" height="100%" fill="#fff"/>\n${parts.join('\n')}\n</svg>\n`;
}

function drawn({ title, unit, lines }: Plot): string {
  const all = lines.flatMap(({ points }) => points);
  const xs = all.map(([x]) => Math.log10(x));
  const yMax = Math.max(...all.map(([, y]) => y)) * 1.1 || 1;
  const [xMin, xMax] = [Math.min(...xs), Math.max(...xs)];
  const width = plotWidth - margin.left - margin.right;
  const height = plotHeight - margin.top - margin.bottom;
  const xOf = (x: number) => margin.left + ((Math.log10(x) - xMin) / (xMax - xMin || 1)) * width;
  const yOf = (y: number) => margin.top + height - (y / yMax) * height;
  const out = [`<text x="${margin.left}" y="15" font-size="12" font-weight="bold">${title}, ${unit}</text>`];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const y = yOf(yMax * share).toFixed(1);
    out.push(`<line x1="${margin.left}" x2="${plotWidth - margin.right}" y1="${y}" y2="${y}" stroke="#ddd"/>`);
    out.push(`<text x="${margin.left - 4}" y="${Number(y) + 3}" text-anchor="end">${short(yMax * share)}</text>`);
  }
  for (const x of new Set(all.map(([value]) => value))) {
    out.push(`<text x="${xOf(x).toFixed(1)}" y="${margin.top + height + 13}" text-anchor="middle">${short(x)}</text>`);
  }
  for (const [index, { name, points }] of lines.entries()) {
    const color = colors[index % colors.length]!;
    const path = points.map(([x, y]) => `${xOf(x).toFixed(1)},${yOf(y).toFixed(1)}`).join(' ');
    out.push(`<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>`);
    for (const [x, y] of points) out.push(`<circle cx="${xOf(x)}" cy="${yOf(y)}" r="2.5" fill="${color}"/>`);
    const left = margin.left + index * (width / lines.length);
    out.push(`<text x="${left}" y="${plotHeight - 8}" fill="${color}">${name}</text>`);
  }
  return out.join('\n');
}

function short(value: number): string {
  if (value >= 1_000_000) return `${Number((value / 1_000_000).toFixed(1))}M`;
  if (value >= 1_000) return `${Number((value / 1_000).toFixed(1))}k`;
  return String(Number(value.toFixed(value < 10 ? 1 : 0)));
}
