import type { FieldCause, KindDefinition, KubernetesObject } from '@kubernode/api';
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@kubernode/api/apiextensions/v1';
import { dns1035Label } from '@kubernode/machinery';
import { counted, invalid, required } from '../causes.ts';
import { conversionCauses } from './conversion-rules.ts';
import { definitionWarnings } from './definition-warnings.ts';
import {
  approvalCauses,
  changeCauses,
  definitionCauses,
  namesCauses,
  storedVersionCauses,
  versionCauses,
  wantedNamesCauses,
} from './definition-rules.ts';
import { beginDefinition } from '../objects/pattern.ts';
import { internalForm } from './internal-form.ts';
import { columnCauses, deprecationCauses, selectableCauses, subresourceCauses } from './version-rules.ts';
import { whyNotStructural } from './unsupported.ts';
import { versionSchemaCauses } from './version-schema.ts';

const crdOf = (object: KubernetesObject) => object as unknown as CustomResourceDefinition;

/** The CRD's own kind, with what is known only here: how its schemas are read (ValidateCustomResourceDefinition). */
export function withSchemaRules(definition: KindDefinition): KindDefinition {
  return {
    ...definition,
    validateCreate: (object) =>
      counted([...nameCauses(crdOf(object)), ...crdCauses(crdOf(object)), ...approvalCauses(crdOf(object))]),
    validateUpdate: (object, old) =>
      counted([
        ...crdCauses(crdOf(object), crdOf(old)),
        ...changeCauses(crdOf(object), crdOf(old)),
        ...approvalCauses(crdOf(object), crdOf(old)),
      ]),
    validateStatusUpdate: (object) => namesCauses(crdOf(object).status.acceptedNames ?? {}, 'status.acceptedNames'),
    warnings: (object, old) => definitionWarnings(crdOf(object), old && crdOf(old)),
  };
}

function nameCauses({ metadata, spec }: CustomResourceDefinition): FieldCause[] {
  const names = (['name', 'generateName'] as const).filter((field) => metadata[field]);
  const isRight = (name: string | undefined) => name === `${spec.names.plural}.${spec.group}`;
  return names
    .filter((field) => !isRight(metadata[field]))
    .map((field) => invalid(`metadata.${field}`, metadata[field], 'must be spec.names.plural+"."+spec.group'));
}

function crdCauses(crd: CustomResourceDefinition, old?: CustomResourceDefinition): FieldCause[] {
  beginDefinition();
  const { spec, status } = crd;
  const { shared, versions } = internalForm(spec);
  const hasStatus = (version: CustomResourceDefinitionVersion) =>
    Boolean((shared.subresources ?? version.subresources)?.status);
  const found = [...definitionCauses(crd)];
  if (!shared.schema?.openAPIV3Schema) {
    versions.forEach(({ schema }, index) => {
      if (!schema?.openAPIV3Schema) found.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
    });
  }
  versions.forEach((version, index) => {
    const at = `spec.versions[${index}]`;
    const bad = dns1035Label(version.name);
    if (bad.length > 0) found.push(invalid(`${at}.name`, version.name, bad.join(',')));
    found.push(
      ...deprecationCauses(version, `${at}.deprecationWarning`),
      ...partCauses(version, at, hasStatus(version)),
    );
  });
  const isAnyStatus = versions.some(hasStatus);
  return [
    ...found,
    ...versionCauses(spec),
    ...wantedNamesCauses(spec),
    ...partCauses(shared, 'spec', isAnyStatus, 'validation'),
    ...conversionCauses(crd, old),
    ...namesCauses(status.acceptedNames ?? {}, 'status.acceptedNames'),
    ...storedVersionCauses(crd),
  ];
}

type Parts = Pick<
  CustomResourceDefinitionVersion,
  'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'
>;

/** What one version says for itself, or all of them say alike (where the schema has another name). */
function partCauses(parts: Parts, at: string, hasStatus: boolean, schemaName = 'schema'): FieldCause[] {
  const { schema, subresources, additionalPrinterColumns, selectableFields = [] } = parts;
  const found = [
    ...(schema ? versionSchemaCauses(schema.openAPIV3Schema, `${at}.${schemaName}`, hasStatus) : []),
    ...subresourceCauses(subresources, `${at}.subresources`),
    ...columnCauses(additionalPrinterColumns, `${at}.additionalPrinterColumns`),
  ];
  if (selectableFields.length === 0) return found;
  const field = `${at}.selectableFields`;
  const root = schema?.openAPIV3Schema;
  if (!(schemaName === 'validation' ? schema : root)) {
    const where =
      schemaName === 'validation'
        ? 'validations.schema is included'
        : '`version.schema.openAPIV3Schema` is not included';
    return [...found, invalid(field, '', `may only be set when ${where}`)];
  }
  const why = root && whyNotStructural(root);
  if (why) found.push(invalid(`${at}.schema.openAPIV3Schema`, '', why));
  found.push(...selectableCauses(selectableFields, why ? {} : (root ?? {}), field));
  return found;
}
