import type { JsonValue } from './json.ts';

// What attributes hold. Dates are texts: JavaScript's own have neither days without a time nor more digits than milliseconds.
/** A day: `2024-12-31`. */
export type LocalDate = string;
/** A day as the configuration `simpleDates` has it: `31!12!2024`. */
export type SimpleDate = string;
/** A moment in UTC, ISO 8601: `2024-05-16T05:46:26.032Z`. */
export type Instant = string;
/** A time of day: `08:30:00` or `12:30:00.500`. */
export type TimeOfDay = string;
/** A GUID, lower case with hyphens. */
export type Uuid = string;
/** All digits of a number that a double may not hold: `250000.0000`. */
export type Decimal = string;

/** A related entity that was not asked for. */
export type DeferredEntity = {
  readonly __deferred: { readonly uri: string; readonly __KEY: string };
};

/** Related entities that were not asked for. */
export type DeferredEntities = { readonly __deferred: { readonly uri: string } };

/** The address of a BLOB. */
export type DeferredBlob = DeferredEntities & { readonly uri: string };

/** The address of an image. */
export type DeferredImage = DeferredBlob & { readonly __deferred: { readonly image: true } };

/** An image or BLOB to be saved: bytes, Base64, the ID of an upload to `$upload`, or what was read, which changes nothing. */
export type ContentInput =
  Uint8Array | string | { readonly ID: string } | DeferredImage | DeferredBlob;

/** An entity that can be addressed. */
export type Keyed = { readonly __KEY: string };

/** The version of an entity, which an update sends back. */
export type Stamped = { readonly __STAMP: number };

/** When an entity was last changed. */
export type Timed = { readonly __TIMESTAMP: Instant | null };

/** Stands in an entity set for an entity that is no longer there. */
export interface UndefinedReference {
  readonly __STAMP: 0;
  readonly __KEY?: never;
}

/** Whether an item of an entity set is an entity, which is still there. */
export function isDefined<Entity extends Keyed>(item: Entity | UndefinedReference): item is Entity {
  return item.__KEY !== undefined;
}

/** A related entity to be saved: its key, an entity that was read, of which the key alone counts, or a new entity. */
export type ToOneInput<Key, New> = Key | Keyed | DeferredEntity | New;

/** Related entities to be saved along: new ones, and changed ones with key and stamp. */
export type ToManyInput<New, Changed> =
  | readonly (New | Changed)[]
  | { readonly __ENTITIES: readonly (New | Changed)[] }
  | DeferredEntities;

/** An input in which some members must be there. */
export type WithRequired<Input, Names extends keyof Input> = Input & Required<Pick<Input, Names>>;

/** How the save of an entity ended; `created` is told where a key was named to find it by. */
export type SaveStatus = {
  readonly __STATUS: { readonly success: boolean; readonly created?: boolean };
};

/** How an attempt to lock or unlock an entity ended. */
export interface LockResult {
  /** Whether the entity is locked, or unlocked, as requested. */
  readonly result: boolean;
  readonly __STATUS: {
    readonly success: boolean;
    /** 3: another session has locked it, 5: there is no such entity. */
    readonly status?: number;
    readonly statusText?: string;
    readonly lockInfo?: Readonly<Record<'host' | 'IPAddr' | 'userAgent', string>>;
  };
}

/** The computations on the values of an attribute. Sums and averages are digits: they may be longer than a number can hold. */
export interface Computed<Value> {
  readonly count: number;
  readonly sum: Decimal;
  readonly average: Decimal | null;
  readonly min: Value | null;
  readonly max: Value | null;
  /** Those that the values have: texts have no sum. */
  readonly all: Partial<Omit<Computed<Value>, 'all'>>;
}

/** The whole answer of a procedure. */
export interface ProcedureResult {
  readonly returnValue: number | null;
  readonly output: Readonly<Record<string, JsonValue>>;
  readonly resultSets: readonly (readonly Readonly<Record<string, JsonValue>>[])[];
}

/** The types of a model. */
export interface ModelTypes {
  readonly dataclasses: Readonly<Record<string, DataclassTypes>>;
  readonly functions: FunctionsTypes;
  readonly singletons: Readonly<Record<string, FunctionsTypes>>;
}

