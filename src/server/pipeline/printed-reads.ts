import { printRead } from '../../run/read/print-read.ts';
import { type PrintedEntitySet, printEntitySet } from '../../run/sets/print-entity-set.ts';
import type { Model } from '../../model/types.ts';
import { type Activity, timed } from '../../base/observe/observer.ts';
import { planEntitySet } from '../../plan/read/entity-set.ts';
import { planRead } from '../../plan/read/read.ts';
import type { EntitySetRequest, ReadRequest } from '../../protocol/ast.ts';
import {
  compileEncodedRead,
  compileEncodedSet,
  compileEntitySet,
  compilePage,
  compileRead,
  compileStamp,
} from '../../answer/entities/collection-writer.ts';
import { type CachedEntitySet, type CachedPage, type CachedRead, planKinds } from './plan-cache.ts';
import type { Services } from './services.ts';

/**
 * What is kept for all reads of one shape, whoever sends what is read: planned, printed and compiled by the first of them.
 * @throws ProtocolError for what cannot be planned
 */
export function printedRead(
  ast: ReadRequest,
  shape: string,
  model: Model,
  { database, settings, plans }: Services,
  activity: Activity,
): CachedRead {
  return plans.planOf(planKinds.read, shape, () => {
    const plan = timed(activity, 'plan', () => planRead(ast, model, settings));
    const printed = timed(activity, 'sql', () => printRead(plan, database.dialect));
    return timed(activity, 'respond', () => ({
      printed,
      write: compileRead(printed),
      writeEncoded: compileEncodedRead(printed),
      stampOf: compileStamp(printed),
    }));
  });
}

/** The same of requests by way of entity sets. @throws as {@link printedRead} */
export function printedEntitySet(
  ast: EntitySetRequest,
  shape: string,
  model: Model,
  services: Services,
  activity: Activity,
): CachedEntitySet {
  return services.plans.planOf(planKinds.entitySet, shape, () => {
    const printed = printedSet(ast, model, services, activity);
    return timed(activity, 'respond', () => ({
      printed,
      write: compileEntitySet(printed),
      writeEncoded: compileEncodedSet(printed),
    }));
  });
}

/** The same of long pages and exports, whose entities are read by their keys. @throws as {@link printedRead} */
export function printedPage(
  ast: EntitySetRequest,
  shape: string,
  model: Model,
  services: Services,
  activity: Activity,
): CachedPage {
  return services.plans.planOf(planKinds.page, shape, () => {
    const printed = printedSet(ast, model, services, activity);
    return { printed, write: timed(activity, 'respond', () => compilePage(printed)) };
  });
}

function printedSet(
  ast: EntitySetRequest,
  model: Model,
  { database, settings }: Services,
  activity: Activity,
): PrintedEntitySet {
  const plan = timed(activity, 'plan', () => planEntitySet(ast, model, settings));
  return timed(activity, 'sql', () => printEntitySet(plan, database.dialect));
}
