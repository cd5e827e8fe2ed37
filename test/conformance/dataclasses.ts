/**
 * The sample's dataclasses as a client's handbook would list them: which column stands behind which attribute, and
 * which columns tie one table to another. Written by hand, so that a mistake in the gateway's model shows.
 */
import type { TableName } from '../fixtures/legacy/data.ts';

export type RelationFacts =
  /** Columns of this table, and those of the target that they equal. */
  | { readonly one: string; readonly on: Readonly<Record<string, string>>; readonly back?: string }
  /** The relation to one whose inverse this is: `Employee.employer`. */
  | { readonly many: string }
  | { readonly through: readonly [string, string] };

export interface DataclassFacts {
  readonly table: TableName;
  readonly collection: string;
  /** Attributes in key order. */
  readonly key: readonly string[];
  /** Whether REC_VER counts the changes; where it does not, the stamp is the engine's affair. */
  readonly counted: boolean;
  readonly dated: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  readonly relations: Readonly<Record<string, RelationFacts>>;
}

/** Columns by the attributes that they stand behind: `name CMP_NM, city CITY_NM`. */
function columns(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const [attribute = '', column = ''] = pair.trim().split(' ');
      return [attribute, column];
    }),
  );
}

const kept = { counted: true, dated: true } as const;
const bare = { counted: false, dated: false } as const;

