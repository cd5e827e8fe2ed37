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

export interface Category extends Keyed, Stamped, Timed {
  /** At most 60 characters. */
  code: string;
  position: number;
}

export interface CategoryInput {
  /** At most 60 characters. */
  code?: string;
  position?: number;
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
  relations: {};
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
  registrationNo: bigint;
  /** How much the company may owe. */
  creditLimit: Decimal | null;
  country: DeferredEntity;
}

export interface CompanyInput {
  /** At most 80 characters. */
  name?: string;
  registrationNo?: bigint | number;
  /** How much the company may owe. */
  creditLimit?: Decimal | number | null;
  country?: ToOneInput<string, never>;
}

/** A new entity. `Given` are the members that the entity which holds it gives it. */
export type CompanyInsert<Given extends keyof CompanyInput = never> = WithRequired<
  CompanyInput,
  Exclude<'name' | 'registrationNo' | 'country', Given>
>;

export interface CompanyTypes {
  name: 'Company';
  entity: Company;
  key: number;
  insert: CompanyInsert;
  update: never;
  relations: {
    country: CountryTypes;
  };
  kinds: {
    ID: 'number';
    registrationNo: 'number';
    creditLimit: 'number';
  };
  functions: {};
}

export interface Country extends Keyed, Stamped, Timed {
  /** At most 5 characters. */
  code: string;
  /** At most 60 characters. */
  name: string;
  population: bigint | null;
}

export interface CountryInput {
  /** At most 5 characters. */
  code?: string;
  /** At most 60 characters. */
  name?: string;
  population?: bigint | number | null;
}

export type CountryUpdate = Omit<CountryInput, 'code'> & Keyed & Stamped;

export interface CountryTypes {
  name: 'Country';
  entity: Country;
  key: string;
  insert: never;
  update: CountryUpdate;
  relations: {};
  kinds: {
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
  createdAt: Instant;
}

export interface DocumentInput {
  ID?: Uuid;
  /** At most 120 characters. */
  title?: string;
  /** At most 60 characters. */
  mimeType?: string;
  content?: ContentInput | null;
  createdAt?: Instant;
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
  relations: {};
  kinds: {
    ID: 'uuid';
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
}

export interface EmployeeInput {
  /** At most 20 characters. */
  firstName?: string;
  /** At most 60 characters. */
  lastName?: string;
  /** At most 120 characters. */
  email?: string;
  hireDate?: LocalDate;
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
  };
  kinds: {
    ID: 'number';
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

export interface LogEntry extends Stamped {
  severity: number;
}

export interface LogEntryTypes {
  name: 'LogEntry';
  entity: LogEntry;
  key: never;
  insert: never;
  update: never;
  relations: {};
  kinds: {
    severity: 'number';
  };
  functions: {};
}

export interface OrderLine extends Keyed, Stamped, Timed {
  orderNo: number;
  line: number;
  quantity: number;
  unitPrice: Decimal;
  amount: Decimal | null;
  order: DeferredEntity;
  product: DeferredEntity;
}

export interface OrderLineInput {
  orderNo?: number;
  line?: number;
  quantity?: number;
  unitPrice?: Decimal | number;
  order?: ToOneInput<number, OrderInsert>;
  product?: ToOneInput<number, never>;
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
    amount: 'number';
  };
  functions: {};
}

/** What a company has ordered on one day, with its lines. */
export interface Order extends Keyed, Stamped, Timed {
  ID: number;
  date: LocalDate;
  placedAt: Instant;
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
  lines: DeferredEntities;
}

export interface OrderInput {
  date?: LocalDate;
  placedAt?: Instant;
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
  lines?: ToManyInput<OrderLineInsert<'order'>, OrderLineUpdate>;
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
    lines: OrderLineTypes;
  };
  kinds: {
    ID: 'number';
    date: 'date';
    placedAt: 'moment';
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
}

export interface ProductInput {
  /** At most 20 characters. */
  sku?: string;
  /** At most 100 characters. */
  name?: string;
}

export type ProductUpdate = ProductInput & Keyed & Stamped;

export interface ProductTypes {
  name: 'Product';
  entity: Product;
  key: number;
  insert: never;
  update: ProductUpdate;
  relations: {};
  kinds: {
    ID: 'number';
  };
  functions: {};
}

/** The model as this client sees it. */
export interface Model {
  dataclasses: {
    Category: CategoryTypes;
    /** A customer, supplier or employer. */
    Company: CompanyTypes;
    Country: CountryTypes;
    Document: DocumentTypes;
    /** A person who works, or has worked, for a company. */
    Employee: EmployeeTypes;
    LogEntry: LogEntryTypes;
    OrderLine: OrderLineTypes;
    /** What a company has ordered on one day, with its lines. */
    Order: OrderTypes;
    Product: ProductTypes;
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
    Category: { key: ['code'], forms: {}, relations: {}, functions: {} },
    Company: { key: ['ID'], forms: { registrationNo: 'bigint', creditLimit: 'decimal' }, relations: { country: 'Country' }, functions: {} },
    Country: { key: ['code'], forms: { population: 'bigint' }, relations: {}, functions: {} },
    Document: { key: ['ID'], forms: {}, relations: {}, functions: {} },
    Employee: { key: ['ID'], forms: { badgeNo: 'bigint', photo: 'image' }, relations: { employer: 'Company', manager: 'Employee', directReports: 'Employee' }, functions: { tally: { result: 'bigint' }, graded: { entities: 'Employee' } } },
    LogEntry: { key: [], forms: {}, relations: {}, functions: {} },
    OrderLine: { key: ['orderNo', 'line'], forms: { unitPrice: 'decimal', amount: 'decimal' }, relations: { order: 'Order', product: 'Product' }, functions: {} },
    Order: { key: ['ID'], forms: { total: 'decimal' }, relations: { billTo: 'Company', lines: 'OrderLine' }, functions: {} },
    Product: { key: ['ID'], forms: {}, relations: {}, functions: {} },
  },
  functions: { add: { result: 'decimal' } },
  singletons: { Sums: { add: { result: 'decimal' } } },
};
