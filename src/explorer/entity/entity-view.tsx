import { useEffect, useRef, useState } from 'preact/hooks';
import { catalog } from '../catalog.ts';
import { navigate } from '../navigation.ts';
import { hrefs } from '../routes.ts';
import type { Catalog, Dataclass } from '../rest/catalog.ts';
import { rest } from '../rest/client.ts';
import { plainText } from '../rest/json.ts';
import { shownKey } from '../rest/url.ts';
import { ErrorBox, Waiting } from '../ui/states.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { EntityEditor } from './entity-editor.ts';
import { formFields } from './form-fields.ts';
import { EntityForm } from './entity-form.tsx';
import { LeaveDialog } from './leave-guard.tsx';
import { LockPanel } from './lock-panel.tsx';
import { RelatedLists } from './related-list.tsx';
import { labelAttributes, labelOf } from './related-search.ts';
import { Breadcrumb } from './breadcrumb.tsx';
import './entity.css';

/** An entity as a form. @param entityKey null for a new one, whose values `query` may give */
export function EntityView({
  dataclass: name,
  entityKey,
  query,
}: {
  dataclass: string;
  entityKey: string | null;
  query?: URLSearchParams;
}) {
  const known = catalog.value;
  if (known === null) return null;
  const dataclass = known.dataclasses.get(name);
  if (dataclass === undefined) {
    return (
      <section class="entity-message">
        <h1>There is no dataclass {name}</h1>
        <p>
          It may have another name, or your roles do not show it.{' '}
          <a href={hrefs.model()}>See the model</a>
        </p>
      </section>
    );
  }
  return <Editor dataclass={dataclass} entityKey={entityKey} catalog={known} query={query} />;
}

function Editor({
  dataclass,
  entityKey,
  catalog: known,
  query,
}: {
  dataclass: Dataclass;
  entityKey: string | null;
  catalog: Catalog;
  query: URLSearchParams | undefined;
}) {
  const [editor] = useState(
    () => new EntityEditor(dataclass, entityKey, { catalog: known, rest }, given(dataclass, query)),
  );
  useEffect(() => {
    void editor.load();
    const release = (): void => editor.releaseLock();
    window.addEventListener('pagehide', release);
    return () => {
      window.removeEventListener('pagehide', release);
      editor.close();
    };
  }, [editor]);
  const phase = editor.phase.value;
  switch (phase) {
    case 'loading':
      return (
        <Waiting>
          Reading {dataclass.name} {shownKey(entityKey ?? '')}…
        </Waiting>
      );
    case 'failed':
      return <Failed editor={editor} />;
    case 'deleted':
      return (
        <section class="entity-message" role="status">
          <h1>
            {dataclass.name} {shownKey(entityKey ?? '')} is deleted
          </h1>
          <p>
            <a href={hrefs.collection(dataclass.name)}>All of {dataclass.name}</a>
          </p>
        </section>
      );
    case 'ready':
    case 'saving':
      return <Form editor={editor} catalog={known} />;
  }
}

function Failed({ editor }: { editor: EntityEditor }) {
  const { dataclass, key, failure } = editor;
  const isGone = failure.value?.status === 404;
  return (
    <section class="entity-message">
      <h1>
        {isGone
          ? `There is no ${dataclass.name} ${shownKey(key ?? '')}`
          : 'The entity cannot be read'}
      </h1>
      <ErrorBox error={failure.value} onRetry={() => void editor.load()} />
      <p class="entity-actions">
        <a href={hrefs.collection(dataclass.name)}>All of {dataclass.name}</a>
      </p>
    </section>
  );
}

