import { Command, CommanderError } from 'commander';
import { describeError, UserError } from './terminal/user-error.ts';
import { loadServerFlags, startStoreThread } from './cluster/server-flags.ts';
import { commands } from './commands/index.ts';

/** Runs one command line. Answers the exit code: 0, 1 for a failure, 2 for a command line that makes no sense. */
async function main(args: readonly string[]): Promise<number> {
  const program = new Command('kubernode')
    .description('Kubernetes in TypeScript: the whole control plane and node in one command')
    .exitOverride()
    .showHelpAfterError('(add --help for what can be said)')
    .showSuggestionAfterError()
    .hook('preSubcommand', async (_, command) => {
      await startStoreThread(command);
      await loadServerFlags(command);
    });
  for (const add of commands) add(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return typeof process.exitCode === 'number' ? process.exitCode : 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    console.error(`kubernode: ${describeError(error)}`);
    if (!(error instanceof UserError) && process.env['KUBERNODE_DEBUG']) console.error(error);
    return 1;
  }
}

// A start that failed may have left timers and sockets that would hold the process.
void main(process.argv.slice(2)).then((code) => process.exit(code));
