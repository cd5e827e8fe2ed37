import { expect, test } from 'vitest';
import { NOBODY } from '../../../src/base/principal.ts';
import { ProtocolError } from '../../../src/base/errors.ts';
import {
  combined,
  deaf,
  type Observer,
  type WholeRequestObserver,
} from '../../../src/base/observe/observer.ts';
import type { WriteObserver, WriteRefused } from '../../../src/base/observe/writes.ts';

const request = { id: '1', verb: 'GET', url: '/', address: '::1' };

/** An observer that notes what it hears behind its name. */
function noting(name: string, heard: unknown[], writes: WriteObserver | null): Observer {
  return ({ id }) => ({
    stageDone: (...told) => heard.push([name, id, ...told]),
    statementRun: (...told) => heard.push([name, ...told]),
    poolWaited: (...told) => heard.push([name, ...told]),
    errorMet: (...told) => heard.push([name, ...told]),
    writes,
    requestEnded: (...told) => heard.push([name, ...told]),
  });
}

function notingWrites(name: string, heard: unknown[]): WriteObserver {
  return {
    wantsValues: (dataclass) => dataclass === name,
    checkWritable: () => heard.push([name, 'check']),
    entitiesWritten: (_, told) => heard.push([name, told]),
    entitiesRefused: (_, told) => heard.push([name, told]),
    functionCalled: (_, told) => heard.push([name, told]),
    requestRefused: (_, told) => heard.push([name, told]),
  };
}

test('all observers hear of everything', () => {
  const heard: unknown[] = [];
  const observer = combined([noting('a', heard, null), noting('b', heard, null)])(request);
  const statement = { name: 's', text: 'SELECT', milliseconds: 1, rows: 1 };
  const error = new Error('e');
  const end = { status: 200, milliseconds: 1, clientGone: false };
  observer.stageDone('plan', 3);
  observer.statementRun(statement);
  observer.poolWaited(5);
  observer.errorMet(error);
  observer.requestEnded(end);
  expect(heard).toEqual([
    ...[
      ['a', '1', 'plan', 3],
      ['b', '1', 'plan', 3],
    ],
    ...[
      ['a', statement],
      ['b', statement],
    ],
    ...[
      ['a', 5],
      ['b', 5],
    ],
    ...[
      ['a', error],
      ['b', error],
    ],
    ...[
      ['a', end],
      ['b', end],
    ],
  ]);
  expect(observer.writes).toBe(null);
});

test('one observer is itself, and so is one that hears of writes', () => {
  const heard: unknown[] = [];
  const writes = notingWrites('a', heard);
  const own: WholeRequestObserver = { ...deaf, writes };
  expect(combined([() => own])(request)).toBe(own);
  expect(combined([() => deaf, () => own])(request).writes).toBe(writes);
});

test('several hear of writes', () => {
  const heard: unknown[] = [];
  const both = combined(['a', 'b'].map((name) => noting(name, heard, notingWrites(name, heard))));
  const { writes } = both(request);
  const refused: WriteRefused = {
    action: 'save',
    dataclass: 'a',
    key: null,
    attributes: [],
    error: ProtocolError.of('internal'),
  };
  writes?.checkWritable();
  writes?.entitiesWritten(NOBODY, []);
  writes?.entitiesRefused(NOBODY, [refused]);
  writes?.requestRefused(NOBODY, refused);
  expect(heard).toEqual([
    ...[
      ['a', 'check'],
      ['b', 'check'],
    ],
    ...[
      ['a', []],
      ['b', []],
    ],
    ...[
      ['a', [refused]],
      ['b', [refused]],
    ],
    ...[
      ['a', refused],
      ['b', refused],
    ],
  ]);
  expect(['a', 'b', 'c'].map((name) => writes?.wantsValues(name, 'm'))).toEqual([
    true,
    true,
    false,
  ]);
});
