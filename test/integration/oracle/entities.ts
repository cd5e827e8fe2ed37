/**
 * The sample's dataclasses as the filter oracle sees them, straight from the rows of `data.ts`: what an attribute holds
 * and which rows a relation leads to. Written from the documentation of the sample, not from the mapping files.
 */
import { legacy, type TableName } from '../../fixtures/legacy/data.ts';

/**
 * How values compare: numbers by value, `real` as 32-bit ones, text with its case folded, that of CHAR columns without blanks at
 * its end, the rest as written.
 */
export type Kind =
  | 'integer'
  | 'decimal'
  | 'double'
  | 'real'
  | 'text'
  | 'padded'
  | 'boolean'
  | 'date'
  | 'time'
  | 'instant';

/** A value of a row or of a property of its JSON. */
export type Cell = string | number | boolean | null;

export type Entity = Readonly<Record<string, unknown>>;

export interface Property {
  readonly column: string;
  readonly path: readonly string[];
  readonly kind: 'decimal' | 'text' | 'boolean';
}

export interface Relation {
  readonly target: string;
  readonly many: boolean;
  readonly follow: (row: Entity) => readonly Entity[];
}

export interface EntityClass {
  readonly rows: readonly Entity[];
  readonly attributes: ReadonlyMap<string, { readonly column: string; readonly kind: Kind }>;
  /** By dotted path. */
  readonly properties: ReadonlyMap<string, Property>;
  readonly relations: ReadonlyMap<string, Relation>;
}

interface Description {
  readonly table: TableName;
  readonly attributes: Readonly<Record<string, readonly [column: string, kind: Kind]>>;
  readonly properties?: Readonly<Record<string, readonly [column: string, kind: Property['kind']]>>;
  readonly relations: Readonly<Record<string, Relation>>;
}

/** Columns of numbers in which each fourth row holds what is none, which clients see as null. */
const notNumbers: Readonly<Partial<Record<TableName, readonly (readonly [string, string])[]>>> = {
  'SALES.CMP_MST': [
    ['LAT_DEG', '-Infinity'],
    ['LON_DEG', 'NaN'],
    ['CRED_LIM', 'NaN'],
  ],
  'SALES.PRD_MST': [['WGT_KG', 'Infinity']],
  'SALES.ORD_HDR': [['TOT_AMT', 'NaN']],
};

const keys: Readonly<Partial<Record<TableName, string>>> = {
  'SALES.CMP_MST': 'CMP_ID',
  'SALES.PRD_MST': 'PRD_ID',
  'SALES.ORD_HDR': 'ORD_NO',
};

/** Puts into the sample on PostgreSQL what the oracle's rows have besides: numbers that are none. */
export const puttingNotNumbers: readonly string[] = Object.entries(notNumbers).map(
  ([table, columns]) => {
    const set = columns.map(([column, value]) => `"${column}" = '${value}'`).join(', ');
    const [schema, name] = table.split('.');
    return `UPDATE "${schema ?? ''}"."${name ?? ''}" SET ${set} WHERE "${keys[table as TableName] ?? ''}" % 4 = 1`;
  },
);

const tables = new Map<TableName, readonly Entity[]>();

/** The rows of a table as clients see them. */
function rowsOf(table: TableName): readonly Entity[] {
  const known = tables.get(table);
  if (known !== undefined) return known;
  const nulls = Object.fromEntries((notNumbers[table] ?? []).map(([column]) => [column, null]));
  const rows = (legacy[table] as readonly Entity[]).map((row) =>
    Number(row[keys[table] ?? '']) % 4 === 1 ? { ...row, ...nulls } : row,
  );
  tables.set(table, rows);
  return rows;
}

function rowsBy(table: TableName, column: string): ReadonlyMap<unknown, readonly Entity[]> {
  const found = new Map<unknown, Entity[]>();
  for (const row of rowsOf(table)) {
    const value = row[column] ?? null;
    if (value === null) continue;
    const rows = found.get(value);
    if (rows === undefined) found.set(value, [row]);
    else rows.push(row);
  }
  return found;
}

