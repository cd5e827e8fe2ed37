import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { RestError, type ErrorItem } from '../../rest/rest-error.ts';
import { RuleList } from './rule-list.tsx';
import { rulesOfFilter } from './parse-rules.ts';
import { exampleOf, filterOfRules, type Rule, type TypeOfPath } from './rules.ts';

/** A filter, and the values of its placeholders as JSON text. */
export interface FilterTexts {
  readonly filter: string;
  readonly params: string;
}

/** The `$filter` as a line, and as rules where it consists of such; the gateway's error stands below, with its position marked. */
export function FilterBar({
  shown,
  error,
  typeOf,
  paths,
  choices,
  onFilter,
}: {
  /** The filter that is in force. */
  shown: FilterTexts;
  /** Why it was refused; null where it was not. */
  error: unknown;
  typeOf: TypeOfPath;
  /** The paths that are offered. */
  paths: readonly string[];
  /** Asks for values of an attribute that begin with a text. */
  choices: (path: string, text: string, signal: AbortSignal) => Promise<readonly string[]>;
  onFilter: (texts: FilterTexts) => void;
}) {
  const [text, setText] = useState(shown.filter);
  const [params, setParams] = useState(shown.params);
  const [rules, setRules] = useState<readonly Rule[] | null>(() =>
    rulesOfFilter(shown.filter, typeOf),
  );
  const line = useRef<HTMLInputElement>(null);
  const id = useId();
  const [first = 'ID'] = paths;
  const write = (filter: string): void => {
    setText(filter);
    setRules(rulesOfFilter(filter, typeOf));
  };
  useEffect(() => {
    if (shown.filter !== text) write(shown.filter);
    setParams(shown.params);
  }, [shown.filter, shown.params]);
  const refusal = refusalOf(error, text === shown.filter);
  useEffect(() => {
    if (refusal?.position == null || document.activeElement !== line.current) return;
    line.current?.setSelectionRange(refusal.position - 1, refusal.position - 1);
  }, [error]);
  const apply = (event: Event): void => {
    event.preventDefault();
    onFilter({ filter: text.trim(), params });
  };
  const hasPlaceholders = /:\d/.test(text) || params !== '';
  const isChanged = text.trim() !== shown.filter || params !== shown.params;
  return (
    <form class="filter-bar" onSubmit={apply}>
      <div class="filter-line">
        <label for={`${id}-line`}>Filter</label>
        <input
          ref={line}
          id={`${id}-line`}
          class="code"
          value={text}
          placeholder={`${exampleOf(first, typeOf(first) ?? 'long')} AND …`}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          aria-invalid={refusal !== null}
          aria-describedby={refusal === null ? undefined : `${id}-error`}
          onInput={({ currentTarget: { value } }) => write(value)}
        />
        {hasPlaceholders && (
          <input
            class="code params"
            value={params}
            aria-label="Values of the placeholders, a JSON array"
            placeholder='["text", 1]'
            spellcheck={false}
            onInput={({ currentTarget: { value } }) => setParams(value)}
          />
        )}
        <button type="submit" class={isChanged ? 'primary' : ''}>
          Apply
        </button>
        {(text !== '' || shown.filter !== '') && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              write('');
              onFilter({ filter: '', params: '' });
            }}
          >
            Clear
          </button>
        )}
      </div>
      {refusal !== null && (
        <div id={`${id}-error`} class="filter-error" role="alert">
          {refusal.position !== null && <MarkedText text={text} position={refusal.position} />}
          {refusal.messages.map((message, index) => (
            <p key={index}>{message}</p>
          ))}
          {refusal.suggestions.map((name) => (
            <button
              key={name}
              type="button"
              onClick={() => write(corrected(text, refusal.position, name))}
            >
              Use {name}
            </button>
          ))}
        </div>
      )}
      <details class="rules">
        <summary>Conditions{rules !== null && rules.length > 0 && ` (${rules.length})`}</summary>
        {rules === null ? (
          <p class="hint">
            This filter says more than a list of conditions can show. Change it in the line above.
          </p>
        ) : (
          <RuleList
            rules={rules}
            typeOf={typeOf}
            paths={paths}
            choices={choices}
            onChange={(next) => {
              setRules(next);
              setText(filterOfRules(next, typeOf));
            }}
          />
        )}
      </details>
    </form>
  );
}

/** An error of a filter. */
interface Refusal {
  readonly messages: readonly string[];
  /** Counted from 1; null where it is not one of the filter. */
  readonly position: number | null;
  readonly suggestions: readonly string[];
}

/** Whether an error is one of the filter or its values. */
export function isOfFilter({ at }: ErrorItem): boolean {
  return at?.within === '$filter' || at?.within === '$params';
}

/** The error of the filter; null where there is none, or where it is another request's business. */
function refusalOf(error: unknown, isOfText: boolean): Refusal | null {
  if (!(error instanceof RestError) || !isOfText) return null;
  const own = error.items.filter(isOfFilter);
  const [first] = own;
  if (first === undefined) return null;
  return {
    messages: own.map(({ message }) => message),
    position: first.at?.within === '$filter' ? first.at.position : null,
    suggestions: first.suggestions,
  };
}

/** The word at a position, from 1: what is underlined and replaced. */
function wordAt(text: string, position: number): string {
  return /^[^\s=!<>#%()[\],"']+|^./u.exec(text.slice(position - 1))?.[0] ?? '';
}

/** Paths keep their other names: a proposal stands for the one that is unknown. */
function corrected(text: string, position: number | null, name: string): string {
  if (position === null) return text;
  const word = wordAt(text, position);
  const end = word.includes('.') && !name.includes('.') ? word.indexOf('.') : word.length;
  return text.slice(0, position - 1) + name + text.slice(position - 1 + end);
}

function MarkedText({ text, position }: { text: string; position: number }) {
  const word = wordAt(text, position);
  return (
    <pre class="marked" aria-hidden="true">
      {text.slice(0, position - 1)}
      <mark>{word === '' ? ' ' : word}</mark>
      {text.slice(position - 1 + word.length)}
    </pre>
  );
}
