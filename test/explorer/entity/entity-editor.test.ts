import { beforeEach, expect, test } from 'vitest';
import { EntityEditor } from '../../../src/explorer/entity/entity-editor.ts';
import { readCatalog } from '../../../src/explorer/rest/catalog.ts';
import { RestClient } from '../../../src/explorer/rest/client.ts';

const catalog = readCatalog({
  dataClasses: [
    {
      name: 'Thing',
      collectionName: 'ThingSelection',
      extraProperties: { changes: ['create', 'update', 'delete'] },
      attributes: [
        { name: 'ID', kind: 'storage', type: 'long', identifying: true },
        { name: 'name', kind: 'storage', type: 'string' },
        { name: 'at', kind: 'storage', type: 'date' },
        { name: 'content', kind: 'storage', type: 'blob' },
      ],
      key: [{ name: 'ID' }],
    },
  ],
});
const thing = catalog.dataclasses.get('Thing');
if (thing === undefined) throw new Error('no Thing');

/** The URL and the body that the client sends are texts, or Blobs. */
function sentText(sent: unknown): string {
  return typeof sent === 'string' ? sent : '';
}

/** Answers by the beginning of the request, and the requests that came, with their bodies. */
let answers: Record<string, [number, object]>;
let asked: string[];

function editorOf(key: string | null): EntityEditor {
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const body = init?.body;
    const path = decodeURIComponent(sentText(url)).replace('/rest/', '');
    asked.push(
      body === null || body === undefined
        ? path
        : `${path} ${body instanceof Blob ? await body.text() : sentText(body)}`,
    );
    const [status, answer] = Object.entries(answers).find(([begin]) =>
      path.startsWith(begin),
    )?.[1] ?? [200, {}];
    return new Response(JSON.stringify(answer), { status });
  };
  if (thing === undefined) throw new Error('no Thing');
  return new EntityEditor(thing, key, { catalog, rest: new RestClient({ fetch }) });
}

/** An editor whose requests are never answered, and end with their signal. */
function waitingEditor(): EntityEditor {
  const fetch: typeof globalThis.fetch = (_url, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new DOMException('over', 'AbortError')));
    });
  if (thing === undefined) throw new Error('no Thing');
  return new EntityEditor(thing, '1', { catalog, rest: new RestClient({ fetch }) });
}

test('leaving ends the requests, and is no error', async () => {
  const editor = waitingEditor();
  const works = [
    editor.load(),
    editor.updateLock('status'),
    editor.updateLock('true'),
    editor.delete(),
  ];
  editor.close();
  await Promise.all(works);
  expect([editor.failure.value, editor.errors.value]).toEqual([
    null,
    { byField: new Map(), others: [] },
  ]);
});

const FREE = { result: true, __STATUS: { success: true, own: false, lost: false } };
const stored = { __KEY: '1', __STAMP: 3, ID: 1, name: 'a', at: null, content: null };

beforeEach(() => {
  asked = [];
  answers = {
    'Thing(1)?$lock=status': [200, FREE],
    'Thing?$format': [
      200,
      { schema: [{ name: 'at', semantics: { semanticType: 'YEAR_MONTH_DAY_SECOND' } }] },
    ],
    'Thing(1)?$method=update': [200, { ...stored, __STAMP: 4, name: 'b' }],
    'Thing(1)?$method=delete': [200, { ok: true }],
    'Thing(1)': [200, stored],
    $upload: [200, { ID: 'U1' }],
  };
});

test('only what has changed is saved, with the stamp that was read and files uploaded before', async () => {
  const editor = editorOf('1');
  await editor.load();
  expect([editor.phase.value, editor.lock.value, [...editor.dateTimes.value]]).toEqual([
    'ready',
    { kind: 'free' },
    ['at'],
  ]);
  editor.change('name', 'b');
  editor.change('content', new File(['x'], 'x.bin'));
  expect(editor.isDirty.value).toBe(true);
  asked = [];
  expect(await editor.save()).toBe('1');
  expect(asked).toEqual([
    '$upload?$binary=true x',
    'Thing(1)?$method=update {"__STAMP":3,"name":"b","content":{"ID":"U1"}}',
  ]);
  expect([editor.isDirty.value, editor.entity.value?.['__STAMP'], editor.phase.value]).toEqual([
    false,
    4,
    'ready',
  ]);
});

test('what is not a value is not sent', async () => {
  const editor = editorOf('1');
  await editor.load();
  editor.refuse('name', 'no');
  asked = [];
  expect([await editor.save(), asked, editor.isDirty.value]).toEqual([null, [], true]);
  expect([...editor.errors.value.byField]).toEqual([['name', 'no']]);
  expect([await editor.save(), editor.refusals.value]).toEqual([null, 2]);
  editor.revert();
  expect([editor.isDirty.value, editor.errors.value.byField.size]).toEqual([false, 0]);
});

test('messages of the gateway stand at their fields until these change', async () => {
  answers['Thing(1)?$method=update'] = [
    422,
    { __ERROR: [{ message: 'Thing.name is mandatory: it needs a value.', errCode: 1116 }] },
  ];
  const editor = editorOf('1');
  await editor.load();
  editor.change('name', null);
  await editor.save();
  expect([...editor.errors.value.byField.keys()]).toEqual(['name']);
  editor.change('name', 'c');
  expect(editor.errors.value.byField.size).toBe(0);
});

