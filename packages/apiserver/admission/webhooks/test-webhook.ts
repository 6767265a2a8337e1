import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@kubernode/machinery';
import { createPki } from '../../pki/pki.ts';

export interface SentReview {
  readonly path: string;
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
    readonly object: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } } | null;
    readonly [field: string]: unknown;
  };
}

/** What a webhook answers; a text is sent as it is, undefined never. */
export type Answer = Readonly<Record<string, unknown>> | string | undefined;

/** A little webhook server on loopback that remembers what it was sent: for tests. */
export async function startWebhook(answer: (review: SentReview) => Answer) {
  const { serving, clusterCa } = createPki({ clock: systemClock });
  const reviews: SentReview[] = [];
  const server = createServer({ cert: serving.certificate, key: serving.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = (request.url ?? '').replace(/\?.*/, '');
      const sent = { ...(JSON.parse(Buffer.concat(chunks).toString()) as SentReview), path };
      reviews.push(sent);
      const said = answer(sent);
      if (said === undefined) return;
      const head = { kind: 'AdmissionReview', apiVersion: sent.apiVersion };
      const body = { ...head, response: { uid: sent.request.uid, allowed: true, ...(said as object) } };
      response.end(typeof said === 'string' ? said : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const caBundle = Buffer.from(clusterCa.certificate).toString('base64');
  return {
    reviews,
    clientConfig: (path: string) => ({ url: base + path, caBundle }),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A JSON patch as answers carry it. */
export const patch = (...operations: readonly object[]) => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
