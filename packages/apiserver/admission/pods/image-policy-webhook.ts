import type { Pod } from '@kubernode/api/core/v1';
import type { ImageReviewSpec, ImageReviewStatus } from '@kubernode/api/imagepolicy/v1alpha1';
import type { Clock, Logger } from '@kubernode/machinery';
import type { Destination } from '../../outbound/destination.ts';
import { readKubeconfig } from '../../outbound/kubeconfig.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import { postReview } from '../../outbound/review.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../../seams.ts';
import { refuse } from '../refuse.ts';

export interface ImagePolicyConfiguration {
  readonly destination: Destination;
  readonly allowMs: number;
  readonly denyMs: number;
  readonly retryMs: number;
  /** What a failure of the webhook means. */
  readonly defaultAllow: boolean;
}

const auditPrefix = 'imagepolicywebhook.image-policy.k8s.io/';
const failedOpenAnnotation = 'alpha.image-policy.k8s.io/failed-open';
const timeoutMs = 30_000;
const rememberedMax = 1024;
const secondMs = 1000;
const minuteMs = 60 * secondMs;

/** Reads `imagePolicy` of the plugin's configuration, and the kubeconfig that it names. Throws for what cannot be used. */
export function readImagePolicyConfiguration(configuration: unknown): ImagePolicyConfiguration {
  if (configuration === undefined || configuration === null) throw new Error('ImagePolicyWebhook: no config specified');
  const { imagePolicy = {} } = configuration as { imagePolicy?: Readonly<Record<string, unknown>> };
  const { kubeConfigFile = '', allowTTL, denyTTL, retryBackoff, defaultAllow } = imagePolicy;
  return {
    retryMs: durationOf(retryBackoff, 1, 5 * minuteMs, 500),
    allowMs: durationOf(allowTTL, secondMs, 30 * minuteMs, 5 * minuteMs),
    denyMs: durationOf(denyTTL, secondMs, 30 * minuteMs, 30 * secondMs),
    defaultAllow: defaultAllow === true,
    destination: readKubeconfig(String(kubeConfigFile as string)).destination(),
  };
}

/** 0 is the default, -1 is off; the unit is also the least there may be. */
function durationOf(value: unknown, unitMs: number, maxMs: number, defaultMs: number): number {
  const count = Number(value ?? 0);
  if (count === -1) return 0;
  if (count === 0) return defaultMs;
  const ms = count * unitMs;
  if (ms >= unitMs && ms <= maxMs) return ms;
  throw new Error(`ImagePolicyWebhook: valid value is between ${unitMs} ms and ${maxMs} ms, got ${ms} ms`);
}

export interface ImagePolicyDependencies {
  readonly clock: Clock;
  readonly log: Logger;
  readonly outbound: Outbound;
}

/** ImagePolicyWebhook: somebody outside says which images may run. */
export function imagePolicyWebhook(
  configuration: ImagePolicyConfiguration,
  dependencies: ImagePolicyDependencies,
): AdmissionPlugin {
  const remembered = new Map<string, { readonly status: Partial<ImageReviewStatus>; readonly untilMs: number }>();
  const { clock } = dependencies;
  const statusFor = async (spec: ImageReviewSpec): Promise<Partial<ImageReviewStatus>> => {
    const key = JSON.stringify(spec);
    const known = remembered.get(key);
    if (known && clock.now() < known.untilMs) return known.status;
    const status = await ask(spec, configuration, dependencies);
    const forMs = status.allowed ? configuration.allowMs : configuration.denyMs;
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size >= rememberedMax) remembered.delete(oldest);
    remembered.set(key, { status, untilMs: clock.now() + forMs });
    return status;
  };
  return {
    name: 'ImagePolicyWebhook',
    resources: ['pods'],
    async validate(request) {
      const spec = reviewSpec(request);
      if (!spec) return;
      let status: Partial<ImageReviewStatus>;
      try {
        status = await statusFor(spec);
      } catch (error) {
        failed(request, configuration, dependencies.log, error as Error);
        return;
      }
      for (const [key, value] of Object.entries(status.auditAnnotations ?? {})) {
        request.annotate?.(auditPrefix + key, value);
      }
      if (status.allowed) return;
      const why = 'image policy webhook backend denied one or more images';
      throw refuse(
        request,
        status.reason ? `${why}: ${status.reason}` : 'one or more images rejected by webhook backend',
      );
    },
  };
}

async function ask(
  spec: ImageReviewSpec,
  { destination, retryMs }: ImagePolicyConfiguration,
  { outbound, clock }: ImagePolicyDependencies,
): Promise<Partial<ImageReviewStatus>> {
  const head = { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', metadata: {} };
  const review = { ...head, spec, status: { allowed: false } };
  const options = { outbound, clock, timeoutMs, firstWaitMs: retryMs };
  const answer = await postReview<{ status?: Partial<ImageReviewStatus> }>(destination, review, options);
  return answer.status ?? {};
}

/** Undefined where the request brings no images. */
function reviewSpec({ operation, attributes, object }: AdmissionRequest): ImageReviewSpec | undefined {
  const { group, resource, subresource, namespace } = attributes;
  if ((operation !== 'CREATE' && operation !== 'UPDATE') || group !== '' || resource !== 'pods') return undefined;
  if (subresource !== '' && subresource !== 'ephemeralcontainers') return undefined;
  const { spec, metadata } = object as Pod;
  const containers =
    subresource === '' ? [...spec.containers, ...(spec.initContainers ?? [])] : (spec.ephemeralContainers ?? []);
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) =>
    key.includes('.image-policy.k8s.io/'),
  );
  return {
    ...(containers.length > 0 && { containers: containers.map(({ image }) => (image ? { image } : {})) }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    ...(namespace && { namespace }),
  };
}

/** Throws Forbidden where failures are not to be ignored. */
function failed(
  request: AdmissionRequest,
  { defaultAllow }: ImagePolicyConfiguration,
  log: Logger,
  error: Error,
): void {
  if (!defaultAllow) throw refuse(request, error.message);
  log.warn('the image policy webhook failed, and its failure is ignored', { error: error.message });
  request.annotate?.(`${auditPrefix}failed-open`, 'true');
  const { metadata } = request.object!;
  metadata.annotations = { ...metadata.annotations, [failedOpenAnnotation]: 'true' };
}