export const dataclasses = {
  Assignment: {
    table: 'HR.EMP_PRJ',
    collection: 'AssignmentSelection',
    key: ['employeeID', 'projectID'],
    ...bare,
    attributes: columns(`
      employeeID EMP_NO, projectID PRJ_ID, role ROLE_NM, allocation ALLOC_PCT, fromDate FROM_DT, toDate TO_DT,
      billable BILL_FL`),
    relations: {
      employee: { one: 'Employee', on: { EMP_NO: 'EMP_NO' }, back: 'assignments' },
      project: { one: 'Project', on: { PRJ_ID: 'PRJ_ID' }, back: 'assignments' },
    },
  },
  Category: {
    table: 'SALES.CAT_REF',
    collection: 'Categories',
    key: ['code'],
    ...kept,
    attributes: columns(`code CAT_CD, position SORT_NO, description DESC_TX`),
    relations: { products: { many: 'Product.category' } },
  },
  CompanyTurnover: {
    table: 'SALES.V_CMP_TURN',
    collection: 'CompanyTurnoverSelection',
    key: ['companyID'],
    ...bare,
    attributes: columns(`
      companyID CMP_ID, companyName CMP_NM, orderCount ORD_CNT, amount TURN_AMT, lastOrder LAST_DT`),
    relations: { company: { one: 'Company', on: { CMP_ID: 'CMP_ID' } } },
  },
  Company: {
    table: 'SALES.CMP_MST',
    collection: 'CompanySelection',
    key: ['ID'],
    ...kept,
    attributes: columns(`
      ID CMP_ID, name CMP_NM, city CITY_NM, street STREET_TX, registrationNo REG_NO, creditLimit CRED_LIM,
      founded FOUND_DT, isCustomer IS_CUST, latitude LAT_DEG, longitude LON_DEG, website WEB_URL,
      logo LOGO_IMG, details ATTR_JSON`),
    relations: {
      country: { one: 'Country', on: { CTRY_CD: 'CTRY_CD' }, back: 'companies' },
      employees: { many: 'Employee.employer' },
      projects: { many: 'Project.customer' },
      billedOrders: { many: 'Order.billTo' },
      shippedOrders: { many: 'Order.shipTo' },
      documents: { many: 'Document.owner' },
    },
  },
  Country: {
    table: 'SALES.CTRY_REF',
    collection: 'CountrySelection',
    key: ['code'],
    ...kept,
    attributes: columns(`
      code CTRY_CD, name CTRY_NM, isoNumber ISO_NUM, inEU EU_FL, population POP_CNT, currency CURR_CD`),
    relations: { companies: { many: 'Company.country' }, holidays: { many: 'Holiday.country' } },
  },
  Department: {
    table: 'HR.TBL_DEPT',
    collection: 'DepartmentSelection',
    key: ['code'],
    ...kept,
    attributes: columns(`code DEPT_CD, name DEPT_NM, costCenter COST_CTR, budget BUDGET_AMT`),
    relations: {
      parent: { one: 'Department', on: { PARENT_CD: 'DEPT_CD' }, back: 'subDepartments' },
      subDepartments: { many: 'Department.parent' },
      head: { one: 'Employee', on: { HEAD_NO: 'EMP_NO' } },
      employees: { many: 'Employee.department' },
    },
  },
  DirectoryEntry: {
    table: 'HR.V_EMP_DIR',
    collection: 'DirectoryEntrySelection',
    key: ['ID'],
    ...bare,
    attributes: columns(`
      ID EMP_NO, fullName FULL_NM, email EMAIL, phone PHONE_NO, department DEPT_NM, company CMP_NM,
      city CITY_NM`),
    relations: { employee: { one: 'Employee', on: { EMP_NO: 'EMP_NO' } } },
  },
  Document: {
    table: 'SALES.DOC_STORE',
    collection: 'DocumentSelection',
    key: ['ID'],
    ...kept,
    attributes: columns(`
      ID DOC_ID, title TITLE_TX, mimeType MIME_TP, content DOC_BLOB, hash HASH_NO, createdAt CREA_TS`),
    relations: {
      owner: { one: 'Company', on: { OWNER_ID: 'CMP_ID' }, back: 'documents' },
      order: { one: 'Order', on: { ORD_NO: 'ORD_NO' }, back: 'documents' },
    },
  },
  Employee: {
    table: 'HR.TBL_EMP',
    collection: 'EmployeeSelection',
    key: ['ID'],
    ...kept,
    attributes: columns(`
      ID EMP_NO, firstName FIRST_NM, lastName LAST_NM, fullName FULL_NM, email EMAIL, phone PHONE_NO,
      birthDate BIRTH_DT, hireDate HIRE_DT, shiftStart SHIFT_TM, badgeNo BADGE_NO, grade GRADE_CD,
      active ACTIVE_FL, photo PHOTO_IMG, extra EXTRA_JSON, note NOTE_TX`),
    relations: {
      employer: { one: 'Company', on: { COMP_ID: 'CMP_ID' }, back: 'employees' },
      department: { one: 'Department', on: { DEPT_CD: 'DEPT_CD' }, back: 'employees' },
      manager: { one: 'Employee', on: { MGR_NO: 'EMP_NO' }, back: 'directReports' },
      directReports: { many: 'Employee.manager' },
      assignments: { many: 'Assignment.employee' },
      projects: { through: ['assignments', 'project'] },
      ledProjects: { many: 'Project.lead' },
      accounts: { many: 'User.employee' },
      soldOrders: { many: 'Order.salesRep' },
    },
  },
  ExchangeRate: {
    table: 'SALES.EXC_RATE',
    collection: 'ExchangeRateSelection',
    key: ['currency', 'date'],
    ...bare,
    attributes: columns(`currency CURR_CD, date RATE_DT, rate RATE_VAL, spread SPREAD_VAL`),
    relations: {},
  },
  Holiday: {
    table: 'HR.CAL_HOL',
    collection: 'HolidaySelection',
    key: ['date'],
    ...bare,
    attributes: columns(`date HOL_DT, name HOL_NM, halfDay HALF_FL, closingTime CLOSE_TM`),
    relations: { country: { one: 'Country', on: { CTRY_CD: 'CTRY_CD' }, back: 'holidays' } },
  },
  LogEntry: {
    table: 'HR.EVT_LOG',
    collection: 'LogEntrySelection',
    key: [],
    ...bare,
    attributes: columns(`time EVT_DT, severity SEV_CD, source SRC_NM, message MSG_TX`),
    relations: { employee: { one: 'Employee', on: { EMP_NO: 'EMP_NO' } } },
  },
  OrderLine: {
    table: 'SALES.Order Details',
    collection: 'OrderLineSelection',
    key: ['orderNo', 'line'],
    ...kept,
    attributes: columns(`
      orderNo ORD_NO, line LINE_NO, quantity QTY, unitPrice UNIT_PRC, discount DISC]PCT, amount LINE_AMT,
      shippedDate SHIP_DT, remark REMARK_TX`),
    relations: {
      order: { one: 'Order', on: { ORD_NO: 'ORD_NO' }, back: 'lines' },
      product: { one: 'Product', on: { PRD_ID: 'PRD_ID' }, back: 'orderLines' },
    },
  },
  Order: {
    table: 'SALES.ORD_HDR',
    collection: 'OrderSelection',
    key: ['ID'],
    ...kept,
    attributes: columns(`
      ID ORD_NO, date ORD_DT, placedAt ORD_TS, requiredDate REQ_DT, status STAT_CD, currency CURR_CD,
      total TOT_AMT, paid PAID_FL, note NOTE_TX`),
    relations: {
      billTo: { one: 'Company', on: { BILL_TO: 'CMP_ID' }, back: 'billedOrders' },
      shipTo: { one: 'Company', on: { SHIP_TO: 'CMP_ID' }, back: 'shippedOrders' },
      salesRep: { one: 'Employee', on: { REP_NO: 'EMP_NO' }, back: 'soldOrders' },
      lines: { many: 'OrderLine.order' },
      products: { through: ['lines', 'product'] },
      documents: { many: 'Document.order' },
    },
  },
  Product: {
    table: 'SALES.PRD_MST',
    collection: 'ProductSelection',
    key: ['ID'],
    counted: false,
    dated: true,
    attributes: columns(`
      ID PRD_ID, sku SKU_CD, name PRD_NM, listPrice LIST_PRC, weight WGT_KG, stock STOCK_QTY,
      minimumStock MIN_QTY, rating RATING_NO, barcode BAR_NO, discontinued DISC_FL, spec SPEC_JSON`),
    relations: {
      category: { one: 'Category', on: { CAT_CD: 'CAT_CD' }, back: 'products' },
      orderLines: { many: 'OrderLine.product' },
      orders: { through: ['orderLines', 'order'] },
    },
  },
  Project: {
    table: 'HR.PRJ_HDR',
    collection: 'ProjectSelection',
    key: ['ID'],
    ...kept,
    attributes: columns(`
      ID PRJ_ID, code PRJ_CD, name PRJ_NM, startDate START_DT, endDate END_DT, budget BUDGET_AMT,
      status STAT_CD, progress DONE_PCT, tags TAGS_JSON`),
    relations: {
      customer: { one: 'Company', on: { CUST_ID: 'CMP_ID' }, back: 'projects' },
      lead: { one: 'Employee', on: { LEAD_NO: 'EMP_NO' }, back: 'ledProjects' },
      assignments: { many: 'Assignment.project' },
      staff: { through: ['assignments', 'employee'] },
    },
  },
  User: {
    table: 'HR.USER',
    collection: 'UserSelection',
    key: ['ID'],
    ...kept,
    attributes: columns(`
      ID USER_ID, login LOGIN_NM, sortOrder ORDER, group GROUP, lastLogin LAST_LOGIN_TS, preferences PREF_JSON`),
    relations: { employee: { one: 'Employee', on: { EMP_NO: 'EMP_NO' }, back: 'accounts' } },
  },
} as const satisfies Record<string, DataclassFacts>;

export type DataclassName = keyof typeof dataclasses;

export function facts(dataclass: string): DataclassFacts {
  const found = (dataclasses as Readonly<Record<string, DataclassFacts>>)[dataclass];
  if (found === undefined) throw new Error(`the sample has no dataclass ${dataclass}`);
  return found;
}
