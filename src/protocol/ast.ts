import type { DatePart } from '../base/date-parts.ts';
import type { ProtocolError } from '../base/errors.ts';

/**
 * The request AST: a URL as the protocol's grammar reads it. Names are not looked up here; that is the planner's business. Values are taken
 * out as {@link Literal}s and stand in the tree as parameters, so that requests of one shape share one tree, and one plan.
 */

/**
 * The kind of a value, by its text and quotes: it decides how the value can be compared, and is part of the shape. `word` is unquoted text,
 * `wild` text with a wildcard, `noDate` the text `0!0!0` or `!!0000-00-00!!`, both quoted or not.
 */
export type LiteralClass =
  'null' | 'boolean' | 'number' | 'word' | 'text' | 'wild' | 'noDate' | 'list';

/** A client's value. */
export interface Literal {
  /** Its text: digits as they were written, text without its quotes. Of a list: the items. */
  readonly value: string | readonly Literal[];
  readonly class: LiteralClass;
  /** Where it is in the URL: the name of a URL parameter or `the path`, and the 1-based position in its text. */
  readonly within: string;
  readonly position: number;
  /** The name of the claim that replaces the value; only in the gateway's own configuration. */
  readonly claim?: string;
}

/** A value in the AST: an index into the request's values. */
export interface ParameterRef {
  readonly parameter: number;
  readonly class: LiteralClass;
  /** Of a list: the classes of its items, each once. */
  readonly items?: readonly LiteralClass[];
  /** Of a short list: the least of a few sizes that it does not exceed. */
  readonly size?: number;
}

