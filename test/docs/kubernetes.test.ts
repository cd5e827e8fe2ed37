import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { testFolder, type TestFolder } from '../config/files.ts';
import { model, table } from '../model/physical.ts';
import { blocksOf } from './examples.ts';
import { read } from './markdown.ts';

/**
 * What the manifests of docs/how-to/kubernetes.md name of each other, of the gateway and of its image. Their form was checked against the schemas of
 * Kubernetes by hand: they are too large to be a dependency.
 */
const PAGE = 'docs/how-to/kubernetes.md';

interface Mount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly: boolean;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly {
    readonly name: string;
    readonly valueFrom: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly volumeMounts: readonly Mount[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: Readonly<Record<string, string>>;
  readonly spec: {
    readonly selector: { readonly app?: string; readonly matchLabels?: { readonly app: string } };
    readonly ports: readonly { readonly name: string; readonly targetPort: string }[];
    readonly template: {
      readonly metadata: { readonly labels: { readonly app: string } };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly [Container];
        readonly volumes: readonly {
          readonly name: string;
          readonly configMap: { readonly name: string };
        }[];
      };
    };
    readonly rules: readonly {
      readonly http: {
        readonly paths: readonly {
          readonly backend: {
            readonly service: { readonly name: string; readonly port: { readonly name: string } };
          };
        }[];
      };
    }[];
  };
}

const blocks = blocksOf(PAGE);
const manifests = blocks
  .filter(({ language }) => language === 'yaml')
  .flatMap(({ text }) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
const manifest = (kind: string): Manifest => {
  const found = manifests.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`${PAGE} has no ${kind}`);
  return found;
};
const pod = manifest('Deployment').spec.template;
const [container] = pod.spec.containers;
const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);

let folder: TestFolder;
beforeAll(async () => {
  folder = await testFolder();
});
afterAll(() => folder.remove());

test('the parts find each other by their names', () => {
  const { selector } = manifest('Deployment').spec;
  expect([
    selector.matchLabels?.app,
    manifest('Service').spec.selector.app,
    manifest('PodDisruptionBudget').spec.selector.matchLabels?.app,
  ]).toEqual(Array(3).fill(pod.metadata.labels.app));
  const [port] = container.ports;
  const [served] = manifest('Service').spec.ports;
  const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
  expect([served?.targetPort, ...probes.map(({ httpGet }) => httpGet.port)]).toEqual(
    Array(4).fill(port?.name),
  );
  const [path] = manifest('Ingress').spec.rules[0]?.http.paths ?? [];
  expect(path?.backend.service).toEqual({
    name: manifest('Service').metadata.name,
    port: { name: served?.name },
  });
  expect(container.volumeMounts.map(({ name }) => name)).toEqual(
    pod.spec.volumes.map(({ name }) => name),
  );
});

test('the commands make the secret and the ConfigMap that the manifests do not have', () => {
  const made = commands.join('');
  for (const { valueFrom } of container.env) {
    const { name, key } = valueFrom.secretKeyRef;
    expect(made).toContain(`create secret generic ${name} --from-literal ${key}=`);
  }
  const own = manifest('ConfigMap').metadata.name;
  const others = pod.spec.volumes
    .map(({ configMap }) => configMap.name)
    .filter((name) => name !== own);
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
  expect(container.startupProbe.httpGet.path).toBe('/health/live');
  expect(container.livenessProbe.httpGet.path).toBe('/health/live');
  expect(container.readinessProbe.httpGet.path).toBe('/health/ready');
  const { server } = await loadConfig('config.yaml', {});
  const sleep = 5;
  expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(sleep + server.shutdownSeconds);
  expect(container.ports[0]?.containerPort).toBe(server.port);
});

test('the image has the user, and the configuration can be loaded from a ConfigMap', async () => {
  expect(await readFile('Dockerfile', 'utf8')).toMatch(/^USER node$/m);
  // A ConfigMap is a folder of links to one whose name begins with two dots.
  const [name = '', text = ''] = Object.entries(manifest('ConfigMap').data).flat();
  await folder.write(`..data/${name}`, text);
  await symlink(`..data/${name}`, join(folder.path, name));
  const [mount] = container.volumeMounts;
  expect(container.args).toEqual(['serve', '--config', `${mount?.mountPath}/${name}`]);
  const environment = Object.fromEntries(container.env.map((one) => [one.name, 'p']));
  const config = await loadConfig(join(folder.path, name), environment);
  expect(config.mappings).toBe(container.volumeMounts[1]?.mountPath);
  expect(config.authentication?.apiKeys).toHaveLength(1);
});
