/** A PEM block as encoding/pem of Go finds it. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const blockPattern = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t]*\r?\n([\s\S]*?)-----END \1-----[ \t]*(?=\r?\n|$)/g;

/** All blocks of a text, in order; what is between them, or is no block, is left out. */
export function pemBlocks(text: string): readonly PemBlock[] {
  return [...text.matchAll(blockPattern)].flatMap(([, type = '', inner = '']) => {
    const headers = /^(?:[^\n]*:[^\n]*\n)+\r?\n?/.exec(inner)?.[0] ?? '';
    const base64 = inner.slice(headers.length).replaceAll(/\s/g, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0) return [];
    return [{ type, hasHeaders: headers !== '', bytes: Buffer.from(base64, 'base64') }];
  });
}