/** A dotted path of names, with its 1-based position in its parameter. */
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
      readonly value: ParameterRef;
    }
  /** An attribute alone: a boolean that is to be true. */
  | { readonly kind: 'flag'; readonly path: PathRef }
  | {
      readonly kind: 'and' | 'or' | 'except';
      readonly left: FilterNode;
      readonly right: FilterNode;
      /** Whether AND and OR join it with what is on its left without parentheses. */
      readonly isMixed?: true;
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

/** Values by attribute name. */
export type KeyEntries = readonly (readonly [string, ParameterRef])[];

/**
 * One key: a plain value, values in key order, or values by attribute name. `raw` is its whole text, if that differs from the parsed value and
 * does not begin with a quote: it is the key if the model's key is one text. A `broken` key can only be such a text.
 */
export type KeyNode =
  | {
      readonly kind: 'scalar';
      readonly value: ParameterRef;
      readonly raw?: ParameterRef;
      /** The parts of the JSON object in quotes: the key, where it has several parts. */
      readonly object?: KeyEntries;
    }
  | {
      readonly kind: 'tuple';
      readonly values: readonly ParameterRef[];
      readonly raw?: ParameterRef;
    }
  | { readonly kind: 'object'; readonly entries: KeyEntries; readonly raw?: ParameterRef }
  | { readonly kind: 'broken'; readonly raw: ParameterRef; readonly refusal: ProtocolError };

/** The entities that the path selects from its dataclass. */
export type Selector =
  | { readonly kind: 'all' }
  | { readonly kind: 'key'; readonly key: KeyNode }
  /** Several plain keys, as one value. */
  | { readonly kind: 'keyList'; readonly list: ParameterRef }
  /** Several keys of several parts. */
  | { readonly kind: 'keys'; readonly keys: readonly KeyNode[] }
  /** One value of a unique attribute, in the form of a key. */
  | { readonly kind: 'unique'; readonly attribute: string; readonly key: KeyNode }
  | { readonly kind: 'entitySet'; readonly id: ParameterRef };

/** What a query reports about itself: its plan (§2.6), or also what was measured while it ran (DECISIONS, "`$querypath`"). */
export type Explain = 'plan' | 'path';

/** The layout of entities (`$format`): the protocol's JSON, rows for a dashboard (§2.7), or an export. */
export type AnswerFormat = 'json' | 'dashboard' | ExportFormat;

/** The formats that are sent as they are read, and have no pages: comma-separated values, as they are or for spreadsheets, and JSON line by line. */
export type ExportFormat = 'csv' | 'spreadsheet' | 'ndjson';

/** The formats of rows and columns. */
export type TableFormat = Exclude<AnswerFormat, 'json' | 'ndjson'>;

/** Which entities a request is about, and in which order. */
interface FilteredRequest {
  readonly dataclass: string;
  readonly filter: FilterNode | null;
  readonly orderBy: readonly OrderNode[];
}

/** The answered attributes of entities, and their order. */
export interface AnswerLists {
  readonly orderBy: readonly OrderNode[];
  readonly attributes: readonly AttributeNode[] | null;
  /** Relations to expand; of a bare array also attributes to answer. */
  readonly expand: readonly (PathRef | AttributeNode)[];
  /** Whether the answer is a bare array. */
  readonly asArray: boolean;
}

/** A read of entities. */
export interface ReadRequest extends FilteredRequest, AnswerLists {
  readonly kind: 'read';
  readonly selector: Selector;
  /** The rest of the path: relations to walk, the last one possibly a list of attributes. */
  readonly segments: readonly (readonly AttributeNode[])[];
  /** How many entities at most; 100 where the request does not say, so that both share a shape. */
  readonly top: ParameterRef;
  readonly skip: ParameterRef;
  readonly explain?: Explain;
  /** JSON where it is left out. */
  readonly format?: Exclude<AnswerFormat, 'json'>;
  /** Whether a collection is answered with its `__COUNT`; it is where this is left out. */
  readonly count?: false;
}

/** The `$imageformat`; `none` where images cannot be converted to it. */
export type WantedFormat = 'best' | 'gif' | 'png' | 'jpeg' | 'tiff' | 'none';

/** A read of an image or BLOB (§4.5). */
export interface ContentRequest {
  readonly kind: 'content';
  /** The entity that has the attribute, with the relations that the path walks on the way there. */
  readonly read: ReadRequest;
  readonly attribute: PathRef;
  /** Null for an image as it is stored. */
  readonly format: WantedFormat | null;
  /** Whether the bytes of the column are wanted, whatever they are (`$binary`). */
  readonly binary: boolean;
  /** The version that the client knows: it only decides how long the client may keep the answer. */
  readonly version: ParameterRef | null;
}

/** How two entity sets are combined (§4.7). */
export type SetOperator = 'and' | 'or' | 'except' | 'intersect';

/** A read that makes an entity set, reads the one that the URL names, or makes a new one from it (§4.6 to §4.9). */
export interface EntitySetRequest {
  readonly kind: 'entitySet';
  /** What the set is made of, or which one is read; `$filter` and `$orderby` then apply to its entities. */
  readonly read: ReadRequest;
  /** Whether it is made of the entities that a relation leads to (`$method=subentityset`). */
  readonly ofRelation: boolean;
  /** Whether the answer names the set of the URL, of which `$method=subentityset` asks for a page. */
  readonly namesSet: boolean;
  /** The parameter with the order of the read, for messages. */
  readonly orderedBy: '$orderby' | '$subOrderby';
  /** How long the set that is made lives, in seconds; null where none is. */
  readonly lifetime: ParameterRef | null;
  /** Leaves undefined references out (§4.8). */
  readonly clean: boolean;
  readonly combination: { readonly operator: SetOperator; readonly other: ParameterRef } | null;
  /** The positions in the set that are left out (`$removeFromSet`), as a list; null for none. */
  readonly removed: ParameterRef | null;
  /** From what a set that is gone is made again (§4.9); null where that is an error. */
  readonly saved: SavedSelection | null;
  /** The key to find in the set (DECISIONS, "Entity sets in URLs"): its position is the answer. Null where a page is. */
  readonly find: KeyNode | null;
  /** Whether only the keys of `$top` and `$skip` are selected; left out where all are. */
  readonly isWindowed?: boolean;
}

/** From what an entity set is made again under its id, and how long it lives then, in seconds. */
export interface SavedSelection {
  readonly filter: FilterNode | null;
  readonly orderBy: readonly OrderNode[];
  readonly lifetime: ParameterRef;
}

/** Deletes the entities of an entity set, or those of them that the filter finds. */
export interface DeleteSetRequest extends FilteredRequest {
  readonly kind: 'deleteSet';
  readonly id: ParameterRef;
  /** As that of a {@link DeleteRequest}. */
  readonly dryRun: boolean;
}

/** Removes an entity set. */
export interface ReleaseRequest {
  readonly kind: 'release';
  readonly dataclass: string;
  readonly id: ParameterRef;
}

/** What is done with the lock of an entity; `status` only looks at it (docs/reference/locks.md). */
export type LockAction = 'lock' | 'unlock' | 'status';

/** Locks an entity for the client's session, unlocks it (§4.12), or tells whether it is locked. */
export interface LockRequest {
  readonly kind: 'lock';
  readonly dataclass: string;
  readonly selector: Selector;
  readonly action: LockAction;
  /** The stamp of the client's copy; null where it does not say. */
  readonly stamp: ParameterRef | null;
}

/** What can be computed from an attribute's values, in the order of the answer (§4.10). */
export const COMPUTATIONS = ['count', 'sum', 'average', 'min', 'max'] as const;

export type Computation = (typeof COMPUTATIONS)[number];

/** What is asked for; `all` is each computation that the type of the attribute has. */
export type ComputeKeyword = Computation | 'all';

/** The entities whose values of one attribute are asked for; it is among the attributes of the read. */
export type ValuesOf = ReadRequest | EntitySetRequest;

/** Computes something from the values of one attribute (§4.10). */
export interface ComputeRequest {
  readonly kind: 'compute';
  readonly keyword: ComputeKeyword;
  readonly of: ValuesOf;
  /** Whether `top` and `skip` narrow the values. */
  readonly narrowed: boolean;
}

/** Reads the distinct values of one attribute (§4.11). */
export interface DistinctRequest {
  readonly kind: 'distinct';
  /** Its `orderBy`, `top` and `skip` are those of the values. */
  readonly of: ValuesOf;
  /** Whether all values are asked for: `top` is then one more than an answer may hold. */
  readonly all: boolean;
}

/** What is computed of the entities of a group (DECISIONS, "`$groupby`"). */
export const AGGREGATES = ['count', 'distinct', 'sum', 'avg', 'min', 'max'] as const;

export type AggregateName = (typeof AGGREGATES)[number];

/** The member of a group in the answer. */
interface MemberNode {
  /** Its name there: `as`, or else the expression. */
  readonly name: string;
  /** The expression without blanks: `customer.country`, `orderDate:month`, `sum(total)`. */
  readonly text: string;
}

/** What entities are grouped by: the value of an attribute, a part of its date, or the steps between which its number lies. */
export interface GroupNode extends MemberNode {
  readonly path: PathRef;
  readonly by: { readonly part: DatePart } | { readonly step: string } | null;
}

/** An aggregate of the values of an attribute; of the entities themselves, whose number it is, where the path is null. */
export interface AggregateNode extends MemberNode {
  readonly name: string;
  readonly aggregate: AggregateName;
  readonly path: PathRef | null;
  readonly position: number;
}

/** Reads groups of entities with aggregates of each (DECISIONS, "`$groupby`"). */
export interface GroupsRequest {
  readonly kind: 'groups';
  /** The entities that are grouped. */
  readonly of: ValuesOf;
  readonly groups: readonly GroupNode[];
  readonly aggregates: readonly AggregateNode[];
  /** A filter of the groups, whose paths are names or expressions. */
  readonly having: FilterNode | null;
  /** Each path is one name or expression. */
  readonly orderBy: readonly OrderNode[];
  /** The page of groups: without `$top`, one more than an answer may hold. */
  readonly top: ParameterRef;
  readonly skip: ParameterRef;
  readonly asArray: boolean;
  readonly format: Exclude<AnswerFormat, 'dashboard'>;
}

/** A read of the entities of a dataclass that have changed since a token was made, and of the next token. */
export interface ChangesRequest {
  readonly kind: 'changes';
  /** All entities that the token is about, as they are answered; `top` is the size of a page. */
  readonly read: ReadRequest;
  /** Null for all entities, and the token of the beginning. */
  readonly since: ParameterRef | null;
}

/** A stream of the keys of changed entities, as server-sent events. */
export interface ChangesStreamRequest {
  readonly kind: 'changesStream';
  readonly dataclasses: readonly string[];
  /** Null for what changes from now on. */
  readonly since: ParameterRef | null;
}

/** A read of the catalog (§4.1): of all dataclasses in brief, of all in full, or of those named. */
export interface CatalogRequest {
  readonly kind: 'catalog';
  readonly detail: 'brief' | 'full';
  readonly names: readonly string[];
}

/** Creates and updates the entities of its body (§4.6, §4.13); its filter and lists say what of them is answered. */
export interface SaveRequest extends FilteredRequest, AnswerLists {
  readonly kind: 'save';
  readonly method: 'update' | 'insert';
  /** The key in the URL, or `all`. */
  readonly selector: Selector;
  readonly atomic: boolean;
  /** Nothing is kept (DECISIONS, "Updates"). */
  readonly dryRun: boolean;
  /** The relations to many whose lists in the body are complete: what they do not name is deleted. */
  readonly replace: readonly PathRef[];
  /** What finds entities without a key that are there already; null where these are created. */
  readonly naturalKey: readonly PathRef[] | null;
}

/** Deletes entities: those that the URL or the filter selects, or those of its body. The names in its order are only looked up. */
export interface DeleteRequest extends FilteredRequest {
  readonly kind: 'delete';
  readonly selector: Selector;
  readonly atomic: boolean;
  /** Nothing is deleted for good, as with that of a {@link SaveRequest}. */
  readonly dryRun: boolean;
}

/** An upload to one attribute, an image or BLOB, whose bytes are the body (DECISIONS, "Updates"). */
export interface AttributeUploadRequest {
  readonly kind: 'attributeUpload';
  readonly dataclass: string;
  readonly selector: Selector;
  readonly attribute: PathRef;
  /** The type of the image, `png`, in lower case; null for bytes of any type. */
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
  /** GET calls only functions that are said to change nothing. */
  readonly isGet: boolean;
  /** The text of `$params`, where it has the function's parameters, as in a GET. */
  readonly params: ParameterRef | null;
  /** On what a function of a dataclass is called, and what is answered of the entities that any function answers. */
  readonly read: ReadRequest;
  /** As those of an {@link EntitySetRequest}, of what it is called on. */
  readonly ofRelation: boolean;
  readonly saved: SavedSelection | null;
  /** How long the set of the answered entities lives, in seconds; null where none is made. */
  readonly lifetime: ParameterRef | null;
}

/** A login, a logout, or a question for who is logged in and in which groups (DECISIONS, "Sessions and login"). */
export interface DirectoryRequest {
  readonly kind: 'directory';
  readonly action: 'login' | 'logout' | 'currentUser' | 'currentUserBelongsTo';
}

/** Reads what the gateway keeps for its clients, and opens a session (DECISIONS, "Sessions and login"). */
export interface InfoRequest {
  readonly kind: 'info';
}

/** Has the gateway read its files again, by `POST /rest/$info/reload`. */
export interface ReloadRequest {
  readonly kind: 'reload';
}

/** Reads the server-wide modification stamp, so that a client sees whether anything has changed. */
export interface StampRequest {
  readonly kind: 'stamp';
}

/** Lists the reports of the report files that the user may read. */
export interface ReportsRequest {
  readonly kind: 'reports';
}

/** Reads the OpenAPI document of what the user sees (DECISIONS, "Answers"). */
export interface OpenApiRequest {
  readonly kind: 'openapi';
}

/** Everything that a URL can ask for. */
export type RequestAst =
  | DirectoryRequest
  | InfoRequest
  | ReloadRequest
  | StampRequest
  | OpenApiRequest
  | ReportsRequest
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
  | DistinctRequest
  | GroupsRequest
  | ChangesRequest
  | ChangesStreamRequest;

/** A parsed request. */
export interface ParsedRequest<Ast extends RequestAst = RequestAst> {
  readonly ast: Ast;
  /** Equal for requests that differ only in their values. */
  readonly shape: string;
  readonly values: readonly Literal[];
}
