import { ProtocolError } from '../../base/errors.ts';
import { isStored, type Model, type StorageAttribute } from '../../model/types.ts';
import type { AttributeUploadRequest } from '../../protocol/ast.ts';
import { type PlanSettings } from '../read/read.ts';
import { planSave, type SavePlan, type UrlTarget } from './save.ts';
import { noSuchAttribute, findDataclass } from '../../model/lookup.ts';
import { checkRights } from './rights.ts';

/** How to set the bytes of one image or BLOB, for all requests of one shape. */
export interface AttributeUploadPlan {
  readonly plan: SavePlan;
  readonly target: UrlTarget;
  readonly attribute: StorageAttribute;
}

/**
 * Plans to set the bytes of an image or BLOB (DECISIONS, "Updates").
 * @throws ProtocolError noSuchAttribute, notApplicable for an attribute of another type, mayNotUpdate
 */
export function planAttributeUpload(
  request: AttributeUploadRequest,
  model: Model,
  settings: PlanSettings,
): AttributeUploadPlan {
  const dataclass = findDataclass(model, request.dataclass);
  const [name = ''] = request.attribute.names;
  const member = dataclass.members.get(name);
  const at = { within: 'the path', position: request.attribute.position };
  if (member === undefined) throw noSuchAttribute(dataclass, name, at);
  if (!isStored(member) || member.columnType.kind !== 'binary') {
    throw new ProtocolError(
      'notApplicable',
      `${dataclass.name}.${name} is not an image or BLOB: it is written by $method=update.`,
      at,
    );
  }
  checkRights(dataclass, 'update');
  const plan = planSave(
    {
      kind: 'save',
      method: 'update',
      dataclass: dataclass.name,
      selector: request.selector,
      atomic: false,
      filter: null,
      orderBy: [],
      attributes: [{ names: [name], star: false, position: 1 }],
      expand: [],
      asArray: false,
      dryRun: false,
      replace: [],
    },
    model,
    settings,
  );
  const { kind } = request.selector;
  if (plan.target === null || kind === 'keys' || kind === 'keyList') {
    throw new ProtocolError(
      'notApplicable',
      `An upload names one entity: ${dataclass.name}(key)/${name}.`,
      at,
    );
  }
  return { plan, target: plan.target, attribute: member };
}
