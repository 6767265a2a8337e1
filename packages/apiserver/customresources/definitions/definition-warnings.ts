import type { CustomResourceDefinition } from '@kubernode/api/apiextensions/v1';
import { isKnownFormat } from '../objects/formats.ts';
import { internalForm } from './internal-form.ts';
import { itemsOf, type Schema } from '../schema.ts';
import { someSchema } from './schema-walk.ts';

/** Formats that say nothing, and sets of what no set can be kept of, are only warned of; once. */
export function definitionWarnings(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): string[] {
  const known = new Set(old ? [...formatsOf(old), ...setsOf(old)] : []);
  const formats = [...new Set(formatsOf(crd))].filter((format) => !known.has(format));
  return [
    ...formats.map((format) => `unrecognized format ${JSON.stringify(format)}`),
    ...setsOf(crd).filter((text) => !known.has(text)),
  ];
}

function schemasOf({ spec }: CustomResourceDefinition): Schema[] {
  const { shared, versions } = internalForm(spec);
  return [shared, ...versions].flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
}

function formatsOf(crd: CustomResourceDefinition): string[] {
  const found: string[] = [];
  const note = ({ format, type }: Schema) => {
    if (format && !isKnownFormat(format, type)) found.push(format);
    return false;
  };
  for (const schema of schemasOf(crd)) someSchema(schema, note);
  return found;
}

function setsOf(crd: CustomResourceDefinition): string[] {
  const types = new Set<string>();
  const note = (schema: Schema) => {
    const type = itemsOf(schema)?.type;
    if (schema['x-kubernetes-list-type'] === 'set' && (type === 'object' || type === 'array')) types.add(type);
    return false;
  };
  for (const schema of schemasOf(crd)) someSchema(schema, note);
  return [...types]
    .toSorted()
    .map(
      (type) =>
        `x-kubernetes-list-type: set for items of type "${type}" is not supported by server-side apply or CEL validation rules`,
    );
}
