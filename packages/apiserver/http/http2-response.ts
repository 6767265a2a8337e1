import { Http2ServerResponse } from 'node:http2';

/** Node's own does not say that its client is gone, as all other streams do: who writes would wait for it for ever. */
export class Http2Response extends Http2ServerResponse {}

Object.defineProperty(Http2Response.prototype, 'destroyed', {
  get(this: Http2ServerResponse): boolean {
    return this.stream.destroyed;
  },
});
