import { beforeAll, describe, expect, test } from 'vitest';
import { configSchema } from '../../../src/config/config.ts';
import { loadReports } from '../../../src/config/report.ts';
import type { Model } from '../../../src/model/types.ts';
import { checkReports } from '../../../src/server/operations/reports.ts';
import { postgresDialect } from '../../../src/sql/postgres/dialect.ts';
import { sharedFolder } from '../../config/files.ts';
import { readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { parsed, rows } from '../../rows.ts';

const dialect = postgresDialect({ timeZone: 'UTC', bigNumbersAsStrings: false }, { version: 17 });

let model: Model;
const folder = await sharedFolder();
beforeAll(async () => {
  model = await sampleModel(readSnapshot('postgres'));
});

async function checked(reports: string): ReturnType<typeof checkReports> {
  const files = await loadReports({ reports, locate: () => '' });
  return checkReports(files, model, configSchema.parse({}), { dialect });
}

/** What is wrong with a report, whose settings stand behind its title; or else how it is answered. */
async function outcome(settings: string): Promise<unknown> {
  await folder.write('r.yaml', `title: It\n${settings}`);
  const { reports, misfits } = await checked(folder.path);
  const problems = misfits.get('r');
  if (problems === undefined) return JSON.parse(reports[0]?.text ?? '');
  expect(reports).toEqual([]);
  return problems
    .map(({ where, message }) => `${where?.replace(/^.*r\.yaml:/, '') ?? ''}: ${message}`)
    .join('\n');
}

const report = {
  name: 'r',
  title: 'It',
  description: null,
  dataclass: 'Order',
  groupby: null,
  aggregate: null,
  having: null,
  filter: null,
  orderby: null,
  top: null,
  chart: 'table',
};

describe('a report is answered with all that it says', () => {
  test.each(rows`
    dataclass: Order                    | {}
    dataclass: Order\ngroupby: status\nchart: table\ndescription: Why | {groupby: status, description: Why}
    dataclass: Order\ngroupby: date:month, status\nchart: stacked | {groupby: 'date:month, status', chart: stacked}
    dataclass: Order\ngroupby: date:month\naggregate: sum(total) as turnover\nhaving: turnover > 1000\norderby: turnover desc\ntop: 5\nchart: lines
      | {groupby: 'date:month', aggregate: sum(total) as turnover, having: turnover > 1000, orderby: turnover desc, top: 5, chart: lines}
    # What has a meaning in a URL has none in a file.
    dataclass: Order\nfilter: 'note = "50% + 3 & $top=0 # ?" or note = "é"' | {filter: 'note = "50% + 3 & $top=0 # ?" or note = "é"'}
  `)('%j', async (settings, expected) => {
    expect(await outcome(settings)).toEqual({ ...report, ...parsed(expected) });
  });
});

describe('what does not fit the model is named with its position', () => {
  test.each(rows`
    dataclass: Ordr | 2:12: There is no dataclass Ordr. Did you mean Order?
    dataclass: Order\ngroupby: status, stat:month | 3:10: Dataclass Order has no attribute stat. Did you mean status? (at position 9 of $groupby)
    # All that is wrong, and not what follows from it.
    having: turnovr > 3\ngroupby: statu\nfilter: totl > 3\nchart: stacked\ndataclass: Order
      | 3:10: Dataclass Order has no attribute statu. Did you mean status? (at position 1 of $groupby)
      | 4:9: Dataclass Order has no attribute totl. Did you mean total? (at position 1 of $filter)
    dataclass: Order\ngroupby: status\nhaving: a > 3\nfilter: note\norderby: b\nchart: stacked
      | 5:9: … | 4:9: a is neither … | 6:10: b is neither … | 7:8: stacked needs …
    dataclass: Order\nfilter: currency = $claims.currency
      | 3:9: A report takes no claims of the user, as in $claims.currency. A role restricts what its users see of the dataclass
    dataclass: Order\naggregate: sum(total) as turnover\nhaving: turnovr > 3 | 4:9: turnovr is neither a group nor an aggregate… of $having)
    dataclass: Order\ngroupby: status\norderby: total | 4:10: total is neither a group nor an aggregate… of $orderby)
    dataclass: Order\nhaving: count > many | 3:9: "many" is not a value for …count: expected …
    dataclass: Order\ngroupby: lines.quantity | 3:10: lines.quantity leads to many entities, …
    dataclass: Order\nchart: lines | 3:8: lines needs at least 1 group in groupby, found 0
    dataclass: Order\nchart: stacked\ngroupby: status | 3:8: stacked needs at least 2 groups in groupby, found 1
  `)('%j', async (settings, ...messages) => {
    const open = messages
      .join('\n')
      .split('…')
      .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    expect(await outcome(settings)).toMatch(new RegExp(`^${open.join('.*')}$`));
  });
});
