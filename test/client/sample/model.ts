/* eslint-disable */
// Written by "entitygate types" for Legacy ERP, as users with tester see it. Changes are lost when it is written again.

import type {
  ContentInput,
  Decimal,
  DeferredBlob,
  DeferredEntities,
  DeferredEntity,
  DeferredImage,
  EntitiesOf,
  Instant,
  JsonValue,
  Keyed,
  LocalDate,
  ModelDescription,
  Stamped,
  TimeOfDay,
  Timed,
  ToManyInput,
  ToOneInput,
  Uuid,
  WithRequired,
} from './client.js';

export interface Assignment extends Keyed, Stamped {
  employeeID: number;
  projectID: number;
  /** At most 40 characters. */
  role: string;
  allocation: number;
  fromDate: LocalDate;
  toDate: LocalDate | null;
  billable: boolean;
  employee: DeferredEntity;
  project: DeferredEntity;
}

export interface AssignmentInput {
  employeeID?: number;
  projectID?: number;
  /** At most 40 characters. */
  role?: string;
  allocation?: number | Decimal;
  fromDate?: LocalDate;
  toDate?: LocalDate | null;
  billable?: boolean;
  employee?: ToOneInput<number, EmployeeInsert>;
  project?: ToOneInput<number, ProjectInsert>;
}

/** A new entity. `Given` are the members that the entity which holds it gives it. */
export type AssignmentInsert<Given extends keyof AssignmentInput = never> = WithRequired<
  AssignmentInput,
  Exclude<'role' | 'fromDate', Given>
>;

export type AssignmentUpdate = Omit<AssignmentInput, 'employeeID' | 'projectID'> & Keyed & Stamped;

export interface AssignmentTypes {
  name: 'Assignment';
  entity: Assignment;
  key: { readonly employeeID: number; readonly projectID: number };
  insert: AssignmentInsert;
  update: AssignmentUpdate;
  relations: {
    employee: EmployeeTypes;
    project: ProjectTypes;
  };
  kinds: {
    employeeID: 'number';
    projectID: 'number';
    allocation: 'number';
    fromDate: 'date';
    toDate: 'date';
  };
  functions: {};
}

export interface Category extends Keyed, Stamped, Timed {
  /** At most 60 characters. */
  code: string;
  position: number;
  /** At most 200 characters. */
  description: string | null;
  products: DeferredEntities;
}

export interface CategoryInput {
  /** At most 60 characters. */
  code?: string;
  position?: number;
  /** At most 200 characters. */
  description?: string | null;
  products?: ToManyInput<ProductInsert<'category'>, ProductUpdate>;
}

/** A new entity. `Given` are the members that the entity which holds it gives it. */
export type CategoryInsert<Given extends keyof CategoryInput = never> = WithRequired<
  CategoryInput,
  Exclude<'code' | 'position', Given>
>;

export type CategoryUpdate = Omit<CategoryInput, 'code'> & Keyed & Stamped;

export interface CategoryTypes {
  name: 'Category';
  entity: Category;
  key: string;
  insert: CategoryInsert;
  update: CategoryUpdate;
  relations: {
    products: ProductTypes;
  };
  kinds: {
    position: 'number';
  };
  functions: {};
}

/** A customer, supplier or employer. */
export interface Company extends Keyed, Stamped, Timed {
  ID: number;
  /** At most 80 characters. */
  name: string;
  /** At most 60 characters. */
  city: string | null;
  /** At most 120 characters. */
  street: string | null;
  registrationNo: bigint;
  /** How much the company may owe. */
  creditLimit: Decimal | null;
  founded: LocalDate | null;
  isCustomer: boolean;
  latitude: number | null;
  longitude: number | null;
  /** At most 200 characters. */
  website: string | null;
  logo: DeferredImage | null;
  details: JsonValue | null;
  country: DeferredEntity;
  employees: DeferredEntities;
  projects: DeferredEntities;
  /** Orders that the company pays for. */
  billedOrders: DeferredEntities;
  shippedOrders: DeferredEntities;
  documents: DeferredEntities;
}

