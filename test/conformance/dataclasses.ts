/**
 * The sample's dataclasses as a client's handbook would list them: which column stands behind which attribute, and
 * which columns tie one table to another. Written by hand, so that a mistake in the gateway's model shows.
 */
import type { TableName } from '../fixtures/legacy/data.ts';

export type RelationFacts =
  /** Columns of this table, and those of the target that they equal. */
  | { readonly one: string; readonly on: Readonly<Record<string, string>> }
  /** The relation to one whose inverse this is: `Employee.employer`. */
  | { readonly many: string }
  | { readonly through: readonly [string, string] };

export interface DataclassFacts {
  readonly table: TableName;
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

/**
 * Relations by name: `employer Company COMP_ID CMP_ID` to one, whose column equals that of the target, `reports Employee.manager` its way back,
 * `projects over assignments project`.
 */
function relations(text: string): Readonly<Record<string, RelationFacts>> {
  return Object.fromEntries(
    text.split(',').map((relation): [string, RelationFacts] => {
      const [name = '', target = '', one = '', other = ''] = relation.trim().split(' ');
      if (target === 'over') return [name, { through: [one, other] }];
      return [name, one === '' ? { many: target } : { one: target, on: { [one]: other } }];
    }),
  );
}

const kept = { counted: true, dated: true } as const;
const bare = { counted: false, dated: false } as const;

export const dataclasses = {
  Assignment: {
    table: 'HR.EMP_PRJ',
    key: ['employeeID', 'projectID'],
    ...bare,
    attributes: columns(`
      employeeID EMP_NO, projectID PRJ_ID, role ROLE_NM, allocation ALLOC_PCT, fromDate FROM_DT, toDate TO_DT,
      billable BILL_FL`),
    relations: relations(`employee Employee EMP_NO EMP_NO, project Project PRJ_ID PRJ_ID`),
  },
  Category: {
    table: 'SALES.CAT_REF',
    key: ['code'],
    ...kept,
    attributes: columns(`code CAT_CD, position SORT_NO, description DESC_TX`),
    relations: relations(`products Product.category`),
  },
  CompanyTurnover: {
    table: 'SALES.V_CMP_TURN',
    key: ['companyID'],
    ...bare,
    attributes: columns(`
      companyID CMP_ID, companyName CMP_NM, orderCount ORD_CNT, amount TURN_AMT, lastOrder LAST_DT`),
    relations: relations(`company Company CMP_ID CMP_ID`),
  },
  Company: {
    table: 'SALES.CMP_MST',
    key: ['ID'],
    ...kept,
    attributes: columns(`
      ID CMP_ID, name CMP_NM, city CITY_NM, street STREET_TX, registrationNo REG_NO, creditLimit CRED_LIM,
      founded FOUND_DT, isCustomer IS_CUST, latitude LAT_DEG, longitude LON_DEG, website WEB_URL,
      logo LOGO_IMG, details ATTR_JSON`),
    relations: relations(`
      country Country CTRY_CD CTRY_CD, employees Employee.employer, projects Project.customer,
      billedOrders Order.billTo, shippedOrders Order.shipTo, documents Document.owner`),
  },
  Country: {
    table: 'SALES.CTRY_REF',
    key: ['code'],
    ...kept,
    attributes: columns(`
      code CTRY_CD, name CTRY_NM, isoNumber ISO_NUM, inEU EU_FL, population POP_CNT, currency CURR_CD`),
    relations: relations(`companies Company.country, holidays Holiday.country`),
  },
  Department: {
    table: 'HR.TBL_DEPT',
    key: ['code'],
    ...kept,
    attributes: columns(`code DEPT_CD, name DEPT_NM, costCenter COST_CTR, budget BUDGET_AMT`),
    relations: relations(`
      parent Department PARENT_CD DEPT_CD, subDepartments Department.parent, head Employee HEAD_NO EMP_NO,
      employees Employee.department`),
  },
  DirectoryEntry: {
    table: 'HR.V_EMP_DIR',
    key: ['ID'],
    ...bare,
    attributes: columns(`
      ID EMP_NO, fullName FULL_NM, email EMAIL, phone PHONE_NO, department DEPT_NM, company CMP_NM,
      city CITY_NM`),
    relations: relations(`employee Employee EMP_NO EMP_NO`),
  },
  Document: {
    table: 'SALES.DOC_STORE',
    key: ['ID'],
    ...kept,
    attributes: columns(`
      ID DOC_ID, title TITLE_TX, mimeType MIME_TP, content DOC_BLOB, hash HASH_NO, createdAt CREA_TS`),
    relations: relations(`owner Company OWNER_ID CMP_ID, order Order ORD_NO ORD_NO`),
  },
  Employee: {
    table: 'HR.TBL_EMP',
    key: ['ID'],
    ...kept,
    attributes: columns(`
      ID EMP_NO, firstName FIRST_NM, lastName LAST_NM, fullName FULL_NM, email EMAIL, phone PHONE_NO,
      birthDate BIRTH_DT, hireDate HIRE_DT, shiftStart SHIFT_TM, badgeNo BADGE_NO, grade GRADE_CD,
      active ACTIVE_FL, photo PHOTO_IMG, extra EXTRA_JSON, note NOTE_TX`),
    relations: relations(`
      employer Company COMP_ID CMP_ID, department Department DEPT_CD DEPT_CD, manager Employee MGR_NO EMP_NO,
      directReports Employee.manager, assignments Assignment.employee, projects over assignments project,
      ledProjects Project.lead, accounts User.employee, soldOrders Order.salesRep`),
  },
  ExchangeRate: {
    table: 'SALES.EXC_RATE',
    key: ['currency', 'date'],
    ...bare,
    attributes: columns(`currency CURR_CD, date RATE_DT, rate RATE_VAL, spread SPREAD_VAL`),
    relations: {},
  },
  Holiday: {
    table: 'HR.CAL_HOL',
    key: ['date'],
    ...bare,
    attributes: columns(`date HOL_DT, name HOL_NM, halfDay HALF_FL, closingTime CLOSE_TM`),
    relations: relations(`country Country CTRY_CD CTRY_CD`),
  },
  LogEntry: {
    table: 'HR.EVT_LOG',
    key: [],
    ...bare,
    attributes: columns(`time EVT_DT, severity SEV_CD, source SRC_NM, message MSG_TX`),
    relations: relations(`employee Employee EMP_NO EMP_NO`),
  },
  OrderLine: {
    table: 'SALES.Order Details',
    key: ['orderNo', 'line'],
    ...kept,
    attributes: columns(`
      orderNo ORD_NO, line LINE_NO, quantity QTY, unitPrice UNIT_PRC, discount DISC]PCT, amount LINE_AMT,
      shippedDate SHIP_DT, remark REMARK_TX`),
    relations: relations(`order Order ORD_NO ORD_NO, product Product PRD_ID PRD_ID`),
  },
  Order: {
    table: 'SALES.ORD_HDR',
    key: ['ID'],
    ...kept,
    attributes: columns(`
      ID ORD_NO, date ORD_DT, placedAt ORD_TS, requiredDate REQ_DT, status STAT_CD, currency CURR_CD,
      total TOT_AMT, paid PAID_FL, note NOTE_TX`),
    relations: relations(`
      billTo Company BILL_TO CMP_ID, shipTo Company SHIP_TO CMP_ID, salesRep Employee REP_NO EMP_NO,
      lines OrderLine.order, products over lines product, documents Document.order`),
  },
  Product: {
    table: 'SALES.PRD_MST',
    key: ['ID'],
    counted: false,
    dated: true,
    attributes: columns(`
      ID PRD_ID, sku SKU_CD, name PRD_NM, listPrice LIST_PRC, weight WGT_KG, stock STOCK_QTY,
      minimumStock MIN_QTY, rating RATING_NO, barcode BAR_NO, discontinued DISC_FL, spec SPEC_JSON`),
    relations: relations(`
      category Category CAT_CD CAT_CD, orderLines OrderLine.product, orders over orderLines order`),
  },
  Project: {
    table: 'HR.PRJ_HDR',
    key: ['ID'],
    ...kept,
    attributes: columns(`
      ID PRJ_ID, code PRJ_CD, name PRJ_NM, startDate START_DT, endDate END_DT, budget BUDGET_AMT,
      status STAT_CD, progress DONE_PCT, tags TAGS_JSON`),
    relations: relations(`
      customer Company CUST_ID CMP_ID, lead Employee LEAD_NO EMP_NO, assignments Assignment.project,
      staff over assignments employee`),
  },
  User: {
    table: 'HR.USER',
    key: ['ID'],
    ...kept,
    attributes: columns(`
      ID USER_ID, login LOGIN_NM, sortOrder ORDER, group GROUP, lastLogin LAST_LOGIN_TS, preferences PREF_JSON`),
    relations: relations(`employee Employee EMP_NO EMP_NO`),
  },
} as const satisfies Record<string, DataclassFacts>;

export type DataclassName = keyof typeof dataclasses;

export function facts(dataclass: string): DataclassFacts {
  const found = (dataclasses as Readonly<Record<string, DataclassFacts>>)[dataclass];
  if (found === undefined) throw new Error(`the sample has no dataclass ${dataclass}`);
  return found;
}
