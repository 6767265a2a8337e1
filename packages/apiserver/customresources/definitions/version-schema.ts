import { table } from '@kubernode/machinery';
import type { FieldCause } from '@kubernode/api';
import { forbidden, invalid } from '../causes.ts';
import { defaultCauses } from './default-rules.ts';
import { totalCauses } from './rule-compilation.ts';
import { RuleScope } from './rule-scope.ts';
import { schemaCauses } from './schema-rules.ts';
import type { Schema } from '../schema.ts';
import { structuralCauses } from './structural.ts';
import { whyNotStructural } from './unsupported.ts';

/** What may stand beside a status of its own rules, in Go's names. */
const atRootWithStatus =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';
const extensions: Readonly<Record<string, string>> = table({
  'x-kubernetes-preserve-unknown-fields': 'XPreserveUnknownFields',
  'x-kubernetes-validations': 'XValidations',
});
const allowedAtRoot = new Set(atRootWithStatus.split(' '));

/** All that is wrong with a whole schema of a definition. */
export function versionSchemaCauses(root: Schema | undefined, at: string, hasStatus: boolean): FieldCause[] {
  if (!root) return [];
  const path = `${at}.openAPIV3Schema`;
  const found = hasStatus ? statusCauses(root, path) : [];
  if (root.nullable) found.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  const why = whyNotStructural(root);
  const structural = why === undefined ? structuralCauses(root, path) : [];
  const defaults = why === undefined && structural.length === 0 ? defaultCauses(root, path) : [];
  const scope = why === undefined && structural.length + defaults.length === 0 ? new RuleScope(root) : undefined;
  found.push(...structural, ...defaults, ...schemaCauses(root, path, scope));
  if (why !== undefined && found.length === 0) found.push(invalid(path, '', why));
  return scope ? [...found, ...totalCauses(scope.total, path)] : found;
}

/** The status is judged alone, so that nothing at the root may speak of it. */
function statusCauses(root: Schema, path: string): FieldCause[] {
  if (root.type && root.type !== 'object') {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${path}.type`, root.type, detail)];
  }
  const goName = (key: string) => extensions[key] ?? key.charAt(0).toUpperCase() + key.slice(1);
  if (Object.entries(root).every(([key, value]) => !isSet(value) || allowedAtRoot.has(goName(key)))) return [];
  const detail = `only [${atRootWithStatus}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(path, root, detail)];
}

const isSet = (value: unknown) => value !== undefined && value !== null && value !== false && value !== '';
