import { basename } from 'node:path';
import { z } from 'zod';
import { addTo } from '../base/collections.ts';
import { StartupError } from '../base/errors.ts';
import type { Config } from './config.ts';
import { validate } from './document/validate.ts';
import type { YamlFile } from './document/yaml.ts';
import { readFolder } from './document/yaml-folder.ts';
import { identifier, integer, text } from './settings/fields.ts';

/** The folder of the report files where the configuration names none. */
export const REPORTS = 'reports';

/** How many groups each chart needs. */
export const CHART_GROUPS = { bars: 1, lines: 1, stacked: 2, table: 0 } as const;

const charts = Object.keys(CHART_GROUPS) as (keyof typeof CHART_GROUPS)[];

/** A report file: the groups that a report shows, and how. */
export const reportSchema = z.strictObject({
  title: text.describe('The heading.'),
  description: text.optional().describe('Text for readers, below the heading.'),
  dataclass: identifier.describe('The dataclass whose entities are grouped.'),
  groupby: text
    .optional()
    .describe('As $groupby: status, date:month. Default: one group of all entities.'),
  aggregate: text
    .optional()
    .describe('As $aggregate: count, sum(total) as turnover. Default: count.'),
  filter: text.optional().describe('As $filter: the entities that are grouped. Default: all.'),
  having: text
    .optional()
    .describe('As $having: the groups that are shown, turnover > 1000. Default: all.'),
  orderby: text
    .optional()
    .describe('As $orderby: turnover desc. Default: in the order of the groups.'),
  top: integer(1, 1_000_000)
    .optional()
    .describe('As $top: the number of groups. Default: all, at most limits.maxGroups.'),
  chart: z
    .enum(charts)
    .optional()
    .describe(
      'bars or lines along the first group, stacked for bars whose parts are the second group, table for no chart. ' +
        'Default: bars, or table without groupby.',
    ),
});

export interface ReportFile {
  readonly file: YamlFile;
  /** The file's name without its ending. */
  readonly name: string;
  readonly report: z.output<typeof reportSchema>;
}

/** Reads the report files of a configuration; none where it has no folder for them. @throws StartupError with the problems of all files */
export async function loadReports({
  reports: folder,
  locate,
}: Pick<Config, 'reports' | 'locate'>): Promise<ReportFile[]> {
  if (folder === undefined) return [];
  const files = await readFolder(folder, locate('reports'), (file): ReportFile => {
    const name = basename(file.path).replace(/\.ya?ml$/, '');
    return { file, name, report: validate(file, reportSchema) };
  });
  const byName = new Map<string, ReportFile[]>();
  for (const one of files) addTo(byName, one.name, one);
  const repeated = [...byName.values()].flatMap(([first, ...others]) =>
    others.map(({ file, name }) => {
      const message = `there is a report ${name} already, in ${first?.file.path ?? ''}`;
      return { where: file.path, message };
    }),
  );
  if (repeated.length > 0) throw new StartupError(repeated);
  return files;
}