function relation(
  many: boolean,
  target: string,
  table: TableName,
  from: string,
  to: string,
): Relation {
  const byValue = rowsBy(table, to);
  return { target, many, follow: (row) => byValue.get(row[from]) ?? [] };
}

/** `from` of this row equals `to` of one other: none where it is null or points nowhere. */
const one = (target: string, table: TableName, from: string, to: string): Relation =>
  relation(false, target, table, from, to);

const many = (target: string, table: TableName, from: string, to: string): Relation =>
  relation(true, target, table, from, to);

/** Over a link table; a row that two links lead to counts as one, which no "at least one" can tell. */
function through(first: Relation, second: Relation): Relation {
  return {
    target: second.target,
    many: true,
    follow: (row) => first.follow(row).flatMap((link) => second.follow(link)),
  };
}

const assignmentsOf = (from: string, to: string): Relation =>
  many('Assignment', 'HR.EMP_PRJ', from, to);
const employeeAt = (from: string): Relation => one('Employee', 'HR.TBL_EMP', from, 'EMP_NO');
const companyAt = (from: string): Relation => one('Company', 'SALES.CMP_MST', from, 'CMP_ID');
const projectAt = (from: string): Relation => one('Project', 'HR.PRJ_HDR', from, 'PRJ_ID');
const orderAt = (from: string): Relation => one('Order', 'SALES.ORD_HDR', from, 'ORD_NO');
const productAt = (from: string): Relation => one('Product', 'SALES.PRD_MST', from, 'PRD_ID');
const linesOf = (column: string): Relation =>
  many('OrderLine', 'SALES.Order Details', column, column);

