import { useEffect, useState } from 'preact/hooks';
import { hrefs } from '../routes.ts';
import { type Catalog, relationTarget } from '../rest/catalog.ts';
import { rest } from '../rest/client.ts';
import { isObject, type JsonObject, objectsIn, plainText } from '../rest/json.ts';
import { RestError } from '../rest/rest-error.ts';
import { relatedKey } from './draft.ts';
import type { FieldProps } from './field-props.ts';
import { labelAttributes, labelOf, suggestionsUrl } from './related-search.ts';

/** How long the user pauses typing before suggestions are asked for, in milliseconds. */
const PAUSE = 200;

/** A related entity: a link to it, and a search for another one. */
export function RelationInput({
  attribute,
  editor,
  catalog,
  id,
  isReadOnly,
  describedBy,
  isInvalid,
}: FieldProps & { catalog: Catalog }) {
  const { name } = attribute;
  const target = relationTarget(attribute, catalog);
  const labels = labelAttributes(target?.attributes ?? []);
  const [isSearching, setSearching] = useState(false);
  const [chosen, setChosen] = useState('');
  const isChanged = editor.draft.value.has(name);
  const drafted = editor.draft.value.get(name);
  const value = isChanged && !(drafted instanceof File) ? drafted : editor.entity.value?.[name];
  const key = relatedKey(value);
  const label = isChanged ? chosen : labelOf(editor.related.value[name], labels);
  const isShown = key !== null && !isSearching;
  return (
    <div class="relation">
      {isShown && (
        <a class="related" href={hrefs.entity(attribute.type, key)}>
          {label === '' ? `${attribute.type} ${key}` : label} <code>{key}</code>
        </a>
      )}
      {!isShown && isReadOnly && <em class="null-value">null</em>}
      {!isReadOnly && target !== undefined && (
        <>
          {isShown ? (
            <button
              type="button"
              id={id}
              aria-label={`Change ${name}`}
              aria-describedby={describedBy}
              onClick={() => setSearching(true)}
            >
              Change
            </button>
          ) : (
            <RelatedSearch
              id={id}
              describedBy={describedBy}
              isInvalid={isInvalid}
              isFocused={isSearching}
              url={(text) => suggestionsUrl(target.name, labels, target.key, text)}
              labels={labels}
              what={target.name}
              onChoose={(related, text) => {
                setChosen(text);
                setSearching(false);
                editor.change(name, { __KEY: related });
              }}
            />
          )}
          {isSearching && (
            <button type="button" onClick={() => setSearching(false)}>
              Cancel
            </button>
          )}
          {isShown && (
            <button type="button" class="null" onClick={() => editor.change(name, null)}>
              null<span class="visually-hidden"> for {name}</span>
            </button>
          )}
        </>
      )}
    </div>
  );
}

/** An entity that is suggested, and the text by which it is chosen. */
interface Suggestion {
  readonly key: string;
  readonly text: string;
}

/** A search field whose suggestions are entities. */
function RelatedSearch({
  id,
  describedBy,
  isInvalid,
  isFocused,
  url,
  labels,
  what,
  onChoose,
}: {
  id: string;
  describedBy: string | undefined;
  isInvalid: boolean;
  isFocused: boolean;
  url: (text: string) => string;
  labels: readonly string[];
  what: string;
  onChoose: (key: string, label: string) => void;
}) {
  const [text, setText] = useState<string | null>(isFocused ? '' : null);
  const [found, setFound] = useState<readonly Suggestion[]>([]);
  const [message, setMessage] = useState('');
  useEffect(() => {
    if (text === null) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      rest.request(url(text.trim()), { signal: abort.signal }).then(
        (answer) => {
          const entities = isObject(answer) ? objectsIn(answer['__ENTITIES']) : [];
          const suggestions = entities.map((entity) => suggestionOf(entity, labels));
          setFound(suggestions);
          setMessage(suggestions.length === 0 ? `No ${what} is found.` : '');
        },
        (error: unknown) => {
          if (error instanceof RestError) setMessage(error.message);
        },
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  const take = (typed: string): void => {
    const match = found.find((suggestion) => suggestion.text === typed);
    if (match === undefined) setText(typed);
    else onChoose(match.key, match.text);
  };
  return (
    <span class="related-search">
      <input
        id={id}
        type="search"
        list={`${id}-suggestions`}
        placeholder={`null – search ${what}`}
        autocomplete="off"
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        ref={(input) => {
          if (isFocused && text === '') input?.focus();
        }}
        onFocus={() => setText((known) => known ?? '')}
        onInput={({ currentTarget: { value } }) => take(value)}
        onKeyDown={(event) => {
          const [only, ...more] = found;
          if (event.key !== 'Enter') return;
          event.preventDefault();
          if (only !== undefined && more.length === 0) onChoose(only.key, only.text);
        }}
      />
      <datalist id={`${id}-suggestions`}>
        {found.map(({ key, text: shown }) => (
          <option key={key} value={shown} />
        ))}
      </datalist>
      <small role="status">{message}</small>
    </span>
  );
}

function suggestionOf(entity: JsonObject, labels: readonly string[]): Suggestion {
  const key = plainText(entity['__KEY']);
  const label = labelOf(entity, labels);
  return { key, text: label === '' || label === key ? key : `${label} (${key})` };
}
