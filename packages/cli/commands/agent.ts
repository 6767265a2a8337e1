import type { Command } from 'commander';
import { existingDataDir } from '../cluster/data-dir.ts';
import { runInForeground } from '../cluster/foreground.ts';
import { addAgentFlags, addDataDirFlag, type AgentFlags } from '../cluster/server-flags.ts';
import type { LogLevel } from '../terminal/logger.ts';
import { UserError } from '../terminal/user-error.ts';

type Flags = AgentFlags & { readonly dataDir: string; readonly logLevel: LogLevel };

export function addAgent(program: Command): void {
  addAgentFlags(addDataDirFlag(program.command('agent')))
    .description('run this machine as the node of a server that was started with --no-agent on the same data folder')
    .option('--log-level <level>', 'least level that is logged', 'info')
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const settings = existingDataDir(flags.dataDir)?.settings();
  if (!settings) {
    throw new UserError(
      `There is no cluster in ${flags.dataDir}.`,
      `Start its server first: kubernode server --no-agent --data-dir ${flags.dataDir}`,
    );
  }
  await runInForeground({ role: 'agent', dataDir: flags.dataDir, logLevel: flags.logLevel }, async (foreground) => {
    const [{ startNode, nodeAddress }, { httpsTransport }, { createPki }, { systemClock }] = await Promise.all([
      import('../cluster/node.ts'),
      import('@kubernode/client'),
      import('@kubernode/apiserver'),
      import('@kubernode/machinery'),
    ]);
    const pki = createPki({ folder: foreground.dataDir.pki, clock: systemClock });
    const { client, serving } = pki.kubelet(settings.nodeName, [
      'localhost',
      '127.0.0.1',
      nodeAddress(flags, settings),
    ]);
    const server = `https://127.0.0.1:${settings.securePort}`;
    const ca = pki.clusterCa.certificate;
    const transportFor = (user: string) =>
      httpsTransport({ server, ca, ...(user.startsWith('system:node:') ? client : pki.client('admin')) });
    await startNode({ ...foreground, flags, settings, transportFor, tls: { ...serving, clientCa: ca } });
  });
}
