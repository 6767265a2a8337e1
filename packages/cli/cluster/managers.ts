import { createClient, createInformerFactory } from '@kubernode/client';
import { startControllers } from '@kubernode/controllers';
import { systemClock } from '@kubernode/machinery';
import { startScheduler } from '@kubernode/scheduler';
import { firstAddress, nodePodRange } from './addresses.ts';
import { clusterDnsAddress, publishClusterDns } from './cluster-dns.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Foreground } from './foreground.ts';

/** Controllers and scheduler beside an API server in the same process. */
export async function startManagers(
  { server, pki, settings }: ControlPlane,
  { parts, log }: Foreground,
): Promise<void> {
  const as = (user: string) => createClient(server.transport(user));
  const common = { clock: systemClock, random: Math.random };
  const manager = as('system:kube-controller-manager');
  await parts.step('Publishing the cluster DNS', () =>
    publishClusterDns(
      as('system:admin'),
      firstAddress(nodePodRange(settings.clusterCidr)),
      clusterDnsAddress(settings.serviceRange),
    ),
  );
  const informers = createInformerFactory({ ...common, client: manager, log: log.child('controllers') });
  parts.atEnd('informers', () => informers.stop());
  await parts.start('Starting the controllers', () =>
    startControllers({
      ...common,
      client: manager,
      clientFor: (name) => as(`system:serviceaccount:kube-system:${name}`),
      informers,
      log: log.child('controllers'),
      rootCa: pki.clusterCa.certificate,
      clusterCa: pki.clusterCa,
      clusterCidr: settings.clusterCidr,
    }),
  );
  await parts.start('Starting the scheduler', () =>
    startScheduler({ ...common, client: as('system:kube-scheduler'), informers, log: log.child('scheduler') }),
  );
}
