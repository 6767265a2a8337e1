import { Pod } from '../../generated/types/core/v1.ts';
import { forbidden } from '../../rules/cause.ts';
import { ipWarnings } from '../../rules/service/ip-warnings.ts';
import { appArmorWarnings, podAnnotations, profilesAgree, takeOverAppArmor } from '../../rules/pod/annotations.ts';
import { podDefaults } from '../../rules/pod/defaults.ts';
import { applyLabelKeys } from '../../rules/pod/label-keys.ts';
import { podResourceDefaults } from '../../rules/pod/pod-resources.ts';
import { qosClass } from '../../rules/pod/qos.ts';
import { podSpec } from '../../rules/pod/spec.ts';
import {
  ephemeralContainersUpdate,
  prepareEphemeralContainers,
  prepareResize,
  resizeUpdate,
} from '../../rules/pod/subresources.ts';
import { podWarnings } from '../../rules/pod/warnings.ts';
import { hostnameWarnings } from '../../rules/workload/workload-warnings.ts';
import { keepStatusBasics, podStatusUpdate } from '../../rules/pod/status.ts';
import { podUpdate } from '../../rules/pod/update.ts';
import { isEmpty } from '../../rules/values.ts';
import type { FieldCause } from '../../status-error.ts';
import { define } from '../define.ts';
import { podRow, podRowConditions } from './pod-row.ts';

const graceSecondsDefault = 30;

export const pod = define(Pod, {
  rechecksName: true,
  defaults: podDefaults,
  prepareForCreate(object) {
    applyLabelKeys(object);
    takeOverAppArmor(object);
    podResourceDefaults(object);
    object.status = { phase: 'Pending', qosClass: qosClass(object) };
    if (isEmpty(object.spec.schedulingGates)) return;
    object.status.conditions = [
      {
        type: 'PodScheduled',
        status: 'False',
        ...(object.metadata.creationTimestamp ? { lastTransitionTime: object.metadata.creationTimestamp } : {}),
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ];
  },
  prepareForUpdate({ spec }, old) {
    if (!spec.resources && old.spec.resources) spec.resources = structuredClone(old.spec.resources);
  },
  prepareForStatusUpdate: ({ status }, old) => {
    if (status) keepStatusBasics(status, old.status);
  },
  validate: (object) => [
    ...podAnnotations(object.metadata.annotations ?? {}, object.spec, 'metadata.annotations'),
    ...podSpec(object.spec, 'spec', object.metadata),
  ],
  validateCreate: onlyAtCreation,
  validateUpdate: podUpdate,
  validateStatusUpdate: podStatusUpdate,
  subresources: {
    ephemeralcontainers: { prepare: prepareEphemeralContainers, validate: ephemeralContainersUpdate },
    resize: { prepare: prepareResize, validate: resizeUpdate },
  },
  warnings: (object, old) =>
    old
      ? []
      : [
          ...appArmorWarnings(object),
          ...hostnameWarnings(object.metadata.name, "the Pod's hostname"),
          ...podWarnings(object.spec, object.metadata),
        ],
  statusWarnings: ({ status }) =>
    (['podIPs', 'hostIPs'] as const).flatMap((name) =>
      (status?.[name] ?? []).flatMap(({ ip }, index) => ipWarnings(ip, `status.${name}[${index}].ip`)),
    ),
  row: podRow,
  rowConditions: podRowConditions,
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    // Its old name.
    'spec.host': ({ spec }) => spec.nodeName ?? '',
    'spec.restartPolicy': ({ spec }) => spec.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec.schedulerName ?? '',
    'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec.hostNetwork ?? false),
    'status.phase': ({ status }) => status?.phase ?? '',
    'status.podIP': ({ status }) => status?.podIP ?? '',
    // Accepted, but upstream never has a value to compare with.
    'status.podIPs': () => '',
    'status.nominatedNodeName': ({ status }) => status?.nominatedNodeName ?? '',
  },
  gracePeriodSeconds: ({ spec }) => spec.terminationGracePeriodSeconds ?? graceSecondsDefault,
});

function onlyAtCreation(object: Pod): FieldCause[] {
  const { spec } = object;
  const found = profilesAgree(object);
  if (!isEmpty(spec.ephemeralContainers)) {
    found.push(forbidden('spec.ephemeralContainers', 'cannot be set on create'));
  }
  if (spec.nodeName && !isEmpty(spec.schedulingGates)) {
    found.push(forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return found;
}
