import { labelText } from './exposition.ts';

/** How much a name may change (KEP-1209); upstream writes it before the help text. */
export type Stability = 'STABLE' | 'BETA' | 'ALPHA' | 'INTERNAL';

export interface FamilyOptions {
  readonly name: string;
  /** Without the stability, which is put before it. */
  readonly help: string;
  readonly stability: Stability;
  /** In the order in which values are given. A family without labels has one series, from the start. */
  readonly labels?: readonly string[] | undefined;
}

/** What clients name (paths, verbs) must not fill the memory: further series of a family are counted, not shown. */
const seriesMax = 20_000;
const separator = '\u0000';

/** What the series of a family are: how one is made, and its lines in the text format. */
export interface SeriesKind<Series> {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly make: () => Series;
  readonly write: (name: string, labels: string, series: Series) => string;
  /** Back to nothing. */
  readonly reset: (series: Series) => void;
}

/** All series of one name. */
export class Family<Series> {
  readonly name: string;
  readonly #options: FamilyOptions;
  readonly #kind: SeriesKind<Series>;
  readonly #series = new Map<string, { readonly labels: string; readonly series: Series }>();

  constructor(kind: SeriesKind<Series>, options: FamilyOptions) {
    this.name = options.name;
    this.#options = options;
    this.#kind = kind;
    if (options.labels === undefined) this.of();
  }

  /**
   * The series of these label values, made when it is first asked for. It costs a look-up: what counts on every request
   * keeps its series.
   */
  of(...values: readonly string[]): Series {
    const key = values.join(separator);
    let entry = this.#series.get(key);
    if (!entry) {
      entry = { labels: labelText(this.#options.labels ?? [], values), series: this.#kind.make() };
      if (this.#series.size < seriesMax) this.#series.set(key, entry);
    }
    return entry.series;
  }

  /** Ends a series: what it counted is no more. */
  remove(...values: readonly string[]): void {
    this.#series.delete(values.join(separator));
  }

  /** Ends the series whose values of these labels are gone; a family without one of the labels stays as it is. */
  forget(labels: readonly string[], isGone: (values: readonly string[]) => boolean): void {
    const places = labels.map((label) => this.#options.labels?.indexOf(label) ?? -1);
    if (places.includes(-1)) return;
    for (const key of this.#series.keys()) {
      const values = key.split(separator);
      if (isGone(places.map((place) => values[place]!))) this.#series.delete(key);
    }
  }

  /** All series back to nothing; those that are kept go on counting. */
  reset(): void {
    for (const { series } of this.#series.values()) this.#kind.reset(series);
  }

  /** The family in the text format, its series sorted by their labels; '' while it has none. */
  text(): string {
    if (this.#series.size === 0) return '';
    const { help, stability } = this.#options;
    const head = stability === 'INTERNAL' ? help : `[${stability}] ${help}`;
    const entries = [...this.#series.values()].sort((a, b) => (a.labels < b.labels ? -1 : 1));
    const lines = entries.map(({ labels, series }) => this.#kind.write(this.name, labels, series));
    return `# HELP ${this.name} ${head}\n# TYPE ${this.name} ${this.#kind.type}\n${lines.join('')}`;
  }
}
