import type { Command } from 'commander';
import { addAgent } from './agent.ts';
import { addCompletion } from './completion.ts';
import { addDoctor } from './doctor.ts';
import { addDown } from './down.ts';
import { addImage } from './image.ts';
import { addKubeconfig } from './kubeconfig.ts';
import { addLogs } from './logs.ts';
import { addReset } from './reset.ts';
import { addApiServer, addServer } from './server.ts';
import { addSetup } from './setup.ts';
import { addStatus } from './status.ts';
import { addUp } from './up.ts';
import { addVersion } from './version.ts';

/** All commands, in the order of the help. Each loads what it runs only when it runs. */
export const commands: readonly ((program: Command) => void)[] = [
  addUp,
  addDown,
  addStatus,
  addLogs,
  addKubeconfig,
  addImage,
  addReset,
  addDoctor,
  addSetup,
  addServer,
  addAgent,
  addApiServer,
  addVersion,
  addCompletion,
];
