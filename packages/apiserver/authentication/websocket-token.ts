const tokenPrefix = 'base64url.bearer.authorization.k8s.io.';

/**
 * What a client names in `Sec-WebSocket-Protocol`. Browsers can set no other header on a WebSocket: a token may be among the
 * protocols, and is for this server alone.
 */
export function offeredProtocols(header: string): {
  readonly protocols: readonly string[];
  readonly tokens: readonly string[];
} {
  const protocols: string[] = [];
  const tokens: string[] = [];
  for (const name of header.trim() === '' ? [] : header.split(',')) {
    const protocol = name.trim();
    if (!protocol.startsWith(tokenPrefix)) protocols.push(protocol);
    else tokens.push(Buffer.from(protocol.slice(tokenPrefix.length), 'base64url').toString('utf8'));
  }
  return { protocols, tokens };
}
