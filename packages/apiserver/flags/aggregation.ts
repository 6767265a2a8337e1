import { boolean, text } from './flag.ts';
import { fileOf, flagGroup, FlagError } from './group.ts';

/** How extension API servers are reached, and what they trust us by. */
export const aggregationFlags = flagGroup({
  title: 'aggregation',
  flags: {
    'proxy-client-cert-file': text('<file>', 'certificate that extension API servers trust our X-Remote headers by'),
    'proxy-client-key-file': text('<file>', 'its key'),
    'enable-aggregator-routing': boolean('reach Services by their endpoints, not by their cluster addresses', false),
    'aggregator-reject-forwarding-redirect': boolean('answer 502 where an extension API server redirects', true),
  },
  toOptions(values) {
    const certificate = fileOf('proxy-client-cert-file', values['proxy-client-cert-file']);
    const key = fileOf('proxy-client-key-file', values['proxy-client-key-file']);
    if ((certificate === undefined) !== (key === undefined)) {
      const missing = key === undefined ? 'proxy-client-key-file' : 'proxy-client-cert-file';
      throw new FlagError(missing, 'names no file, expected both the certificate and its key');
    }
    return {
      server: {
        proxyClient: certificate === undefined ? undefined : { certificate, key },
        routeToEndpoints: values['enable-aggregator-routing'],
        forwardsRedirects: !values['aggregator-reject-forwarding-redirect'],
      },
    };
  },
});
