import { expect, test } from 'vitest';
import { EntityEditor } from '../../../src/explorer/entity/entity-editor.ts';
import { RestClient } from '../../../src/explorer/rest/client.ts';
import { parsed, rows } from '../../rows.ts';
import { catalogOf, firstOf } from '../catalog.ts';

function editorOf(
  key: string | null,
  fetch: typeof globalThis.fetch,
  extraProperties: object = { changes: ['create', 'update', 'delete'] },
  attributes = 'name: string',
): EntityEditor {
  const catalog = catalogOf(`Thing: { ${attributes} }`, { extraProperties });
  return new EntityEditor(firstOf(catalog), key, { catalog, rest: new RestClient({ fetch }) });
}

/** Answers by the beginning of the request. */
function answering(answers: Readonly<Record<string, [status: number, body: object]>>) {
  return (url: unknown): Promise<Response> => {
    const path = decodeURIComponent(String(url)).replace('/rest/', '');
    const [, [status, body] = [200, {}]] =
      Object.entries(answers).find(([begin]) => path.startsWith(begin)) ?? [];
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  };
}

test('leaving ends the requests, and is no error', async () => {
  const editor = editorOf('1', (_url, init) => {
    return new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(new DOMException('over', 'AbortError')));
    });
  });
  const works = [
    ...[editor.load(), editor.delete(), editor.updateLock('status'), editor.updateLock('true')],
  ];
  editor.close();
  await Promise.all(works);
  expect([editor.failure.value, editor.errors.value]).toEqual([
    null,
    { byField: new Map(), others: [] },
  ]);
});

test('an entity that cannot be locked has no lock to show, and says that it is read-only', async () => {
  const refused = { __ERROR: [{ message: 'No.', errCode: 1558 }] };
  const editor = editorOf(
    '1',
    answering({ 'Thing(1)?$lock=status': [403, refused], 'Thing(1)': [200, { __KEY: '1' }] }),
  );
  await editor.load();
  expect([editor.lock.value, editor.readOnlyReason]).toEqual([
    null,
    'No. Your roles let you change others of Thing.',
  ]);
});

test('changes that are taken back leave nothing to save, nor what was wrong with them', async () => {
  const editor = editorOf('1', answering({ 'Thing(1)': [200, { __KEY: '1', name: 'a' }] }));
  await editor.load();
  editor.change('name', 'b');
  editor.refuse('name', 'no');
  expect([await editor.save(), await editor.save(), editor.refusals.value]).toEqual([
    null,
    null,
    2,
  ]);
  editor.revert();
  expect([editor.isDirty.value, editor.errors.value.byField.size]).toEqual([false, 0]);
});

const NAME = 'name: string';
const KEY = 'name: {type: string, identifying: true}';
const ROLES = 'entities of Thing: your roles do not allow it.';

// What the catalog says, the attributes, whether the entity is new, whether it can be deleted, and why not changed.
test.each(rows`
  {changes: []}                  | ${NAME}  | false | false | You may not update ${ROLES}
  {changes: [delete]}            | ${NAME}  | false | true  | You may not update ${ROLES}
  {changes: [update]}            | ${NAME}  | false | false | null
  {changes: [update, delete]}    | ${NAME}  | true  | false | You may not create ${ROLES}
  {changes: [create]}            | ${NAME}  | true  | false | null
  {changes: [], readOnly: It is} | ${NAME}  | false | false | It is
  {changes: [update]}            | name: {type: string, readOnly: true} | false | false | All attributes of Thing are read-only.
  {changes: [update]}            | ${KEY} | false | false | All attributes of Thing are read-only.
  {changes: [update]}            | ${KEY}, owner: {one: Owner} | false | false | null
`)(
  'of %s with %s the form says why it is read-only',
  (extra, attributes, isNew, deletes, reason) => {
    const editor = editorOf(isNew === 'true' ? null : '1', fetch, parsed(extra), attributes);
    expect([editor.readOnlyReason, editor.isEditable, editor.isDeletable]).toEqual([
      reason === 'null' ? null : reason,
      reason === 'null',
      deletes === 'true',
    ]);
  },
);

test('what is never null is left out of a new entity that has no value for it', () => {
  const editor = editorOf(null, fetch, {}, 'name: {type: string, not_null: true}, note: string');
  editor.change('name', 'a');
  editor.change('name', null);
  editor.change('note', null);
  expect([...editor.draft.value]).toEqual([['note', null]]);
});
