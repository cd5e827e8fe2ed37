import { catching, ProtocolError, type StartupProblem } from '../../base/errors.ts';
import { timedAsync } from '../../base/observe/observer.ts';
import { TimeSlice } from '../../base/time.ts';
import { CHART_GROUPS, type ReportFile } from '../../config/report.ts';
import type { Database } from '../../database/database.ts';
import type { Model } from '../../model/types.ts';
import type { PlanContext } from '../../plan/context.ts';
import { planGroups } from '../../plan/read/groups.ts';
import type { GroupsRequest, Literal, ReportsRequest } from '../../protocol/ast.ts';
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

/** The settings that are the request of a report. None needs those behind it. */
const ASKED = ['dataclass', 'aggregate', 'groupby', 'filter', 'having', 'orderby', 'top'] as const;

type Asked = (typeof ASKED)[number];

/** Without which of them a setting means nothing. */
function neededBy(setting: Asked): readonly Asked[] {
  const isOfGroups = setting === 'having' || setting === 'orderby';
  return isOfGroups ? ['dataclass', 'aggregate', 'groupby'] : ['dataclass'];
}

/**
 * Checks that report files fit a model: each is parsed and planned, and its values are converted.
 * @returns the reports that fit, and what is wrong with each of the others, by its name
 */
export async function checkReports(
  files: readonly ReportFile[],
  model: Model,
  settings: ServiceSettings,
  { dialect }: Pick<Database, 'dialect'>,
): Promise<{
  readonly reports: Report[];
  readonly misfits: Map<string, readonly StartupProblem[]>;
}> {
  const planning: PlanContext = { ...settings, model, printer: new PrintMeter(dialect) };
  const planned = (report: ReportFile['report'], asked: readonly Asked[]) =>
    catching(
      ProtocolError,
      (): GroupsRequest => {
        const { ast, values } = parseRequest(urlOf(report, asked), 'GET', settings.limits);
        if (ast.kind !== 'groups') throw new Error('a report asks for groups');
        refuseClaims(values);
        bindStatement(planGroups(ast, planning).statement, { values }, dialect, new Map());
        return ast;
      },
      (error) => error,
    );
  const slice = new TimeSlice();
  const found: Report[] = [];
  const misfits = new Map<string, readonly StartupProblem[]>();
  for (const { file, name, report } of files) {
    const problems = new Map<keyof typeof report, StartupProblem>();
    const wrong = (setting: keyof typeof report, message: string): void => {
      problems.set(setting, { where: file.locate([setting]), message });
    };
    const given = ASKED.filter((setting) => report[setting] !== undefined);
    const whole = planned(report, given);
    let ast = whole instanceof ProtocolError ? null : whole;
    const right: Asked[] = [];
    for (const setting of ast === null ? given : []) {
      if (neededBy(setting).some((needed) => problems.has(needed))) continue;
      const part = planned(report, [...right, setting]);
      if (part instanceof ProtocolError) wrong(setting, part.message);
      else {
        right.push(setting);
        ast = part;
      }
    }
    if (ast !== null) {
      const { length } = ast.groups;
      const { chart = length === 0 ? 'table' : 'bars' } = report;
      const needed = CHART_GROUPS[chart];
      const groups = `${needed} ${needed === 1 ? 'group' : 'groups'}`;
      if (length < needed && !problems.has('groupby')) {
        wrong('chart', `${chart} needs at least ${groups} in groupby, found ${length}`);
      }
      if (problems.size === 0) {
        found.push({ name, ast, text: answered(name, { ...report, chart }) });
      }
    }
    if (problems.size > 0) misfits.set(name, [...problems.values()]);
    if (slice.isOver()) await slice.pause();
  }
  return { reports: found, misfits };
}

/** In a request a claim is a text as any other: the report would find nothing, and say so to nobody. */
function refuseClaims(values: readonly Literal[]): void {
  for (const { value } of values) {
    if (typeof value !== 'string' || !value.startsWith('$claims.')) continue;
    const message = `A report takes no claims of the user, as in ${value}. A role restricts what its users see of the dataclass`;
    throw new ProtocolError('badQuery', message);
  }
}

function urlOf(report: ReportFile['report'], asked: readonly Asked[]): string {
  const parameters = asked.flatMap((one) =>
    one === 'dataclass' ? [] : `$${one}=${encodeURIComponent(String(report[one]).toWellFormed())}`,
  );
  if (!asked.includes('aggregate')) parameters.push('$aggregate=count');
  return `/rest/${encodeURIComponent(report.dataclass)}?${parameters.join('&')}`;
}

const ANSWERED = ['title', 'description', ...ASKED] as const;

function answered(name: string, report: ReportFile['report']): string {
  const members = ANSWERED.map((member) => [member, report[member] ?? null] as const);
  return JSON.stringify({ name, ...Object.fromEntries(members), chart: report.chart });
}
