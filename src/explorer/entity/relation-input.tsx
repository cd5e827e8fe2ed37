import { useEffect, useState } from 'preact/hooks';
import { hrefs } from '../routes.ts';
import { type Attribute, type Catalog, relationTarget } from '../rest/catalog.ts';
import { rest } from '../rest/client.ts';
import { isObject, type JsonObject, objectsIn, plainText } from '../rest/json.ts';
import { RestError } from '../rest/rest-error.ts';
import { shownKey } from '../rest/url.ts';
import { relatedKey } from './draft.ts';
import type { FieldProps } from './field-props.ts';
import { takesNull } from './form-fields.ts';
import {
  choiceText,
  labelAttributes,
  labelOf,
  showsKey,
  suggestionsUrl,
} from './related-search.ts';

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
  isRequired,
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
  const mayBeNull = takesNull(attribute, editor.dataclass);
  const isShown = key !== null && !isSearching;
  const hiddenKey = isChanged ? null : keyOfHidden(attribute, editor.entity.value);
  return (
    <div class="relation">
      {isShown && (
        <a class="related" href={hrefs.entity(attribute.type, key)}>
          {label === '' ? attribute.type : label}
          {!showsKey(label, key) && (
            <>
              {' '}
              <code>{shownKey(key)}</code>
            </>
          )}
        </a>
      )}
      {hiddenKey !== null && !isSearching && (
        <span>
          {attribute.type} <code>{hiddenKey}</code>, which you may not see
        </span>
      )}
      {!isShown && isReadOnly && hiddenKey === null && <em class="null-value">null</em>}
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
              isRequired={isRequired}
              placeholder={`${mayBeNull ? 'null – search' : 'Search'} ${target.name}`}
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
          {isShown && mayBeNull && (
            <button type="button" class="null" onClick={() => editor.change(name, null)}>
              null<span class="visually-hidden"> for {name}</span>
            </button>
          )}
        </>
      )}
    </div>
  );
}

/** The key in the attributes of a relation that seems to lead nowhere, as the user may not see what it leads to; null where it leads nowhere, or to what is shown. */
function keyOfHidden({ name, foreignKey }: Attribute, entity: JsonObject | null): string | null {
  if (entity === null || foreignKey.length === 0 || entity[name] !== null) return null;
  const parts = foreignKey.map((part) => entity[part] ?? null);
  return parts.includes(null) ? null : parts.map(plainText).map(shownKey).join(', ');
}

/** An entity that is suggested: what it is known by, and the text by which it is chosen. */
interface Suggestion {
  readonly key: string;
  readonly label: string;
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
  isRequired,
  placeholder,
  onChoose,
}: {
  id: string;
  describedBy: string | undefined;
  isInvalid: boolean;
  isFocused: boolean;
  url: (text: string) => string;
  labels: readonly string[];
  what: string;
  isRequired: boolean;
  placeholder: string;
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
    else onChoose(match.key, match.label);
  };
  return (
    <span class="related-search">
      <input
        id={id}
        type="search"
        list={`${id}-suggestions`}
        placeholder={placeholder}
        autocomplete="off"
        required={isRequired}
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
          if (only !== undefined && more.length === 0) onChoose(only.key, only.label);
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
  return { key, label, text: choiceText(label, key) };
}
