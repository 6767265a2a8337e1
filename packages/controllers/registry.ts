import { deploymentController } from './deployment/deployment.ts';
import { endpointSliceController } from './endpointslice/endpoint-slice.ts';
import { replicaSetController } from './replicaset/replica-set.ts';
import { rootCaPublisher } from './root-ca/root-ca.ts';
import { serviceAccountController } from './serviceaccount/service-account.ts';
import { declared, type BuiltInController } from './built-in.ts';

/** All built-in controllers, a folder each. */
export const builtInControllers: readonly BuiltInController[] = [
  declared(serviceAccountController),
  rootCaPublisher,
  endpointSliceController,
  declared(deploymentController),
  declared(replicaSetController),
];
