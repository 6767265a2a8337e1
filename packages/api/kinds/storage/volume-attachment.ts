import { dns1123Subdomain } from '@kubernode/machinery';
import { forbidden, invalid, required as requiredCause, tooLong } from '../../rules/cause.ts';
import { inlineVolumeSpec } from '../../rules/volumes/persistent-volume.ts';
import { driverName } from '../../rules/volumes/volume-sources.ts';
import { fields, type Rule, validate, validateUpdate } from '../../rules/rule.ts';
import { format, immutable, required } from '../../rules/values.ts';
import { VolumeAttachment, type VolumeError } from '../../generated/types/storage/v1.ts';
import type { FieldCause } from '../../status-error.ts';
import { age } from '../cells.ts';
import { define } from '../define.ts';

type Spec = VolumeAttachment['spec'];
type Source = Spec['source'];

/** Of a volume by its name, or of one that is written out. */
const source: Rule<Source> = ({ persistentVolumeName: name, inlineVolumeSpec: inline }, path) => {
  const exactlyOne = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  const at = `${path}.persistentVolumeName`;
  const ofName = name === undefined ? [] : dns1123Subdomain(name).map((detail) => invalid(at, name, detail));
  if (name !== undefined && inline) return [forbidden(path, exactlyOne), ...ofName];
  if (inline) return inlineVolumeSpec(inline, `${path}.inlineVolumeSpec`);
  if (name === undefined) return [requiredCause(path, exactlyOne)];
  return name ? ofName : [requiredCause(at, 'must specify non empty persistentVolumeName'), ...ofName];
};

const spec = fields<Spec>({
  attacher: [required as Rule<string>, driverName],
  nodeName: format(dns1123Subdomain),
  source,
});

const metadataBytesMax = 256 * 1024;
const messageBytesMax = 1024;

function statusCauses({ status }: VolumeAttachment): readonly FieldCause[] {
  const { attachmentMetadata = {}, attachError, detachError } = status;
  const bytes = Object.entries(attachmentMetadata).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return [
    ...(bytes > metadataBytesMax ? [tooLong('status.attachmentMetadata', metadataBytesMax)] : []),
    ...(attachError ? errorCauses(attachError, 'status.attachError') : []),
    ...(detachError ? errorCauses(detachError, 'status.detachError') : []),
  ];
}

function errorCauses({ message = '', errorCode = 0 }: VolumeError, path: string): readonly FieldCause[] {
  return [
    ...(Buffer.byteLength(message) > messageBytesMax ? [tooLong(`${path}.message`, messageBytesMax)] : []),
    ...(errorCode < 0 ? [invalid(`${path}.errorCode`, errorCode, 'must be between 0 and 2147483647, inclusive')] : []),
  ];
}

const specCauses = validate<VolumeAttachment>(fields<VolumeAttachment>({ spec }));

export const volumeAttachment = define(VolumeAttachment, {
  validate: (object) => [...specCauses(object), ...statusCauses(object)],
  validateStatusUpdate: (object) => [...specCauses(object), ...statusCauses(object)],
  unconditionalUpdate: false,
  validateUpdate: validateUpdate<VolumeAttachment>(fields<VolumeAttachment>({ spec: immutable })),
  generation: 'none',
  rechecksName: true,
  row: (object) => [
    object.metadata.name,
    object.spec.attacher,
    object.spec.source.persistentVolumeName ?? '',
    object.spec.nodeName,
    object.status.attached,
    age(object),
  ],
});
