import { readFile, rmdir, statfs } from 'node:fs/promises';
import { run, runAny } from './command.ts';

/** Magic number of the filesystem that namespace files live on (statfs(2)). */
const nsfsMagic = 0x6e73_6673;

/** Whether `path` is a namespace that is still pinned there by a bind mount. */
export async function isPinnedNamespace(path: string): Promise<boolean> {
  try {
    return (await statfs(path)).type === nsfsMagic;
  } catch {
    return false;
  }
}

/** The mount points at or below `folder`, deepest first. */
async function mountsUnder(folder: string): Promise<string[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  const points = lines.map((line) => unescapeOctal(line.split(' ')[4] ?? ''));
  return points.filter((point) => point === folder || point.startsWith(`${folder}/`)).reverse();
}

/** Unmounts all at or below `folder`; a mount that is busy is detached. */
export async function unmountUnder(folder: string): Promise<void> {
  for (const point of await mountsUnder(folder)) await unmount(point);
}

/** Quiet where nothing is mounted. */
async function unmount(point: string): Promise<void> {
  await runAny('umount', ['-l', '-n', point]);
}

export async function mountOverlay(options: {
  /** The folder that `lower` is relative to: it keeps the option string below a page. */
  readonly layersFolder: string;
  /** Topmost first. */
  readonly lower: readonly string[];
  readonly upper: string;
  readonly work: string;
  readonly target: string;
}): Promise<void> {
  const data = `lowerdir=${options.lower.join(':')},upperdir=${options.upper},workdir=${options.work}`;
  await run('mount', ['-n', '-t', 'overlay', 'overlay', '-o', data, options.target], { cwd: options.layersFolder });
}

/** Removes an empty folder; quiet where it is gone or not empty. */
export async function removeEmptyFolder(path: string): Promise<boolean> {
  return rmdir(path).then(
    () => true,
    () => false,
  );
}

/** The kernel writes blanks in mount points as \040. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
