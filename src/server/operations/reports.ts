import { catching, ProtocolError, type StartupProblem } from '../../base/errors.ts';
import { timedAsync } from '../../base/observe/observer.ts';
import { TimeSlice } from '../../base/time.ts';
import { CHART_GROUPS, type ReportFile } from '../../config/report.ts';
import type { Database } from '../../database/database.ts';
import type { Model } from '../../model/types.ts';
import type { PlanContext } from '../../plan/context.ts';
import { planGroups } from '../../plan/read/groups.ts';
import type { GroupsRequest, ReportsRequest } from '../../protocol/ast.ts';
import { parseRequest } from '../../protocol/parse.ts';
import { PrintMeter } from '../../run/print-meter.ts';
import { bindStatement } from '../../run/run.ts';
import { taggedAnswer } from '../http/etags.ts';
import {
  type Operation,
  planOf,
  type Report,
  type ServiceSettings,
} from '../pipeline/operation.ts';

/** Lists the reports that the user may read: those that can be planned with the model as the user sees it. */
export const reports: Operation<ReportsRequest> = {
  changes: false,
  answer: async (context) => {
    const { request, services } = context;
    const plan = (_: ReportsRequest, planning: PlanContext): string => {
      const seen = services.reports.filter(({ ast }) => isPlanned(ast, planning));
      return `{"reports":[${seen.map(({ text }) => text).join(',')}]}`;
    };
    const { plan: text } = planOf({ name: 'reports', plan }, context);
    return timedAsync(context, 'respond', () => taggedAnswer({ text }, request, services));
  },
};

function isPlanned(ast: GroupsRequest, planning: PlanContext): boolean {
  const planned = (): boolean => {
    planGroups(ast, planning);
    return true;
  };
  return catching(ProtocolError, planned, () => false);
}

/** The settings that are the request of a report. None needs those behind it: the first one with which planning fails is the one to name. */
const ASKED = ['dataclass', 'aggregate', 'groupby', 'filter', 'having', 'orderby', 'top'] as const;

type Asked = (typeof ASKED)[number];

/**
 * Checks that report files fit a model: each is parsed and planned, and its values are converted.
 * @returns the reports that fit, and what is wrong with each of the others, by its name
 */
export async function checkReports(
  files: readonly ReportFile[],
  model: Model,
  settings: ServiceSettings,
  { dialect }: Pick<Database, 'dialect'>,
): Promise<{ readonly reports: Report[]; readonly misfits: Map<string, StartupProblem> }> {
  const planning: PlanContext = { ...settings, model, printer: new PrintMeter(dialect) };
  const planned = (report: ReportFile['report'], asked: readonly Asked[]) =>
    catching(
      ProtocolError,
      (): GroupsRequest => {
        const { ast, values } = parseRequest(urlOf(report, asked), 'GET', settings.limits);
        if (ast.kind !== 'groups') throw new Error('a report asks for groups');
        bindStatement(planGroups(ast, planning).statement, { values }, dialect, new Map());
        return ast;
      },
      (error) => error,
    );
  const slice = new TimeSlice();
  const found: Report[] = [];
  const misfits = new Map<string, StartupProblem>();
  for (const { file, name, report } of files) {
    const wrong = (setting: keyof typeof report, message: string): void => {
      misfits.set(name, { where: file.locate([setting]), message });
    };
    const given = ASKED.filter((setting) => report[setting] !== undefined);
    const ast = planned(report, given);
    if (ast instanceof ProtocolError) {
      const parts = given.map((setting, index) => [setting, given.slice(0, index + 1)] as const);
      for (const [setting, asked] of parts) {
        const part = planned(report, asked);
        if (!(part instanceof ProtocolError)) continue;
        wrong(setting, part.message);
        break;
      }
    } else {
      const { length } = ast.groups;
      const { chart = length === 0 ? 'table' : 'bars' } = report;
      const needed = CHART_GROUPS[chart];
      const groups = `${needed} ${needed === 1 ? 'group' : 'groups'}`;
      if (length >= needed) found.push({ name, ast, text: answered(name, { ...report, chart }) });
      else wrong('chart', `${chart} needs at least ${groups} in groupby, found ${length}`);
    }
    if (slice.isOver()) await slice.pause();
  }
  return { reports: found, misfits };
}

function urlOf(report: ReportFile['report'], asked: readonly Asked[]): string {
  const parameters = asked.flatMap((one) =>
    one === 'dataclass' ? [] : `$${one}=${encodeURIComponent(String(report[one]).toWellFormed())}`,
  );
  if (!asked.includes('aggregate')) parameters.push('$aggregate=count');
  return `/rest/${encodeURIComponent(report.dataclass)}?${parameters.join('&')}`;
}

function answered(name: string, report: ReportFile['report']): string {
  const { title, description = null, dataclass, groupby = null, aggregate = null } = report;
  const { having = null, filter = null, orderby = null, top = null, chart } = report;
  return JSON.stringify({
    name,
    title,
    description,
    dataclass,
    groupby,
    aggregate,
    having,
    filter,
    orderby,
    top,
    chart,
  });
}
