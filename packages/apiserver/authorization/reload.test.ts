import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { featureGates } from '@kubernode/api';
import { FakeClock } from '@kubernode/machinery';
import { MemoryState } from '../memory-state.ts';
import { MetricsRegistry } from '../metrics/registry.ts';
import type { Attributes, Decision } from '../seams.ts';
import { composeAuthorization } from './compose.ts';
import { readAuthorizationConfiguration } from './configuration.ts';

const configuration = (...authorizers: string[]) =>
  `apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers: [${authorizers.join()}]`;

test('composeAuthorization follows its configuration, and keeps it where the new one is wrong', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'reload-'));
  const path = join(folder, 'authorization.yaml');
  const deny = '{ type: AlwaysDeny, name: deny }';
  const allow = '{ type: AlwaysAllow, name: allow }';
  const text = configuration(deny, allow);
  writeFileSync(path, text);
  const end = new AbortController();
  t.after(() => {
    end.abort();
    rmSync(folder, { recursive: true });
  });
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const { authorize } = composeAuthorization(
    {
      clock,
      metrics,
      isEnabled: featureGates(),
      signal: end.signal,
      authorizationConfig: { authorizers: readAuthorizationConfiguration(text), file: { path, text } },
    },
    new MemoryState(),
  );
  const attributes: Attributes = {
    verb: 'get',
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: '',
    namespace: '',
    name: '',
    path: '',
  };
  authorize({ name: 'u', groups: [] }, attributes);
  const deciders = () =>
    [...metrics.text().matchAll(/decisions_total\{decision="allowed",name="([^"]+)"/g)].map(([, name]) => name);
  const change = async (next: string, told: RegExp) => {
    // At once: whoever reads between truncation and write would find nothing.
    writeFileSync(`${path}.new`, next);
    renameSync(`${path}.new`, path);
    for (let turn = 0; turn < 1000 && !told.test(metrics.text()); turn++) {
      await clock.advance(60_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.match(metrics.text(), told);
    assert.equal((authorize({ name: 'u', groups: [] }, attributes) as Decision).allowed, true);
  };
  await change(configuration(deny, '{ type: AlwaysAllow, name: renamed }'), /reloads_total\{[^}]*status="success"\} 1/);
  await change(configuration(deny), /reloads_total\{[^}]*status="failure"\} 1/);
  await change('nonsense', /reloads_total\{[^}]*status="failure"\} 2/);
  assert.deepEqual(deciders(), ['allow', 'renamed']);
});
