import { shellWord } from './shell.ts';
import { displayPath } from '../config/document/text-file.ts';
import type { InitPlan } from './init/plan.ts';
import type { SchemaSnapshot } from '../schema/snapshot.ts';
import { qualifiedName, type Table } from '../schema/types.ts';
import { hashedColumns } from '../model/stamp.ts';

/** How many of the columns outside a stamp are named. */
const MOST_NAMES = 5;

/** How many lines a section has that shows files or functions: the folder shows the rest. */
const MOST_LINES = 50;

/**
 * Lists the dataclasses that clients can write and whose stamps will be hashes. For SQL Server, suggests a rowversion
 * (https://learn.microsoft.com/sql/t-sql/data-types/rowversion-transact-sql).
 */
export function hashStamps(
  { created, keyless }: Pick<InitPlan, 'created' | 'keyless'>,
  dialect: 'postgres' | 'tsql' | null,
): string[] {
  return created
    .filter((draft) => draft.head['stamp'] === undefined && !keyless.includes(draft))
    .map(({ dataclass, table }) => {
      const hashed = hashedColumns(table);
      const unseen = table.columns.filter((column) => !hashed.includes(column));
      const names = unseen.slice(0, MOST_NAMES).map(({ name }) => name);
      const more = unseen.length > names.length ? ' and others' : '';
      const name = qualifiedName(table);
      return (
        `${dataclass}: ${hashed.length === 1 ? '1 column' : `${hashed.length} columns`} of ${name}` +
        (unseen.length === 0 ? '' : `, not of ${names.join(', ')}${more}`) +
        (dialect === 'tsql' && table.kind === 'table'
          ? `. To avoid it: ALTER TABLE ${bracketed(table)} ADD ROW_VER rowversion, and "stamp: { rowversion: ROW_VER }" in the file`
          : '')
      );
    });
}

/** The name of a table in T-SQL, also where a client such as sqlcmd takes double quotes for those of a text. */
function bracketed({ schema, name }: Table): string {
  return [schema, name].map((part) => `[${part.replaceAll(']', ']]')}]`).join('.');
}

/** The parts of the report beside the plan. */
export interface InitOutcome {
  readonly version: string;
  readonly dialect: SchemaSnapshot['dialect'];
  readonly besides: readonly string[];
  readonly config: string;
  readonly mappings: string;
  /** The environment variables that the new configuration takes secrets from. */
  readonly variables: readonly string[];
  /** How the user starts the gateway. */
  readonly program: string;
  readonly dryRun: boolean;
}

/** Reports what a run of `init` wrote, missed and left out. */
export function initReport(plan: InitPlan, outcome: InitOutcome): string {
  const { dryRun } = outcome;
  const { tables } = plan.seen;
  // The rest says how the engine was compiled, and for which machine.
  const [engine = ''] = outcome.version.split(/ on | ?\n/, 1);
  const nothing = plan.writes.length + outcome.besides.length === 0;
  const [wrote, added] = dryRun ? ['Would write', 'Would add'] : ['Wrote', 'Added'];
  const sections = [
    `Read ${tables.length} ${tables.length === 1 ? 'table or view' : 'tables and views'} (${countBySchema(tables)}) from ${engine}.\n`,
    nothing ? 'Nothing is new; no file was written.\n' : '',
    section(
      `${wrote} ${plan.created.length} new mapping ${plan.created.length === 1 ? 'file' : 'files'} in ${displayPath(outcome.mappings)}:`,
      shortened(
        plan.created.map(
          ({ dataclass, table, path }) =>
            `${dataclass} (${qualifiedName(table)}): ${displayPath(path)}`,
        ),
      ),
    ),
    section(
      `${added} to existing files:`,
      plan.changed.map(({ path, names }) => `${displayPath(path)}: ${names.join(', ')}`),
    ),
    section(`${added} functions, none of them exposed:`, shortened(plan.functions)),
    section(dryRun ? 'Would also write:' : 'Also wrote:', outcome.besides.map(displayPath)),
    section(
      'These no longer match the database. The gateway does not start until you correct them:',
      plan.gone.map(({ where, message }) => (where === null ? message : `${where}: ${message}`)),
    ),
    section('Warnings:', plan.warnings),
    section(
      'No key was found, so clients read these by filter only. To change that, set "key:" in the file:',
      plan.keyless.map(({ dataclass, path }) => `${dataclass}: ${displayPath(path)}`),
    ),
    section(
      'Once clients may write, the stamp of these is a hash of columns. The gateway then reads these columns with every entity, and does not see changes to others:',
      shortened(hashStamps(plan, outcome.dialect)),
    ),
    complete('Withheld from clients, by "exposed: false":', plan.exposure.withheld),
    complete(
      'Check these: clients see them, and their names suggest personal data, money or credentials:',
      plan.exposure.toCheck,
    ),
    section(
      'These columns are in many tables. If all programs set one with every change, run init into a new folder with its option:',
      plan.proposals.map(
        ({ column, option, tables: count }) => `${column}, in ${count} tables: ${option} ${column}`,
      ),
    ),
    section(
      'Skipped, because their files were removed. --restore brings them back:',
      plan.removed.map(qualifiedName),
    ),
    section(
      'Mapped, but not chosen by init.yaml. To withdraw them, delete the files:',
      plan.unchosen.map(({ path }) => displayPath(path)),
    ),
    section(
      'Left out:',
      plan.leftOut.map(({ what, why }) => `${what}: ${why}`),
    ),
    dryRun || nothing || plan.gone.length > 0 ? '' : nextStep(outcome),
  ];
  return sections.filter((text) => text !== '').join('\n');
}

/** Counts the tables and views of each schema: `HR 9, SALES 9`. */
function countBySchema(tables: readonly Table[]): string {
  const counts = new Map<string, number>();
  for (const { schema } of tables) counts.set(schema, (counts.get(schema) ?? 0) + 1);
  return [...counts].map(([schema, count]) => `${schema} ${count}`).join(', ');
}

/** Says how to serve what was written, in commands that work as they are printed. */
export function nextStep({
  config,
  variables,
  program,
}: Pick<InitOutcome, 'config' | 'variables' | 'program'>): string {
  const path = displayPath(config);
  const command = `  ${program} serve --config ${shellWord(path)}\n`;
  if (variables.length === 0) return `Serve it:\n${command}`;
  const bash = variables.map((name) => `  export ${name}='…'\n`).join('');
  const powerShell = variables.map((name) => `  $env:${name} = '…'\n`).join('');
  return (
    `Serve it. ${path} takes secrets from the environment; write them there as they are, ` +
    `without the escapes of a URL:\n${bash}${command}In PowerShell, set them with\n${powerShell}`
  );
}

function shortened(lines: readonly string[]): readonly string[] {
  const more = lines.length - MOST_LINES;
  return more > 0 ? [...lines.slice(0, MOST_LINES), `… and ${more} more`] : lines;
}

/** Makes a complete section that is printed even when it is empty: silence could be read as safety. */
function complete(title: string, lines: readonly string[]): string {
  return section(title, lines.length === 0 ? ['none, judging by the names of columns'] : lines);
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
