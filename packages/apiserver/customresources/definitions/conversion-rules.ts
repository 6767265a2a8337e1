import type { FieldCause } from '@kubernode/api';
import type { CustomResourceDefinition, WebhookClientConfig } from '@kubernode/api/apiextensions/v1';
import { dns1035Label, dns1123Subdomain } from '@kubernode/machinery';
import { X509Certificate } from 'node:crypto';
import { forbidden, invalid, notSupported, required } from '../causes.ts';
import { hasCondition } from '../names.ts';

const path = 'spec.conversion';
const strategies = ['None', 'Webhook'];
const reviewVersions: readonly string[] = ['v1', 'v1beta1'];
const form = 'desired format: https://host[/path]';

/** How versions are converted: by nobody, or by a webhook that can be called. `old`: before an update. */
export function conversionCauses(crd: CustomResourceDefinition, old?: CustomResourceDefinition): FieldCause[] {
  const { strategy, webhook } = crd.spec.conversion ?? { strategy: 'None' };
  const found: FieldCause[] = [];
  if (!strategy) found.push(required(`${path}.strategy`));
  else if (!strategies.includes(strategy)) found.push(notSupported(`${path}.strategy`, strategy, strategies));
  const client = webhook?.clientConfig;
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy !== 'Webhook') {
    const detail = 'should not be set when strategy is not set to Webhook';
    if (client) found.push(forbidden(`${path}.webhookClientConfig`, detail));
    if (versions.length > 0) found.push(forbidden(`${path}.conversionReviewVersions`, detail));
    return found;
  }
  if (!client) found.push(required(`${path}.webhookClientConfig`, 'required when strategy is set to Webhook'));
  else found.push(...clientCauses(client, allowsInvalidCa(old)));
  return [...found, ...reviewVersionCauses(versions, old)];
}

function clientCauses(client: WebhookClientConfig, allowsInvalidBundle: boolean): FieldCause[] {
  const at = `${path}.webhookClientConfig`;
  const { url, service, caBundle } = client;
  const found: FieldCause[] = [];
  if ((url === undefined) === (service === undefined)) {
    found.push(required(at, 'exactly one of url or service is required'));
  } else if (url !== undefined) found.push(...urlCauses(url, `${at}.url`));
  else if (service) found.push(...serviceCauses(service, `${at}.service`));
  if (caBundle && !allowsInvalidBundle && !isCaBundle(caBundle)) {
    const detail = 'unable to load root certificates: unable to parse bytes as PEM block';
    found.push(invalid(`${at}.caBundle`, caBundle, detail));
  }
  return found;
}

/** Whether base64 text holds certificates in PEM. */
function isCaBundle(bundle: string): boolean {
  const blocks = Buffer.from(bundle, 'base64')
    .toString('latin1')
    .match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  return blocks !== null && blocks.every((block) => isCertificate(block));
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

/** What was never served, and what is wrong already, may stay so (allowInvalidCABundle). */
function allowsInvalidCa(old: CustomResourceDefinition | undefined): boolean {
  if (!old || !hasCondition(old, 'Established')) return true;
  const { caBundle } = old.spec.conversion?.webhook?.clientConfig ?? {};
  return Boolean(caBundle) && !isCaBundle(caBundle!);
}

/** As Go's net/url reads it: a scheme, and what follows. */
function urlCauses(text: string, at: string): FieldCause[] {
  const [, scheme = '', rest = ''] = /^(?:([A-Za-z][\w+.-]*):)?(.*)$/s.exec(text) ?? [];
  const control = Array.from(text).some((letter) => letter < ' ' || letter === '\u007f');
  const [, authority = '', query, fragment] = /^(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s.exec(rest) ?? [];
  const cut = authority.lastIndexOf('@');
  const host = authority.slice(cut + 1);
  if (control || /%(?![0-9A-Fa-f]{2})/.test(text) || /[\s<>"\\^`{|}]/.test(host) || /:(?!\d*$)(?![^[]*\])/.test(host)) {
    return [required(at, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid URL; ${form}`)];
  }
  const found: FieldCause[] = [];
  if (scheme.toLowerCase() !== 'https') {
    found.push(invalid(at, scheme.toLowerCase(), `'https' is the only allowed URL scheme; ${form}`));
  }
  if (host === '') found.push(invalid(at, host, `host must be specified; ${form}`));
  if (cut >= 0) found.push(invalid(at, authority.slice(0, cut), 'user information is not permitted in the URL'));
  if (fragment) found.push(invalid(at, fragment, 'fragments are not permitted in the URL'));
  if (query) found.push(invalid(at, query, 'query parameters are not permitted in the URL'));
  return found;
}

const portMax = 65_535;

function serviceCauses(service: NonNullable<WebhookClientConfig['service']>, at: string): FieldCause[] {
  const { name, namespace, port = 443, path: urlPath } = service;
  const found: FieldCause[] = [];
  // Upstream mixes the two up: an empty name is told of the namespace, and the other way round.
  if (!namespace) found.push(required(`${at}.name`));
  if (!name) found.push(required(`${at}.namespace`));
  if (port < 1 || port > portMax) {
    found.push(invalid(`${at}.port`, port, `port is not valid: must be between 1 and ${portMax}, inclusive`));
  }
  if (!urlPath || urlPath === '/') return found;
  return [...found, ...pathCauses(urlPath, `${at}.path`)];
}

function pathCauses(urlPath: string, at: string): FieldCause[] {
  if (urlPath === '//') return [invalid(at, urlPath, 'segment[0] may not be empty')];
  const found = urlPath.startsWith('/') ? [] : [invalid(at, urlPath, "must start with a '/'")];
  const steps = urlPath.slice(1).replace(/\/$/, '').split('/');
  steps.forEach((step, index) => {
    if (step === '') found.push(invalid(at, urlPath, `segment[${index}] may not be empty`));
    else for (const why of dns1123Subdomain(step)) found.push(invalid(at, urlPath, `segment[${index}]: ${why}`));
  });
  return found;
}

function reviewVersionCauses(versions: readonly string[], old: CustomResourceDefinition | undefined): FieldCause[] {
  const at = `${path}.conversionReviewVersions`;
  if (versions.length === 0) return [required(at)];
  const found = versions.flatMap((version, index) => {
    if (versions.indexOf(version) < index) return [invalid(`${at}[${index}]`, version, 'duplicate version')];
    return dns1035Label(version).map((detail) => invalid(`${at}[${index}]`, version, detail));
  });
  const before = old?.spec.conversion?.webhook?.conversionReviewVersions ?? [];
  const isOptional = before.length > 0 && !before.some((version) => reviewVersions.includes(version));
  if (!isOptional && !versions.some((version) => reviewVersions.includes(version))) {
    found.push(invalid(at, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  }
  return found;
}
