import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, json, outgoingOf, type Answer } from './client.ts';
import { Normalizer } from './normalize.ts';
import { isFields, pointer, substitute, type Scenario, type Step } from './scenario.ts';
import { views } from './views.ts';

/** What is compared of an answer. */
type Described = Readonly<Record<string, unknown>>;

interface Run {
  readonly client: Client;
  readonly token: string;
  readonly variables: Map<string, string>;
  readonly normal: Normalizer;
  /** Where nobody expects a step to come true, it is not waited for. */
  readonly untilSecondsMax: number;
}

/** A watch is open this long before anything happens. */
const settleMs = 250;
const untilSeconds = 15;

/** Runs a scenario against a fresh server; answers, for each step that differs, where. */
export async function differences(
  scenario: Scenario,
  url: string,
  token: string,
  untilSecondsMax = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const namespace = `sc-${scenario.n}`;
  const client = new Client(url);
  const normal = new Normalizer(JSON.stringify(scenario.steps.map(({ request }) => request)), namespace, url);
  const run: Run = { client, token, normal, untilSecondsMax, variables: new Map([['ns', namespace]]) };
  try {
    if (!scenario.bare) await makeNamespace(run, namespace);
    const found: string[] = [];
    for (const [index, { request, response }] of scenario.steps.entries()) {
      const got = JSON.parse(JSON.stringify(await perform(request, run))) as Described;
      if (isBetter(response as Described, got)) continue;
      const difference = firstDifference(response, got);
      if (difference) found.push(`step ${index + 1} ${request.method} ${request.path} ${difference}`);
    }
    return found;
  } finally {
    client.close();
  }
}

async function makeNamespace({ client, token }: Run, name: string): Promise<void> {
  const create = (path: string, kind: string, object: string) => {
    const body = Buffer.from(JSON.stringify({ apiVersion: 'v1', kind, metadata: { name: object } }));
    const headers = {
      authorization: `Bearer ${token}`,
      'user-agent': 'scenarios-setup',
      'content-type': 'application/json',
      'content-length': body.length,
    };
    return client.send({ method: 'POST', path, headers, body });
  };
  await create('/api/v1/namespaces', 'Namespace', name);
  await create(`/api/v1/namespaces/${name}/serviceaccounts`, 'ServiceAccount', 'default');
}

async function perform(step: Step, run: Run): Promise<Described> {
  if (step.waitMs) await sleep(step.waitMs);
  const endMs = Date.now() + Math.min(step.until?.seconds ?? untilSeconds, run.untilSecondsMax) * 1000;
  let answer = await once(step, run);
  while (!isMet(step, answer, run) && Date.now() < endMs) {
    await sleep(100);
    answer = await once(step, run);
  }
  for (const [name, at] of Object.entries(step.save ?? {})) {
    run.variables.set(name, textAt(answer.body, at));
  }
  return describe(step, answer, run);
}

function textAt(body: unknown, at: string): string {
  const value = pointer(body, at) ?? '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isMet({ until }: Step, { code, body }: Answer, { variables }: Run): boolean {
  if (!until) return true;
  if (until.code !== undefined && until.code !== code) return false;
  return until.at === undefined || isDeepStrictEqual(pointer(body, until.at), substitute(until.equals, variables));
}

async function once(step: Step, run: Run): Promise<Answer> {
  const outgoing = outgoingOf(step, run.variables, run.token);
  if (!step.watch) return run.client.send(outgoing);
  let during: Promise<Described[]> | undefined;
  const answer = await run.client.send({
    ...outgoing,
    onOpen: ({ statusCode }) => {
      if (statusCode === 200 && step.during) during = meanwhile(step.during, run);
    },
  });
  const done = (await during) ?? [];
  if (answer.code === 200) {
    const events = answer.text.split('\n').filter(Boolean);
    answer.body = withoutPlainBookmarks(events.map((line) => json(line) ?? line));
  }
  if (step.during) answer.during = done;
  return answer;
}

async function meanwhile(steps: readonly Step[], run: Run): Promise<Described[]> {
  await sleep(settleMs);
  const done: Described[] = [];
  for (const step of steps) done.push(await perform(step, run));
  return done;
}

/** How many bookmarks come, and when, is chance: only whether one came is kept, and those that end initial events. */
function withoutPlainBookmarks(events: readonly unknown[]): unknown {
  const isPlain = (event: unknown) =>
    isFields(event) && event['type'] === 'BOOKMARK' && !JSON.stringify(event).includes('k8s.io/initial-events-end');
  return { events: events.filter((event) => !isPlain(event)), bookmark: events.find(isPlain) };
}

const keptHeaders = [
  'cache-control',
  'location',
  'retry-after',
  'www-authenticate',
  'allow',
  'vary',
  'x-content-type-options',
  'strict-transport-security',
];
const presentHeaders = [
  'etag',
  'audit-id',
  'x-kubernetes-pf-flowschema-uid',
  'x-kubernetes-pf-prioritylevel-uid',
] as const;

function describe(step: Step, answer: Answer, { normal }: Run): Described {
  const { code } = answer;
  const headers: Record<string, unknown> = {};
  for (const name of keptHeaders) if (answer.headers[name]) headers[name] = normal.text(String(answer.headers[name]));
  for (const name of presentHeaders) if (answer.headers[name]) headers[name] = '<present>';
  const { warning } = answer.headers;
  if (warning) headers['warnings'] = String(warning).split(/, (?=299 )/).length;
  noteGenerated(step, answer, normal);
  const seen = seenOf(step, answer);
  const body = seen !== undefined ? normal.value(seen) : undefined;
  const text = answer.body === undefined && step.view !== 'codeOnly' ? plainText(answer.text) : undefined;
  const during = answer.during ? { during: answer.during } : {};
  return { code, contentType: answer.headers['content-type'], headers, body: body ?? text, ...during };
}

function seenOf({ view, watch }: Step, answer: Answer): unknown {
  if (view && answer.code < 300) return views[view]?.(answer);
  return watch && answer.code === 200 ? { events: pointer(answer.body, '/events') } : answer.body;
}

const plainText = (text: string) => (text === '' ? undefined : /^[\w.:-]{1,40}$/.test(text) ? text : '<text>');

/** A creation that failed names the object that it would have made. */
function noteGenerated({ body }: Step, answer: Answer, normal: Normalizer): void {
  const prefix = pointer(body, '/metadata/generateName');
  const failed = pointer(answer.body, '/details/name');
  if (!prefix || pointer(body, '/metadata/name') || typeof failed !== 'string' || failed.length <= 5) return;
  normal.noteGenerated(failed, failed.slice(0, -5));
}

/** Where the reference answers 500 to a client's mistake, any 4xx is right. */
const isBetter = (want: Described, got: Described) =>
  want['code'] === 500 && Number(got['code']) >= 400 && Number(got['code']) < 500;

function firstDifference(want: unknown, got: unknown, at = ''): string | undefined {
  if (isDeepStrictEqual(want, got)) return undefined;
  const areLists = Array.isArray(want) && Array.isArray(got);
  if (areLists || (isFields(want) && isFields(got))) {
    const [a, b] = [want, got] as readonly Described[];
    for (const key of new Set([...Object.keys(a!), ...Object.keys(b!)])) {
      const found = firstDifference(a![key], b![key], `${at}/${key}`);
      if (found) return found;
    }
  }
  const short = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200));
  return `${at}: expected ${short(want)}, got ${short(got)}`;
}
