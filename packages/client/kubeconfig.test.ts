import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transportOptions, type Kubeconfig } from './kubeconfig.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const kubeconfig: Kubeconfig = {
  'current-context': 'one',
  contexts: [
    { name: 'one', context: { cluster: 'c', user: 'certificate' } },
    { name: 'two', context: { cluster: 'c', user: 'plugin' } },
    { name: 'five', context: { cluster: 'c', user: 'password' } },
    { name: 'three', context: { cluster: 'missing' } },
  ],
  clusters: [{ name: 'c', cluster: { server: 'https://h:6443', 'certificate-authority-data': base64('CA') } }],
  users: [
    { name: 'certificate', user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') } },
    { name: 'plugin', user: { exec: {} } },
    { name: 'password', user: { username: 'u' } },
  ],
};

test('kubeconfigTransport reads the current context', () => {
  const options = transportOptions(kubeconfig, {});
  assert.equal(options.server, 'https://h:6443');
  assert.deepEqual(
    [options.ca, options.certificate, options.key].map((pem) => String(pem)),
    ['CA', 'CERT', 'KEY'],
  );
});

test('kubeconfigTransport refuses by name what is not there or not supported', () => {
  const table: readonly [string, RegExp][] = [
    ['two', /command must be specified for plugin to use exec authentication plugin/],
    ['five', /user "password" has username, expected a token, a client certificate or a plugin/],
    ['three', /no cluster "missing", expected one of \[c\]/],
    ['four', /no context "four", expected one of \[one, two, five, three\]/],
  ];
  for (const [context, message] of table) assert.throws(() => transportOptions(kubeconfig, { context }), message);
});