/** The types of a dataclass. */
export interface DataclassTypes {
  readonly name: string;
  /** An entity with all attributes, relations deferred. */
  readonly entity: object;
  /** The value of the key, an object where it has several parts; never without a key. */
  readonly key: unknown;
  readonly insert: unknown;
  readonly update: unknown;
  /** The dataclasses that relations lead to. */
  readonly relations: Readonly<Record<string, DataclassTypes>>;
  /** The attributes that are added up, and those whose dates have parts. */
  readonly kinds: Readonly<Record<string, 'number' | 'date' | 'moment' | 'uuid'>>;
  readonly functions: FunctionsTypes;
}

/** The types of functions by their names. */
export type FunctionsTypes = Readonly<Record<string, FunctionTypes>>;

/** The types of a function. */
export interface FunctionTypes {
  readonly on: 'dataStore' | 'dataClass' | 'entityCollection' | 'entity';
  readonly parameters: readonly unknown[];
  readonly result: unknown;
}

/** The result of a function that answers a collection of entities. */
export type EntitiesOf<T> = { readonly entities: T };

/** The result of a function that answers one entity. */
export type EntityOf<T> = { readonly entity: T };

/** A page of entities. */
export interface Page<Entity> {
  /** How many entities there are in all. */
  readonly __COUNT: number;
  /** How many were skipped. */
  readonly __FIRST: number;
  readonly __ENTITIES: readonly Entity[];
  /** How many entities the page has. */
  readonly __SENT: number;
  readonly __GlobalStamp: number;
}

/** A page of groups. */
export interface GroupsPage<Item> {
  /** How many groups there are in all. */
  readonly __COUNT: number;
  /** How many were skipped. */
  readonly __FIRST: number;
  readonly __GROUPS: readonly Item[];
  /** How many groups the page has. */
  readonly __SENT: number;
}

/** A page of changes. First remove the entities of `__REMOVED`, then add those of `__ENTITIES`, and keep the token. */
export interface ChangesPage<Entity> {
  /** The keys of entities that are gone, or are not selected any more; left out where the gateway cannot tell them. */
  readonly __REMOVED?: readonly string[];
  /** Entities that are new or have changed. */
  readonly __ENTITIES: readonly Entity[];
  readonly __SENT: number;
  /** Whether the next page has more of these changes. */
  readonly __MORE: boolean;
  /** Where the next page begins, or the next changes. */
  readonly __TOKEN: string;
}

/** The keys of entities that have changed: of those that are new or others now, and of those that are gone. */
export type ChangeEvent<Name extends string = string> =
  | {
      readonly dataclass: Name;
      readonly keys: readonly string[];
      readonly removed: readonly string[];
      readonly tooMany?: never;
    }
  /** More have changed than an event lists: read `changes` of the dataclass. */
  | {
      readonly dataclass: Name;
      readonly tooMany: true;
      readonly keys?: never;
      readonly removed?: never;
    };

/** An entity with the attributes and paths of a list: `lastName,employer.name`. Of a list that is only known at run time, nothing is known. */
export type Shaped<T extends DataclassTypes, List extends string> = string extends List
  ? Readonly<Record<string, unknown>>
  : Shape<T, Items<List>>;

type Shape<T extends DataclassTypes, Item extends string> = [Item] extends ['*']
  ? T['entity']
  : {
      [Name in keyof T['entity'] as Name extends Named<Item> ? Name : never]: Member<T, Name, Item>;
    };

/** The attributes that items name. */
type Named<Item extends string> =
  | (Item extends `${infer Name}.${string}` ? Name : Item)
  | ('*' extends Item ? PropertyKey : '__KEY' | '__STAMP' | '__TIMESTAMP');

type Member<T extends DataclassTypes, Name extends keyof T['entity'], Item extends string> = [
  Tail<Item, Name>,
] extends [never]
  ? T['entity'][Name]
  : DeferredEntities extends T['entity'][Name]
    ? Page<Shape<T['relations'][Name & string], Tail<Item, Name>>>
    : Shape<T['relations'][Name & string], Tail<Item, Name>> | Extract<T['entity'][Name], null>;

type Tail<Item, Name> = Item extends `${Name & string}.${infer Rest}` ? Rest : never;

