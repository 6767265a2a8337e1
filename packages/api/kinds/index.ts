import type { KindDefinition } from '../definition.ts';
import { coreKinds } from './core/index.ts';
import { apiregistrationKinds } from './apiregistration/index.ts';
import { appsKinds } from './apps/index.ts';
import { eventsKinds } from './events/index.ts';
import { authenticationKinds } from './authentication/index.ts';
import { authorizationKinds } from './authorization/index.ts';
import { autoscalingKinds } from './autoscaling/index.ts';
import { batchKinds } from './batch/index.ts';
import { certificatesKinds } from './certificates/index.ts';
import { networkingKinds } from './networking/index.ts';
import { policyKinds } from './policy/index.ts';
import { rbacKinds } from './rbac/index.ts';
import { storageKinds } from './storage/index.ts';
import { admissionregistrationKinds } from './admissionregistration/index.ts';
import { apiextensionsKinds } from './apiextensions/index.ts';
import { schedulingKinds } from './scheduling/index.ts';
import { coordinationKinds } from './coordination/index.ts';
import { nodeKinds } from './node/index.ts';
import { discoveryKinds } from './discovery/index.ts';
import { resourceKinds } from './resource/index.ts';
import { flowcontrolKinds } from './flowcontrol/index.ts';
import { internalKinds } from './internal/index.ts';
import { storagemigrationKinds } from './storagemigration/index.ts';
import { lifecycleKinds } from './lifecycle/index.ts';

/** Every built-in kind, one definition a version, in the facts' order of groups. */
export const definitions: readonly KindDefinition[] = [
  ...coreKinds,
  ...apiregistrationKinds,
  ...appsKinds,
  ...eventsKinds,
  ...authenticationKinds,
  ...authorizationKinds,
  ...autoscalingKinds,
  ...batchKinds,
  ...certificatesKinds,
  ...networkingKinds,
  ...policyKinds,
  ...rbacKinds,
  ...storageKinds,
  ...admissionregistrationKinds,
  ...apiextensionsKinds,
  ...schedulingKinds,
  ...coordinationKinds,
  ...nodeKinds,
  ...discoveryKinds,
  ...resourceKinds,
  ...flowcontrolKinds,
  ...internalKinds,
  ...storagemigrationKinds,
  ...lifecycleKinds,
];
