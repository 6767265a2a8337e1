import type { Command } from 'commander';
import { versions } from '../version.ts';

export function addVersion(program: Command): void {
  program
    .command('version')
    .description('print the versions of Kubernode, its Kubernetes API and Node')
    .action(() => {
      console.log(`kubernode ${versions.kubernode}\nkubernetes ${versions.kubernetes}\nnode ${versions.node}`);
    });
}