/** The items of a list, as a union. */
type Items<List extends string> = List extends `${infer Item},${infer Rest}`
  ? Items<Item> | Items<Rest>
  : List extends ` ${infer Rest}` | `${infer Rest} `
    ? Items<Rest>
    : List;

/** What is answered of each entity. */
export interface Attributes<T extends DataclassTypes, List extends string> {
  /** Attributes and paths of relations, `lastName,employer.name`; all attributes where it is left out. */
  readonly attributes?: Checked<List, Unknown<T, Items<List>>>;
}

/** A text, or the compiler's message in its place. */
export type Checked<Text extends string, Message> = [Message] extends [never] ? Text : Message;

/** Sentences about the names in a list that the dataclass does not have. */
type Unknown<T extends DataclassTypes, Item extends string> = string extends Item
  ? never
  : Item extends '*' | keyof T['entity']
    ? never
    : Item extends `${infer Own}.${infer Rest}`
      ? Own extends keyof T['relations']
        ? Unknown<T['relations'][Own], Rest>
        : `${T['name']} has no relation "${Own}"`
      : `${T['name']} has no attribute "${Item}"`;

/** A path of {@link ValueAt}, or the compiler's message in its place where it leads nowhere. */
export type CheckedPath<T extends DataclassTypes, Path extends string> = [
  ValueAt<T, Path>,
] extends [never]
  ? `${T['name']} has no attribute "${Path}"`
  : Path;

/** The values at the end of a path, which may go on into the properties of an object. */
export type ValueAt<T extends DataclassTypes, Path extends string> = string extends Path
  ? unknown
  : Path extends keyof T['entity']
    ? NonNullable<T['entity'][Path]>
    : Path extends `${infer Own}.${infer Rest}`
      ? Own extends keyof T['relations']
        ? ValueAt<T['relations'][Own], Rest>
        : Own extends keyof T['entity']
          ? JsonValue
          : never
      : never;

/** What entities are grouped by, and what is computed of each group. */
export interface Grouping<T extends DataclassTypes, By extends string, List extends string> {
  /** Attributes, parts of dates and steps of numbers: `billTo.country.name, date:month, total:step(100)`; one group of all where it is left out. */
  readonly groupby?: Checked<By, NoGroup<T, ExpressionOf<Items<By>>>>;
  /** Aggregates, each with its name behind `as` where it has one: `sum(total) as turnover, count`; `count` where it is left out. */
  readonly aggregate?: Checked<List, NoAggregate<T, ExpressionOf<Items<List>>>>;
}

/** A group with its members by name. Of lists that are only known at run time, nothing is known. */
export type GroupOf<
  T extends DataclassTypes,
  By extends string,
  List extends string,
> = string extends By | List
  ? Readonly<Record<string, unknown>>
  : {
      readonly [Item in Items<By | List> as MemberName<Item>]: MemberValue<T, ExpressionOf<Item>>;
    } & {
      /** The address of its entities; null where no filter finds them. */
      readonly uri: string | null;
    };

type MemberName<Item extends string> = Item extends `${string} as ${infer Name}`
  ? Items<Name>
  : Item;

type ExpressionOf<Item extends string> = Item extends `${infer Text} as ${string}`
  ? Items<Text>
  : Item;

type MemberValue<T extends DataclassTypes, Text extends string> = Text extends
  'count' | `count(${string})` | `distinct(${string})`
  ? number
  : Text extends `sum(${string})`
    ? Decimal
    : Text extends `avg(${string})`
      ? Decimal | null
      : Text extends `min(${infer Path})` | `max(${infer Path})`
        ? ValueAt<T, Path> | null
        : Text extends `${infer Path}:step(${string})`
          ? (ValueAt<T, Path> extends number ? number : Decimal) | null
          : Text extends `${string}:${string}`
            ? string | null
            : ValueAt<T, Text> | null;

