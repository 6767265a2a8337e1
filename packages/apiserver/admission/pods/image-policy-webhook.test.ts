import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeClock, silentLogger } from '@kubernode/machinery';
import { startTestServer } from '../../authentication/test-servers.ts';
import type { AdmissionRequest } from '../../seams.ts';
import { imagePolicyWebhook, readImagePolicyConfiguration } from './image-policy-webhook.ts';

function requestFor(image: string, annotated: Map<string, string> = new Map()): AdmissionRequest {
  return {
    attributes: {
      verb: 'create',
      group: '',
      version: 'v1',
      resource: 'pods',
      subresource: '',
      namespace: 'n',
      name: '',
      path: '',
    },
    operation: 'CREATE',
    user: { name: 'u', groups: [] },
    definition: undefined as never,
    object: {
      metadata: { name: 'p', annotations: { 'x.image-policy.k8s.io/y': 'z', other: 'o' } },
      spec: { containers: [{ image }] },
    } as never,
    oldObject: undefined,
    dryRun: false,
    warn() {},
    annotate: (key, value) => void annotated.set(key, value),
  };
}

test('imagePolicyWebhook asks once for the same images, and refuses what is not allowed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'image-policy-'));
  const asked: unknown[] = [];
  const server = await startTestServer((path, body) => {
    const { spec } = body as { spec: { containers: { image: string }[] } };
    asked.push(spec);
    const { image } = spec.containers[0]!;
    if (image === 'broken') return { status: 403, json: {} };
    return {
      json: {
        status: { allowed: image === 'good', reason: 'too old', auditAnnotations: { seen: path.replace(/\?.*/, '') } },
      },
    };
  });
  try {
    const file = join(folder, 'kubeconfig');
    const ca = Buffer.from(server.ca).toString('base64');
    const cluster = `{ server: "${server.url}/policy", certificate-authority-data: ${ca} }`;
    const contexts = 'contexts: [{ name: x, context: { cluster: c } }]';
    writeFileSync(file, `clusters: [{ name: c, cluster: ${cluster} }]\n${contexts}\ncurrent-context: x\n`);
    const clock = new FakeClock();
    const pluginWith = (more: object) =>
      imagePolicyWebhook(readImagePolicyConfiguration({ imagePolicy: { kubeConfigFile: file, ...more } }), {
        clock,
        log: silentLogger,
        outbound: server.outbound,
      });
    const plugin = pluginWith({ allowTTL: 50 });
    const annotated = new Map<string, string>();
    await plugin.validate!(requestFor('good', annotated));
    await plugin.validate!(requestFor('good'));
    const spec = { containers: [{ image: 'good' }], annotations: { 'x.image-policy.k8s.io/y': 'z' }, namespace: 'n' };
    assert.deepEqual(asked, [spec]);
    assert.deepEqual([...annotated], [['imagepolicywebhook.image-policy.k8s.io/seen', '/policy']]);
    await clock.advance(50_000);
    await plugin.validate!(requestFor('good'));
    assert.equal(asked.length, 2);
    await assert.rejects(async () => plugin.validate!(requestFor('bad')), {
      code: 403,
      message: 'pods "p" is forbidden: image policy webhook backend denied one or more images: too old',
    });
    await assert.rejects(async () => plugin.validate!(requestFor('broken')), { code: 403 });
    const open = new Map<string, string>();
    await pluginWith({ defaultAllow: true }).validate!(requestFor('broken', open));
    assert.equal(open.get('imagepolicywebhook.image-policy.k8s.io/failed-open'), 'true');
    assert.throws(() => pluginWith({ denyTTL: 9999 }), /valid value is between/);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});
