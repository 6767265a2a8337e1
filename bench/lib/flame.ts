/** Draws a V8 CPU profile as a flame graph: width is time, a box's callers are above it. */

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

interface Frame {
  readonly name: string;
  microseconds: number;
  readonly children: Map<string, Frame>;
}

const width = 1600;
const rowHeight = 16;
/** Narrower boxes cannot be seen. */
const boxWidthMin = 0.4;
const letterWidth = 6.2;
const notBusy = new Set(['(idle)', '(program)']);

/** An SVG that shows what is under the mouse. */
export function flameGraph(profile: CpuProfile, title: string): string {
  const root = framesOf(profile);
  const boxes: string[] = [];
  const depth = draw(root, 0, 0, width / Math.max(1, root.microseconds), root.microseconds, boxes);
  const height = (depth + 3) * rowHeight;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="10">`,
    `<rect width="${width}" height="${height}" fill="#fff"/><text x="4" y="13" font-size="13">${escaped(title)}</text>`,
    `<g transform="translate(0 ${rowHeight * 1.5})">`,
    ...boxes,
    '</g></svg>\n',
  ].join('\n');
}

/** The same function called the same way is one frame, whatever line called it. */
function framesOf({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const own = new Map<number, number>();
  for (const [index, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + Math.max(0, timeDeltas[index] ?? 0));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const root: Frame = { name: 'all', microseconds: 0, children: new Map() };
  const add = (node: ProfileNode, parent: Frame): number => {
    if (notBusy.has(node.callFrame.functionName)) return 0;
    const name = nameOf(node);
    const frame = parent.children.get(name) ?? { name, microseconds: 0, children: new Map<string, Frame>() };
    parent.children.set(name, frame);
    let microseconds = own.get(node.id) ?? 0;
    for (const child of node.children ?? []) microseconds += add(byId.get(child)!, frame);
    frame.microseconds += microseconds;
    return microseconds;
  };
  for (const child of nodes[0]?.children ?? []) root.microseconds += add(byId.get(child)!, root);
  return root;
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string {
  const file = url.replace(/^.*\/(?:packages|node_modules)\//, '');
  return `${functionName || '(anonymous)'}${file ? ` ${file}:${lineNumber + 1}` : ''}`;
}

/** Answers how many rows are below. */
function draw(frame: Frame, x: number, row: number, scale: number, total: number, boxes: string[]): number {
  const boxWidth = frame.microseconds * scale;
  if (boxWidth < boxWidthMin) return row;
  const share = ((frame.microseconds / Math.max(1, total)) * 100).toFixed(1);
  const milliseconds = Math.round(frame.microseconds / 1000);
  const y = row * rowHeight;
  const letters = Math.floor(boxWidth / letterWidth);
  const label =
    letters > 3 ? `<text x="${(x + 2).toFixed(1)}" y="${y + 11}">${escaped(frame.name.slice(0, letters))}</text>` : '';
  boxes.push(
    `<g><title>${escaped(frame.name)}: ${share} %, ${milliseconds} ms</title>` +
      `<rect x="${x.toFixed(1)}" y="${y}" width="${boxWidth.toFixed(1)}" height="${rowHeight - 1}" ` +
      `fill="${colorOf(frame.name)}"/>` +
      `${label}</g>`,
  );
  let deepest = row + 1;
  let left = x;
  for (const child of [...frame.children.values()].sort((a, b) => b.microseconds - a.microseconds)) {
    deepest = Math.max(deepest, draw(child, left, row + 1, scale, total, boxes));
    left += child.microseconds * scale;
  }
  return deepest;
}

/** A function has the same color everywhere; ours are warm, Node's and libraries' are cool. */
function colorOf(name: string): string {
  let hash = 0;
  for (let index = 0; index < name.length; index += 1) hash = (hash * 31 + name.charCodeAt(index)) >>> 0;
  const isOurs = /^\S+ (?:apiserver|api|machinery|store|cli)\//.test(name);
  return `hsl(${isOurs ? hash % 50 : 190 + (hash % 50)} 75% ${65 + (hash % 15)}%)`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
