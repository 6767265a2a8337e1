/** `not tried`: nobody has run it against this version. */
export type Outcome = 'passed' | 'failed' | 'not tried';

/** A test of the suite: `api` needs only the API server, `control` also controllers, `pod` nodes, `multi` two of them. */
export interface ConformanceTest {
  readonly kind: 'api' | 'control' | 'pod' | 'multi';
  readonly name: string;
}

/** Lines of class, marks and name, separated by tabs. */
export function readTests(text: string): readonly ConformanceTest[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [kind, , name] = line.split('\t');
      return { kind: kind as ConformanceTest['kind'], name: name! };
    });
}

/** What a run printed; a test that skipped itself was not tried. */
export function readResults(text: string): readonly { readonly name: string; readonly outcome: Outcome }[] {
  return text.split('\n').flatMap((line) => {
    const [, word, name] = /^(passed|failed|skipped)\s+[\d.]+s\s+(.*)$/.exec(line) ?? [];
    if (!word || !name) return [];
    return [{ name, outcome: word === 'skipped' ? 'not tried' : (word as Outcome) }];
  });
}

/** Markdown: how many of each class, then every test by its outcome. */
export function statusTable(tests: readonly ConformanceTest[], outcomes: ReadonlyMap<string, Outcome>): string {
  const outcomeOf = ({ name }: ConformanceTest): Outcome => outcomes.get(name) ?? 'not tried';
  const kinds = ['api', 'control', 'pod', 'multi'] as const;
  const words = ['passed', 'failed', 'not tried'] as const;
  const counts = (of: readonly ConformanceTest[]) =>
    words.map((word) => of.filter((test) => outcomeOf(test) === word).length);
  const rows = kinds.map((kind) => {
    const of = tests.filter((test) => test.kind === kind);
    return `| ${kind} | ${of.length} | ${counts(of).join(' | ')} |`;
  });
  rows.push(`| all | ${tests.length} | ${counts(tests).join(' | ')} |`);
  const lists = words.flatMap((word) => {
    const of = tests.filter((test) => outcomeOf(test) === word);
    if (of.length === 0) return [];
    const lines = of.map(({ kind, name }) => `- ${kind}: ${name}`);
    return ['', '<details>', `<summary>${of.length} ${word}</summary>`, '', ...lines, '', '</details>'];
  });
  return ['| class | tests | passed | failed | not tried |', '| --- | --- | --- | --- | --- |', ...rows, ...lists].join(
    '\n',
  );
}
