import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { loadReports } from '../../src/config/report.ts';
import { sharedFolder, startupProblems, testFolder } from './files.ts';
import { rows } from '../rows.ts';

const folder = await sharedFolder();

/** The reports of a configuration: a folder with files, given by name, and settings; or what is wrong with them. */
async function loaded(files: Readonly<Record<string, string>>, settings = ''): Promise<unknown> {
  const own = await testFolder();
  try {
    for (const [name, text] of Object.entries(files)) await own.write(name, text);
    const path = await own.write('config.yaml', `application: Reports\n${settings}`);
    let found: unknown;
    const load = async (): Promise<void> => {
      const files = await loadReports(await loadConfig(path, {}));
      found = files.map(({ name, report }) => [name, report]);
    };
    return (await startupProblems(load, own)) ?? found;
  } finally {
    await own.remove();
  }
}

const REPORT = 'title: Orders\ndataclass: Order\n';

test.each(rows`
  ${''} | :1:1: "title": expected a text, found nothing | :1:1: "dataclass": expected a text, found nothing
  ${REPORT}group: status | :3:1: unknown setting "group". Did you mean groupby?
  ${REPORT}chart: bar | :3:8: "chart": expected bars, lines, stacked or table, found "bar". Did you mean bars?
  title: Orders\ndataclass: my orders
    | :2:12: "dataclass": names of the API begin with a letter and hold letters, digits and _ only
`)('a report file with %j', async (text, ...expected) => {
  const path = await folder.write('reports/r.yaml', text);
  const reading = { reports: `${folder.path}/reports`, locate: () => path };
  expect(await startupProblems(() => loadReports(reading), folder)).toEqual(
    expected.map((line) => `reports/r.yaml${line}`),
  );
});

describe('the folder of the reports', () => {
  const report = { title: 'Orders', dataclass: 'Order' };

  test('is the one beside the configuration, if there is one', async () => {
    expect(await loaded({})).toEqual([]);
    expect(await loaded({ reports: 'a file' })).toEqual([]);
    const files = { 'reports/b.yml': REPORT, 'reports/a.yaml': REPORT, 'reports/notes.md': '' };
    expect(await loaded(files)).toEqual([
      ['a', report],
      ['b', report],
    ]);
  });

  test('or the one that is named, which has to be there', async () => {
    const files = { 'dashboards/all.yaml': `${REPORT}top: 5`, 'reports/b.yaml': REPORT };
    expect(await loaded(files, 'reports: dashboards')).toEqual([['all', { ...report, top: 5 }]]);
    expect(await loaded(files, 'reports: dashbords')).toEqual([
      'config.yaml:2:10: dashbords: there is no such folder',
    ]);
  });

  test('has one report of each name; what is wrong with its files is said of all', async () => {
    expect(await loaded({ 'reports/a.yaml': REPORT, 'reports/a.yml': REPORT })).toEqual([
      'reports/a.yml: there is a report a already, in reports/a.yaml',
    ]);
    expect(await loaded({ 'reports/a.yaml': '', 'reports/b.yaml': 'title: {' })).toEqual([
      expect.stringMatching(/^reports\/a.yaml:1:1: "title": /),
      expect.stringMatching(/^reports\/a.yaml:1:1: "dataclass": /),
      expect.stringMatching(/^reports\/b.yaml:1:\d+: this is not valid YAML: /),
    ]);
  });
});
