import type { ProtocolError } from '../base/errors.ts';

/**
 * The request AST: what a URL says, read by the protocol's grammar and nothing else. Names are not looked up here:
 * whether there is such an attribute is the planner's business. Client values are taken out into
 * {@link Literal}s and stand in the tree as slots, so that requests of one shape share one tree, and one plan.
 */

/**
 * What kind of value a literal is, as far as its text and quotes tell. Part of a request's shape: it decides
 * how a value can be compared.
 *
 * `word` is unquoted text, `wild` text with a wildcard, `noDate` the text `0!0!0` or `!!0000-00-00!!`, both quoted or not.
 */
export type LiteralClass =
  'null' | 'boolean' | 'number' | 'word' | 'text' | 'wild' | 'noDate' | 'list';

/** A value that came with a request. */
export interface Literal {
  /** Its text: digits as they were written, text without its quotes. Of a list: the items. */
  readonly value: string | readonly Literal[];
  readonly class: LiteralClass;
  /** The parameter it came in, and its 1-based position there. */
  readonly within: string;
  readonly position: number;
  /** The name of the claim that stands in for the value; only where the gateway's own configuration is read. */
  readonly claim?: string;
}

/** Stands in the AST for a value: an index into the request's values. */
export interface Slot {
  readonly slot: number;
  readonly class: LiteralClass;
  /** Of a list: the classes of its items, each once. */
  readonly items?: readonly LiteralClass[];
  /** Of a list that is not long: the least of a few sizes that it does not exceed. */
  readonly size?: number;
}

/** A dotted path of names, with its 1-based position in the parameter it stands in. */
export interface PathRef {
  readonly names: readonly string[];
  readonly position: number;
}

/** The comparators of §4.3 and DECISIONS, aliases resolved. */
export type Comparator =
  '=' | '!=' | '===' | '!==' | '<' | '<=' | '>' | '>=' | 'in' | 'begin' | 'contains';

/** A `$filter` expression. */
export type FilterNode =
  | {
      readonly kind: 'comparison';
      readonly path: PathRef;
      readonly comparator: Comparator;
      readonly value: Slot;
    }
  /** An attribute alone: a boolean that is to be true. */
  | { readonly kind: 'flag'; readonly path: PathRef }
  | {
      readonly kind: 'and' | 'or' | 'except';
      readonly left: FilterNode;
      readonly right: FilterNode;
    }
  | { readonly kind: 'not'; readonly operand: FilterNode };

/** One term of `$orderby`. */
export interface OrderNode {
  readonly path: PathRef;
  readonly descending: boolean;
}

/** One item of `$attributes`; `star` for `relation.*`, and for `*` alone with no names. */
export interface AttributeNode extends PathRef {
  readonly star: boolean;
}

/**
 * One key: a plain value, values in key order, or values by attribute name.
 *
 * `raw` is all that stands between the parentheses, or for this key among several, where that is not what was read of it and does
 * not begin with a quote: where the key is one text, it is that text. `broken` is what means nothing unless it is such a text.
 */
export type KeyNode =
  | {
      readonly kind: 'scalar';
      readonly value: Slot;
      readonly raw?: Slot;
      /** The parts of the JSON object that quotes hold: where the key has several, it is meant. */
      readonly object?: readonly (readonly [string, Slot])[];
    }
  | { readonly kind: 'tuple'; readonly values: readonly Slot[]; readonly raw?: Slot }
  | {
      readonly kind: 'object';
      readonly entries: readonly (readonly [string, Slot])[];
      readonly raw?: Slot;
    }
  | { readonly kind: 'broken'; readonly raw: Slot; readonly refusal: ProtocolError };

/** What stands behind a dataclass's name in the path. */
export type Selector =
  | { readonly kind: 'all' }
  | { readonly kind: 'key'; readonly key: KeyNode }
  /** Several plain keys, in one slot. */
  | { readonly kind: 'keyList'; readonly list: Slot }
  /** Several keys of several parts. */
  | { readonly kind: 'keys'; readonly keys: readonly KeyNode[] }
  /** One value of a unique attribute, kept as a key is. */
  | { readonly kind: 'unique'; readonly attribute: string; readonly key: KeyNode }
  | { readonly kind: 'entitySet'; readonly id: Slot };

/**
 * What is told of a query besides its result: its plan (§2.6), or also what was measured while it ran (DECISIONS, "`$querypath`").
 */
export type Explain = 'plan' | 'path';

/**
 * How an answer of entities is laid out (`$format`): as the protocol's JSON, as rows for a dashboard (§2.7), or, for whoever takes all of
 * them away, as comma-separated values or JSON line by line.
 */
export type AnswerFormat = 'json' | 'dashboard' | ExportFormat;

/** The formats that are sent as they are made, and have no pages. */
export type ExportFormat = 'csv' | 'ndjson';

