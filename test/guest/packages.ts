/** Debian packages as files: found with all that they depend on, downloaded by name, unpacked without installing. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Nothing in the guest is configured or upgraded: what is there for that stays out, and what it needs with it. */
const unneeded = new Set([
  'debconf',
  'dpkg',
  'perl',
  'init-system-helpers',
  'usrmerge',
  'usr-is-merged',
  'libperl5.36',
]);
const roundsMax = 20;

/** The packages and all that they cannot do without, by name, in order; of alternatives the first. */
export function withDependencies(names: readonly string[]): string[] {
  const known = new Set(names);
  let fresh = [...names];
  for (let round = 0; fresh.length > 0; round++) {
    if (round > roundsMax) throw new Error(`guest: dependencies of ${names.join(', ')} do not end`);
    const more = dependenciesOf(fresh).filter((name) => !known.has(name) && !unneeded.has(name));
    fresh = [...new Set(more)];
    for (const name of fresh) known.add(name);
  }
  return [...known].sort();
}

function dependenciesOf(names: readonly string[]): string[] {
  const text = execFileSync('apt-cache', ['depends', '--important', ...names], { encoding: 'utf8' });
  const lines = text.split('\n').filter((line) => /^ [ |](Pre)?Depends: /.test(line));
  // ` |Depends` says that the next line is an alternative to this one; `<name>` is virtual.
  const chosen = lines.filter((_, index) => !lines[index - 1]?.startsWith(' |'));
  return chosen.map((line) => line.replace(/^.*Depends: /, '')).filter((name) => !name.startsWith('<'));
}

/** Downloads what the folder lacks, as `<name>_<version>_<architecture>.deb`; answers the files' paths. */
export function download(names: readonly string[], folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const fileOf = (name: string) => readdirSync(folder).find((file) => file.startsWith(`${name}_`));
  const missing = names.filter((name) => fileOf(name) === undefined);
  if (missing.length > 0) {
    console.log(`Downloading ${missing.length} Debian packages to ${folder}`);
    const args = ['-q', '-o', 'APT::Sandbox::User=root', 'download', ...missing];
    execFileSync('apt-get', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], timeout: 600_000 });
  }
  return names.map((name) => join(folder, fileOf(name) ?? name));
}

/** A root folder with the packages' files; done anew only when the list of files has changed. */
export function unpack(files: readonly string[], root: string): void {
  const stamp = `${root}.unpacked`;
  const wanted = files.join('\n');
  if (existsSync(stamp) && execFileSync('cat', [stamp], { encoding: 'utf8' }) === wanted) return;
  console.log(`Unpacking ${files.length} packages to ${root}`);
  rmSync(root, { recursive: true, force: true });
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    mkdirSync(join(root, 'usr', name), { recursive: true });
    symlinkSync(`usr/${name}`, join(root, name));
  }
  for (const file of files) {
    const command = 'dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$2"';
    execFileSync('sh', ['-c', command, 'sh', file, root], { stdio: 'inherit' });
  }
  writeFileSync(stamp, wanted);
}
