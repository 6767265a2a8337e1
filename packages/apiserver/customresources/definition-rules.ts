import type { FieldCause } from '@kubernode/api';
import type { CustomResourceDefinition } from '@kubernode/api/apiextensions/v1';
import { dns1035Label } from '@kubernode/machinery';
import { forbidden, invalid, notSupported, required } from './causes.ts';
import { hasCondition } from './names.ts';

/** What is wrong with a definition beyond its schemas: stored versions, conversion, names that clash. */
export function definitionCauses(crd: CustomResourceDefinition): FieldCause[] {
  const { names, versions } = crd.spec;
  const found = [...storedVersionCauses(crd), ...conversionCauses(crd)];
  if (names.kind && names.kind === names.listKind) {
    found.push(invalid('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'));
  }
  for (const field of ['plural', 'singular'] as const) {
    const name = names[field] ?? '';
    const detail = dns1035Label(name).join(',');
    if (name !== name.toLowerCase()) found.push(invalid(`spec.names.${field}`, name, detail));
  }
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    found.push(invalid('spec.versions', versions, 'must contain unique version names'));
  }
  const first = versions[0]?.name ?? '';
  const bad = first ? dns1035Label(first) : [];
  if (bad.length > 0) found.push(invalid('spec.version', first, bad.join(',')));
  return found;
}

/** What may never change: it is part of where and as what instances are stored. */
export function changeCauses(crd: CustomResourceDefinition, old: CustomResourceDefinition): FieldCause[] {
  const detail = 'field is immutable';
  const found: FieldCause[] = [];
  const isFixed = hasCondition(old, 'Established');
  const [now, before] = [crd.spec, old.spec];
  if (isFixed && now.scope !== before.scope) found.push(invalid('spec.scope', now.scope, detail));
  if (isFixed && now.names.kind !== before.names.kind) found.push(invalid('spec.names.kind', now.names.kind, detail));
  if (now.group !== before.group) found.push(invalid('spec.group', now.group, detail));
  if (now.names.plural !== before.names.plural) found.push(invalid('spec.names.plural', now.names.plural, detail));
  return found;
}

function storedVersionCauses({ spec, status }: CustomResourceDefinition): FieldCause[] {
  const { storedVersions: stored } = status;
  const path = 'status.storedVersions';
  if (stored.length === 0) return [invalid(path, stored, 'must have at least one stored version')];
  const storage = spec.versions.filter((version) => version.storage && !stored.includes(version.name));
  const found = storage.map(({ name }) => invalid(path, stored, `must have the storage version ${name}`));
  stored.forEach((name, index) => {
    if (spec.versions.some((version) => version.name === name)) return;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    found.push(invalid(`${path}[${index}]`, name, detail));
  });
  return found;
}

function conversionCauses({ spec }: CustomResourceDefinition): FieldCause[] {
  const { strategy, webhook } = spec.conversion ?? { strategy: 'None' };
  const path = 'spec.conversion';
  const supported = ['None', 'Webhook'];
  if (!strategy) return [required(`${path}.strategy`)];
  if (!supported.includes(strategy)) return [notSupported(`${path}.strategy`, strategy, supported)];
  if (strategy === 'None') {
    const detail = 'should not be set when strategy is not set to Webhook';
    return [
      ...(webhook?.conversionReviewVersions.length ? [forbidden(`${path}.conversionReviewVersions`, detail)] : []),
      ...(webhook?.clientConfig ? [forbidden(`${path}.webhookClientConfig`, detail)] : []),
    ];
  }
  const found: FieldCause[] = reviewVersionCauses(webhook?.conversionReviewVersions ?? []);
  const client = webhook?.clientConfig;
  if (!client) found.push(required(`${path}.webhookClientConfig`, 'required when strategy is set to Webhook'));
  else if ((client.url === undefined) === (client.service === undefined)) {
    found.push(required(`${path}.webhookClientConfig`, 'exactly one of url or service is required'));
  } else if (client.url !== undefined && !client.url.startsWith('https://')) {
    const detail = `'https' is the only allowed URL scheme; desired format: https://host[/path]`;
    found.push(invalid(`${path}.webhookClientConfig.url`, client.url, detail));
  }
  if (found.length > 0) return found;
  return [forbidden(`${path}.strategy`, 'conversion by webhook is not supported by this server: use None')];
}

function reviewVersionCauses(versions: readonly string[]): FieldCause[] {
  const path = 'spec.conversion.conversionReviewVersions';
  if (versions.length === 0) return [required(path)];
  const found = versions.flatMap((version, index) => {
    if (versions.indexOf(version) < index) return [invalid(`${path}[${index}]`, version, 'duplicate version')];
    return dns1035Label(version).map((detail) => invalid(`${path}[${index}]`, version, detail));
  });
  if (!versions.some((version) => version === 'v1' || version === 'v1beta1')) {
    found.push(invalid(path, versions, 'must include at least one of v1, v1beta1'));
  }
  return found;
}
