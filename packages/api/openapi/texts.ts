/**
 * What `kubectl explain` says of the fields that every object has, in our words. The facts hold no prose; some clients look
 * for how these begin.
 */
export const fieldTexts: Readonly<Record<string, string>> = {
  'meta.k8s.io/v1.ObjectMeta.annotations': 'Annotations are data of others, by keys; nothing selects by them.',
  'meta.k8s.io/v1.ObjectMeta.creationTimestamp': 'CreationTimestamp is a timestamp: when the server made the object.',
  'meta.k8s.io/v1.ObjectMeta.deletionGracePeriodSeconds': 'Number of seconds that the object has to end by itself.',
  'meta.k8s.io/v1.ObjectMeta.deletionTimestamp':
    'DeletionTimestamp is when the object will be deleted, once asked for.',
  'meta.k8s.io/v1.ObjectMeta.finalizers': 'Must be empty before the object goes: each names who still has work to do.',
  'meta.k8s.io/v1.ObjectMeta.generateName': 'GenerateName is the beginning of a name that the server completes.',
  'meta.k8s.io/v1.ObjectMeta.generation': 'A number that grows with each change of what is wanted.',
  'meta.k8s.io/v1.ObjectMeta.labels': 'Labels are keys and values that objects are selected by.',
  'meta.k8s.io/v1.ObjectMeta.managedFields': 'ManagedFields says who set which fields: for server-side apply.',
  'meta.k8s.io/v1.ObjectMeta.name': 'Name is unique in a namespace, and never changes.',
  'meta.k8s.io/v1.ObjectMeta.namespace': 'Namespace is the space in which the name is unique.',
  'meta.k8s.io/v1.ObjectMeta.ownerReferences': 'Objects that this one depends on: it is deleted when all of them are.',
  'meta.k8s.io/v1.ObjectMeta.resourceVersion': 'The version of the object, to tell whether it has changed.',
  'meta.k8s.io/v1.ObjectMeta.selfLink': 'No longer filled in.',
  'meta.k8s.io/v1.ObjectMeta.uid': 'UID is unique in time and space: another object of the same name has another.',
};

export const apiVersionText = 'APIVersion defines the versioned schema of this representation of an object.';
export const kindText = 'Kind is the name of the REST resource that this object represents.';
export const objectMetadataText = "Standard object's metadata.";
export const listMetadataText = 'Standard list metadata.';