export interface CompanyInput {
  /** At most 80 characters. */
  name?: string;
  /** At most 60 characters. */
  city?: string | null;
  /** At most 120 characters. */
  street?: string | null;
  registrationNo?: bigint | number;
  /** How much the company may owe. */
  creditLimit?: Decimal | number | null;
  founded?: LocalDate | null;
  isCustomer?: boolean;
  latitude?: number | null;
  longitude?: number | null;
  /** At most 200 characters. */
  website?: string | null;
  logo?: ContentInput | null;
  details?: JsonValue | null;
  country?: ToOneInput<string, CountryInsert>;
  employees?: ToManyInput<EmployeeInsert<'employer'>, EmployeeUpdate>;
  projects?: ToManyInput<ProjectInsert<'customer'>, ProjectUpdate>;
  /** Orders that the company pays for. */
  billedOrders?: ToManyInput<OrderInsert<'billTo'>, OrderUpdate>;
  shippedOrders?: ToManyInput<OrderInsert<'shipTo'>, OrderUpdate>;
  documents?: ToManyInput<DocumentInsert<'owner'>, DocumentUpdate>;
}

/** A new entity. `Given` are the members that the entity which holds it gives it. */
export type CompanyInsert<Given extends keyof CompanyInput = never> = WithRequired<
  CompanyInput,
  Exclude<'name' | 'registrationNo' | 'country', Given>
>;

export type CompanyUpdate = CompanyInput & Keyed & Stamped;

export interface CompanyTypes {
  name: 'Company';
  entity: Company;
  key: number;
  insert: CompanyInsert;
  update: CompanyUpdate;
  relations: {
    country: CountryTypes;
    employees: EmployeeTypes;
    projects: ProjectTypes;
    billedOrders: OrderTypes;
    shippedOrders: OrderTypes;
    documents: DocumentTypes;
  };
  kinds: {
    ID: 'number';
    registrationNo: 'number';
    creditLimit: 'number';
    founded: 'date';
    latitude: 'number';
    longitude: 'number';
  };
  functions: {};
}

export interface Country extends Keyed, Stamped, Timed {
  /** At most 5 characters. */
  code: string;
  /** At most 60 characters. */
  name: string;
  isoNumber: number;
  inEU: boolean;
  population: bigint | null;
  /** At most 5 characters. */
  currency: string;
  companies: DeferredEntities;
  holidays: DeferredEntities;
}

export interface CountryInput {
  /** At most 5 characters. */
  code?: string;
  /** At most 60 characters. */
  name?: string;
  isoNumber?: number;
  inEU?: boolean;
  population?: bigint | number | null;
  /** At most 5 characters. */
  currency?: string;
  companies?: ToManyInput<CompanyInsert<'country'>, CompanyUpdate>;
  holidays?: ToManyInput<HolidayInsert<'country'>, HolidayUpdate>;
}

/** A new entity. `Given` are the members that the entity which holds it gives it. */
export type CountryInsert<Given extends keyof CountryInput = never> = WithRequired<
  CountryInput,
  Exclude<'code' | 'name' | 'isoNumber' | 'currency', Given>
>;

export type CountryUpdate = Omit<CountryInput, 'code'> & Keyed & Stamped;

export interface CountryTypes {
  name: 'Country';
  entity: Country;
  key: string;
  insert: CountryInsert;
  update: CountryUpdate;
  relations: {
    companies: CompanyTypes;
    holidays: HolidayTypes;
  };
  kinds: {
    isoNumber: 'number';
    population: 'number';
  };
  functions: {};
}

export interface Document extends Keyed, Stamped, Timed {
  ID: Uuid;
  /** At most 120 characters. */
  title: string;
  /** At most 60 characters. */
  mimeType: string;
  content: DeferredBlob | null;
  hash: bigint | null;
  createdAt: Instant;
  owner: DeferredEntity | null;
  order: DeferredEntity | null;
}

export interface DocumentInput {
  ID?: Uuid;
  /** At most 120 characters. */
  title?: string;
  /** At most 60 characters. */
  mimeType?: string;
  content?: ContentInput | null;
  hash?: bigint | number | null;
  createdAt?: Instant;
  owner?: ToOneInput<number, CompanyInsert> | null;
  order?: ToOneInput<number, OrderInsert> | null;
}

/** A new entity. `Given` are the members that the entity which holds it gives it. */
export type DocumentInsert<Given extends keyof DocumentInput = never> = WithRequired<
  DocumentInput,
  Exclude<'title' | 'mimeType', Given>
>;

export type DocumentUpdate = Omit<DocumentInput, 'ID'> & Keyed & Stamped;

