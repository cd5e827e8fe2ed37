import { afterAll, beforeAll } from 'vitest';
import { parse, stringify } from 'yaml';
import { copyMappings, testFolder, type TestFolder } from '../../config/files.ts';
import type { Gateway } from '../../targets/gateway.ts';
import type { Target } from '../../targets/target.ts';
import { mapped } from '../shapes/engines.ts';
import { serving, type Serving } from '../writing.ts';

type Settings = Parameters<Serving['start']>[0];

/** Gateways of several configurations in front of one database, while the tests run that the surrounding `describe` has. */
export interface Gateways {
  /** The one that withholds nothing. */
  readonly full: Gateway;
  readonly start: Serving['start'];
  /** Starts one whose mapping files have what the role sees, and companies that meet a filter. */
  readonly startWithout: (where: string, settings?: Settings, more?: object) => Promise<Gateway>;
}

/** Opens a target for {@link Gateways}. @param beforeEnd is called before they end */
export function gatewaysOn(target: Target, beforeEnd = () => Promise.resolve()): Gateways {
  const { gateway, start } = serving(target);
  let folder: TestFolder;
  beforeAll(async () => {
    folder = await testFolder();
    for (const [name, text] of Object.entries(reports)) {
      await folder.write(`all/${name}.yaml`, text);
      if (name.startsWith('seen')) await folder.write(`seen/${name}.yaml`, text);
    }
  });
  // Hooks at the end run in reverse: this one before the gateways are closed.
  afterAll(async () => {
    await beforeEnd();
    await folder.remove();
  });
  return {
    full: gateway,
    start: (settings) => start({ reports: `${folder.path}/all`, ...settings }),
    startWithout: async (where, settings = {}, more = {}) => {
      const mappings = await copyMappings(folder, (text) => withheld(text, where, more));
      return start({ reports: `${folder.path}/seen`, ...settings, mappings });
    },
  };
}

const all = { read: true, create: true, update: true, delete: true };

/** Filters of the role for companies, and the companies that they leave: those over relations go over what the role does not see. */
export const companyFilters = {
  own: { where: 'ID < $claims.limit', left: [1, 2, 3, 4, 5] },
  overRelations: {
    where:
      'ID < $claims.limit and (country.code = "DK" or employees.manager.lastName = null or not(projects.lead.grade < 9))',
    left: [1, 3, 5],
  },
  ofMissingClaims: {
    where: 'ID < 6 and (country.code IN $claims.nowhere or not(documents.ID = $claims.nobody))',
    left: [],
  },
} as const;

/** A role from which a part of the sample is withheld, with a filter for companies. */
export function withholding(where: string = companyFilters.own.where): { clerk: object } {
  return {
    clerk: {
      dataclasses: {
        '*': all,
        Assignment: {},
        Company: {
          ...all,
          where,
          attributes: {
            creditLimit: 'hidden',
            details: 'hidden',
            logo: 'hidden',
            country: 'hidden',
          },
        },
        Employee: {
          ...all,
          attributes: { email: 'hidden', note: 'hidden', extra: 'hidden', manager: 'hidden' },
        },
        LogEntry: { ...all, attributes: { source: 'hidden' } },
      },
    },
  };
}

/** The claims that the role's filters ask for. */
export const claims = { city: 'Lyon', ids: ['1', '3'], limit: '6', countries: ['FR', 'CH'] };

/** What of each dataclass is taken out of the mapping files for the same: attributes, and relations. */
const without: Readonly<Record<string, readonly string[]>> = {
  Company: ['creditLimit', 'details', 'logo', 'country'],
  Country: ['companies'],
  Employee: ['email', 'note', 'extra', 'manager', 'directReports', 'assignments', 'projects'],
  LogEntry: ['source'],
};

/** Report files by name: of what the role sees, and of what is withheld, in each of their settings. */
const reports = mapped(`
seen-cities: {title: It, dataclass: Company, groupby: city, aggregate: count(employees)}
seen-grades: {title: It, dataclass: Employee, groupby: grade, filter: employer.city = "Lyon"}
assignments: {title: It, dataclass: Assignment}
by-country: {title: It, dataclass: Company, groupby: country.name}
companies: {title: It, dataclass: Country, aggregate: count(companies)}
emails: {title: It, dataclass: Company, groupby: city, having: distinct(employees.email) > 1}
limits: {title: It, dataclass: Company, groupby: city, orderby: max(creditLimit)}
managed: {title: It, dataclass: Employee, filter: manager != null}
`);

interface MappingText {
  readonly dataclass: string;
  readonly attributes?: Readonly<Record<string, string | object>>;
  readonly relations?: Readonly<Record<string, Relation>>;
}

interface Relation {
  readonly inverse?: string;
  readonly through?: readonly string[];
}

/** A mapping file without what is withheld, with a `where` and more settings for companies; null where all of it is withheld. */
function withheld(text: string, where: string, more: object): string | null {
  const mapping = parse(text) as MappingText;
  const { dataclass, attributes = {}, relations = {} } = mapping;
  if (dataclass === 'Assignment') return null;
  const names = without[dataclass] ?? [];
  return stringify({
    ...mapping,
    ...(dataclass === 'Company' ? { where, ...more } : {}),
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([name, setting]) => {
        const written = typeof setting === 'string' ? { column: setting } : setting;
        return [name, names.includes(name) ? { ...written, exposed: false } : setting];
      }),
    ),
    relations: Object.fromEntries(
      Object.entries(relations).filter(
        ([name, relation]) => !names.includes(name) && !leadsOverAssignments(relation),
      ),
    ),
  });
}

function leadsOverAssignments({ inverse = '', through = [] }: Relation): boolean {
  return [inverse, ...through].some((step) => /^(?:Assignment\.|assignments$)/.test(step));
}
