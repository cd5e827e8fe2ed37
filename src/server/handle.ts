import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database.ts';
import { prepareRead } from '../execute/prepare.ts';
import { runRead } from '../execute/read.ts';
import { readingFrom } from '../execute/run.ts';
import type { Model } from '../model/types.ts';
import { planRead, type PlanSettings } from '../plan/read.ts';
import type { CatalogRequest, ParsedRequest, ReadRequest } from '../request/ast.ts';
import type { RawBody } from '../request/body.ts';
import { parseRequest, type Verb } from '../request/parse.ts';
import { catalogText, type CatalogHead } from '../respond/catalog.ts';
import { compileRead } from '../respond/read-writer.ts';
import type { WrittenAnswer } from '../respond/save-writer.ts';
import { unattended } from '../observe/observer.ts';
import type { Uploads } from '../upload/uploads.ts';
import type { Stopwatch } from './stopwatch.ts';
import { WriteHandler } from './write.ts';
import { findDataclass } from '../model/lookup.ts';

/** What the handler works with. */
export interface HandlerParts {
  readonly database: Database;
  readonly model: Model;
  readonly catalog: CatalogHead;
  readonly settings: PlanSettings;
  readonly uploads: Uploads;
  /** How many request shapes keep their plan. */
  readonly planCacheSize: number;
}

/** A request below `/rest`. */
export interface RestRequest {
  readonly verb: Verb;
  /** The raw URL as it came. */
  readonly url: string;
  /** Null where there is none. */
  readonly body: RawBody | null;
}

/** Answers a request below `/rest` with JSON text. */
export type Handler = (request: RestRequest, stopwatch: Stopwatch) => Promise<WrittenAnswer>;

/** What is kept for all requests of one shape. */
export type ShapeCache = LRUCache<string, object>;

/** The whole life of a request, a stage a line. */
export function createHandler(parts: HandlerParts): Handler {
  const shapes: ShapeCache = new LRUCache({ max: parts.planCacheSize });
  const write = new WriteHandler(parts, shapes);
  return async ({ verb, url, body }, stopwatch) => {
    const { ast, ...request } = stopwatch.time('request', () => parseRequest(url, verb));
    switch (ast.kind) {
      case 'catalog':
        return stopwatch.time('respond', () => answered(answerCatalog(ast, parts)));
      case 'read':
        return answered(await read({ ast, ...request }, parts, shapes, stopwatch));
      case 'save':
        return write.save({ ast, ...request }, body, stopwatch);
      case 'delete':
        return answered(await write.delete({ ast, ...request }, body, stopwatch));
      case 'content':
        return answered(await write.content({ ast, ...request }, body, stopwatch));
      case 'upload':
        return answered(write.upload(body));
    }
  };
}

async function read(
  { ast, shape, values }: ParsedRequest<ReadRequest>,
  { database, model, settings }: HandlerParts,
  shapes: ShapeCache,
  stopwatch: Stopwatch,
): Promise<string> {
  const { prepared, write } = kept(shapes, shape, () => {
    const plan = stopwatch.time('plan', () => planRead(ast, model, settings));
    const prepared = stopwatch.time('sql', () => prepareRead(plan, database.dialect));
    return { prepared, write: stopwatch.time('respond', () => compileRead(prepared)) };
  });
  const result = await stopwatch.timeAsync('execute', () =>
    runRead(prepared, values, readingFrom({ database, activity: unattended })),
  );
  return stopwatch.time('respond', () => write(result));
}

/** What was made for the first request of a shape; shapes of different kinds never are the same text. */
export function kept<Made extends object>(
  shapes: ShapeCache,
  shape: string,
  make: () => Made,
): Made {
  const known = shapes.get(shape);
  if (known !== undefined) return known as Made;
  const made = make();
  shapes.set(shape, made);
  return made;
}

function answered(text: string): WrittenAnswer {
  return { status: 200, text };
}

function answerCatalog(
  { detail, names }: CatalogRequest,
  { model, catalog }: HandlerParts,
): string {
  const dataclasses =
    names.length === 0
      ? model.dataclasses.values()
      : names.map((name) => findDataclass(model, name));
  return catalogText(dataclasses, detail, catalog);
}