export interface DocumentTypes {
  name: 'Document';
  entity: Document;
  key: Uuid;
  insert: DocumentInsert;
  update: DocumentUpdate;
  relations: {
    owner: CompanyTypes;
    order: OrderTypes;
  };
  kinds: {
    ID: 'uuid';
    hash: 'number';
    createdAt: 'moment';
  };
  functions: {};
}

/** A person who works, or has worked, for a company. */
export interface Employee extends Keyed, Stamped, Timed {
  ID: number;
  /** At most 20 characters. */
  firstName: string;
  /** At most 60 characters. */
  lastName: string;
  /** At most 81 characters. */
  fullName: string | null;
  /** At most 120 characters. */
  email: string;
  /** At most 30 characters. */
  phone: string | null;
  birthDate: LocalDate | null;
  hireDate: LocalDate;
  /** Time of day at which the shift begins. */
  shiftStart: TimeOfDay | null;
  /** The number on the badge that opens the doors. */
  badgeNo: bigint | null;
  grade: number | null;
  active: boolean;
  photo: DeferredImage | null;
  extra: JsonValue | null;
  /** At most 400 characters. */
  note: string | null;
  employer: DeferredEntity | null;
  /** Leads the employee. */
  manager: DeferredEntity | null;
  directReports: DeferredEntities;
  assignments: DeferredEntities;
  projects: DeferredEntities;
  ledProjects: DeferredEntities;
  soldOrders: DeferredEntities;
}

export interface EmployeeInput {
  /** At most 20 characters. */
  firstName?: string;
  /** At most 60 characters. */
  lastName?: string;
  /** At most 120 characters. */
  email?: string;
  /** At most 30 characters. */
  phone?: string | null;
  birthDate?: LocalDate | null;
  hireDate?: LocalDate;
  /** Time of day at which the shift begins. */
  shiftStart?: TimeOfDay | null;
  /** The number on the badge that opens the doors. */
  badgeNo?: bigint | number | null;
  grade?: number | null;
  active?: boolean;
  photo?: ContentInput | null;
  extra?: JsonValue | null;
  /** At most 400 characters. */
  note?: string | null;
  employer?: ToOneInput<number, CompanyInsert> | null;
  /** Leads the employee. */
  manager?: ToOneInput<number, EmployeeInsert> | null;
  directReports?: ToManyInput<EmployeeInsert<'manager'>, EmployeeUpdate>;
  assignments?: ToManyInput<AssignmentInsert<'employee'>, AssignmentUpdate>;
  ledProjects?: ToManyInput<ProjectInsert<'lead'>, ProjectUpdate>;
  soldOrders?: ToManyInput<OrderInsert<'salesRep'>, OrderUpdate>;
}

/** A new entity. `Given` are the members that the entity which holds it gives it. */
export type EmployeeInsert<Given extends keyof EmployeeInput = never> = WithRequired<
  EmployeeInput,
  Exclude<'firstName' | 'lastName' | 'email' | 'hireDate', Given>
>;

export type EmployeeUpdate = EmployeeInput & Keyed & Stamped;

export interface EmployeeTypes {
  name: 'Employee';
  entity: Employee;
  key: number;
  insert: EmployeeInsert;
  update: EmployeeUpdate;
  relations: {
    employer: CompanyTypes;
    manager: EmployeeTypes;
    directReports: EmployeeTypes;
    assignments: AssignmentTypes;
    projects: ProjectTypes;
    ledProjects: ProjectTypes;
    soldOrders: OrderTypes;
  };
  kinds: {
    ID: 'number';
    birthDate: 'date';
    hireDate: 'date';
    badgeNo: 'number';
    grade: 'number';
  };
  functions: {
    /** Says hello. */
    greet: {
      on: 'entity';
      parameters: [greeting: string | null];
      result: string | null;
    };
    tally: {
      on: 'entityCollection';
      parameters: [];
      result: bigint | null;
    };
    graded: {
      on: 'dataClass';
      parameters: [lowest: number | null];
      result: EntitiesOf<EmployeeTypes>;
    };
  };
}

export interface Holiday extends Keyed, Stamped {
  date: LocalDate;
  /** At most 80 characters. */
  name: string;
  halfDay: boolean;
  closingTime: TimeOfDay | null;
  country: DeferredEntity | null;
}