/** What is answered of entities, and in which order. */
export interface AnswerLists {
  readonly orderBy: readonly OrderNode[];
  readonly attributes: readonly AttributeNode[] | null;
  /** Relations to expand; of a bare array also attributes to answer. */
  readonly expand: readonly (PathRef | AttributeNode)[];
  /** Whether the answer is a bare array. */
  readonly asArray: boolean;
}

/** A read of entities. */
export interface ReadRequest extends AnswerLists {
  readonly kind: 'read';
  readonly dataclass: string;
  readonly selector: Selector;
  /** What follows: relations to walk, the last one possibly a list of attributes. */
  readonly segments: readonly (readonly AttributeNode[])[];
  readonly filter: FilterNode | null;
  /** How many entities at most; 100 where the request does not say, so that both share a shape. */
  readonly top: Slot;
  readonly skip: Slot;
  /** What is told of the query itself; left out where nothing is. */
  readonly explain?: Explain;
  /** JSON where it is left out. */
  readonly format?: Exclude<AnswerFormat, 'json'>;
}

/** What `$imageformat` asks for; `none` where it is not a format that images are converted to. */
export type WantedFormat = 'best' | 'gif' | 'png' | 'jpeg' | 'tiff' | 'none';

/** A read of what an image or BLOB holds (§4.5). */
export interface ContentRequest {
  readonly kind: 'content';
  /** The entity that has the attribute, with the relations that the path walks on the way there. */
  readonly read: ReadRequest;
  readonly attribute: PathRef;
  /** Null for an image as it is stored. */
  readonly format: WantedFormat | null;
  /** Whether the bytes of the column are wanted, whatever they are (`$binary`). */
  readonly binary: boolean;
  /** The version that the client knows, which changes nothing but how long it may keep the answer; null where it does not say. */
  readonly version: Slot | null;
}

/** How two entity sets are combined (§4.7). */
export type SetOperator = 'and' | 'or' | 'except' | 'intersect';

/**
 * A read by way of an entity set (§4.6 to §4.9): of what is selected a set is made, or the set that the URL names is read, or a
 * new one is made of it.
 */
export interface EntitySetRequest {
  readonly kind: 'entitySet';
  /** What the set is made of, or which one is read; `$filter` and `$orderby` of a set that is there say what of it, and in which order. */
  readonly read: ReadRequest;
  /** Whether it is made of the entities that a relation leads to (`$method=subentityset`). */
  readonly ofRelation: boolean;
  /** Whether the answer names the set of the URL, of which a page is asked for by `$method=subentityset`. */
  readonly namesSet: boolean;
  /** The parameter that says the order of the read, for messages. */
  readonly orderedBy: '$orderby' | '$subOrderby';
  /** How long the set that is made lives, in seconds; null where none is. */
  readonly lifetime: Slot | null;
  /** Leaves undefined references out (§4.8). */
  readonly clean: boolean;
  readonly combination: { readonly operator: SetOperator; readonly other: Slot } | null;
  /** The positions in the set of the URL that are left out (`$removeFromSet`), as a list; null for none. */
  readonly removed: Slot | null;
  /** What the set is made of again where it is gone (§4.9); null where that is an error. */
  readonly saved: SavedSelection | null;
  /**
   * The key of the entity that is looked for in the set (DECISIONS, "Entity sets in URLs"): only where it stands is answered. Null where
   * a page is.
   */
  readonly find: KeyNode | null;
  /** Whether no more keys are selected than `$top` and `$skip` say; left out where all are. */
  readonly isWindowed?: boolean;
}

/** What an entity set is made of again under its id, and how long it lives then, in seconds. */
export interface SavedSelection {
  readonly filter: FilterNode | null;
  readonly orderBy: readonly OrderNode[];
  readonly lifetime: Slot;
}

/** Deletes the entities of an entity set, or those of them that the filter finds. */
export interface DeleteSetRequest {
  readonly kind: 'deleteSet';
  readonly dataclass: string;
  readonly id: Slot;
  readonly filter: FilterNode | null;
  /** As that of a {@link DeleteRequest}. */
  readonly orderBy: readonly OrderNode[];
}

/** Gives an entity set up. */
export interface ReleaseRequest {
  readonly kind: 'release';
  readonly dataclass: string;
  readonly id: Slot;
}

/** Locks an entity for the client's session, or unlocks it (§4.12). */
export interface LockRequest {
  readonly kind: 'lock';
  readonly dataclass: string;
  readonly selector: Selector;
  /** Whether it is to be locked, not unlocked. */
  readonly wanted: boolean;
  /** The stamp that the client has read it with; null where it does not say. */
  readonly stamp: Slot | null;
}

/** What can be computed of an attribute's values (§4.10); `all` is each of the others that is for its type. */
export type ComputeKeyword = 'all' | 'average' | 'count' | 'max' | 'min' | 'sum';

/** The entities whose values of one attribute are asked for, where the attribute is among what the request would read of them. */
export type ValuesOf = ReadRequest | EntitySetRequest;

