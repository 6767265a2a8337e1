import { shapeOf, StatusError, type FieldCause } from '@kubernode/api';
import type { Binding, Pod } from '@kubernode/api/core/v1';
import { deepClone, formatTime } from '@kubernode/machinery';
import type { ResourceCall, Verb } from '../../context.ts';
import type { ApiObject } from '../../storage/encoding.ts';
import { admitMutating, admitValidating } from '../writes/admit.ts';
import { changeObject } from '../writes/change.ts';
import { readObject } from '../writes/input.ts';
import { ownAsCreated } from '../writes/managed-fields.ts';
import { writeOptions } from '../options/options.ts';
import { formatOf, respondValue } from '../respond.ts';

const expected = { apiVersion: 'v1', kind: 'Binding', shape: shapeOf('core/v1.Binding') };

/** POST on a pod's `binding`, or on `bindings`: the scheduler says which node the pod goes to. */
export const bind: Verb = async (call) => {
  const format = formatOf(call);
  const options = writeOptions(call.request.query, 'CreateOptions');
  const binding = (await readObject(call, expected, options)) as unknown as Binding;
  const { name, namespace } = call.route.attributes;
  if (!name && !binding.metadata.name) throw StatusError.badRequest('Name parameter required.');
  const podCall = callForPod(call, name || binding.metadata.name || '');
  const admittedCall = name ? podCall : call;
  // What is admitted is the Binding that is made, not the change of the pod.
  const object = binding as unknown as ApiObject;
  object.metadata.namespace ??= namespace;
  ownAsCreated(admittedCall, object, expected, options);
  const { dryRun } = options;
  const admitted = {
    operation: 'CREATE',
    object,
    oldObject: undefined,
    dryRun,
    name: name || binding.metadata.name,
  } as const;
  await admitMutating(call, admitted);
  if (name && binding.metadata.name !== name)
    throw StatusError.badRequest('name in URL does not match name in Binding object');
  checkTarget(binding);
  await admitValidating(call, admitted);
  await changeObject(podCall, {
    subresource: 'binding',
    options,
    make: (current) => bound(podCall, current, binding),
    manage: (object, current) => {
      if (current.metadata.managedFields) object.metadata.managedFields = current.metadata.managedFields;
    },
  });
  return respondValue(
    call,
    { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
    format,
    201,
  );
};

/** `bindings` is a resource of its own, also for admission, but what changes is the pod. */
function callForPod(call: ResourceCall, name: string): ResourceCall {
  const resource = call.server.registry.find('', 'v1', 'pods');
  if (!resource) throw StatusError.notFound({ group: '', plural: 'pods' }, name);
  const attributes = { ...call.route.attributes, resource: 'pods', subresource: 'binding', name };
  return { ...call, resource, route: { ...call.route, attributes } };
}

/** Upstream answers 500 here; the mistake is the client's, and so it is told. */
function checkTarget({ metadata, target }: Binding): void {
  const causes: FieldCause[] = [];
  if (target.kind && target.kind !== 'Node') {
    const message = `Unsupported value: ${JSON.stringify(target.kind)}: supported values: "<empty>", "Node"`;
    causes.push({ reason: 'FieldValueNotSupported', field: 'target.kind', message });
  }
  if (!target.name) causes.push({ reason: 'FieldValueRequired', field: 'target.name', message: 'Required value' });
  if (causes.length > 0) throw StatusError.invalid({ group: '', kind: 'Binding' }, metadata.name, causes);
}

function bound({ route, server }: ResourceCall, current: ApiObject, { metadata, target }: Binding): ApiObject {
  const { name } = route.attributes;
  const pod = deepClone(current) as unknown as Pod;
  const refuse = (why: string) => StatusError.conflict({ group: '', plural: 'pods/binding' }, name, why);
  if (metadata.uid && metadata.uid !== pod.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${pod.metadata.uid}`;
    throw StatusError.conflict({ group: '', plural: 'pods' }, name, why);
  }
  const version = metadata.resourceVersion;
  if (version && version !== pod.metadata.resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${version}, ResourceVersion in object meta: ${pod.metadata.resourceVersion}`;
    throw StatusError.conflict({ group: '', plural: 'pods' }, name, why);
  }
  if (pod.metadata.deletionTimestamp) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec.nodeName) throw refuse(`pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
  if (pod.spec.schedulingGates?.length) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  pod.spec.nodeName = target.name;
  if (metadata.annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...metadata.annotations };
  if (metadata.labels) pod.metadata.labels = { ...pod.metadata.labels, ...metadata.labels };
  // The room that was made for it is taken (ClearingNominatedNodeNameAfterBinding).
  delete pod.status.nominatedNodeName;
  setScheduled(pod, formatTime(server.clock.now()));
  return pod as unknown as ApiObject;
}

function setScheduled({ status }: Pod, nowTime: string): void {
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: nowTime };
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  status.conditions = [...others, scheduled as unknown as (typeof others)[number]];
}
