import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { configSchema } from '../../src/config/config.ts';
import { UNKNOWN } from '../../src/server/telemetry/measured-request.ts';
import { Metrics } from '../../src/server/telemetry/metrics.ts';
import { endpoints } from '../integration/hidden/endpoints.ts';
import { begun, ownFamilies, someSources } from '../server/telemetry/sources.ts';
import { blocksOf } from './examples.ts';
import { plain, read, tableRows } from './markdown.ts';

const PAGE = 'docs/how-to/observability.md';
const document = read(PAGE);

/** The names, types and labels of all metrics of the gateway itself, after one of each event. */
async function families(): Promise<unknown[]> {
  const metrics = new Metrics(someSources, () => false);
  const observer = metrics.observe(begun());
  observer.stageDone('plan', 1);
  observer.statementRun({ name: 'n', text: '', milliseconds: 1, rows: 0 });
  observer.poolWaited(1);
  observer.errorMet(new Error());
  observer.requestEnded({ status: 200, milliseconds: 1, end: 'sent' });
  return ownFamilies(await metrics.text()).map((family) => {
    const [, name = '', type = ''] = /^# TYPE (\S+) (\S+)$/m.exec(family) ?? [];
    const [, labels = ''] = /^[a-z_]+\{(.*)\}/m.exec(family) ?? [];
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
    return [name, type, names.filter((label) => label !== 'le')];
  });
}

test('docs/how-to/observability.md has every metric with its type and its labels, and no other', async () => {
  const documented = tableRows(document)
    .filter(({ heading, cells }) => heading === 'Metrics and labels' && cells[0] !== 'metric')
    .map(({ cells: [name = '', type, labels = ''] }) => [
      plain(name),
      type,
      labels === '' ? [] : labels.split(', ').map(plain),
    ]);
  expect(documented).toEqual(await families());
});

test('it has every operation, and no other', () => {
  const [, list = ''] = /^- `operation` is ([\s\S]*?)^- /m.exec(document) ?? [];
  const documented = [...list.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  const sources = readdirSync('src/server', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  // The names of what is no request of the API are given where it is served.
  const others = sources.flatMap((file) =>
    [...read(join('src/server', file)).matchAll(/requestNamed\?\.\(\{\s*operation: '(\w+)'/g)].map(
      ([, name = '']) => name,
    ),
  );
  expect(others).toHaveLength(5);
  expect(documented.toSorted()).toEqual([...Object.keys(endpoints), ...others, UNKNOWN].toSorted());
});

/** The blocks of code in a language. */
const blocks = (language: string): string[] =>
  blocksOf(PAGE).flatMap((block) => (block.language === language ? [block.text] : []));

test('its examples of a configuration are such', () => {
  const settings = blocks('yaml')
    .map((text) => parse(text) as Record<string, unknown>)
    .filter((value) => 'metrics' in value || 'log' in value);
  expect(settings).toHaveLength(3);
  for (const value of settings) {
    const hash = `sha256:${'a1'.repeat(32)}`;
    const keys = (value['authentication'] as { apiKeys?: object[] } | undefined)?.apiKeys ?? [];
    const authentication = keys.map((key) => ({ ...key, hash }));
    const given =
      authentication.length === 0 ? {} : { authentication: { apiKeys: authentication } };
    expect(configSchema.safeParse({ ...value, ...given }).error).toBeUndefined();
  }
});

test('its alerts and its scrape configuration ask for metrics that there are', async () => {
  const known = (await families()).map((family) => (family as [string])[0]);
  const asked = blocks('yaml').flatMap((text) => text.match(/\bentitygate_[a-z_]+/g) ?? []);
  expect(asked.length).toBeGreaterThan(3);
  expect(asked.filter((name) => !known.includes(name))).toEqual([]);
});

test('its example of a module is there', () => {
  expect(existsSync('docs/how-to/opentelemetry.js')).toBe(true);
});
