import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database.ts';
import { prepareRead, type PreparedRead } from '../execute/prepare.ts';
import { runRead } from '../execute/read.ts';
import type { Model } from '../model/types.ts';
import { findDataclass, planRead, type PlanSettings } from '../plan/read.ts';
import type { CatalogRequest } from '../request/ast.ts';
import { parseRequest } from '../request/parse.ts';
import { catalogText, type CatalogHead } from '../respond/catalog.ts';
import { compileRead, type ReadWriter } from '../respond/read-writer.ts';
import type { Stopwatch } from './stopwatch.ts';

/** What the handler works with. */
export interface HandlerParts {
  readonly database: Database;
  readonly model: Model;
  readonly catalog: CatalogHead;
  readonly settings: PlanSettings;
  /** How many request shapes keep their plan. */
  readonly planCacheSize: number;
}

/** Answers the URL of a GET below `/rest` with JSON text. */
export type Handler = (url: string, stopwatch: Stopwatch) => Promise<string>;

interface CachedRead {
  readonly prepared: PreparedRead;
  readonly write: ReadWriter;
}

/** The whole life of a request, a stage a line. */
export function createHandler(parts: HandlerParts): Handler {
  const plans = new LRUCache<string, CachedRead>({ max: parts.planCacheSize });
  return async (url, stopwatch) => {
    const request = stopwatch.time('request', () => parseRequest(url));
    const { ast, shape, values } = request;
    if (ast.kind === 'catalog') return stopwatch.time('respond', () => answerCatalog(ast, parts));
    let cached = plans.get(shape);
    if (cached === undefined) {
      const plan = stopwatch.time('plan', () => planRead(ast, parts.model, parts.settings));
      const prepared = stopwatch.time('sql', () => prepareRead(plan, parts.database.dialect));
      cached = { prepared, write: stopwatch.time('respond', () => compileRead(prepared)) };
      plans.set(shape, cached);
    }
    const { prepared, write } = cached;
    const result = await stopwatch.timeAsync('execute', () =>
      runRead(prepared, values, parts.database),
    );
    return stopwatch.time('respond', () => write(result));
  };
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
