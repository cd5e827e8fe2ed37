import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { sharedFolder } from '../config/files.ts';
import { model, table } from '../model/physical.ts';
import { blocksOf } from './examples.ts';
import { read } from './markdown.ts';

/**
 * What the manifests of docs/how-to/kubernetes.md name of each other, of the gateway and of its image. Their form was checked against the schemas of
 * Kubernetes by hand: they are too large to be a dependency.
 */
const PAGE = 'docs/how-to/kubernetes.md';

/** What stands at a path of a manifest: `spec.ports.0.name`. */
function at(manifest: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value, name) => (value as Readonly<Record<string, unknown>>)[name], manifest);
}

interface Container {
  readonly env: readonly {
    readonly name: string;
    readonly valueFrom: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

const blocks = blocksOf(PAGE);
const manifests = blocks
  .filter(({ language }) => language === 'yaml')
  .flatMap(({ text }) => parseAllDocuments(text).map((document) => document.toJS() as unknown));

/** What a kind of manifest says at a path. */
const say = (kind: string, path: string): unknown =>
  at(
    manifests.find((one) => at(one, 'kind') === kind),
    path,
  );

const POD = 'spec.template.spec';
const container = say('Deployment', `${POD}.containers.0`) as Container;
const volumes = say('Deployment', `${POD}.volumes`) as readonly {
  readonly name: string;
  readonly configMap: { readonly name: string };
}[];
const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);

const folder = await sharedFolder();

test('the parts find each other by their names', () => {
  const app = say('Deployment', 'spec.template.metadata.labels.app');
  expect([
    say('Deployment', 'spec.selector.matchLabels.app'),
    say('Service', 'spec.selector.app'),
    say('PodDisruptionBudget', 'spec.selector.matchLabels.app'),
  ]).toEqual([app, app, app]);
  const port = at(container, 'ports.0.name');
  expect(say('Service', 'spec.ports.0.targetPort')).toBe(port);
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
    expect(at(container, `${probe}.httpGet.port`)).toBe(port);
  expect(say('Ingress', 'spec.rules.0.http.paths.0.backend.service')).toEqual({
    name: say('Service', 'metadata.name'),
    port: { name: say('Service', 'spec.ports.0.name') },
  });
  expect(container.volumeMounts.map(({ name }) => name)).toEqual(volumes.map(({ name }) => name));
});

test('the commands make the secret and the ConfigMap that the manifests do not have', () => {
  const made = commands.join('');
  for (const { valueFrom } of container.env) {
    const { name, key } = valueFrom.secretKeyRef;
    expect(made).toContain(`create secret generic ${name} --from-literal ${key}=`);
  }
  const own = say('ConfigMap', 'metadata.name');
  const others = volumes.map(({ configMap }) => configMap.name).filter((name) => name !== own);
  expect(others).toEqual(['mappings']);
  expect(made).toContain('create configmap mappings --from-file northwind/mappings');
});

test('a changed ConfigMap is replaced: apply keeps the files that are gone, of what create has made', () => {
  const [made = '', changed = '', ...others] = commands
    .flatMap((text) => text.replaceAll('|\n', '|').split('\n'))
    .filter((line) => line.includes('create configmap'));
  expect(others).toEqual([]);
  const [create = '', replace = ''] = changed.split(/ --dry-run=client -o yaml \|\s*/);
  expect(create).toBe(made);
  expect(replace).toBe('kubectl -n northwind replace -f -');
  expect(read(PAGE)).not.toMatch(/\| *\n? *kubectl [^|\n]*apply/);
});

test('files are read whatever their names: a ConfigMap has names in ASCII alone', async () => {
  const text = 'dataclass: Заказы\ntable: S.ORDERS\n';
  const orders = table('ORDERS', { columns: { ID: 'int' }, primaryKey: ['ID'] });
  expect([...(await model([orders], { orders: text })).dataclasses.keys()]).toEqual(['Заказы']);
});

test('probes ask paths that the gateway has, and the end leaves time for requests', async () => {
  const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) =>
    at(container, `${probe}.httpGet.path`),
  );
  expect(paths).toEqual(['/health/live', '/health/live', '/health/ready']);
  const { server } = await loadConfig('config.yaml', {});
  const sleep = 5;
  const grace = say('Deployment', `${POD}.terminationGracePeriodSeconds`);
  expect(grace).toBeGreaterThan(sleep + server.shutdownSeconds);
  expect(at(container, 'ports.0.containerPort')).toBe(server.port);
});

test('the image has the user, and the configuration can be loaded from a ConfigMap', async () => {
  expect(await readFile('Dockerfile', 'utf8')).toMatch(/^USER node$/m);
  // A ConfigMap is a folder of links to one whose name begins with two dots.
  const [name = '', text = ''] = Object.entries(
    say('ConfigMap', 'data') as object,
  ).flat() as string[];
  await folder.write(`..data/${name}`, text);
  await symlink(`..data/${name}`, join(folder.path, name));
  const [mount] = container.volumeMounts;
  expect(at(container, 'args')).toEqual(['serve', '--config', `${mount?.mountPath}/${name}`]);
  const environment = Object.fromEntries(container.env.map((one) => [one.name, 'p']));
  const config = await loadConfig(join(folder.path, name), environment);
  expect(config.mappings).toBe(container.volumeMounts[1]?.mountPath);
  expect(config.authentication?.apiKeys).toHaveLength(1);
});