const descriptions: Readonly<Record<string, Description>> = {
  Employee: {
    table: 'HR.TBL_EMP',
    attributes: {
      ID: ['EMP_NO', 'integer'],
      firstName: ['FIRST_NM', 'padded'],
      lastName: ['LAST_NM', 'text'],
      fullName: ['FULL_NM', 'text'],
      email: ['EMAIL', 'text'],
      phone: ['PHONE_NO', 'text'],
      birthDate: ['BIRTH_DT', 'date'],
      hireDate: ['HIRE_DT', 'date'],
      shiftStart: ['SHIFT_TM', 'time'],
      badgeNo: ['BADGE_NO', 'integer'],
      grade: ['GRADE_CD', 'integer'],
      active: ['ACTIVE_FL', 'boolean'],
      note: ['NOTE_TX', 'text'],
    },
    properties: {
      'extra.level': ['EXTRA_JSON', 'decimal'],
      'extra.remote': ['EXTRA_JSON', 'boolean'],
      'extra.nick': ['EXTRA_JSON', 'text'],
      'extra.address.city': ['EXTRA_JSON', 'text'],
      'extra.address.zip': ['EXTRA_JSON', 'text'],
      'extra.address.geo.lat': ['EXTRA_JSON', 'decimal'],
      'extra.no.such.thing': ['EXTRA_JSON', 'text'],
    },
    relations: {
      employer: companyAt('COMP_ID'),
      department: one('Department', 'HR.TBL_DEPT', 'DEPT_CD', 'DEPT_CD'),
      manager: employeeAt('MGR_NO'),
      directReports: many('Employee', 'HR.TBL_EMP', 'EMP_NO', 'MGR_NO'),
      assignments: assignmentsOf('EMP_NO', 'EMP_NO'),
      projects: through(assignmentsOf('EMP_NO', 'EMP_NO'), projectAt('PRJ_ID')),
      ledProjects: many('Project', 'HR.PRJ_HDR', 'EMP_NO', 'LEAD_NO'),
      soldOrders: many('Order', 'SALES.ORD_HDR', 'EMP_NO', 'REP_NO'),
    },
  },
  Company: {
    table: 'SALES.CMP_MST',
    attributes: {
      ID: ['CMP_ID', 'integer'],
      name: ['CMP_NM', 'text'],
      city: ['CITY_NM', 'text'],
      street: ['STREET_TX', 'text'],
      registrationNo: ['REG_NO', 'integer'],
      creditLimit: ['CRED_LIM', 'decimal'],
      founded: ['FOUND_DT', 'date'],
      isCustomer: ['IS_CUST', 'boolean'],
      latitude: ['LAT_DEG', 'double'],
      longitude: ['LON_DEG', 'double'],
      website: ['WEB_URL', 'text'],
    },
    properties: {
      'details.segment': ['ATTR_JSON', 'text'],
      'details.rating': ['ATTR_JSON', 'decimal'],
      'details.contact.name': ['ATTR_JSON', 'text'],
      'details.contact.phone': ['ATTR_JSON', 'text'],
      'details.vatExempt': ['ATTR_JSON', 'boolean'],
    },
    relations: {
      country: one('Country', 'SALES.CTRY_REF', 'CTRY_CD', 'CTRY_CD'),
      employees: many('Employee', 'HR.TBL_EMP', 'CMP_ID', 'COMP_ID'),
      projects: many('Project', 'HR.PRJ_HDR', 'CMP_ID', 'CUST_ID'),
      billedOrders: many('Order', 'SALES.ORD_HDR', 'CMP_ID', 'BILL_TO'),
      shippedOrders: many('Order', 'SALES.ORD_HDR', 'CMP_ID', 'SHIP_TO'),
    },
  },
  Order: {
    table: 'SALES.ORD_HDR',
    attributes: {
      ID: ['ORD_NO', 'integer'],
      date: ['ORD_DT', 'date'],
      placedAt: ['ORD_TS', 'instant'],
      requiredDate: ['REQ_DT', 'date'],
      status: ['STAT_CD', 'padded'],
      currency: ['CURR_CD', 'padded'],
      total: ['TOT_AMT', 'decimal'],
      paid: ['PAID_FL', 'boolean'],
      note: ['NOTE_TX', 'text'],
    },
    relations: {
      billTo: companyAt('BILL_TO'),
      shipTo: companyAt('SHIP_TO'),
      salesRep: employeeAt('REP_NO'),
      lines: linesOf('ORD_NO'),
      products: through(linesOf('ORD_NO'), productAt('PRD_ID')),
    },
  },
  Product: {
    table: 'SALES.PRD_MST',
    attributes: {
      ID: ['PRD_ID', 'integer'],
      sku: ['SKU_CD', 'text'],
      name: ['PRD_NM', 'text'],
      listPrice: ['LIST_PRC', 'decimal'],
      weight: ['WGT_KG', 'real'],
      stock: ['STOCK_QTY', 'integer'],
      minimumStock: ['MIN_QTY', 'integer'],
      rating: ['RATING_NO', 'integer'],
      barcode: ['BAR_NO', 'integer'],
      discontinued: ['DISC_FL', 'boolean'],
    },
    properties: {
      'spec.volt': ['SPEC_JSON', 'decimal'],
      'spec.battery.type': ['SPEC_JSON', 'text'],
      'spec.size.h': ['SPEC_JSON', 'decimal'],
      'spec.fragile': ['SPEC_JSON', 'boolean'],
      'spec.origin': ['SPEC_JSON', 'text'],
      'spec.note': ['SPEC_JSON', 'text'],
    },
    relations: {
      category: one('Category', 'SALES.CAT_REF', 'CAT_CD', 'CAT_CD'),
      orderLines: linesOf('PRD_ID'),
      orders: through(linesOf('PRD_ID'), orderAt('ORD_NO')),
    },
  },
  Department: {
    table: 'HR.TBL_DEPT',
    attributes: {
      code: ['DEPT_CD', 'padded'],
      name: ['DEPT_NM', 'text'],
      costCenter: ['COST_CTR', 'integer'],
      budget: ['BUDGET_AMT', 'decimal'],
    },
    relations: {
      parent: one('Department', 'HR.TBL_DEPT', 'PARENT_CD', 'DEPT_CD'),
      subDepartments: many('Department', 'HR.TBL_DEPT', 'DEPT_CD', 'PARENT_CD'),
      head: employeeAt('HEAD_NO'),
      employees: many('Employee', 'HR.TBL_EMP', 'DEPT_CD', 'DEPT_CD'),
    },
  },
  Country: {
    table: 'SALES.CTRY_REF',
    attributes: {
      code: ['CTRY_CD', 'padded'],
      name: ['CTRY_NM', 'text'],
      isoNumber: ['ISO_NUM', 'integer'],
      inEU: ['EU_FL', 'boolean'],
      population: ['POP_CNT', 'integer'],
    },
    relations: { companies: many('Company', 'SALES.CMP_MST', 'CTRY_CD', 'CTRY_CD') },
  },
  Category: {
    table: 'SALES.CAT_REF',
    attributes: {
      code: ['CAT_CD', 'text'],
      position: ['SORT_NO', 'integer'],
      description: ['DESC_TX', 'text'],
    },
    relations: { products: many('Product', 'SALES.PRD_MST', 'CAT_CD', 'CAT_CD') },
  },
  Project: {
    table: 'HR.PRJ_HDR',
    attributes: {
      ID: ['PRJ_ID', 'integer'],
      code: ['PRJ_CD', 'text'],
      name: ['PRJ_NM', 'text'],
      startDate: ['START_DT', 'date'],
      endDate: ['END_DT', 'date'],
      budget: ['BUDGET_AMT', 'decimal'],
      status: ['STAT_CD', 'integer'],
      progress: ['DONE_PCT', 'real'],
    },
    properties: {
      'tags.priority': ['TAGS_JSON', 'decimal'],
      'tags.risk.level': ['TAGS_JSON', 'text'],
      'tags.risk.score': ['TAGS_JSON', 'decimal'],
      'tags.public': ['TAGS_JSON', 'boolean'],
    },
    relations: {
      customer: companyAt('CUST_ID'),
      lead: employeeAt('LEAD_NO'),
      assignments: assignmentsOf('PRJ_ID', 'PRJ_ID'),
      staff: through(assignmentsOf('PRJ_ID', 'PRJ_ID'), employeeAt('EMP_NO')),
    },
  },
  Assignment: {
    table: 'HR.EMP_PRJ',
    attributes: {
      role: ['ROLE_NM', 'text'],
      allocation: ['ALLOC_PCT', 'decimal'],
      fromDate: ['FROM_DT', 'date'],
      toDate: ['TO_DT', 'date'],
      billable: ['BILL_FL', 'boolean'],
    },
    relations: { employee: employeeAt('EMP_NO'), project: projectAt('PRJ_ID') },
  },
  OrderLine: {
    table: 'SALES.Order Details',
    attributes: {
      line: ['LINE_NO', 'integer'],
      quantity: ['QTY', 'integer'],
      unitPrice: ['UNIT_PRC', 'decimal'],
      discount: ['DISC]PCT', 'decimal'],
      amount: ['LINE_AMT', 'decimal'],
      shippedDate: ['SHIP_DT', 'date'],
      remark: ['REMARK_TX', 'text'],
    },
    relations: { order: orderAt('ORD_NO'), product: productAt('PRD_ID') },
  },
};

function entityClass(description: Description): EntityClass {
  const { table, attributes, properties = {}, relations } = description;
  return {
    rows: rowsOf(table),
    attributes: new Map(
      Object.entries(attributes).map(([name, [column, kind]]) => [name, { column, kind }]),
    ),
    properties: new Map(
      Object.entries(properties).map(([name, [column, kind]]) => [
        name,
        { column, kind, path: name.split('.').slice(1) },
      ]),
    ),
    relations: new Map(Object.entries(relations)),
  };
}

export const entityClasses: ReadonlyMap<string, EntityClass> = new Map(
  Object.entries(descriptions).map(([name, description]) => [name, entityClass(description)]),
);

export function entityClassOf(name: string): EntityClass {
  const found = entityClasses.get(name);
  if (found === undefined) throw new Error(`The oracle knows no ${name}.`);
  return found;
}

const parsed = new Map<string, unknown>();

/** The value at a path inside a JSON text; null where there is none. */
export function propertyOf(row: Entity, { column, path }: Property): Cell {
  const text = row[column];
  if (typeof text !== 'string') return null;
  if (!parsed.has(text)) parsed.set(text, JSON.parse(text));
  let value = parsed.get(text);
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return null;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : null;
}