export interface HolidayInput {
  date?: LocalDate;
  /** At most 80 characters. */
  name?: string;
  halfDay?: boolean;
  closingTime?: TimeOfDay | null;
  country?: ToOneInput<string, CountryInsert> | null;
}

/** A new entity. `Given` are the members that the entity which holds it gives it. */
export type HolidayInsert<Given extends keyof HolidayInput = never> = WithRequired<
  HolidayInput,
  Exclude<'date' | 'name', Given>
>;

export type HolidayUpdate = Omit<HolidayInput, 'date'> & Keyed & Stamped;

export interface HolidayTypes {
  name: 'Holiday';
  entity: Holiday;
  key: LocalDate;
  insert: HolidayInsert;
  update: HolidayUpdate;
  relations: {
    country: CountryTypes;
  };
  kinds: {
    date: 'date';
  };
  functions: {};
}

export interface LogEntry extends Stamped {
  time: Instant;
  severity: number;
  /** At most 40 characters. */
  source: string;
  /** At most 400 characters. */
  message: string | null;
  employee: DeferredEntity | null;
}

export interface LogEntryInput {
  time?: Instant;
  severity?: number;
  /** At most 40 characters. */
  source?: string;
  /** At most 400 characters. */
  message?: string | null;
  employee?: ToOneInput<number, EmployeeInsert> | null;
}

/** A new entity. `Given` are the members that the entity which holds it gives it. */
export type LogEntryInsert<Given extends keyof LogEntryInput = never> = WithRequired<
  LogEntryInput,
  Exclude<'time' | 'severity' | 'source', Given>
>;

export interface LogEntryTypes {
  name: 'LogEntry';
  entity: LogEntry;
  key: never;
  insert: LogEntryInsert;
  update: never;
  relations: {
    employee: EmployeeTypes;
  };
  kinds: {
    time: 'moment';
    severity: 'number';
  };
  functions: {};
}

export interface OrderLine extends Keyed, Stamped, Timed {
  orderNo: number;
  line: number;
  quantity: number;
  unitPrice: Decimal;
  discount: number;
  amount: Decimal | null;
  shippedDate: LocalDate | null;
  /** At most 200 characters. */
  remark: string | null;
  order: DeferredEntity;
  product: DeferredEntity;
}

export interface OrderLineInput {
  orderNo?: number;
  line?: number;
  quantity?: number;
  unitPrice?: Decimal | number;
  discount?: number | Decimal;
  shippedDate?: LocalDate | null;
  /** At most 200 characters. */
  remark?: string | null;
  order?: ToOneInput<number, OrderInsert>;
  product?: ToOneInput<number, ProductInsert>;
}

/** A new entity. `Given` are the members that the entity which holds it gives it. */
export type OrderLineInsert<Given extends keyof OrderLineInput = never> = WithRequired<
  OrderLineInput,
  Exclude<'line' | 'unitPrice' | 'product', Given>
>;

export type OrderLineUpdate = Omit<OrderLineInput, 'orderNo' | 'line'> & Keyed & Stamped;

export interface OrderLineTypes {
  name: 'OrderLine';
  entity: OrderLine;
  key: { readonly orderNo: number; readonly line: number };
  insert: OrderLineInsert;
  update: OrderLineUpdate;
  relations: {
    order: OrderTypes;
    product: ProductTypes;
  };
  kinds: {
    orderNo: 'number';
    line: 'number';
    quantity: 'number';
    unitPrice: 'number';
    discount: 'number';
    amount: 'number';
    shippedDate: 'date';
  };
  functions: {};
}

/** What a company has ordered on one day, with its lines. */
export interface Order extends Keyed, Stamped, Timed {
  ID: number;
  date: LocalDate;
  placedAt: Instant;
  requiredDate: LocalDate | null;
  /** At most 2 characters. */
  status: string;
  /** At most 5 characters. */
  currency: string;
  /** Sum of the lines in the currency of the order. */
  total: Decimal;
  paid: boolean;
  /** At most 200 characters. */
  note: string | null;
  billTo: DeferredEntity;
  shipTo: DeferredEntity | null;
  salesRep: DeferredEntity | null;
  lines: DeferredEntities;
  products: DeferredEntities;
  documents: DeferredEntities;
}

