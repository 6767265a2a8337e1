import type { ProbeOutcome } from './probe-outcome.ts';

const servingStatuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

/** Asks the gRPC health service (grpc.health.v1.Health/Check), without TLS verification where TLS is wanted. */
export async function grpcProbe(
  { host, port, service, tls }: { host: string; port: number; service: string; tls: boolean },
  timeoutMs: number,
): Promise<ProbeOutcome> {
  // Few pods have such a probe: the library is loaded with the first one.
  const { Client, credentials, Metadata } = await import('@grpc/grpc-js');
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const channel = tls
    ? credentials.createSsl(null, null, null, { rejectUnauthorized: false })
    : credentials.createInsecure();
  const client = new Client(address, channel, { 'grpc.primary_user_agent': 'kube-probe/1.37' });
  try {
    return await new Promise<ProbeOutcome>((resolve) => {
      client.makeUnaryRequest(
        '/grpc.health.v1.Health/Check',
        encodeRequest,
        decodeStatus,
        service,
        new Metadata(),
        { deadline: new Date(Date.now() + timeoutMs) },
        (error, status) => resolve(error ? failure(error, address, timeoutMs) : judge(status ?? 0)),
      );
    });
  } finally {
    client.close();
  }
}

function judge(status: number): ProbeOutcome {
  if (status === 1) return { healthy: true, output: 'service healthy' };
  return { healthy: false, output: `service unhealthy (responded with "${servingStatuses[status] ?? status}")` };
}

function failure(error: { code: number; details: string }, address: string, timeoutMs: number): ProbeOutcome {
  const unimplemented = 12;
  const deadlineExceeded = 4;
  const unavailable = 14;
  if (error.code === unimplemented) {
    const why = 'this server does not implement the grpc health protocol (grpc.health.v1.Health)';
    return { healthy: false, output: `error: ${why}: ${error.details}` };
  }
  if (error.code === deadlineExceeded || error.code === unavailable) {
    return {
      healthy: false,
      output: `timeout: failed to connect service "${address}" within ${timeoutMs / 1000}s: ${error.details}`,
    };
  }
  return { healthy: false, output: `error: health rpc probe failed: ${error.details}` };
}

/** HealthCheckRequest: `string service = 1`. */
function encodeRequest(service: string): Buffer {
  if (service === '') return Buffer.alloc(0);
  const bytes = Buffer.from(service);
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  return Buffer.concat([Buffer.from([0x0a, ...length]), bytes]);
}

/** HealthCheckResponse: `ServingStatus status = 1`. */
function decodeStatus(bytes: Buffer): number {
  return bytes[0] === 0x08 ? (bytes[1] ?? 0) : 0;
}
