import { expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import { sessionHeaders, sessionId } from '../../src/session/session-cookie.ts';
import { Sessions } from '../../src/session/sessions.ts';

const names = { cookie: 'SID', header: 'entitygate-session' };

function opened(max = 2): {
  sessions: Sessions;
  closed: string[];
  pass: (seconds: number) => void;
} {
  let now = 0;
  const closed: string[] = [];
  const sessions = new Sessions({ timeoutSeconds: 60, max }, ({ id }) => closed.push(id), {
    now: () => now,
  });
  return { sessions, closed, pass: (seconds) => (now += seconds * 1000) };
}

test('a session lives on with each request, and is closed when none comes', () => {
  const { sessions, closed, pass } = opened();
  const { id } = sessions.open();
  expect(id).toMatch(/^[0-9A-F]{32}$/);
  pass(59);
  expect(sessions.find(id)).toEqual({ id });
  pass(59);
  expect(sessions.find(id)).toEqual({ id });
  pass(60);
  expect([sessions.find(id), closed]).toEqual([null, [id]]);
});

test('those that have expired make room; where none has, there is no room', () => {
  const { sessions, closed, pass } = opened();
  const first = sessions.open();
  pass(30);
  const second = sessions.open();
  expect(() => sessions.open()).toThrow(ProtocolError.of('tooManySessions'));
  pass(30);
  const third = sessions.open();
  expect(closed).toEqual([first.id]);
  sessions.end(second.id);
  sessions.end(second.id);
  expect(closed).toEqual([first.id, second.id]);
  sessions.close();
  expect(closed).toEqual([first.id, second.id, third.id]);
});

test('a session is named by a header or a cookie, and a cookie says no more than it has to', () => {
  expect(sessionId({ cookie: 'a=b; SID=X1; c=d' }, names)).toBe('X1');
  expect(sessionId({ cookie: 'SID=X1', 'entitygate-session': 'Y2' }, names)).toBe('Y2');
  expect(sessionId({ cookie: 'SIDE=X1' }, names)).toBeNull();
  expect(sessionId({}, names)).toBeNull();
  expect(sessionHeaders('X1', names)).toEqual({
    'set-cookie': 'SID=X1; Path=/; HttpOnly; SameSite=Lax',
    'entitygate-session': 'X1',
  });
});
