import type { Command } from 'commander';
import type { ControlPlane } from '../cluster/control-plane.ts';
import {
  addAgentFlags,
  addServerFlags,
  applyConfigFile,
  opensStore,
  type AgentFlags,
  type ServerFlags,
} from '../cluster/server-flags.ts';
import { runInForeground, type Foreground } from '../cluster/foreground.ts';

type Flags = ServerFlags & AgentFlags & { readonly agent: boolean };

export function addServer(program: Command): void {
  addAgentFlags(addServerFlags(opensStore(program.command('server'))))
    .description('run the control plane and this node in the foreground')
    .option('--no-agent', 'only the control plane: this machine does not become a node')
    .action((flags: Flags, command: Command) => run(flags, command, true));
}

export function addApiServer(program: Command): void {
  addAgentFlags(addServerFlags(opensStore(program.command('apiserver'))))
    .description('run the API server alone, in the foreground')
    .action((flags: Flags, command: Command) => run({ ...flags, agent: false }, command, false));
}

async function run(_: Flags, command: Command, withManagers: boolean): Promise<void> {
  await applyConfigFile(command);
  const flags = { ...command.opts<Flags>(), agent: withManagers && command.opts<Flags>().agent };
  await runInForeground({ role: 'server', dataDir: flags.dataDir, logLevel: flags.logLevel }, async (foreground) => {
    const { startApi } = await import('../cluster/control-plane.ts');
    const plane = await startApi(flags, foreground);
    if (withManagers) {
      const { startManagers } = await import('../cluster/managers.ts');
      await startManagers(plane, foreground);
    }
    if (flags.agent) await startLocalNode(flags, plane, foreground);
  });
}

async function startLocalNode(
  flags: Flags,
  { server, pki, settings }: ControlPlane,
  foreground: Foreground,
): Promise<void> {
  const { startNode, nodeAddress } = await import('../cluster/node.ts');
  const { serving } = pki.kubelet(settings.nodeName, ['localhost', '127.0.0.1', nodeAddress(flags, settings)]);
  const tls = { ...serving, clientCa: pki.clusterCa.certificate };
  await startNode({ ...foreground, flags, settings, transportFor: (user) => server.transport(user), tls });
}
