import { hostname } from 'node:os';

/** This machine's name as a node's name: lower case, and only what a DNS subdomain may hold. */
export function nodeName(): string {
  return (
    hostname()
      .toLowerCase()
      .replaceAll(/[^a-z0-9.-]/g, '-')
      .replaceAll(/^[-.]+|[-.]+$/g, '') || 'node'
  );
}
