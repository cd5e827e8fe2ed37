import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { catalog } from '../catalog.ts';
import { ValueInput } from '../entity/value-input.tsx';
import { hrefs } from '../routes.ts';
import type { Catalog } from '../rest/catalog.ts';
import { rest } from '../rest/client.ts';
import { isObject, type Json, writeJson } from '../rest/json.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Empty, ErrorBox, Waiting } from '../ui/states.tsx';
import {
  callableFunctions,
  type CallableFunction,
  callUrl,
  callValues,
  parameterKind,
} from './function-calls.ts';
import './functions.css';

/** The functions that may be called. @param name the one whose form is shown; null for the list of all */
export function FunctionsView({ name, query }: { name: string | null; query: URLSearchParams }) {
  const known = catalog.value;
  if (known === null) return null;
  const functions = callableFunctions(known);
  const chosen = functions.find(({ fullName }) => fullName === name);
  if (functions.length === 0) {
    return (
      <Empty title="There are no functions.">
        <p>
          Stored procedures and functions are called under names that a mapping file gives them.
        </p>
      </Empty>
    );
  }
  return (
    <div class="functions page">
      <nav aria-label="Functions">
        <h1>Functions</h1>
        <ul class="plain">
          {functions.map(({ fullName, called }) => (
            <li key={fullName}>
              <a href={hrefs.functions(fullName)} aria-current={fullName === name && 'page'}>
                {fullName}
              </a>{' '}
              <small>{called.description ?? called.appliesTo}</small>
            </li>
          ))}
        </ul>
      </nav>
      {chosen !== undefined && (
        <CallForm key={chosen.fullName} chosen={chosen} catalog={known} query={query} />
      )}
      {chosen === undefined && name !== null && (
        <Empty title={`There is no function ${name} that you may call.`} />
      )}
    </div>
  );
}

/** What came of a call. */
type Outcome =
  | { readonly kind: 'none' | 'running' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'answered'; readonly answer: Json; readonly milliseconds: number };

function CallForm({
  chosen,
  catalog: known,
  query,
}: {
  chosen: CallableFunction;
  catalog: Catalog;
  query: URLSearchParams;
}) {
  const { fullName, called, dataclass } = chosen;
  const { parameters } = called;
  const [texts, setTexts] = useState<readonly (string | null)[]>(() => parameters.map(() => null));
  const [key, setKey] = useState(query.get('key') ?? '');
  const [filter, setFilter] = useState(query.get('filter') ?? '');
  const [refused, setRefused] = useState<{ index: number; message: string } | null>(null);
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' });
  useEffect(() => {
    if (refused !== null) document.getElementById(`parameter-${refused.index}`)?.focus();
  }, [refused]);
  const isComposite = (known.dataclasses.get(dataclass ?? '')?.key.length ?? 1) > 1;
  const url = callUrl(chosen, { key: key.trim(), isComposite, filter: filter.trim() });
  const isOfEntity = called.appliesTo === 'entity' || called.appliesTo === 'entityCollection';
  const call = async (): Promise<void> => {
    const read = callValues(texts, parameters);
    setRefused(read.ok ? null : read);
    if (!read.ok) return;
    setOutcome({ kind: 'running' });
    const start = performance.now();
    try {
      const answer = await rest.request(url, { body: read.values });
      setOutcome({ kind: 'answered', answer, milliseconds: performance.now() - start });
    } catch (error) {
      setOutcome({ kind: 'failed', error });
    }
  };
  return (
    <section class="function-call">
      <h2>{fullName}</h2>
      {called.description !== null && <p class="description">{called.description}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void call();
        }}
      >
        <div class="fields">
          {isOfEntity && (
            <Field id="call-key" label="key" about={`of the ${dataclass ?? ''} entity`}>
              <input
                id="call-key"
                value={key}
                required={called.appliesTo === 'entity'}
                onInput={({ currentTarget: { value } }) => setKey(value)}
              />
            </Field>
          )}
          {called.appliesTo === 'entityCollection' && (
            <Field id="call-filter" label="filter" about="in place of a key">
              <input
                id="call-filter"
                value={filter}
                disabled={key.trim() !== ''}
                placeholder="all entities"
                onInput={({ currentTarget: { value } }) => setFilter(value)}
              />
            </Field>
          )}
          {parameters.map((parameter, index) => {
            const { name, type, maxLength, optional } = parameter;
            const id = `parameter-${index}`;
            const problem = refused?.index === index ? refused.message : null;
            const about = `${type}${type === 'blob' ? ', base64' : ''}${optional ? ', optional' : ''}`;
            return (
              <Field key={name} id={id} label={name} about={about}>
                <ValueInput
                  id={id}
                  name={name}
                  kind={parameterKind(parameter)}
                  text={texts[index] ?? null}
                  maxLength={maxLength}
                  describedBy={problem === null ? undefined : `${id}-error`}
                  isInvalid={problem !== null}
                  nullText={optional ? 'left out' : 'null'}
                  onText={(text) => setTexts(texts.with(index, text))}
                />
                {problem !== null && (
                  <p id={`${id}-error`} class="field-error">
                    {problem}
                  </p>
                )}
              </Field>
            );
          })}
        </div>
        <p class="function-url">
          <code>POST {url}</code> <CopyButton text={url} label="Copy URL" />
        </p>
        <button type="submit" class="primary" disabled={outcome.kind === 'running'}>
          Call
        </button>
      </form>
      <Answer outcome={outcome} />
    </section>
  );
}

function Field({
  id,
  label,
  about,
  children,
}: {
  id: string;
  label: string;
  about: string;
  children: ComponentChildren;
}) {
  return (
    <div class="field">
      <label for={id}>
        {label} <small>{about}</small>
      </label>
      <div class="field-value">{children}</div>
    </div>
  );
}

function Answer({ outcome }: { outcome: Outcome }) {
  switch (outcome.kind) {
    case 'none':
      return null;
    case 'running':
      return <Waiting>Calling…</Waiting>;
    case 'failed':
      return <ErrorBox error={outcome.error} takesFocus />;
    case 'answered': {
      const { answer, milliseconds } = outcome;
      const text = writeJson(isObject(answer) && 'result' in answer ? answer['result'] : answer, 2);
      return (
        <section aria-label="Answer">
          <h3>
            Answer <small>after {Math.round(milliseconds)} ms</small>{' '}
            <CopyButton text={text} label="Copy" />
          </h3>
          <pre tabIndex={0} aria-label="The answer as JSON" role="status">
            {text}
          </pre>
        </section>
      );
    }
  }
}
