import { ProtocolError } from '../base/errors.ts';
import { prepareDelete, runDelete, runDeleteWhere, type PrintedDelete } from '../execute/delete.ts';
import { isFailed } from '../execute/outcome.ts';
import { prepareSave } from '../execute/print-save.ts';
import { runSave } from '../execute/save.ts';
import type { Dataclass } from '../model/types.ts';
import type { KeyTexts } from '../values/body-key.ts';
import { planContent } from '../plan/content.ts';
import { planDelete } from '../plan/delete.ts';
import { readEntity } from '../values/body-entity.ts';
import { planSave, type UrlTarget } from '../plan/save.ts';
import type {
  ContentRequest,
  DeleteRequest,
  Literal,
  ParsedRequest,
  SaveRequest,
} from '../request/ast.ts';
import { parseBody, type Body, type RawBody } from '../request/body.ts';
import { compileSave, deleteText, type WrittenAnswer } from '../respond/save-writer.ts';
import { unattended } from '../observe/observer.ts';
import { kept, type HandlerParts, type ShapeCache } from './handle.ts';
import type { Stopwatch } from './stopwatch.ts';
import { readDelete } from '../values/body-delete.ts';
import type { PlannedDelete, EntityContext, RefusedEntity } from '../values/types.ts';
import { uploadedEntity } from '../values/given-value.ts';
import { urlKeys } from '../values/url-keys.ts';

/** The answer to a write that has nothing to tell (§4.6). */
const OK = '{"ok":true}';

/** The life of the requests that write, a stage a line. */
export class WriteHandler {
  readonly #parts: HandlerParts;
  readonly #shapes: ShapeCache;

  constructor(parts: HandlerParts, shapes: ShapeCache) {
    this.#parts = parts;
    this.#shapes = shapes;
  }

  async save(
    { ast, shape, values }: ParsedRequest<SaveRequest>,
    raw: RawBody | null,
    stopwatch: Stopwatch,
  ): Promise<WrittenAnswer> {
    const { database, model, settings, uploads } = this.#parts;
    const body = stopwatch.time('request', () => neededBody(raw));
    const { prepared, write } = kept(this.#shapes, shape, () => {
      const plan = stopwatch.time('plan', () => planSave(ast, model, settings));
      const prepared = stopwatch.time('sql', () => prepareSave(plan, database.dialect));
      return { prepared, write: stopwatch.time('respond', () => compileSave(prepared)) };
    });
    const { plan } = prepared;
    const context: EntityContext = {
      dataclass: plan.dataclass,
      method: plan.method,
      atomic: plan.atomic,
      urlKey: onlyKey(plan.target, values, plan.dataclass, body),
      urlAttribute: plan.target?.unique ?? null,
      findUpload: (id) => uploads.find(id),
    };
    const entities = stopwatch.time('plan', () =>
      body.entities.map((entity, index) => readEntity(entity, index, context)),
    );
    const result = await stopwatch.timeAsync('execute', () =>
      runSave(prepared, entities, values, { model, database, activity: unattended }),
    );
    return stopwatch.time('respond', () => write(result, body.form));
  }

  async delete(
    { ast, shape, values }: ParsedRequest<DeleteRequest>,
    raw: RawBody | null,
    stopwatch: Stopwatch,
  ): Promise<string> {
    const { database, model, settings } = this.#parts;
    const body = stopwatch.time('request', () => (raw === null ? null : parseBody(raw)));
    const prepared = kept(this.#shapes, shape, () => {
      const plan = stopwatch.time('plan', () => planDelete(ast, model, settings));
      return stopwatch.time('sql', () => prepareDelete(plan, database.dialect));
    });
    const { where, plan } = prepared;
    if (where !== null) {
      refuseBody(body);
      await stopwatch.timeAsync('execute', () =>
        runDeleteWhere(prepared, where, values, { model, database, activity: unattended }),
      );
      return OK;
    }
    const entities = stopwatch.time('plan', () => deletedEntities(prepared, values, body));
    const outcomes = await stopwatch.timeAsync('execute', () =>
      runDelete(prepared, entities, { model, database, activity: unattended }),
    );
    if (body !== null && body.form === 'many' && plan.target === null) {
      return stopwatch.time('respond', () => deleteText(outcomes, plan.dataclass));
    }
    const failure = outcomes.find(isFailed)?.failure;
    if (failure !== undefined) throw failure.error;
    return OK;
  }

  /** Sets an image or BLOB to the bytes of the body (DECISIONS, "Updates"). */
  async content(
    { ast, shape, values }: ParsedRequest<ContentRequest>,
    raw: RawBody | null,
    stopwatch: Stopwatch,
  ): Promise<string> {
    const { database, model, settings } = this.#parts;
    const { prepared, attribute, target } = kept(this.#shapes, shape, () => {
      const { plan, ...content } = stopwatch.time('plan', () => planContent(ast, model, settings));
      const prepared = stopwatch.time('sql', () => prepareSave(plan, database.dialect));
      return { prepared, ...content };
    });
    const bytes = neededBytes(raw);
    const [key] = urlKeys(target, values, prepared.plan.dataclass);
    const entity = uploadedEntity(attribute, key ?? [], bytes, prepared.plan.dataclass);
    const { outcomes } = await stopwatch.timeAsync('execute', () =>
      runSave(prepared, [entity], values, { model, database, activity: unattended }),
    );
    const failure = outcomes[0]?.failure ?? null;
    if (failure !== null) throw failure.error;
    return OK;
  }

  /** Keeps the bytes of the body until a save refers to them. */
  upload(raw: RawBody | null): string {
    return JSON.stringify({ ID: this.#parts.uploads.add(neededBytes(raw)) });
  }
}

function neededBody(raw: RawBody | null): Body {
  const body = raw === null ? null : parseBody(raw);
  if (body !== null) return body;
  throw new ProtocolError(
    'badBody',
    'The body is empty; expected an object with the attributes of an entity, or an array of such objects.',
  );
}

function neededBytes(raw: RawBody | null): Buffer {
  if (raw !== null && raw.bytes.length > 0) return raw.bytes;
  throw new ProtocolError('badBody', 'The body is empty; expected the bytes of an image or BLOB.');
}

function refuseBody(body: Body | null): void {
  if (body === null || body.entities.length === 0) return;
  throw new ProtocolError(
    'notApplicable',
    'The URL says what to delete, and so does the body: give one of them.',
  );
}

/** The key of a URL that names an entity; its body is one object then. */
function onlyKey(
  target: UrlTarget | null,
  values: readonly Literal[],
  dataclass: Dataclass,
  { form }: Body,
): KeyTexts | null {
  if (target === null) return null;
  const [key, ...more] = urlKeys(target, values, dataclass);
  if (key !== undefined && more.length === 0 && form === 'one') return key;
  throw new ProtocolError(
    'notApplicable',
    'The URL names the entity to save: the key is one, and the body is one object.',
  );
}

/** What to delete: the entities that the URL names, or those of the body. */
function deletedEntities(
  { plan: { target, dataclass } }: PrintedDelete,
  values: readonly Literal[],
  body: Body | null,
): readonly (PlannedDelete | RefusedEntity)[] {
  if (target !== null) {
    refuseBody(body);
    return urlKeys(target, values, dataclass).map((key, index) => ({ index, key, stamp: null }));
  }
  if (body !== null) {
    return body.entities.map((entity, index) => readDelete(entity, index, dataclass));
  }
  throw new ProtocolError(
    'notApplicable',
    `Nothing says which entities of ${dataclass.name} to delete: name them by key, by $filter, or in the body.`,
  );
}
