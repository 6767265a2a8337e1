import { channel } from 'node:diagnostics_channel';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, Script } from 'node:vm';

/**
 * Runs the bundle beside this file, with the functions that were compiled when the same command ran before. Node's own cache
 * has only what is compiled before a module runs: compiling the rest was a fifth of a start.
 */
const folder = dirname(process.argv[1]!);
const filename = join(folder, 'main.js');
/** Each command runs other functions. */
const command = /^[a-z]+$/.exec(process.argv[2] ?? '')?.[0] ?? 'help';
const compiledFile = join(folder, `${command}.compiled`);

const cachedData = readIfThere(compiledFile);
// The bundle is ASCII, which needs no decoding. What a script has no word for are parameters.
const script = new Script(`(function (require, importMeta) {${readFileSync(filename, 'latin1')}\n})`, {
  filename,
  ...(cachedData && { cachedData }),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
if (!cachedData || script.cachedDataRejected) keepWhatRuns();
const require = createRequire(filename);
const run = script.runInThisContext() as (require: NodeJS.Require, importMeta: Partial<ImportMeta>) => void;
run(require, { url: pathToFileURL(filename).href, resolve: (name) => pathToFileURL(require.resolve(name)).href });

/** A server says when it is ready, as it may be killed later; another command has run when it ends. */
function keepWhatRuns(): void {
  let isKept = false;
  const keep = () => {
    if (!isKept) writeWhole(compiledFile, script.createCachedData());
    isKept = true;
  };
  channel('kubernode.ready').subscribe(keep);
  process.once('exit', (code) => {
    if (code === 0) keep();
  });
}

/** V8 trusts what it reads, so the file is there whole or not at all. */
function writeWhole(file: string, bytes: Buffer): void {
  const partial = `${file}.${process.pid}`;
  try {
    writeFileSync(partial, bytes, { flush: true });
    renameSync(partial, file);
  } catch {
    // In a folder that cannot be written, the next start compiles anew, too.
    rmSync(partial, { force: true });
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
