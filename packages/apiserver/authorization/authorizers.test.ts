import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { featureGates, type User } from '@kubernode/api';
import type { SubjectAccessReview } from '@kubernode/api/authorization/v1';
import { FakeClock } from '@kubernode/machinery';
import { startTestServer, type TestServer } from '../authentication/test-servers.ts';
import { MemoryState } from '../memory-state.ts';
import { MetricsRegistry } from '../metrics/registry.ts';
import type { Attributes, Decision } from '../seams.ts';
import { abacPart } from './abac.ts';
import { composeAuthorization } from './compose.ts';
import { readAuthorizationConfiguration } from './configuration.ts';
import { reviewSpec } from './webhook/review-spec.ts';

const attributes = (verb: string, resource: string, more: Partial<Attributes> = {}): Attributes => ({
  verb,
  group: '',
  version: 'v1',
  resource,
  subresource: '',
  namespace: 'a',
  name: '',
  path: '',
  ...more,
});
const user = (name: string, ...groups: string[]): User => ({ name, groups: [...groups, 'system:authenticated'] });
const path = (verb: string, text: string) => attributes(verb, '', { path: text, namespace: '' });

test('abacPart allows what a line of the policy says', () => {
  const line = (spec: object) =>
    JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });
  const policy = [
    '# a comment',
    line({ user: 'alice', namespace: '*', resource: '*', apiGroup: '*' }),
    line({ group: 'viewers', namespace: 'a', resource: 'pods', readonly: true }),
    line({ user: '*', nonResourcePath: '/public/*', readonly: true }),
    '{"user":"old","resource":"pods","readonly":true}',
    '',
  ].join('\n');
  const { authorize, rulesFor } = abacPart(policy, 'file');
  const cases: [User, Attributes, boolean][] = [
    [user('alice'), attributes('delete', 'secrets'), true],
    [user('alice'), path('get', '/metrics'), false],
    [user('bob', 'viewers'), attributes('list', 'pods'), true],
    [user('bob', 'viewers'), attributes('create', 'pods'), false],
    [user('bob', 'viewers'), attributes('list', 'pods', { namespace: 'b' }), false],
    [user('bob'), path('get', '/public/x'), true],
    [{ name: 'system:anonymous', groups: ['system:unauthenticated'] }, path('get', '/public/x'), false],
    [user('old'), attributes('get', 'pods', { group: 'x', namespace: 'z' }), true],
  ];
  for (const [who, what, isAllowed] of cases)
    assert.equal((authorize(who, what) as Decision).allowed, isAllowed, `${who.name} ${JSON.stringify(what)}`);
  assert.deepEqual(authorize(user('x'), attributes('get', 'pods')), { allowed: false, reason: 'No policy matched.' });
  assert.deepEqual(rulesFor(user('bob', 'viewers'), 'a').resourceRules, [
    { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] },
  ]);
  assert.throws(() => abacPart('{"user":', 'file'), /error reading policy file file, line 1/);
  assert.throws(() => abacPart('{"apiVersion":"v1","kind":"Pod"}', 'file'), /no kind "Pod" is registered/);
});

test('reviewSpec tells what is asked, selectors in requirements', () => {
  const spec = reviewSpec(
    { name: 'u', groups: ['g'], uid: '1', extra: { k: ['v'] } },
    attributes('list', 'pods', { fieldSelector: 'spec.nodeName=n', labelSelector: 'a in (b,c),!d' }),
  );
  assert.deepEqual(spec, {
    resourceAttributes: {
      namespace: 'a',
      verb: 'list',
      version: 'v1',
      resource: 'pods',
      fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n'] }] },
      labelSelector: {
        requirements: [
          { key: 'a', operator: 'In', values: ['b', 'c'] },
          { key: 'd', operator: 'DoesNotExist' },
        ],
      },
    },
    user: 'u',
    groups: ['g'],
    uid: '1',
    extra: { k: ['v'] },
  });
});

function kubeconfigFile(folder: string, server: TestServer): string {
  const file = join(folder, 'kubeconfig');
  const ca = Buffer.from(server.ca).toString('base64');
  writeFileSync(
    file,
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: `${server.url}/authz`, 'certificate-authority-data': ca } }],
      users: [{ name: 'u', user: { token: 't' } }],
    }),
  );
  return file;
}

const configurationText = (kubeconfig: string, failurePolicy = 'Deny') => `
apiVersion: apiserver.config.k8s.io/v1
kind: AuthorizationConfiguration
authorizers:
  - type: Webhook
    name: first
    webhook:
      timeout: 3s
      authorizedTTL: 10s
      unauthorizedTTL: 5s
      subjectAccessReviewVersion: v1
      matchConditionSubjectAccessReviewVersion: v1
      failurePolicy: ${failurePolicy}
      connectionInfo: { type: KubeConfigFile, kubeConfigFile: ${kubeconfig} }
      matchConditions:
        - expression: "!('system:nodes' in request.groups)"
        - expression: "has(request.resourceAttributes) && request.resourceAttributes.resource != 'nodes'"
  - { type: RBAC, name: rbac }
`;

