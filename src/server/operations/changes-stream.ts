import { keyReader } from '../../answer/entities/entity-uri.ts';
import { onAbort } from '../../base/time.ts';
import { gatewayContext, timedAsync } from '../../base/observe/observer.ts';
import { ADMIN, type Principal } from '../../base/principal.ts';
import { findDataclass } from '../../model/lookup.ts';
import type { ChangeSource, Dataclass } from '../../model/types.ts';
import type { ChangesPlan } from '../../plan/read/changes.ts';
import type { ChangesRequest, ChangesStreamRequest, Literal } from '../../protocol/ast.ts';
import { parseRequest } from '../../protocol/parse.ts';
import {
  type ChangeToken,
  checkToken,
  readStreamTokens,
  tokenSubject,
  type VersionBound,
} from '../../run/read/change-token.ts';
import { SLICE } from '../../run/read/slices.ts';
import { readBound, readChanges } from '../../run/read/changes.ts';
import { readingFrom } from '../../run/run.ts';
import type { ChangedKeys, Channel } from '../changes/changes-hub.ts';
import type { Caller } from '../pipeline/caller.ts';
import { type Operation, type OperationContext, setRequestOf } from '../pipeline/operation.ts';
import { changesPlanOf, keysOf } from './changes.ts';

/** An event lists fewer keys of a dataclass: as many as fill a page may not be all. */
const TOO_MANY = SLICE;

const EVERYBODY: Principal = { name: null, roles: [ADMIN], claims: new Map() };

/** Streams the keys of changed entities as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export const changesStream: Operation<ChangesStreamRequest> = {
  changes: false,
  answer: (context) =>
    timedAsync(context, 'execute', async () => {
      const { ast, signal, services } = context;
      const channels = ast.dataclasses.map((name) => channelFor(name, context));
      const given = givenTokens(context);
      const body = await services.changes.open(
        channels,
        given === null ? null : readStreamTokens(given),
      );
      onAbort(signal, () => body.destroy());
      const headers = {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        // nginx would collect the events.
        'x-accel-buffering': 'no',
      };
      return { status: 200, headers, body };
    }),
};

/** Where the client wants to go on: what its last event says, or else the URL. */
function givenTokens({
  ast,
  request,
  values,
}: OperationContext<ChangesStreamRequest>): string | null {
  const last = request.headers['last-event-id'];
  if (typeof last === 'string' && last !== '') return last;
  const since = ast.since === null ? undefined : values[ast.since.parameter]?.value;
  return typeof since === 'string' ? since : null;
}

/** The changes of a dataclass for the user of a request, and for all who see the same of it. */
function channelFor(name: string, context: OperationContext): Channel {
  const { caller, services } = context;
  const everybody = { ...caller, principal: EVERYBODY, audience: services.audiences.of(EVERYBODY) };
  const own = planKeys(name, caller, context);
  const whole = planKeys(name, everybody, context);
  const isRestricted =
    own.dataclass.where !== whole.dataclass.where ||
    // Whoever does not see the keys of deleted entities shares a view with others who do not.
    (own.plan.deleted !== null &&
      own.plan.deleted.dataclass.where !== whole.plan.deleted?.dataclass.where);
  const isKnown = services.sessionContextText(caller.principal) !== '';
  const view = isRestricted || isKnown ? setRequestOf(context).access.audience : '';
  // A database that knows the user may show each one other rows.
  const unrestricted = isRestricted && !isKnown ? channelOf(whole, '', null, context) : null;
  return channelOf(own, view, unrestricted, context);
}

/** How the keys of changed entities are read. */
interface KeysReading {
  readonly dataclass: Dataclass;
  readonly principal: Principal;
  readonly plan: ChangesPlan;
  readonly values: readonly Literal[];
}

function planKeys(name: string, caller: Caller, context: OperationContext): KeysReading {
  const { audience, principal } = caller;
  const dataclass = findDataclass(audience.model, name);
  const { maxTop } = context.services.settings.limits;
  const top = Math.min(TOO_MANY, maxTop);
  const parsed = parseRequest(`/rest/${encodeURIComponent(name)}/$changes?$top=${top}`);
  const { values } = parsed;
  // The URL asks for changes.
  const { read, ...rest } = parsed.ast as ChangesRequest;
  // No attribute is read: the key is, though it may be no attribute that the user sees.
  const ast = { ...rest, read: { ...read, attributes: [] } };
  const shape = `${audience.key}\n${parsed.shape} keys`;
  const { plan } = changesPlanOf({ ...context, ast, shape, values, caller });
  return { dataclass, principal, plan, values };
}

/** @param view equal for users who see the same entities */
function channelOf(
  { dataclass: { name, definition }, principal, plan, values }: KeysReading,
  view: string,
  unrestricted: Channel | null,
  { services: { database } }: OperationContext,
): Channel {
  const { source } = plan.changes;
  const id = tokenSubject(['stream', name, definition(), view, plan.deleted !== null]);
  // The client whose request it was may leave, and others stay.
  const activity = { ...gatewayContext, principal };
  const input = { database, activity, values, subject: id };
  return {
    id,
    dataclass: name,
    boundId: boundIdOf(source, name),
    unrestricted,
    check: (token: ChangeToken, bound: VersionBound) =>
      checkToken(token, { plan, subject: id, bound }),
    readBound: () => readBound(plan, readingFrom(input, { fresh: true })),
    read: async (token: ChangeToken, bound: VersionBound): Promise<ChangedKeys> => {
      const page = await readChanges(plan, { ...input, token, bound }, false);
      const { round, ...behind } = page.token;
      if (round !== undefined) return { keys: [], removed: [], areTooMany: true, token: behind };
      const { fetch } = plan.entities;
      const { text } = keyReader(fetch.shape, fetch.readers);
      const rows = page.slices.flatMap(({ fetched }) => fetched.rows);
      const keys = rows.flatMap((row) => text(row) ?? []);
      return { keys, removed: page.removed.flatMap(keysOf), areTooMany: false, token: behind };
    },
  };
}

/** Margins differ, and change tracking tells of each table how far back it goes. */
function boundIdOf(source: ChangeSource, dataclass: string): string {
  const { kind } = source;
  if (kind === 'changeTracking') return `${kind} ${dataclass}`;
  return kind === 'timestamp' ? `${kind} ${source.marginSeconds}` : kind;
}
