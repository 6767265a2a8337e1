import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Progress } from '../terminal/progress.ts';
import { UserError } from '../terminal/user-error.ts';
import { findProgram, missingPrograms } from './programs.ts';

/**
 * Installs the Debian packages that miss; the npm packages are there already, or this would not run. Throws UserError
 * with the one command to run where it has no right, or no apt, to do it. Afterwards nothing needs a network.
 */
export async function setUp(progress: Progress): Promise<void> {
  const missing = missingPrograms();
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((program) => program.package))];
  const names = missing.map(({ name, why }) => `${name} (${why})`).join(', ');
  const command = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (!findProgram('apt-get')) {
    throw new UserError(
      `These programs miss: ${names}.`,
      `Install them with your system's package manager: ${packages.join(' ')}`,
    );
  }
  if (process.getuid?.() !== 0) throw new UserError(`These programs miss: ${names}.`, `Run: sudo sh -c '${command}'`);
  await progress.step(`Installing ${packages.join(', ')}`, () => install(packages, command));
  const still = missingPrograms().map(({ name }) => name);
  if (still.length > 0) {
    throw new UserError(`The packages are installed, but ${still.join(', ')} still cannot be found.`, 'Check PATH.');
  }
}

async function install(packages: readonly string[], command: string): Promise<void> {
  const options = ['-y', '--no-install-recommends'];
  if (await apt(['install', ...options, ...packages])) return;
  // A fresh machine has no package lists, or old ones.
  const hasLists = existsSync('/var/lib/apt/lists');
  if ((await apt(['update'])) && (await apt(['install', ...options, ...packages]))) return;
  const why = hasLists ? 'is there a network, and is no other apt running?' : 'the package lists could not be fetched';
  throw new UserError(`apt-get could not install ${packages.join(', ')}: ${why}`, `Try it yourself: ${command}`);
}

function apt(args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const child = spawn('apt-get', ['-qq', ...args], { env, stdio: ['ignore', 'ignore', 'ignore'] });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });
}
