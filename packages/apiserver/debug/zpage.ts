import { StatusError } from '@kubernode/api';
import type { Call } from '../context.ts';
import { isPretty, mediaTypes, parseAccept, type Encoding } from '../encode/negotiate.ts';
import type { ServerResponse } from '../request.ts';

/** A page of the server about itself (KEP-4827, KEP-4828): text for people, an object for programs that ask for its kind. */
export interface ZPage {
  readonly kind: 'Statusz' | 'Flagz';
  /** Without the heading. */
  readonly text: () => string;
  /** Beside kind, apiVersion and metadata. */
  readonly fields: () => object;
}

const heading =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is ' +
  'for debugging purposes only.';

/** Answers the first form that is accepted. Throws NotAcceptable, as upstream does for plain `application/json`. */
export function zPage(call: Call, page: ZPage): ServerResponse {
  const { headers, query } = call.request;
  const name = page.kind.toLowerCase();
  for (const { mediaType, parameters } of parseAccept(headers['accept'] || '*/*')) {
    const { g, v, as } = parameters;
    const encoding = encodings.find((each) => mediaTypes[each] === mediaType);
    if (encoding && as === page.kind && g === 'config.k8s.io' && (v === 'v1beta1' || v === 'v1alpha1')) {
      if (v === 'v1alpha1') {
        call.warnings.push(`This version of the ${name} endpoint is deprecated. Please use a newer version.`);
      }
      const about = { kind: page.kind, apiVersion: `config.k8s.io/${v}`, metadata: { name: 'apiserver' } };
      return {
        code: 200,
        headers: { 'content-type': `${mediaType};g=config.k8s.io;v=${v};as=${as}` },
        warnings: call.warnings,
        content: {
          type: 'value',
          value: { ...about, ...page.fields() },
          format: { encoding, pretty: isPretty(query, headers['user-agent']) },
        },
      };
    }
    if (mediaType === 'text/plain' || mediaType === 'text/*' || mediaType === '*/*') {
      const bytes = `\napiserver ${name}\n${heading}\n${page.text()}`;
      return { code: 200, content: { type: 'bytes', contentType: 'text/plain; charset=utf-8', bytes } };
    }
  }
  const { status } = StatusError.of(
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/yaml, text/plain',
  );
  throw new StatusError(status);
}

const encodings: readonly Encoding[] = ['json', 'yaml'];