export interface OrderInput {
  date?: LocalDate;
  placedAt?: Instant;
  requiredDate?: LocalDate | null;
  /** At most 2 characters. */
  status?: string;
  /** At most 5 characters. */
  currency?: string;
  /** Sum of the lines in the currency of the order. */
  total?: Decimal | number;
  paid?: boolean;
  /** At most 200 characters. */
  note?: string | null;
  billTo?: ToOneInput<number, CompanyInsert>;
  shipTo?: ToOneInput<number, CompanyInsert> | null;
  salesRep?: ToOneInput<number, EmployeeInsert> | null;
  lines?: ToManyInput<OrderLineInsert<'order'>, OrderLineUpdate>;
  documents?: ToManyInput<DocumentInsert<'order'>, DocumentUpdate>;
}

/** A new entity. `Given` are the members that the entity which holds it gives it. */
export type OrderInsert<Given extends keyof OrderInput = never> = WithRequired<
  OrderInput,
  Exclude<'date' | 'placedAt' | 'currency' | 'billTo', Given>
>;

export type OrderUpdate = OrderInput & Keyed & Stamped;

export interface OrderTypes {
  name: 'Order';
  entity: Order;
  key: number;
  insert: OrderInsert;
  update: OrderUpdate;
  relations: {
    billTo: CompanyTypes;
    shipTo: CompanyTypes;
    salesRep: EmployeeTypes;
    lines: OrderLineTypes;
    products: ProductTypes;
    documents: DocumentTypes;
  };
  kinds: {
    ID: 'number';
    date: 'date';
    placedAt: 'moment';
    requiredDate: 'date';
    total: 'number';
  };
  functions: {};
}

export interface Product extends Keyed, Stamped, Timed {
  ID: number;
  /** At most 20 characters. */
  sku: string;
  /** At most 100 characters. */
  name: string;
  listPrice: Decimal;
  weight: number | null;
  stock: number;
  minimumStock: number | null;
  rating: number | null;
  barcode: bigint;
  discontinued: boolean | null;
  spec: JsonValue | null;
  category: DeferredEntity;
  orderLines: DeferredEntities;
  orders: DeferredEntities;
}

export interface ProductInput {
  /** At most 20 characters. */
  sku?: string;
  /** At most 100 characters. */
  name?: string;
  listPrice?: Decimal | number;
  weight?: number | null;
  stock?: number;
  minimumStock?: number | null;
  rating?: number | null;
  barcode?: bigint | number;
  discontinued?: boolean | null;
  spec?: JsonValue | null;
  category?: ToOneInput<string, CategoryInsert>;
  orderLines?: ToManyInput<OrderLineInsert<'product'>, OrderLineUpdate>;
}

/** A new entity. `Given` are the members that the entity which holds it gives it. */
export type ProductInsert<Given extends keyof ProductInput = never> = WithRequired<
  ProductInput,
  Exclude<'sku' | 'name' | 'listPrice' | 'barcode' | 'category', Given>
>;

export type ProductUpdate = ProductInput & Keyed & Stamped;

export interface ProductTypes {
  name: 'Product';
  entity: Product;
  key: number;
  insert: ProductInsert;
  update: ProductUpdate;
  relations: {
    category: CategoryTypes;
    orderLines: OrderLineTypes;
    orders: OrderTypes;
  };
  kinds: {
    ID: 'number';
    listPrice: 'number';
    weight: 'number';
    stock: 'number';
    minimumStock: 'number';
    rating: 'number';
    barcode: 'number';
  };
  functions: {};
}

export interface Project extends Keyed, Stamped, Timed {
  ID: number;
  /** At most 12 characters. */
  code: string;
  /** At most 100 characters. */
  name: string;
  startDate: LocalDate;
  endDate: LocalDate | null;
  budget: Decimal | null;
  status: number;
  progress: number | null;
  tags: JsonValue | null;
  customer: DeferredEntity | null;
  lead: DeferredEntity | null;
  assignments: DeferredEntities;
  staff: DeferredEntities;
}

export interface ProjectInput {
  /** At most 12 characters. */
  code?: string;
  /** At most 100 characters. */
  name?: string;
  startDate?: LocalDate;
  endDate?: LocalDate | null;
  budget?: Decimal | number | null;
  status?: number;
  progress?: number | null;
  tags?: JsonValue | null;
  customer?: ToOneInput<number, CompanyInsert> | null;
  lead?: ToOneInput<number, EmployeeInsert> | null;
  assignments?: ToManyInput<AssignmentInsert<'project'>, AssignmentUpdate>;
}

