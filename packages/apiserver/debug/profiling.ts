import type { Call } from '../context.ts';
import type { ServerResponse } from '../request.ts';

const nosniff = { 'x-content-type-options': 'nosniff' };

const index = `<html>
<head>
<title>/debug/pprof/</title>
</head>
<body>
/debug/pprof/<br>
<p>This server does not run on Go: it has no profiles in pprof's format. Profile it with Node's own inspector.</p>
</body>
</html>
`;

const flags = `<html>
<head>
<title>/debug/flags/</title>
</head>
<body>
/debug/flags/<br>
<br>
flags:<br>
<table>
<tr>v<br>
</table>
<br>
full flags configurable<br>
</body>
</html>
`;

/** /debug/pprof and /debug/flags: there to say that they have nothing to offer here. Undefined for other paths. */
export function profiling({ request, route }: Call): ServerResponse | undefined {
  const { path } = route.attributes;
  if (path === '/debug/pprof') return redirect('/debug/pprof/');
  if (path === '/debug/pprof/') return page(200, 'text/html; charset=utf-8', index, nosniff);
  if (path.startsWith('/debug/pprof/')) {
    const name = JSON.stringify(path.slice('/debug/pprof/'.length));
    const text = `profile ${name} is not served: pprof's profiles are of Go programs, and this server is none\n`;
    return page(404, 'text/plain; charset=utf-8', text, nosniff);
  }
  if (path === '/debug/flags/v') {
    if (request.method !== 'PUT') return page(406, 'text/plain', 'unsupported http method\n', nosniff);
    const text = 'the verbosity of this server cannot be changed while it runs: start it with another log level\n';
    return page(400, 'text/plain', text, nosniff);
  }
  const isFlags = path === '/debug/flags' || path.startsWith('/debug/flags/');
  return isFlags ? page(200, 'text/html; charset=utf-8', flags, {}) : undefined;
}

function redirect(location: string): ServerResponse {
  const page302 = `<a href="${location}">Found</a>.\n\n`;
  return page(302, 'text/html; charset=utf-8', page302, { location });
}

function page(code: number, contentType: string, bytes: string, headers: Record<string, string>): ServerResponse {
  return { code, headers, content: { type: 'bytes', contentType, bytes } };
}