function Form({ editor, catalog: known }: { editor: EntityEditor; catalog: Catalog }) {
  const { dataclass, key } = editor;
  const [asksDelete, setAsksDelete] = useState(false);
  const isNew = key === null;
  const isSaving = editor.phase.value === 'saving';
  const label = labelOf(editor.entity.value ?? {}, labelAttributes(dataclass.attributes, 2, 0));
  const save = async (): Promise<void> => {
    if (!editor.isEditable) return;
    const saved = await editor.save();
    if (!isNew || editor.entity.value === null) return;
    navigate(
      saved === null ? hrefs.collection(dataclass.name) : hrefs.entity(dataclass.name, saved),
      true,
    );
  };
  return (
    <article class="entity">
      <Breadcrumb dataclass={dataclass.name} label={label} entityKey={key} />
      <header class="entity-head">
        <h1>
          {isNew
            ? `New ${dataclass.name}`
            : label === ''
              ? `${dataclass.name} ${shownKey(key)}`
              : label}
        </h1>
        {!isNew && (
          <p class="entity-facts">
            {dataclass.name} {label !== key && <code>{shownKey(key)}</code>}
            <span>stamp {plainText(editor.entity.value?.['__STAMP'])}</span>
            <Timestamp value={plainText(editor.entity.value?.['__TIMESTAMP'])} />
          </p>
        )}
        <LockPanel editor={editor} />
      </header>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
        onKeyDown={(event) => {
          if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void save();
        }}
      >
        {editor.readOnlyReason !== null && <p class="notice">{editor.readOnlyReason}</p>}
        <EntityForm editor={editor} catalog={known} />
        <div class="entity-foot">
          <Messages editor={editor} />
          {(editor.isEditable || editor.isDeletable) && (
            <footer class="entity-actions">
              {editor.isEditable && (
                <>
                  <button
                    type="submit"
                    class="primary"
                    disabled={isSaving || (!isNew && !editor.isDirty.value)}
                  >
                    {isSaving ? 'Saving…' : isNew ? 'Create' : 'Save'}
                  </button>
                  <button
                    type="button"
                    disabled={isSaving || !editor.isDirty.value}
                    onClick={() => editor.revert()}
                  >
                    Discard changes
                  </button>
                </>
              )}
              {editor.isDeletable && (
                <button
                  type="button"
                  class="danger"
                  disabled={isSaving}
                  onClick={() => setAsksDelete(true)}
                >
                  Delete…
                </button>
              )}
              <span role="status" class="entity-notice">
                {editor.notice.value}
              </span>
            </footer>
          )}
        </div>
      </form>
      {!isNew && <RelatedLists editor={editor} catalog={known} />}
      {editor.theirs.value !== null && (
        <ConflictDialog editor={editor} theirs={editor.theirs.value} />
      )}
      {asksDelete && (
        <DeleteDialog editor={editor} label={label} onClose={() => setAsksDelete(false)} />
      )}
      <LeaveDialog isDirty={editor.isDirty} />
    </article>
  );
}

/**
 * Shows what is wrong with the entity as a whole; the messages of attributes are at their fields. A refusal moves the focus to the
 * first of those, or else here, as the button that had it was disabled meanwhile. A conflict does so when its dialog is closed.
 */
function Messages({ editor }: { editor: EntityEditor }) {
  const { others, byField } = editor.errors.value;
  const element = useRef<HTMLDivElement>(null);
  const isConflict = editor.theirs.value !== null;
  useEffect(() => {
    if (element.current === null || isConflict) return;
    if (byField.size === 0 || !focusInvalid(element.current)) element.current.focus();
  }, [editor.refusals.value, isConflict]);
  if (others.length + byField.size === 0) return null;
  return (
    <div ref={element} role="alert" class="entity-errors" tabIndex={0}>
      {others.length > 0 ? (
        others.map((message) => <p key={message}>{message}</p>)
      ) : (
        <p>Not saved: see the marked {byField.size === 1 ? 'field' : 'fields'}.</p>
      )}
    </div>
  );
}

/** Moves the focus to the first field with an error, with its message in view. @returns whether that field takes it */
function focusInvalid(messages: HTMLElement): boolean {
  const error = messages.closest('form')?.querySelector('.field-value > .field-error');
  const field = error?.closest('.field');
  const control = field?.querySelector('label')?.control;
  control?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'center' });
  return control != null && document.activeElement === control;
}

function Timestamp({ value }: { value: string }) {
  if (value === '') return null;
  const date = new Date(value);
  const shown = Number.isNaN(date.getTime()) ? value : date.toLocaleString();
  return (
    <span>
      changed <time dateTime={value}>{shown}</time>
    </span>
  );
}

/** The values that the URL gives a new entity. */
function given(dataclass: Dataclass, query: URLSearchParams | undefined) {
  return new Map(
    [...(query ?? [])].flatMap(([name, value]) => {
      const attribute = formFields(dataclass).find((known) => known.name === name);
      if (attribute === undefined) return [];
      return [[name, attribute.kind === 'relatedEntity' ? { __KEY: value } : value] as const];
    }),
  );
}
