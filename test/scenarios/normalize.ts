import { isFields } from './scenario.ts';

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const prose: ReadonlySet<string> = new Set(['message', 'description', 'note']);
/** Times that are further away are the scenario's own. */
const nearMs = 400 * 86_400_000;

/** Makes answers comparable: what a server picks is numbered by first appearance, prose is dropped. */
export class Normalizer {
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #addresses = new Map<string, string>();
  readonly #ports = new Map<string, string>();
  readonly #generated: { readonly name: string; readonly prefix: string }[] = [];
  /** What the scenario itself says is kept as it is. */
  readonly #literals: string;
  readonly #namespace: RegExp;
  readonly #server: URL;

  constructor(literals: string, namespace: string, serverUrl: string) {
    this.#literals = literals;
    this.#namespace = new RegExp(`(?<![a-z0-9])${namespace}(?![0-9])`, 'g');
    this.#server = new URL(serverUrl);
  }

  noteGenerated(name: string, prefix: string): void {
    if (!this.#generated.some((known) => known.name === name)) this.#generated.push({ name, prefix });
  }

  text(raw: string): string {
    if (/^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(raw)) return '<token>';
    if (raw.startsWith('-----BEGIN ')) return '<pem>';
    let text = raw;
    for (const { name, prefix } of this.#generated) text = text.replaceAll(name, `${prefix}<random>`);
    return text
      .replace(/\bkube-api-access-[a-z0-9]{5}\b/g, 'kube-api-access-<random>')
      .replace(uuid, (found) => numbered(this.#uids, 'uid', found))
      .replace(time, (found: string, fraction?: string) => timeText(found, fraction))
      .replace(/\b10\.96\.\d+\.\d+\b/g, (found) => this.#address(found))
      .replace(/:(3[0-2]\d{3})(?=\/)/g, (found, port: string) =>
        this.#isLiteral(port) ? found : `:${this.#port(port)}`,
      )
      .replaceAll(`${this.#server.hostname}:${this.#server.port}`, '<address>')
      .replace(this.#namespace, '$${ns}');
  }

  value(value: unknown, key = '', inBookmark = false): unknown {
    if (typeof value === 'string') return this.#string(value, key, inBookmark);
    if (typeof value === 'number') return this.#number(value, key);
    if (Array.isArray(value)) return inOrder(value, key).map((item) => this.value(item, key, inBookmark));
    if (!isFields(value)) return value;
    const { generateName, name } = value;
    if (generateName && typeof generateName === 'string' && typeof name === 'string' && name.startsWith(generateName)) {
      this.noteGenerated(name, generateName);
    }
    const isBookmark = value['type'] === 'BOOKMARK';
    const isCollection = Array.isArray(value['items']) || value['kind'] === 'Table' || isBookmark;
    const out: Record<string, unknown> = {};
    for (const field of Object.keys(value).sort()) {
      const item = value[field];
      if (prose.has(field) && typeof item === 'string') continue;
      const hides = inBookmark || (isCollection && (field === 'metadata' || isBookmark));
      out[this.text(field)] = this.value(item, field, hides);
    }
    // The order of a rules review is chance.
    if ('incomplete' in value) {
      for (const list of [out['resourceRules'], out['nonResourceRules']]) {
        if (Array.isArray(list)) list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
      }
    }
    return out;
  }

  #string(text: string, key: string, inBookmark: boolean): string {
    if (key === 'resourceVersion' && /^[1-9]\d*$/.test(text)) {
      return inBookmark ? '<rv>' : numbered(this.#versions, 'rv', text);
    }
    if (key === 'continue' && text) return '<continue>';
    if (key === 'storageVersionHash' && text) return '<hash>';
    if (key === 'cells') return this.text(text).replace(/^(\d+[smhdy])+$|(?<=\()(\d+[smhdy])+(?= ago\))/, '<age>');
    if (key === 'since' && /^\d{4}-\d\d-\d\d$/.test(text)) return '<date>';
    if (key === 'kubernetes.io/limit-ranger') return '<text>';
    if ((key === 'reason' || key === 'evaluationError' || key === 'error') && text.includes(' ')) return '<text>';
    return this.text(text);
  }

  #number(value: number, key: string): unknown {
    if (key === 'targetPort' && String(value) === this.#server.port) return '<address>';
    const isPort = key === 'nodePort' || key === 'healthCheckNodePort';
    return isPort && value && !this.#isLiteral(String(value)) ? this.#port(String(value)) : value;
  }

  #isLiteral(text: string): boolean {
    return this.#literals.includes(text);
  }

  #port(port: string): string {
    return `<${numbered(this.#ports, 'port', port)}>`;
  }

  #address(address: string): string {
    if (this.#isLiteral(address) || address === '10.96.0.1' || address === '10.96.0.0') return address;
    return `<${numbered(this.#addresses, 'ip', address)}>`;
  }
}

function numbered(known: Map<string, string>, label: string, key: string): string {
  const name = known.get(key) ?? `${label}#${known.size + 1}`;
  known.set(key, name);
  return name;
}

function timeText(text: string, fraction: string | undefined): string {
  if (Math.abs(Date.parse(text) - Date.now()) >= nearMs) return text;
  return fraction ? `<time.${fraction.length - 1}>` : '<time>';
}

/** Lists whose order says nothing. */
function inOrder(list: readonly unknown[], key: string): readonly unknown[] {
  const by = (fields: readonly string[]) => (item: unknown) =>
    fields.map((field) => JSON.stringify(isFields(item) ? item[field] : undefined) ?? '').join(' ');
  const keyOf =
    key === 'managedFields'
      ? by(['operation', 'manager', 'apiVersion', 'subresource'])
      : key === 'causes'
        ? by(['field', 'reason'])
        : undefined;
  return keyOf ? [...list].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0)) : list;
}
