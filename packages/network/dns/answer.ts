import type { Found, DnsRecord } from './records.ts';

export interface Question {
  readonly name: string;
  readonly type: string;
}

export interface Answer {
  readonly code: 'NOERROR' | 'NXDOMAIN' | 'REFUSED';
  readonly answers: readonly DnsRecord[];
  /** Records that spare the client a second question: the addresses of SRV targets. */
  readonly additionals: readonly DnsRecord[];
  /** A name outside of the cluster that the answer points to; a forwarder may resolve it. */
  readonly unresolved?: string | undefined;
}

/** What `answer` reads; `ClusterRecords` is one. */
export interface Zone {
  readonly domain: string;
  find(name: string): Found;
  namesOf(address: string): readonly string[];
}

/** Names that point to names that point to ...: more is taken for a circle. */
const aliasesMax = 8;

const refused: Answer = { code: 'REFUSED', answers: [], additionals: [] };
const missing: Answer = { code: 'NXDOMAIN', answers: [], additionals: [] };

/** Answers a question from the zone; REFUSED for names that are not the cluster's. */
export function answer(zone: Zone, question: Question): Answer {
  const name = question.name.toLowerCase().replace(/\.$/, '');
  if (name === zone.domain || name.endsWith(`.${zone.domain}`)) return answerName(zone, name, question.type);
  const address = reverseAddress(name);
  if (!address) return refused;
  const names = zone.namesOf(address);
  if (names.length === 0) return refused;
  const answers = names.map((data): DnsRecord => ({ type: 'PTR', name, data }));
  return {
    code: 'NOERROR',
    answers: question.type === 'PTR' || question.type === 'ANY' ? answers : [],
    additionals: [],
  };
}

function answerName(zone: Zone, name: string, type: string, aliases = 0): Answer {
  const found = zone.find(name);
  if (!found) return missing;
  const alias = found.find((record) => record.type === 'CNAME');
  if (alias && typeof alias.data === 'string') {
    const isOurs = alias.data.endsWith(`.${zone.domain}`);
    const follows = isOurs && type !== 'CNAME' && aliases < aliasesMax;
    const target = follows ? answerName(zone, alias.data, type, aliases + 1).answers : [];
    const unresolved = isOurs || type === 'CNAME' ? undefined : alias.data;
    return { code: 'NOERROR', answers: [alias, ...target], additionals: [], unresolved };
  }
  const answers = found.filter((record) => record.type === type || type === 'ANY');
  const targets = new Set(answers.flatMap((record) => (record.type === 'SRV' ? [record.data.target] : [])));
  const additionals = [...targets].flatMap((target) =>
    (zone.find(target) ?? []).filter((record) => record.type === 'A' || record.type === 'AAAA'),
  );
  return { code: 'NOERROR', answers, additionals };
}

/** `5.0.244.10.in-addr.arpa` → `10.244.0.5`; the same for ip6.arpa. Undefined for other names. */
export function reverseAddress(name: string): string | undefined {
  const four = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\.in-addr\.arpa$/.exec(name);
  if (four) return four.slice(1).toReversed().join('.');
  const six = /^((?:[0-9a-f]\.){32})ip6\.arpa$/.exec(name);
  if (!six) return undefined;
  const digits = (six[1] ?? '').replaceAll('.', '').split('').toReversed().join('');
  const groups = digits.match(/.{4}/g) ?? [];
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
