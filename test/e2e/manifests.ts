/** Short ways to write the objects that end-to-end tests apply. */
import { testImage } from './harness.ts';

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly namespace?: string;
}

/** A container that runs a shell script. */
export function shell(script: string, more: object = {}): object {
  return { name: 'main', image: testImage, command: ['sh', '-c', script], ...more };
}

/** A container that answers its pod's name over HTTP on port 8080, called `http`. */
export function webServer(more: object = {}): object {
  const ports = [{ name: 'http', containerPort: 8080 }];
  const readinessProbe = { httpGet: { path: '/', port: 'http' }, periodSeconds: 1 };
  const script = 'hostname > /tmp/index.html; exec httpd -f -p 8080 -h /tmp';
  return shell(script, { ports, readinessProbe, ...more });
}

/** A pod that does not make its deletion wait. */
export function pod(name: string, spec: object, metadata: Metadata = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { terminationGracePeriodSeconds: 1, ...spec },
  };
}

/** A Deployment whose pods have the label app=NAME. */
export function deployment(name: string, replicas: number, container: object, more: object = {}): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: { replicas, selector: { matchLabels: labels }, template: podTemplate(labels, container), ...more },
  };
}

/** A Service of the pods with the label app=`app`; port 80 leads to their port `http`. */
export function service(name: string, app: string, spec: object = {}): object {
  const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { selector: { app }, ports, ...spec } };
}

export function podTemplate(labels: Readonly<Record<string, string>>, container: object, spec: object = {}): object {
  return { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [container], ...spec } };
}

export function configMap(name: string, data: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
}

export function secret(name: string, stringData: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData };
}
