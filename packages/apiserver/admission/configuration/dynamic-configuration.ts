import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { readKubeconfig } from '../../outbound/kubeconfig.ts';
import type { CredentialsFor } from '../../outbound/outbound.ts';

/** What the plugins for webhooks and policies may be configured with. */
export interface DynamicConfiguration {
  /** Of webhooks: what their servers are shown. */
  readonly credentialsFor: CredentialsFor | undefined;
  /** Where manifests are that are in force beside the API's objects; '' for none (KEP-5793). */
  readonly manifestsDirectory: string;
}

const nothing: DynamicConfiguration = { credentialsFor: undefined, manifestsDirectory: '' };

const kinds: Readonly<Record<string, { readonly kind: string; readonly hasKubeconfig: boolean }>> = {
  MutatingAdmissionWebhook: { kind: 'WebhookAdmissionConfiguration', hasKubeconfig: true },
  ValidatingAdmissionWebhook: { kind: 'WebhookAdmissionConfiguration', hasKubeconfig: true },
  MutatingAdmissionPolicy: { kind: 'MutatingAdmissionPolicyConfiguration', hasKubeconfig: false },
  ValidatingAdmissionPolicy: { kind: 'ValidatingAdmissionPolicyConfiguration', hasKubeconfig: false },
};

/**
 * Reads the configuration of one of the four plugins. Throws with the field that is wrong; manifests need the gate
 * ManifestBasedAdmissionControlConfig.
 */
export function readDynamicConfiguration(
  plugin: string,
  configuration: unknown,
  isManifestGateOn: boolean,
): DynamicConfiguration {
  if (configuration === undefined || configuration === null) return nothing;
  const { kind, hasKubeconfig } = kinds[plugin]!;
  const value = configuration as Readonly<Record<string, unknown>>;
  const { apiVersion, kind: found, kubeConfigFile = '', staticManifestsDir = '', ...unknown } = value;
  if (apiVersion !== 'apiserver.config.k8s.io/v1' || found !== kind) {
    const what = `no kind ${JSON.stringify(found)} is registered for version ${JSON.stringify(apiVersion)}`;
    throw new Error(`${plugin}: ${what}, expected ${kind} of apiserver.config.k8s.io/v1`);
  }
  const surplus = [...Object.keys(unknown), ...(hasKubeconfig || kubeConfigFile === '' ? [] : ['kubeConfigFile'])];
  if (surplus.length > 0) throw new Error(`${plugin}: strict decoding error: unknown field "${surplus[0]}"`);
  const invalid = (field: string, given: unknown, why: string) =>
    new Error(`${plugin}: ${field}: Invalid value: ${JSON.stringify(given)}: ${why}`);
  if (typeof kubeConfigFile !== 'string' || (kubeConfigFile && !isAbsolute(kubeConfigFile))) {
    throw invalid('kubeConfigFile', kubeConfigFile, 'must be an absolute file path');
  }
  if (staticManifestsDir === '') return { ...nothing, credentialsFor: credentialsIn(kubeConfigFile) };
  if (!isManifestGateOn) {
    const why = 'staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled';
    throw new Error(`${plugin}: staticManifestsDir: Forbidden: ${why}`);
  }
  if (typeof staticManifestsDir !== 'string' || !isAbsolute(staticManifestsDir)) {
    throw invalid('staticManifestsDir', staticManifestsDir, 'must be an absolute file path');
  }
  if (!isDirectory(staticManifestsDir)) throw invalid('staticManifestsDir', staticManifestsDir, 'must be a directory');
  return { credentialsFor: credentialsIn(kubeConfigFile), manifestsDirectory: staticManifestsDir };
}

function credentialsIn(path: string): CredentialsFor | undefined {
  if (!path) return undefined;
  const kubeconfig = readKubeconfig(path);
  return (hostPort) => kubeconfig.credentialsFor(hostPort);
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
