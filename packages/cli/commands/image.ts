import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { callControl } from '../cluster/control-socket.ts';
import { existingDataDir, type DataDir } from '../cluster/data-dir.ts';
import { addDataDirFlag } from '../cluster/server-flags.ts';
import { createProgress } from '../terminal/progress.ts';
import { table } from '../terminal/table.ts';
import { UserError } from '../terminal/user-error.ts';

interface ImageRow {
  readonly id: string;
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

export function addImage(program: Command): void {
  const image = program.command('image').description("the node's container images");
  addDataDirFlag(image.command('load <path>'))
    .description('load a docker-save or OCI archive, or an OCI layout folder')
    .option('--name <reference>', 'name for an image that the archive does not name')
    .action(async (path: string, { dataDir, name }: { dataDir: string; name?: string }) => {
      const names = await createProgress(process.stderr).step(`Loading ${path}`, () =>
        callControl<string[]>(running(dataDir), 'image-load', { path: resolve(path), name }),
      );
      for (const loaded of names) console.log(loaded);
    });
  addDataDirFlag(image.command('pull <reference>'))
    .description('pull an image from a registry')
    .option('--username <name>', 'for a registry that asks')
    .option('--password-file <file>', "file with the password; '-' reads standard input")
    .action(async (reference: string, options: { dataDir: string; username?: string; passwordFile?: string }) => {
      const { username, passwordFile } = options;
      const password = passwordFile ? readFileSync(passwordFile === '-' ? 0 : passwordFile, 'utf8').trim() : undefined;
      const credentials = username ? { username, password: password ?? '' } : undefined;
      const name = await createProgress(process.stderr).step(`Pulling ${reference}`, () =>
        callControl<string>(running(options.dataDir), 'image-pull', { reference, credentials }),
      );
      console.log(name);
    });
  addDataDirFlag(image.command('list'))
    .description('list the images')
    .action(async ({ dataDir }: { dataDir: string }) => {
      const images = await callControl<ImageRow[]>(running(dataDir), 'image-list', {});
      const rows = images.flatMap(({ id, names, sizeBytes }) =>
        (names.length > 0 ? names : ['<none>']).map((name) => [
          name,
          id.replace('sha256:', '').slice(0, 12),
          megabytes(sizeBytes),
        ]),
      );
      console.log(table(['IMAGE', 'ID', 'SIZE'], rows));
    });
  addDataDirFlag(image.command('remove <reference...>'))
    .description('remove images')
    .action(async (references: string[], { dataDir }: { dataDir: string }) => {
      for (const reference of references) await callControl(running(dataDir), 'image-remove', { reference });
    });
}

function running(path: string): DataDir {
  const dataDir = existingDataDir(path);
  if (!dataDir) throw new UserError(`There is no cluster in ${path}.`, "Start one with 'kubernode up'.");
  return dataDir;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
