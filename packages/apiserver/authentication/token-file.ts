import type { User } from '@kubernode/api';
import { authenticated } from './groups.ts';

/**
 * Reads `--token-auth-file`: CSV lines `token,user,uid,"group1,group2"`, groups being optional. Throws where a line has
 * fewer than three columns or an empty token; of a token that comes twice the last line counts, as upstream.
 */
export function parseTokenFile(text: string): ReadonlyMap<string, User> {
  const users = new Map<string, User>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const columns = csvColumns(line);
    const [token = '', name = '', uid = '', groups = ''] = columns;
    if (columns.length < 3)
      throw new Error(`token file: line ${index + 1} has ${columns.length} columns, expected token,user,uid[,groups]`);
    if (token === '') throw new Error(`token file: line ${index + 1} has an empty token`);
    const groupNames = groups.split(',').filter((group) => group !== '');
    users.set(token, authenticated({ name, groups: groupNames, ...(uid ? { uid } : {}) }));
  }
  return users;
}

/** RFC 4180 without line breaks inside quotes; leading spaces of a column do not count. */
function csvColumns(line: string): string[] {
  const columns: string[] = [];
  const column = /\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?:,|$)/y;
  do {
    const match = column.exec(line);
    if (!match) throw new Error(`token file: line ${JSON.stringify(line.slice(0, 3))}… has an unclosed quote`);
    columns.push(match[1] !== undefined ? match[1].replaceAll('""', '"') : (match[2] ?? '').trimEnd());
    if (!match[0].endsWith(',')) break;
  } while (column.lastIndex <= line.length);
  return columns;
}