test('composeAuthorization asks webhooks by configuration, where their conditions hold', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'authorization-'));
  const reviews: SubjectAccessReview[] = [];
  const server = await startTestServer((_, body) => {
    const review = body as SubjectAccessReview;
    reviews.push(review);
    const { name } = review.spec.resourceAttributes ?? {};
    if (name === 'broken') return { status: 503, json: {} };
    return { json: { status: { allowed: name === 'yes', denied: name === 'no', reason: `said ${name}` } } };
  });
  t.after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const text = configurationText(kubeconfigFile(folder, server));
  const { authorize } = composeAuthorization(
    {
      clock,
      metrics,
      isEnabled: featureGates(),
      outbound: server.outbound,
      authorizationConfig: { authorizers: readAuthorizationConfiguration(text), file: { path: '', text } },
    },
    new MemoryState(),
  );
  const ask = async (name: string, who = user('u')) => authorize(who, attributes('get', 'pods', { name }));
  assert.deepEqual(await ask('yes'), { allowed: true, reason: 'said yes' });
  assert.deepEqual(await ask('no'), { allowed: false, denied: true, reason: 'said no' });
  assert.deepEqual(await ask('perhaps'), { allowed: false, reason: 'first: said perhaps' });
  assert.equal(reviews.length, 3);
  await ask('yes');
  assert.equal(reviews.length, 3, 'the answer is remembered');
  await clock.advance(6_000);
  await ask('yes');
  assert.equal(reviews.length, 3);
  await ask('no');
  assert.equal(reviews.length, 4);
  await ask('yes', user('n', 'system:nodes'));
  assert.equal(reviews.length, 4, 'its conditions exclude nodes');
  // What is no resource is excluded by the second condition.
  const failed = (await authorize(user('u'), path('get', '/x'))) as Decision & { error: string };
  assert.deepEqual(failed, { allowed: false, reason: '' });
  const broken = (await ask('broken')) as Decision & { denied: boolean; error: string };
  assert.equal(broken.denied, true);
  assert.match(broken.error, /currently unable to handle the request|Service Unavailable|503/);
  assert.match(
    metrics.text(),
    /apiserver_authorization_decisions_total\{decision="allowed",name="first",type="Webhook"\} 3/,
  );
});

test('composeAuthorization: the privileged group needs nobody, and modes without their file are refused', () => {
  const common = { clock: new FakeClock(), isEnabled: featureGates() };
  const { authorize, rulesFor } = composeAuthorization(
    { ...common, authorizationModes: ['AlwaysDeny'] },
    new MemoryState(),
  );
  assert.deepEqual(authorize(user('u', 'system:masters'), attributes('get', 'pods')), { allowed: true });
  const denied = { allowed: false, reason: 'alwaysdeny: Everything is forbidden.' };
  assert.deepEqual(authorize(user('u'), attributes('get', 'pods')), denied);
  assert.deepEqual(rulesFor(user('u'), 'a').resourceRules, []);
  for (const mode of ['ABAC', 'Webhook'] as const)
    assert.throws(
      () => composeAuthorization({ ...common, authorizationModes: [mode] }, new MemoryState()),
      new RegExp(`authorization-mode ${mode} requires --authorization-`),
    );
});

test('readAuthorizationConfiguration says all that is wrong', () => {
  const read = (authorizers: string) =>
    readAuthorizationConfiguration(
      `apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers: ${authorizers}`,
    );
  assert.deepEqual(read('[{type: Node, name: node}]'), [{ type: 'Node', name: 'node' }]);
  for (const [text, message] of [
    ['[]', /authorizers: Required value: at least one authorization mode must be defined/],
    ['[{name: x}]', /authorizers\[0\].type: Required value/],
    ['[{type: X, name: x}]', /Unsupported value: "X": supported values: "ABAC", "AlwaysAllow"/],
    ['[{type: RBAC, name: a}, {type: RBAC, name: b}]', /authorizers\[1\].type: Duplicate value: "RBAC"/],
    ['[{type: RBAC, name: a}, {type: Node, name: a}]', /authorizers\[1\].name: Duplicate value: "a"/],
    ['[{type: RBAC, name: A_}]', /authorizer name is invalid: a lowercase RFC 1123 subdomain/],
    ['[{type: Webhook, name: a}]', /authorizers\[0\].webhook: Required value: required when type=Webhook/],
    ['[{type: Webhook, name: a, webhook: {}}]', /authorizers\[0\].timeout: Required value/],
    ['[{type: Webhook, name: a, webhook: {timeout: 31s}}]', /Invalid value: "31s": must be > 0s and <= 30s/],
    [
      '[{type: Webhook, name: a, webhook: {matchConditions: [{expression: "1"}]}}]',
      /matchConditions\[0\].expression: Invalid value: "1": must evaluate to bool but got int/,
    ],
    ['[{type: Webhook, name: a, webhook: {nonsense: 1}}]', /unknown field "authorizers\[0\].webhook.nonsense"/],
  ] as const)
    assert.throws(() => read(text), message);
});
