import type { Command } from 'commander';
import { setUp } from '../setup/setup.ts';
import { createProgress } from '../terminal/progress.ts';

export function addSetup(program: Command): void {
  program
    .command('setup')
    .description('install what is missing (Debian packages); afterwards everything works without a network')
    .action(async () => {
      await setUp(createProgress(process.stderr));
      console.log('Everything that Kubernode needs is installed.');
    });
}