/** A new entity. `Given` are the members that the entity which holds it gives it. */
export type ProjectInsert<Given extends keyof ProjectInput = never> = WithRequired<
  ProjectInput,
  Exclude<'code' | 'name' | 'startDate', Given>
>;

export type ProjectUpdate = ProjectInput & Keyed & Stamped;

export interface ProjectTypes {
  name: 'Project';
  entity: Project;
  key: number;
  insert: ProjectInsert;
  update: ProjectUpdate;
  relations: {
    customer: CompanyTypes;
    lead: EmployeeTypes;
    assignments: AssignmentTypes;
    staff: EmployeeTypes;
  };
  kinds: {
    ID: 'number';
    startDate: 'date';
    endDate: 'date';
    budget: 'number';
    status: 'number';
    progress: 'number';
  };
  functions: {};
}

/** The model as this client sees it. */
export interface Model {
  dataclasses: {
    Assignment: AssignmentTypes;
    Category: CategoryTypes;
    /** A customer, supplier or employer. */
    Company: CompanyTypes;
    Country: CountryTypes;
    Document: DocumentTypes;
    /** A person who works, or has worked, for a company. */
    Employee: EmployeeTypes;
    Holiday: HolidayTypes;
    LogEntry: LogEntryTypes;
    OrderLine: OrderLineTypes;
    /** What a company has ordered on one day, with its lines. */
    Order: OrderTypes;
    Product: ProductTypes;
    Project: ProjectTypes;
  };
  functions: {
    add: {
      on: 'dataStore';
      parameters: [amount: Decimal | number | null, more: Decimal | number | null];
      result: Decimal | null;
    };
  };
  singletons: {
    Sums: {
      add: {
        on: 'dataStore';
        parameters: [amount: Decimal | number | null, more: Decimal | number | null];
        result: Decimal | null;
      };
    };
  };
}

/** What the client knows of the model when it runs. */
export const model: ModelDescription<Model> = {
  dataclasses: {
    Assignment: { key: ['employeeID', 'projectID'], forms: {}, relations: { employee: 'Employee', project: 'Project' }, functions: {} },
    Category: { key: ['code'], forms: {}, relations: { products: 'Product' }, functions: {} },
    Company: { key: ['ID'], forms: { registrationNo: 'bigint', creditLimit: 'decimal', logo: 'image' }, relations: { country: 'Country', employees: 'Employee', projects: 'Project', billedOrders: 'Order', shippedOrders: 'Order', documents: 'Document' }, functions: {} },
    Country: { key: ['code'], forms: { population: 'bigint' }, relations: { companies: 'Company', holidays: 'Holiday' }, functions: {} },
    Document: { key: ['ID'], forms: { hash: 'bigint' }, relations: { owner: 'Company', order: 'Order' }, functions: {} },
    Employee: { key: ['ID'], forms: { badgeNo: 'bigint', photo: 'image' }, relations: { employer: 'Company', manager: 'Employee', directReports: 'Employee', assignments: 'Assignment', projects: 'Project', ledProjects: 'Project', soldOrders: 'Order' }, functions: { tally: { result: 'bigint' }, graded: { entities: 'Employee' } } },
    Holiday: { key: ['date'], forms: {}, relations: { country: 'Country' }, functions: {} },
    LogEntry: { key: [], forms: {}, relations: { employee: 'Employee' }, functions: {} },
    OrderLine: { key: ['orderNo', 'line'], forms: { unitPrice: 'decimal', amount: 'decimal' }, relations: { order: 'Order', product: 'Product' }, functions: {} },
    Order: { key: ['ID'], forms: { total: 'decimal' }, relations: { billTo: 'Company', shipTo: 'Company', salesRep: 'Employee', lines: 'OrderLine', products: 'Product', documents: 'Document' }, functions: {} },
    Product: { key: ['ID'], forms: { listPrice: 'decimal', barcode: 'bigint' }, relations: { category: 'Category', orderLines: 'OrderLine', orders: 'Order' }, functions: {} },
    Project: { key: ['ID'], forms: { budget: 'decimal' }, relations: { customer: 'Company', lead: 'Employee', assignments: 'Assignment', staff: 'Employee' }, functions: {} },
  },
  functions: { add: { result: 'decimal' } },
  singletons: { Sums: { add: { result: 'decimal' } } },
};
