import { parse, stringify } from 'yaml';

const all = { read: true, create: true, update: true, delete: true };

/** A role from which a part of the sample is withheld. */
export const withholding = {
  clerk: {
    dataclasses: {
      '*': all,
      Assignment: {},
      Company: {
        ...all,
        where: 'ID < $claims.limit',
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

/** The claim that the role's filter asks for. */
export const LIMIT = '6';

/** What of each dataclass is taken out of the mapping files for the same: attributes, and relations. */
const without: Readonly<Record<string, readonly string[]>> = {
  Company: ['creditLimit', 'details', 'logo', 'country'],
  Country: ['companies'],
  Employee: ['email', 'note', 'extra', 'manager', 'directReports', 'assignments', 'projects'],
  LogEntry: ['source'],
};

interface MappingText {
  readonly dataclass: string;
  readonly attributes?: Readonly<Record<string, string | object>>;
  readonly relations?: Readonly<Record<string, Relation>>;
}

interface Relation {
  readonly inverse?: string;
  readonly through?: readonly string[];
}

/** A mapping file without what is withheld; null where all of it is. */
export function withheld(text: string): string | null {
  const mapping = parse(text) as MappingText;
  const { dataclass, attributes = {}, relations = {} } = mapping;
  if (dataclass === 'Assignment') return null;
  const names = without[dataclass] ?? [];
  return stringify({
    ...mapping,
    ...(dataclass === 'Company' ? { where: `ID < ${LIMIT}` } : {}),
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
