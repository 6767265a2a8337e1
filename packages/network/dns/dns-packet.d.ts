/** The part of dns-packet that this project uses; the package brings no types. */
declare module 'dns-packet' {
  export interface Packet {
    id?: number;
    type?: 'query' | 'response';
    flags?: number;
    rcode?: string;
    questions?: { name: string; type: string; class?: string }[];
    answers?: unknown[];
    authorities?: unknown[];
    additionals?: { type: string; name?: string; udpPayloadSize?: number }[] | unknown[];
  }
  export const AUTHORITATIVE_ANSWER: number;
  export const TRUNCATED_RESPONSE: number;
  export const RECURSION_DESIRED: number;
  export const RECURSION_AVAILABLE: number;
  export function decode(bytes: Uint8Array): Packet;
  export function encode(packet: Packet): Uint8Array;
}
