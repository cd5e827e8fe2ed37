import { notApplicable } from '../../base/errors.ts';
import { noSuchAttribute, relatedDataclass } from '../../model/lookup.ts';
import {
  isEngineStamp,
  isStored,
  type Member,
  type Model,
  type StorageAttribute,
} from '../../model/types.ts';
import type { Output, StampSource } from '../../sql/ir/ir.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import type { ContentRequest, ReadRequest, ParameterRef } from '../../protocol/ast.ts';
import { entityOf, isExpanded, lastName } from '../../protocol/requests/content.ts';
import { OutputList, stampSource } from './projection.ts';
import type { PlanContext } from '../context.ts';
import { orderOfOne } from './read.ts';
import type { Scope } from '../condition/scope.ts';
import { planSelection } from './selection.ts';
import type { AddressedEntity } from '../condition/types.ts';

/** A read of an image or BLOB in slices, for all requests of one shape. Columns are indexes into the rows. */
export interface ContentPlan {
  readonly attribute: StorageAttribute;
  /** Reads a slice and the columns that tell the version of the whole. */
  readonly slice: Statement;
  /** Reads a slice and a digest of the whole, as the last column, when nothing else tells its versions apart; else null. */
  readonly digested: Statement | null;
  /** The columns that change with the value. */
  readonly versions: readonly number[];
  readonly length: number;
  readonly bytes: number;
  /** The stamp of the entity, where it changes with the value; else null. */
  readonly stamp: number | null;
  readonly version: ParameterRef | null;
  readonly origin: Statement | null;
  readonly addressed: AddressedEntity;
}

/** Plans to read the content of an image or BLOB (§4.5). @throws ProtocolError notApplicable for other attributes and for many entities */
export function planContent(request: ContentRequest, context: PlanContext): ContentPlan {
  const { read, version } = request;
  const { scope, where, one, isWalked, origin, addressed } = planSelection(read, context);
  const attribute = contentAttribute(request, scope);
  if (!one) {
    const message = `The content of ${scope.dataclass.name}.${attribute.name} is read of one entity: ${scope.dataclass.name}(key)/${attribute.name}.`;
    throw notApplicable(message);
  }
  const outputs = new OutputList(0);
  const operand = scope.attribute(attribute);
  const { stamp, versions } = planVersions(scope, outputs, context);
  const length = outputs.add({ kind: 'byteLength', operand });
  const bytes = outputs.add({ kind: 'slice', operand });
  const select = (items: readonly Output[]): Statement =>
    context.printer.print(
      scope.select({
        outputs: items,
        where,
        orderBy: orderOfOne(read.selector, isWalked, scope),
      }),
    );
  return {
    attribute,
    slice: select(outputs.items),
    digested: versions.length > 0 ? null : select([...outputs.items, { kind: 'digest', operand }]),
    versions,
    length,
    bytes,
    stamp,
    version,
    origin,
    addressed,
  };
}

/** The request for a content that a read stands for when its path and its `$expand` end in an image or BLOB; null for any other read. */
export function contentOfRead(request: ReadRequest, model: Model): ContentRequest | null {
  const attribute = lastName(request);
  if (attribute === null || request.asArray || request.format !== undefined) return null;
  if (!isExpanded(attribute, request.expand)) return null;
  const read = entityOf(request);
  const relations = read.segments.map(([first]) => first?.names[0] ?? '');
  const dataclass = relatedDataclass(model.dataclasses.get(request.dataclass), relations);
  const member = dataclass?.members.get(attribute.names[0] ?? '');
  if (member === undefined || !isBinary(member)) return null;
  if (request.explain !== undefined) {
    throw notApplicable(
      'Query plans are not available for images and BLOBs: leave $queryplan and $querypath out.',
    );
  }
  return { kind: 'content', read, attribute, format: null, binary: false, version: null };
}

function isBinary(member: Member): member is StorageAttribute {
  return isStored(member) && (member.type === 'image' || member.type === 'blob');
}

function contentAttribute(
  { attribute, format }: ContentRequest,
  { dataclass }: Scope,
): StorageAttribute {
  const [name = ''] = attribute.names;
  const at = { within: 'the path', position: attribute.position };
  const member = dataclass.members.get(name);
  if (member === undefined) throw noSuchAttribute(dataclass, name, at);
  const shown = `${dataclass.name}.${name}`;
  if (!isBinary(member)) throw notApplicable(`${shown} is not an image or BLOB.`, at);
  if (member.type === 'blob' && format !== null) {
    const message = `${shown} is a BLOB: ask for it by $binary=true`;
    throw notApplicable(message, at).advising('Its mapping file may say type: image.');
  }
  return member;
}

/** Selects the columns that tell versions of a row apart: its stamp, and the row version that the engine keeps. */
function planVersions(
  scope: Scope,
  outputs: OutputList,
  { stampBits: bits }: PlanContext,
): { readonly stamp: number | null; readonly versions: readonly number[] } {
  const { stamp } = scope.dataclass;
  const own = isEngineStamp(stamp) ? stampSource(stamp, scope) : null;
  const add = (source: StampSource | null): number[] =>
    source === null ? [] : [outputs.add({ kind: 'stamp', source, bits })];
  const [column = null] = add(own);
  const engine = stamp.kind === 'xmin' || stamp.kind === 'rowversion' ? [] : add(rowVersion(scope));
  return { stamp: column, versions: column === null ? engine : [column, ...engine] };
}

function rowVersion(scope: Scope): StampSource | null {
  const { rowVersion: version, columns } = scope.dataclass.table;
  if (version?.kind === 'xmin') return { kind: 'xmin', alias: scope.source.alias };
  const column = columns.find(({ name }) => name === version?.name);
  return column === undefined ? null : { kind: 'rowversion', column: scope.column(column) };
}