test('after a conflict the choice is saved with the stamp of what somebody else has saved', async () => {
  const theirs = { ...stored, __STAMP: 9, name: 'theirs' };
  answers['Thing(1)?$method=update'] = [
    409,
    { ...theirs, __ERROR: [{ message: 'Thing(1) has changed since it was read.', errCode: 1263 }] },
  ];
  const editor = editorOf('1');
  await editor.load();
  editor.change('name', 'mine');
  await editor.save();
  expect(editor.theirs.value?.['name']).toBe('theirs');
  answers['Thing(1)?$method=update'] = [200, { ...theirs, __STAMP: 10, name: 'mine' }];
  asked = [];
  await editor.resolve(new Map([['name', 'mine']]));
  expect(asked).toEqual(['Thing(1)?$method=update {"__STAMP":9,"name":"mine"}']);
  expect([editor.theirs.value, editor.entity.value?.['__STAMP']]).toEqual([null, 10]);
});

test('an entity that cannot be locked has no lock to show, and one that is gone is said to be', async () => {
  answers['Thing(1)?$lock=status'] = [403, { __ERROR: [{ message: 'No.', errCode: 1558 }] }];
  const editor = editorOf('1');
  await editor.load();
  expect(editor.lock.value).toBeNull();
  expect(editor.readOnlyReason).toBe('No. Your roles let you change others of Thing.');
  answers['Thing(1)'] = [
    404,
    { __ERROR: [{ message: 'There is no entity Thing(1).', errCode: 1543 }] },
  ];
  await editor.load();
  expect([editor.phase.value, editor.failure.value?.status]).toEqual(['failed', 404]);
});

test('a new entity has no stamp, and a refused delete leaves the entity as it is', async () => {
  answers['Thing?$method=update'] = [200, { ...stored, __KEY: '2' }];
  const created = editorOf(null);
  await created.load();
  created.change('name', 'n');
  asked = [];
  expect(await created.save()).toBe('2');
  expect(asked).toEqual(['Thing?$method=update {"name":"n"}']);
  answers['Thing(1)?$method=delete'] = [
    409,
    { __ERROR: [{ message: 'Others refer to it.', errCode: 1120 }] },
  ];
  const editor = editorOf('1');
  await editor.load();
  await editor.delete();
  expect([editor.phase.value, editor.errors.value.others]).toEqual([
    'ready',
    ['Others refer to it.'],
  ]);
  answers['Thing(1)?$method=delete'] = [200, { ok: true }];
  await editor.delete();
  expect(editor.phase.value).toBe('deleted');
});

const READ_ONLY = 'Thing is read-only (see readOnly in config.yaml).';
const storage = { name: 'name', kind: 'storage', type: 'string' };
const owner = { name: 'owner', kind: 'relatedEntity', type: 'Owner' };

test.each([
  [
    { changes: [] },
    [storage],
    '1',
    false,
    'You may not update entities of Thing: your roles do not allow it.',
  ],
  [
    { changes: ['delete'] },
    [storage],
    '1',
    true,
    'You may not update entities of Thing: your roles do not allow it.',
  ],
  [{ changes: ['update'] }, [storage], '1', false, null],
  [
    { changes: ['update', 'delete'] },
    [storage],
    null,
    false,
    'You may not create entities of Thing: your roles do not allow it.',
  ],
  [{ changes: ['create'] }, [storage], null, false, null],
  [{ changes: [], readOnly: READ_ONLY }, [storage], '1', false, READ_ONLY],
  [
    { changes: ['update'] },
    [{ ...storage, readOnly: true }],
    '1',
    false,
    'All attributes of Thing are read-only.',
  ],
  [
    { changes: ['update'] },
    [{ ...storage, identifying: true }],
    '1',
    false,
    'All attributes of Thing are read-only.',
  ],
  [{ changes: ['update'] }, [{ ...storage, identifying: true }, owner], '1', false, null],
] as const)(
  'of %j with %j the form of %s says why it is read-only',
  (extraProperties, attributes, key, deletes, reason) => {
    const known = readCatalog({
      dataClasses: [{ name: 'Thing', extraProperties, attributes, key: [] }],
    });
    const dataclass = known.dataclasses.get('Thing') ?? expect.fail('no Thing');
    const editor = new EntityEditor(dataclass, key, { catalog: known, rest: new RestClient() });
    expect([editor.readOnlyReason, editor.isEditable, editor.isDeletable]).toEqual([
      reason,
      reason === null,
      deletes,
    ]);
  },
);

test('what is never null is left out of a new entity that has no value for it', () => {
  const known = readCatalog({
    dataClasses: [
      {
        name: 'Thing',
        attributes: [
          { ...storage, not_null: true },
          { ...storage, name: 'note' },
        ],
        key: [],
      },
    ],
  });
  const dataclass = known.dataclasses.get('Thing') ?? expect.fail('no Thing');
  const editor = new EntityEditor(dataclass, null, { catalog: known, rest: new RestClient() });
  editor.change('name', 'a');
  editor.change('name', null);
  editor.change('note', null);
  expect([...editor.draft.value]).toEqual([['note', null]]);
});
