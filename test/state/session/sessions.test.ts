import { expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { NOBODY, type Principal } from '../../../src/base/principal.ts';
import { MemorySessions } from '../../../src/state/session/memory-sessions.ts';
import {
  closingHeaders,
  sessionHash,
  sessionHeaders,
} from '../../../src/state/session/sessions.ts';

const names = { cookie: 'SID', header: 'entitygate-session' };

function opened(max = 2): {
  sessions: MemorySessions;
  closed: string[];
  pass: (seconds: number) => void;
} {
  let now = 0;
  const closed: string[] = [];
  const sessions = new MemorySessions({ timeoutSeconds: 60, max }, ({ id }) => closed.push(id), {
    now: () => now,
  });
  return { sessions, closed, pass: (seconds) => (now += seconds * 1000) };
}

test('those that have expired make room; where none has, there is no room', () => {
  const { sessions, closed, pass } = opened();
  const first = sessions.open(NOBODY);
  expect(first.id).toMatch(/^[0-9A-F]{32}$/);
  pass(30);
  const second = sessions.open(NOBODY);
  expect(() => sessions.open(NOBODY)).toThrow(ProtocolError.of('tooManySessions'));
  pass(30);
  const third = sessions.open(NOBODY);
  expect(closed).toEqual([first.id]);
  sessions.close(second.id);
  sessions.close(second.id);
  expect(closed).toEqual([first.id, second.id]);
  sessions.closeAll();
  expect(closed).toEqual([first.id, second.id, third.id]);
});

test('behind TLS a cookie goes no other way, and a closed session takes it back', () => {
  expect(sessionHeaders('X1', names, true)['set-cookie']).toBe(
    'SID=X1; Path=/; HttpOnly; Secure; SameSite=Lax',
  );
  expect(closingHeaders(names, true)).toEqual({
    'set-cookie': 'SID=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
  });
});

test('nobody in particular keeps those out who have a name', () => {
  const closed: string[] = [];
  const bounds = { timeoutSeconds: 60, max: 3, maxNameless: 1 };
  const sessions = new MemorySessions(bounds, ({ id }) => closed.push(id), { now: () => 0 });
  const ada: Principal = { name: 'ada', roles: [], claims: new Map() };
  const first = sessions.open(NOBODY);
  expect(() => sessions.open(NOBODY)).toThrow(ProtocolError.of('tooManySessions'));
  sessions.open(ada);
  sessions.close(first.id);
  sessions.open(NOBODY);
  sessions.open(ada);
  expect(() => sessions.open(ada)).toThrow(ProtocolError.of('tooManySessions'));
});

test('each session lives as long as it was opened for, and knows whose it is', () => {
  const { sessions, closed, pass } = opened(5);
  const ada: Principal = { name: 'ada', roles: ['sales'], claims: new Map() };
  const long = sessions.open(ada, true, 120);
  const short = sessions.open(ada, false, 30);
  const usual = sessions.open(NOBODY);
  const told = (
    session: { readonly id: string },
    owner: string | null,
    login: Principal | null,
    seconds: number,
  ): object => ({
    ...{ id: session.id, hash: sessionHash(session.id), owner, login, grant: null },
    ...{ timeoutSeconds: seconds, expiresAt: seconds * 1000 },
  });
  expect([...sessions.all()]).toEqual([
    ...[told(long, 'ada', ada, 120), told(short, 'ada', null, 30), told(usual, null, null, 60)],
  ]);
  pass(59);
  expect([...sessions.all()].map(({ hash }) => hash)).toEqual([long.hash, usual.hash]);
  expect(sessions.find(long.id)).toMatchObject({ id: long.id });
  pass(61);
  expect([...sessions.all()].map(({ hash }) => hash)).toEqual([long.hash]);
  expect(closed).toEqual([short.id, usual.id]);
});
