import type { Command } from 'commander';
import { startDaemon } from '../cluster/daemon.ts';
import type { DataDir } from '../cluster/data-dir.ts';
import { holderOf } from '../cluster/lock.ts';
import { addAgentFlags, addServerFlags, applyConfigFile, type ServerFlags } from '../cluster/server-flags.ts';
import { setUp } from '../setup/setup.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { UserError } from '../terminal/user-error.ts';

type Flags = ServerFlags & { readonly demo?: boolean };

export function addUp(program: Command): void {
  const up = addAgentFlags(addServerFlags(program.command('up')))
    .description('set up what is missing, and start the cluster in the background')
    .option('--demo', 'then show it: three web servers behind a Service')
    .action(async (_: Flags, command: Command) => {
      await applyConfigFile(command);
      await bringUp(command.opts<Flags>(), givenFlags(command));
    });
  up.addHelpText('after', '\nAll flags but --demo are those of `kubernode server`.');
}

async function bringUp(flags: Flags, args: readonly string[]): Promise<void> {
  const progress = createProgress(process.stderr);
  if (process.getuid?.() !== 0) {
    throw new UserError(
      'Containers and their networks need root.',
      `Run: sudo ./kubernode up ${args.join(' ')}`.trimEnd(),
    );
  }
  await setUp(progress);
  const { openDataDir } = await import('../cluster/open-data-dir.ts');
  const dataDir = openDataDir(flags.dataDir);
  const holder = holderOf(dataDir, 'server');
  if (holder) progress.say(`The cluster runs already (process ${holder.pid}).`);
  else await startInBackground(dataDir, args, progress);
  if (flags.demo) {
    const { showDemo } = await import('../demo/demo.ts');
    await showDemo(dataDir, progress);
  }
  const isDefault = process.env['KUBERNODE_DATA_DIR'] === undefined && flags.dataDir === '/var/lib/kubernode';
  const where = isDefault ? '' : ` --data-dir ${flags.dataDir}`;
  console.log(`
Try:
  export KUBECONFIG=${dataDir.kubeconfig}
  kubectl get pods -A
  ./kubernode status${where}
  ./kubernode down${where}        (stops it; 'reset' removes it)`);
}

async function startInBackground(dataDir: DataDir, args: readonly string[], progress: Progress): Promise<void> {
  let current = 'Starting';
  await progress.step('Starting the cluster', async () => {
    try {
      await startDaemon(dataDir, args, (title) => (current = title));
    } catch (error) {
      if (error instanceof UserError) throw error;
      throw new UserError(`${current}: ${error instanceof Error ? error.message : String(error)}`, undefined, {
        cause: error,
      });
    }
  });
}

/** The flags as they were given, for the server in the background. */
function givenFlags(command: Command): string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    const source = command.getOptionValueSource(name);
    if (name === 'demo' || (source !== 'cli' && source !== 'config') || !option.long) return [];
    const value: unknown = command.getOptionValue(name);
    if (name === 'dataDir' || !Array.isArray(value)) return [option.long, String(value)];
    return value.flatMap((item) => [option.long ?? '', String(item)]);
  });
}
