import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeValue } from '../codec/json.ts';
import { scheme } from '../scheme.ts';
import { definitions } from './index.ts';
import { judge } from './oracle.ts';

test('definitions name every resource of the facts once', () => {
  const names = definitions.map(({ kind }) => `${kind.apiVersion}/${kind.plural}`);
  const facts = scheme.resources.map(({ kind }) => `${kind.apiVersion}/${kind.plural}`);
  assert.deepEqual(names.toSorted(), facts.toSorted());
});

test('definitions have a row for every resource with a table, even of an empty object', () => {
  for (const { definition, columns, shape, kind } of scheme.resources) {
    if (columns.length === 0) continue;
    const { object } = decodeValue({ metadata: { name: 'a' } }, shape);
    const cells = definition.row?.(object as never);
    assert.ok(cells, `${kind.apiVersion} ${kind.kind} has no row`);
    // Upstream prints an age for IPAddress that no column announces.
    const isExtra = kind.kind === 'IPAddress' && cells.length === columns.length + 1;
    assert.ok(
      isExtra || cells.length === columns.length,
      `${kind.kind}: ${cells.length} cells, ${columns.length} columns`,
    );
  }
});

const recordings = join(import.meta.dirname, '../../../test/recordings/objects');
/** Groups whose every recorded case is judged right, but for what is excused below. */
const exact = /^(apps|autoscaling|batch|core|discovery|networking|policy|rbac)/;

/** Cases that the definitions cannot judge alone, by reason; each is `kind operation path value`. */
const excused: readonly { readonly reason: string; readonly cases: readonly string[] }[] = [
  {
    reason: 'addresses and ports are judged where they are allocated, by the server',
    cases: [
      'Service create /spec/clusterIP "10.0.0.1"',
      'Service create /spec/clusterIP "fd00::1"',
      'Service create /spec/ipFamilies ["IPv6"]',
      'Service create /spec/ipFamilyPolicy "RequireDualStack"',
      'Service update /spec/ipFamilyPolicy "RequireDualStack"',
      'Service create /spec/ports/0/nodePort 70000',
      'Service create /spec/ports [{},{}]',
    ],
  },
  {
    reason: 'the service account is named by admission, in the server',
    cases: [
      'Pod create /spec/serviceAccountName undefined',
      'Pod create /spec/serviceAccountName null',
      'Pod create /spec/serviceAccountName ""',
    ],
  },
  {
    reason: 'an empty map is not told from an absent one here; the pod is refused all the same',
    cases: [
      'Pod create /spec/ephemeralContainers/0/resources/limits {}',
      'Pod create /spec/ephemeralContainers/0/resources/requests {}',
      'Pod update /spec/ephemeralContainers/0/resources/limits {}',
      'Pod update /spec/ephemeralContainers/0/resources/requests {}',
    ],
  },
];

/** Further groups, at the shares of codes that they have reached. */
const reached: readonly { readonly files: RegExp; readonly codes: number }[] = [
  { files: /^(admissionregistration|certificates|coordination|events|node|scheduling|storage)/, codes: 0.99 },
  { files: /^resource/, codes: 0.99 },
];

const verdictsOf = (file: string) => judge(readFileSync(join(recordings, file), 'utf8').trim().split('\n'));

test('definitions give every recorded code and cause of the groups that are done', () => {
  const known = new Set(excused.flatMap(({ cases }) => cases));
  const wrong = readdirSync(recordings)
    .filter((name) => exact.test(name))
    .flatMap((file) => {
      const [, , kind = ''] = file.split('_');
      return verdictsOf(file)
        .filter(({ causesAgree }) => !causesAgree)
        .map(({ recording: { op, path, value } }) => `${kind} ${op} ${path} ${JSON.stringify(value)}`);
    })
    .filter((name) => !known.has(name));
  assert.deepEqual(wrong, []);
});

test('definitions agree with the recorded codes of the other groups', () => {
  for (const file of readdirSync(recordings)) {
    const { codes } = reached.find(({ files }) => files.test(file)) ?? {};
    if (codes === undefined) continue;
    const verdicts = verdictsOf(file);
    const right = verdicts.filter(({ codeAgrees }) => codeAgrees).length / Math.max(verdicts.length, 1);
    assert.ok(right >= codes, `${file}: only ${(100 * right).toFixed(1)}% of the codes are right`);
  }
});