/** Something computed of the values that one attribute has (§4.10). */
export interface ComputeRequest {
  readonly kind: 'compute';
  readonly keyword: ComputeKeyword;
  readonly of: ValuesOf;
  /** Whether `top` and `skip` of what is read narrow what is computed on; else it is all of it. */
  readonly narrowed: boolean;
}

/** The distinct values that one attribute has (§4.11). */
export interface DistinctRequest {
  readonly kind: 'distinct';
  /** What is read; `orderBy`, `top` and `skip` of it are those of the values. */
  readonly of: ValuesOf;
  /** Whether all values are asked for: `top` is then one more than an answer may hold. */
  readonly all: boolean;
}

/** A read of the catalog (§4.1): of all dataclasses in brief, of all in full, or of those named. */
export interface CatalogRequest {
  readonly kind: 'catalog';
  readonly detail: 'brief' | 'full';
  readonly names: readonly string[];
}

/** A request that creates and updates entities, which its body holds (§4.6, §4.13). */
export interface SaveRequest extends AnswerLists {
  readonly kind: 'save';
  readonly method: 'update' | 'insert';
  readonly dataclass: string;
  /** Of a URL that names the entity, its key; else `all`. */
  readonly selector: Selector;
  readonly atomic: boolean;
  /** What of the saved entities is answered. */
  readonly filter: FilterNode | null;
  /** A dry run: nothing of it is kept (DECISIONS, "Updates"). */
  readonly dryRun: boolean;
  /** The relations to many whose lists in the body are all that there is to be: what they do not name is deleted. */
  readonly replace: readonly PathRef[];
}

/** A request that deletes entities: those that the URL or the filter names, or those of its body. */
export interface DeleteRequest {
  readonly kind: 'delete';
  readonly dataclass: string;
  readonly selector: Selector;
  readonly filter: FilterNode | null;
  /** Says nothing that a delete has to know; its names are looked up all the same. */
  readonly orderBy: readonly OrderNode[];
  readonly atomic: boolean;
}

/** An upload to one attribute, an image or BLOB, whose bytes are the body (DECISIONS, "Updates"). */
export interface AttributeUploadRequest {
  readonly kind: 'attributeUpload';
  readonly dataclass: string;
  readonly selector: Selector;
  readonly attribute: PathRef;
  /** The type that the bytes are said to be of, `png`, in lower case; null for bytes of any type. */
  readonly image: string | null;
}

/** An upload that a later save refers to by its ID. */
export interface UploadRequest {
  readonly kind: 'upload';
  /** As that of an {@link AttributeUploadRequest}. */
  readonly image: string | null;
}

/** A call of a function: of the datastore, a singleton, or of what a dataclass's URL selects (§4.1; DECISIONS, "Functions"). */
export interface CallRequest {
  readonly kind: 'call';
  readonly name: string;
  readonly on:
    | { readonly kind: 'datastore' }
    | { readonly kind: 'singleton'; readonly name: string }
    | { readonly kind: 'dataclass' };
  /** By which verb: GET calls only what says that it changes nothing. */
  readonly byGet: boolean;
  /** The function's parameters where the URL has them, as those of a GET do: the text of `$params`. */
  readonly params: Slot | null;
  /**
   * Of a dataclass, what the function is called on, without its name in the path; and, wherever it is called, what is answered of the
   * entities that it answers.
   */
  readonly read: ReadRequest;
  /** As those of an {@link EntitySetRequest}, of what it is called on. */
  readonly ofRelation: boolean;
  readonly saved: SavedSelection | null;
  /** How long the set lives, in seconds, that is made of the entities that it answers; null where none is. */
  readonly lifetime: Slot | null;
}

/** A login, a logout, or a question for who is logged in and in which groups (DECISIONS, "Sessions and login"). */
export interface DirectoryRequest {
  readonly kind: 'directory';
  readonly action: 'login' | 'logout' | 'currentUser' | 'currentUserBelongsTo';
}

/** A question for what the gateway keeps for its clients, which opens a session (DECISIONS, "Sessions and login"). */
export interface InfoRequest {
  readonly kind: 'info';
}

/** Everything that a URL can ask for. */
export type RequestAst =
  | DirectoryRequest
  | InfoRequest
  | ReadRequest
  | ContentRequest
  | EntitySetRequest
  | DeleteSetRequest
  | ReleaseRequest
  | CatalogRequest
  | SaveRequest
  | DeleteRequest
  | AttributeUploadRequest
  | UploadRequest
  | CallRequest
  | LockRequest
  | ComputeRequest
  | DistinctRequest;

/** A request that was read. */
export interface ParsedRequest<Ast extends RequestAst = RequestAst> {
  readonly ast: Ast;
  /** Equal for requests that differ in their values only. */
  readonly shape: string;
  readonly values: readonly Literal[];
}
