import { setAudience } from '../../access/roles/audiences.ts';
import { jsonAnswer } from '../../answer/answer.ts';
import type { InfoRequest, StampRequest } from '../../protocol/ast.ts';
import { readingFrom } from '../../run/run.ts';
import type { ListedSet } from '../../state/entity-set/store.ts';
import type { Session } from '../../state/session/sessions.ts';
import { lostLogLines } from '../http/log-output.ts';
import { type Caller, withSessionHeaders } from '../pipeline/caller.ts';
import {
  executionOf,
  type Operation,
  type OperationContext,
  type Services,
  staged,
} from '../pipeline/operation.ts';

/** Lists all sessions and sets for administrators, and their own for others (DECISIONS, "Sessions and login"). It opens a session. */
export const info: Operation<InfoRequest> = {
  changes: false,
  answer: async (context) => {
    const { caller, services } = context;
    const session = caller.session ?? (await services.sessions.open(caller.principal));
    const answer = jsonAnswer(JSON.stringify(await infoFor(session, caller, services)));
    return caller.session === null ? withSessionHeaders(session, answer, context) : answer;
  },
};

async function infoFor(
  own: Session,
  { principal, audience }: Caller,
  services: Services,
): Promise<object> {
  const { sessions, entitySets, clock } = services;
  const mine = setAudience(audience, principal);
  const isSeen = ({ set }: ListedSet): boolean =>
    audience.model.dataclasses.get(set.dataclass)?.definition() === set.definition &&
    (audience.isAdmin || set.audience === mine);
  const listed = await entitySets.list(audience.isAdmin ? undefined : own.hash);
  const sets = [...listed].filter(isSeen);
  // The request itself has just renewed its session.
  const renewed = { ...own, expiresAt: clock.now() + own.timeoutSeconds * 1000 };
  const seen = audience.isAdmin ? await sessions.all() : [renewed];
  const since = Date.now() - clock.now();
  const timeOf = (moment: number): string => new Date(since + moment).toISOString();
  return {
    ...(audience.isAdmin ? await figures(services) : {}),
    entitySetCount: sets.length,
    entitySet: sets.map(({ id, set: { dataclass, isSorted, lifetime }, size, expiresAt }) => ({
      id,
      dataClass: dataclass,
      selectionSize: size,
      sorted: isSorted,
      refreshed: timeOf(expiresAt - lifetime * 1000),
      expires: timeOf(expiresAt),
    })),
    ProgressInfo: [],
    // The id of a session lets its reader act as that client, so a digest is shown: of others, and of one that only a cookie carries.
    sessionInfo: Array.from(seen, (session) => ({
      sessionID:
        session.hash === own.hash && own.grant === null
          ? own.id
          : Buffer.from(session.hash, 'base64url').toString('hex').slice(0, 32),
      userName: session.owner ?? '',
      lifeTime: session.timeoutSeconds,
      expiration: timeOf(session.expiresAt),
    })),
    privileges: { privileges: principal.roles.map((privilege) => ({ privilege })) },
  };
}

async function figures({ entitySets, database, locks }: Services): Promise<object> {
  const { bytes } = await entitySets.figures();
  return {
    cacheSize: entitySets.bounds.maxBytes,
    usedCache: bytes,
    pool: database.pool(),
    lockCount: locks?.size ?? 0,
    lostLogLines: lostLogLines(),
  };
}

/** Reads the server-wide modification stamp (§2.3): a client that polls it knows when there is anything to read again. */
export const stamp = staged({
  name: 'stamp',
  changes: false,
  plan: (_: StampRequest, { printer }) => printer.print({ kind: 'globalStamp' }),
  run: async ({ plan }, _, context: OperationContext<StampRequest>) => {
    const [row] = await readingFrom(executionOf(context)).run(plan, {});
    return String(row?.[0]);
  },
  write: (globalStamp) => jsonAnswer(`{"__GlobalStamp":${globalStamp}}`),
});