/** The kinds of attributes that an aggregate or a part is of; `other` are objects, images and BLOBs, `one` and `many` relations. */
interface KindsOf {
  readonly sum: 'number';
  readonly avg: 'number';
  readonly min: 'number' | 'date' | 'moment' | 'text';
  readonly max: 'number' | 'date' | 'moment' | 'text';
  readonly count: ValueKind | 'other' | 'many';
  readonly distinct: ValueKind;
  readonly year: 'date' | 'moment';
  readonly quarter: 'date' | 'moment';
  readonly month: 'date' | 'moment';
  readonly week: 'date' | 'moment';
  readonly day: 'date' | 'moment';
  readonly hour: 'moment';
  readonly step: 'number';
}

type ValueKind = 'number' | 'date' | 'moment' | 'text' | 'bool' | 'uuid';

type KindAt<T extends DataclassTypes, Path extends string> = Path extends keyof T['kinds']
  ? T['kinds'][Path]
  : Path extends `${infer Own}.${infer Rest}`
    ? Own extends keyof T['relations']
      ? KindAt<T['relations'][Own], Rest>
      : 'other'
    : Path extends keyof T['entity']
      ? NonNullable<T['entity'][Path]> extends string
        ? 'text'
        : NonNullable<T['entity'][Path]> extends boolean
          ? 'bool'
          : Path extends keyof T['relations']
            ? DeferredEntities extends T['entity'][Path]
              ? 'many'
              : 'one'
            : 'other'
      : 'other';

/** Sentences about aggregates that there are not. */
type NoAggregate<T extends DataclassTypes, Text extends string> = string extends Text
  ? never
  : Text extends 'count'
    ? never
    : Text extends `${infer Name}(${infer Path})`
      ? Name extends 'count' | 'distinct' | 'sum' | 'avg' | 'min' | 'max'
        ? Mistaken<T, Name, Path>
        : `There is no aggregate "${Name}"`
      : `"${Text}" is no aggregate`;

/** Sentences about groups that there are not. */
type NoGroup<T extends DataclassTypes, Text extends string> = string extends Text
  ? never
  : Text extends `${infer Path}:${infer By}`
    ? By extends 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour'
      ? Mistaken<T, By, Path> | LeadsToMany<T, Path>
      : By extends `step(${number})`
        ? Mistaken<T, 'step', Path> | LeadsToMany<T, Path>
        : `There is no part "${By}"`
    : Mistaken<T, 'distinct', Text> | LeadsToMany<T, Text>;

type Mistaken<T extends DataclassTypes, Name extends keyof KindsOf, Path extends string> = [
  ValueAt<T, Path>,
] extends [never]
  ? `${T['name']} has no attribute "${Path}"`
  : KindAt<T, Path> extends KindsOf[Name]
    ? never
    : `"${Path}" has no ${Name}`;

type LeadsToMany<
  T extends DataclassTypes,
  Path extends string,
> = Path extends `${infer Own}.${infer Rest}`
  ? Own extends keyof T['relations'] & keyof T['entity']
    ? DeferredEntities extends T['entity'][Own]
      ? `"${Own}" leads to many entities`
      : LeadsToMany<T['relations'][Own], Rest>
    : never
  : never;

/** The key of an entity: its value, an object where it has several parts, the text of its `__KEY`, or the entity. */
export type KeyOf<T extends DataclassTypes> = [T['key']] extends [never]
  ? never
  : T['key'] | Keyed['__KEY'] | Keyed;

/** A saved entity; without a key, nothing says which row it is. */
export type Saved<T extends DataclassTypes, List extends string> = [T['key']] extends [never]
  ? SaveStatus
  : Shaped<T, List> & SaveStatus;

/** The functions that are called on something. */
export type FunctionsOn<T extends DataclassTypes, On extends FunctionTypes['on']> = {
  readonly [
    Name in keyof T['functions'] as T['functions'][Name]['on'] extends On ? Name : never
  ]: T['functions'][Name];
};

/** The dataclass of the entities that a function answers; never where it answers something else. */
export type AnsweredBy<Result> = Result extends
  EntitiesOf<infer T extends DataclassTypes> | EntityOf<infer T extends DataclassTypes>
  ? T
  : never;

/** The answer of a function. */
export type ResultOf<Result, List extends string> =
  Result extends EntitiesOf<infer T extends DataclassTypes>
    ? Page<Shaped<T, List>>
    : Result extends EntityOf<infer T extends DataclassTypes>
      ? Shaped<T, List> | null
      : Result;
