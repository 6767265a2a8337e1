import { cronJobController } from './cronjob/cron-job.ts';
import { daemonSetController } from './daemonset/daemon-set.ts';
import { deploymentController } from './deployment/deployment.ts';
import { endpointsController } from './endpoint/endpoints.ts';
import { endpointSliceMirroringController } from './endpointslicemirroring/mirroring.ts';
import { endpointSliceController } from './endpointslice/endpoint-slice.ts';
import { garbageCollector } from './garbagecollector/garbage-collector.ts';
import { jobController } from './job/job.ts';
import { disruptionController } from './disruption/disruption.ts';
import { resourceQuotaController } from './resourcequota/resource-quota.ts';
import { clusterRoleAggregationController } from './clusterroleaggregation/cluster-role-aggregation.ts';
import { pvcProtectionController } from './pvcprotection/pvc-protection.ts';
import { pvProtectionController } from './pvprotection/pv-protection.ts';
import { certificateApprovingController } from './certificates/approving.ts';
import { certificateCleaner } from './certificates/cleaner.ts';
import { certificateSigningController } from './certificates/signing.ts';
import { tokenSecretsController } from './serviceaccounttoken/token-secrets.ts';
import { legacyTokenCleanerController } from './legacytokencleaner/legacy-token-cleaner.ts';
import { namespaceController } from './namespace/namespace.ts';
import { nodeIpamController } from './nodeipam/node-ipam.ts';
import { nodeLifecycleController } from './nodelifecycle/node-lifecycle.ts';
import { podGarbageCollector } from './podgc/pod-gc.ts';
import { replicaSetController, replicationController } from './replicaset/replica-set.ts';
import { rootCaPublisher } from './root-ca/root-ca.ts';
import { serviceAccountController } from './serviceaccount/service-account.ts';
import { taintEvictionController } from './tainteviction/taint-eviction.ts';
import { storageVersionMigrator } from './storageversionmigrator/storage-version-migrator.ts';
import { serviceCidrController } from './servicecidr/service-cidr.ts';
import { ttlAfterFinishedController } from './ttlafterfinished/ttl-after-finished.ts';
import { ttlController } from './ttl/ttl.ts';
import { statefulSetController } from './statefulset/stateful-set.ts';
import { validatingAdmissionPolicyStatusController } from './validatingadmissionpolicystatus/policy-status.ts';
import { vacProtectionController } from './vacprotection/vac-protection.ts';
import { declared, type BuiltInController } from './built-in.ts';

/** All built-in controllers, a folder each. */
export const builtInControllers: readonly BuiltInController[] = [
  declared(serviceAccountController),
  tokenSecretsController,
  declared(legacyTokenCleanerController),
  rootCaPublisher,
  declared(namespaceController),
  garbageCollector,
  resourceQuotaController,
  declared(clusterRoleAggregationController),
  declared(certificateApprovingController, { serviceAccount: 'certificate-controller' }),
  certificateSigningController,
  declared(certificateCleaner, { serviceAccount: 'certificate-controller' }),
  declared(pvcProtectionController),
  declared(pvProtectionController),
  declared(serviceCidrController, { serviceAccount: 'service-cidrs-controller' }),
  declared(vacProtectionController),
  declared(disruptionController, { eventSource: 'controllermanager' }),
  endpointSliceController,
  endpointsController,
  declared(endpointSliceMirroringController),
  nodeLifecycleController,
  nodeIpamController,
  declared(ttlController),
  taintEvictionController,
  podGarbageCollector,
  declared(deploymentController),
  declared(replicaSetController),
  declared(replicationController),
  declared(statefulSetController),
  declared(daemonSetController, { serviceAccount: 'daemon-set-controller', eventSource: 'daemonset-controller' }),
  jobController,
  declared(cronJobController),
  declared(ttlAfterFinishedController),
  declared(storageVersionMigrator),
  declared(validatingAdmissionPolicyStatusController),
];
