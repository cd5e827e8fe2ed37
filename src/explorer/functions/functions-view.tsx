import { useState } from 'preact/hooks';
import { catalog } from '../catalog.ts';
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
  freeValues,
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
  const [texts, setTexts] = useState<readonly (string | null)[]>(() =>
    (parameters ?? []).map(() => null),
  );
  const [free, setFree] = useState('');
  const [key, setKey] = useState(query.get('key') ?? '');
  const [filter, setFilter] = useState(query.get('filter') ?? '');
  const [refused, setRefused] = useState<{ index: number; message: string } | null>(null);
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' });
  const isComposite = (known.dataclasses.get(dataclass ?? '')?.key.length ?? 1) > 1;
  const url = callUrl(chosen, { key: key.trim(), isComposite, filter: filter.trim() });
  const isOfEntity = called.appliesTo === 'entity' || called.appliesTo === 'entityCollection';
  const call = async (): Promise<void> => {
    const read =
      parameters === null
        ? { ok: true as const, values: freeValues(free) }
        : callValues(texts, parameters);
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
        {isOfEntity && (
          <label>
            Key of the {dataclass} entity
            <input
              value={key}
              required={called.appliesTo === 'entity'}
              onInput={({ currentTarget: { value } }) => setKey(value)}
            />
          </label>
        )}
        {called.appliesTo === 'entityCollection' && (
          <label>
            or a filter
            <input
              value={filter}
              disabled={key.trim() !== ''}
              placeholder="all entities"
              onInput={({ currentTarget: { value } }) => setFilter(value)}
            />
          </label>
        )}
        {parameters === null ? (
          <label>
            Parameters, one a line
            <textarea
              rows={3}
              value={free}
              onInput={({ currentTarget: { value } }) => setFree(value)}
            />
          </label>
        ) : (
          parameters.map(({ name, type, optional }, index) => (
            <label key={name}>
              <span>
                {name}{' '}
                <small>
                  {type}
                  {optional && ', optional'}
                </small>
              </span>
              <input
                value={texts[index] ?? ''}
                placeholder={optional ? 'left out' : 'null'}
                inputMode={type === 'string' ? 'text' : undefined}
                aria-invalid={refused?.index === index}
                aria-describedby={refused?.index === index ? 'parameter-error' : undefined}
                onInput={({ currentTarget: { value } }) =>
                  setTexts(texts.map((text, at) => (at === index ? value : text)))
                }
              />
              {refused?.index === index && (
                <span id="parameter-error" class="field-error">
                  {refused.message}
                </span>
              )}
            </label>
          ))
        )}
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

function Answer({ outcome }: { outcome: Outcome }) {
  switch (outcome.kind) {
    case 'none':
      return null;
    case 'running':
      return <Waiting>Calling…</Waiting>;
    case 'failed':
      return <ErrorBox error={outcome.error} />;
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
