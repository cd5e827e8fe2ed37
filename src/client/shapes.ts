import type { JsonValue } from './json.ts';

/** The types of a dataclass, as the model has them. */
export interface DataclassTypes {
  /** An entity with all attributes, relations deferred. */
  readonly entity: object;
  /** The value of the key, an object where it has several parts; never without a key. */
  readonly key: unknown;
  readonly insert: unknown;
  readonly update: unknown;
  /** The dataclasses that relations to one lead to. */
  readonly one: object;
  /** The dataclasses that relations to many lead to. */
  readonly many: object;
  readonly functions: object;
}

/** The types of a function. */
export interface FunctionTypes {
  readonly on: 'dataStore' | 'dataClass' | 'entityCollection' | 'entity';
  readonly parameters: readonly unknown[];
  /** The result, or the dataclass of the entities that are the result. */
  readonly result: unknown;
}

/** The result of a function that answers a collection of entities. */
export interface EntitiesOf<Name> {
  readonly entities: Name;
}

/** The result of a function that answers one entity. */
export interface EntityOf<Name> {
  readonly entity: Name;
}

/** The types of dataclasses by their names. */
export type Dataclasses<Types> = { readonly [Name in keyof Types]: DataclassTypes };

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

/** The items of a list with commas, as a union. */
export type Items<
  List extends string,
  Found extends string = never,
> = List extends `${infer Item},${infer Rest}`
  ? Items<Rest, Found | Trimmed<Item>>
  : Found | Trimmed<List>;

type Trimmed<Text extends string> = Text extends ` ${infer Rest}`
  ? Trimmed<Rest>
  : Text extends `${infer Rest} `
    ? Trimmed<Rest>
    : Text;

type Head<Item extends string> = Item extends `${infer Name}.${string}` ? Name : Item;

/** What follows a name and a dot. */
type Tail<Item extends string, Name extends string> = Item extends `${Name}.${infer Rest}`
  ? Rest
  : never;

/** The paths that `$expand` adds to the attributes: `employer.country` is `employer.*` and `employer.country.*`. */
export type Expanded<Item extends string> = Item extends `${infer Name}.${infer Rest}`
  ? Rest extends '*'
    ? `${Name}.*`
    : `${Name}.*` | `${Name}.${Expanded<Rest>}`
  : Item extends ''
    ? never
    : `${Item}.*`;

/** The members that the protocol always answers. */
type Header = '__KEY' | '__STAMP' | '__TIMESTAMP';

/** An entity as a list of attributes and paths shapes it; of a list that is only known at run time, nothing is known. */
export type Shape<
  Types extends Dataclasses<Types>,
  Name extends keyof Types,
  Item extends string,
> = string extends Item
  ? Readonly<Record<string, unknown>>
  : [Item] extends ['*']
    ? Types[Name]['entity']
    : Members<Types, Name, Item, Asked<Types[Name]['entity'], Item>>;

type Asked<Entity, Item extends string> = Extract<
  Header | Head<Item> | ('*' extends Item ? keyof Entity : never),
  keyof Entity
>;

type Members<
  Types extends Dataclasses<Types>,
  Name extends keyof Types,
  Item extends string,
  Asked extends keyof Types[Name]['entity'],
> = {
  [Own in Asked]: Member<Types, Name, Own, Tail<Item, Own & string>>;
};

type Member<
  Types extends Dataclasses<Types>,
  Name extends keyof Types,
  Own extends keyof Types[Name]['entity'],
  Below extends string,
> = [Below] extends [never]
  ? Types[Name]['entity'][Own]
  : Own extends keyof Types[Name]['one']
    ? Shape<Types, Target<Types, Types[Name]['one'][Own]>, Below> | Null<Types[Name]['entity'][Own]>
    : Own extends keyof Types[Name]['many']
      ? Page<Shape<Types, Target<Types, Types[Name]['many'][Own]>, Below>>
      : never;

type Target<Types, Name> = Extract<Name, keyof Types>;

type Null<Value> = Extract<Value, null>;

/** Sentences about the names in a list that the dataclass does not have; never where it has all. */
export type Unknown<
  Types extends Dataclasses<Types>,
  Name extends keyof Types,
  Item extends string,
> = Item extends '*'
  ? never
  : Item extends `${infer Own}.${infer Rest}`
    ? Own extends keyof Types[Name]['one']
      ? Unknown<Types, Target<Types, Types[Name]['one'][Own]>, Rest>
      : Own extends keyof Types[Name]['many']
        ? Unknown<Types, Target<Types, Types[Name]['many'][Own]>, Rest>
        : Own extends keyof Types[Name]['entity']
          ? `${Name & string}.${Own} is not a relation`
          : `${Name & string} has no relation "${Own}"`
    : Item extends keyof Types[Name]['entity']
      ? never
      : `${Name & string} has no attribute "${Item}"`;

/** A list, or a sentence in its place, which the compiler shows, where names in it are unknown. */
export type Checked<
  Types extends Dataclasses<Types>,
  Name extends keyof Types,
  List extends string,
> = string extends List
  ? List
  : [Unknown<Types, Name, Items<List>>] extends [never]
    ? List
    : Unknown<Types, Name, Items<List>>;

/** As {@link Checked}, of relations to expand. */
export type CheckedRelations<
  Types extends Dataclasses<Types>,
  Name extends keyof Types,
  List extends string,
> = string extends List
  ? List
  : [Unknown<Types, Name, Expanded<Items<List>>>] extends [never]
    ? List
    : Unknown<Types, Name, Expanded<Items<List>>>;

/** An entity as attributes and expanded relations shape it. */
export type Answered<
  Types extends Dataclasses<Types>,
  Name extends keyof Types,
  Attributes extends string,
  Relations extends string,
> = Shape<
  Types,
  Name,
  Items<Attributes> | (string extends Relations ? string : Expanded<Items<Relations>>)
>;

/** The values of one attribute by its path, which may go on into the properties of an object. */
export type ValueAt<
  Types extends Dataclasses<Types>,
  Name extends keyof Types,
  Path extends string,
> = string extends Path
  ? unknown
  : Path extends keyof Types[Name]['entity']
    ? NonNullable<Types[Name]['entity'][Path]>
    : Path extends `${infer Own}.${infer Rest}`
      ? Own extends keyof Types[Name]['one']
        ? ValueAt<Types, Target<Types, Types[Name]['one'][Own]>, Rest>
        : Own extends keyof Types[Name]['many']
          ? ValueAt<Types, Target<Types, Types[Name]['many'][Own]>, Rest>
          : Own extends keyof Types[Name]['entity']
            ? JsonValue
            : `${Name & string} has no attribute "${Own}"`
      : `${Name & string} has no attribute "${Path}"`;

/** A path of {@link ValueAt}, or a sentence in its place where it leads nowhere. */
export type CheckedPath<
  Types extends Dataclasses<Types>,
  Name extends keyof Types,
  Path extends string,
> =
  ValueAt<Types, Name, Path> extends `${string} has no attribute ${string}`
    ? ValueAt<Types, Name, Path>
    : Path;
