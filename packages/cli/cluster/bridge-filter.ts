import { existsSync } from 'node:fs';
import { runCommand } from '@kubernode/network';
import { UserError } from '../terminal/user-error.ts';

/** There as soon as the kernel can hand what a bridge forwards to its packet filter. */
export const bridgeFilterPath = '/proc/sys/net/bridge';

/**
 * Sends what our bridge forwards through the packet filter. Else the answer of a pod to a pod of the same node would go
 * straight over the bridge, and never get back the Service's address that it was asked under. Other bridges of the machine
 * keep what they have. Throws UserError where the kernel cannot.
 */
export async function filterBridge(bridge: string): Promise<void> {
  if (!existsSync(bridgeFilterPath)) {
    await runCommand('modprobe', ['br_netfilter']).catch((cause: unknown) => {
      const message =
        'The kernel module br_netfilter cannot be loaded: pods could not reach the Services of this node.';
      throw new UserError(message, 'Run: modprobe br_netfilter', { cause });
    });
  }
  await runCommand('ip', ['link', 'set', bridge, 'type', 'bridge', 'nf_call_iptables', '1']);
}
