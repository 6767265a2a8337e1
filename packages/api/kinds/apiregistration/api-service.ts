import { dns1035Label, dns1123Subdomain } from '@kubernode/machinery';
import { APIService } from '../../generated/types/apiregistration/v1.ts';
import { invalid, required as requiredCause } from '../../rules/cause.ts';
import { pathSegment } from '../../rules/names.ts';
import { type Rule, validate } from '../../rules/rule.ts';
import { oneOf, portNumber } from '../../rules/values.ts';
import type { FieldCause } from '../../status-error.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

const groupPriorityMax = 20_000;
const versionPriorityMax = 1000;

/** The name says which version of which group it is; `v1.` for the core group. */
function nameOfVersion(name: string, { spec }: APIService): readonly string[] {
  const found = pathSegment(name, false);
  const expected = `${spec.version ?? ''}.${spec.group ?? ''}`;
  if (found.length > 0 || name === expected) return found;
  return [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(expected)}`];
}

const named: Rule<APIService> = ({ spec: { group = '', version = '' } }) => {
  const found = dns1035Label(version).map((detail) => invalid('spec.version', version, detail));
  if (group) return [...dns1123Subdomain(group).map((detail) => invalid('spec.group', group, detail)), ...found];
  if (version === 'v1') return found;
  return [requiredCause('spec.group', 'only v1 may have an empty group and it better be legacy kube'), ...found];
};

const service: Rule<APIService> = ({ spec }) => {
  const { service: target, caBundle, insecureSkipTLSVerify } = spec;
  const found: FieldCause[] = [];
  if (!target) {
    if (caBundle) found.push(invalid('spec.caBundle', '<bytes>', 'local APIServices may not have a caBundle'));
    if (insecureSkipTLSVerify) {
      const detail = 'local APIServices may not have insecureSkipTLSVerify';
      found.push(invalid('spec.insecureSkipTLSVerify', true, detail));
    }
    return found;
  }
  if (!target.namespace) found.push(requiredCause('spec.service.namespace'));
  if (!target.name) found.push(requiredCause('spec.service.name'));
  if (target.port !== undefined) found.push(...portNumber(target.port, 'spec.service.port'));
  if (insecureSkipTLSVerify && caBundle) {
    found.push(invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'));
  }
  return found;
};

const priorities: Rule<APIService> = ({ spec }) => {
  const found: FieldCause[] = [];
  const { groupPriorityMinimum: group, versionPriority: version } = spec;
  if (group <= 0 || group > groupPriorityMax) {
    found.push(invalid('spec.groupPriorityMinimum', group, `must be positive and less than ${groupPriorityMax}`));
  }
  if (version <= 0 || version > versionPriorityMax) {
    found.push(invalid('spec.versionPriority', version, `must be positive and less than ${versionPriorityMax}`));
  }
  return found;
};

export const apiService = define(APIService, {
  validateName: (name, _, object) => nameOfVersion(name, object),
  defaults({ spec }) {
    if (spec.service) spec.service.port ??= 443;
  },
  prepareForCreate: localIsAvailable,
  validate: validate<APIService>(named, priorities, service),
  validateUpdate: (object) =>
    nameOfVersion(object.metadata.name ?? '', object).map((detail) =>
      invalid('metadata.name', object.metadata.name, detail),
    ),
  validateStatusUpdate: ({ status }) =>
    (status.conditions ?? []).flatMap(({ status: value }, index) =>
      oneOf('False', 'True', 'Unknown')(value, `status.conditions[${index}].status`),
    ),
  generation: 'none',
  unconditionalUpdate: false,
  rechecksName: true,
  row: (object) => [
    object.metadata.name,
    object.spec.service ? `${object.spec.service.namespace}/${object.spec.service.name}` : 'Local',
    availableCell(object),
    age(object),
  ],
});

/** What this server serves itself is there at once. */
function localIsAvailable(object: APIService): void {
  if (object.spec.service) return;
  const message = 'Local APIServices are always available';
  const lastTransitionTime = object.metadata.creationTimestamp;
  const local = { type: 'Available', status: 'True', reason: 'Local', message, lastTransitionTime };
  object.status = { conditions: [local] };
}

function availableCell({ status }: APIService): string {
  const available = status.conditions?.find(({ type }) => type === 'Available');
  if (!available) return 'Unknown';
  return available.status === 'True' ? 'True' : `${available.status} (${available.reason})`;
}
